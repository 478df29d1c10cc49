"""Submissions and logs in which every text a person may choose attacks whoever reads about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any

import yaml

from tests.facade.demo import demo_round, demo_submission, to_log

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "'><svg/onload=alert(3)>",
    "</title></style></script><script>alert(4)</script>",
    "{{ 7 * 191 }}{% raw %}${7 * 191}",
    "<!-- --><iframe src=//example.invalid></iframe>",
    "javascript:alert(5)",
    "&lt;script&gt;alert(6)&lt;/script&gt;&#60;b&#62;",
    "\u202egnp.exe\u202c \u2066hidden\u2069",
    "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309",
    "%s%n{0}\\u001b[31m",
    "<base href=//example.invalid><link rel=stylesheet href=//example.invalid/x.css>",
)

UNSEEN = (
    "line\nbreak",
    "escape\x1b[2J\x1b[31m",
    "bell\x07",
    "zero\x00",
    "delete\x7f",
    "paragraph\u2029",
    "next\x85line",
)
"""Characters that a terminal obeys or hides."""

LONG = "W" * 10_000

_FIXED = frozenset(
    {"document", "effective", "given", "until", "odds", "style", "shuffler", "shoe", "posted", "displayed", "cards"}
    | {"clause"}
    | {"game", "time", "dealer", "community", "event", "place", "by-whom", "face", "unrecorded"}
)
"""Keys of which the values are closed lists, days, clauses or cards, and not a person's own words."""


def make_hostile_submission() -> dict[str, Any]:
    """Return the demo's submission with an attack in place of every free text."""
    return dict(json.loads(_submission()))


@cache
def _submission() -> str:
    data = yaml.safe_load(demo_submission())
    data |= {"notices": [""] * len(ATTACKS), "effective": "2026-02-01"}
    data["licensee"]["license"] = ""
    data["attestations"] = [{**data["attestations"][0], "given": "2026-01-20", "statement": ""}] * len(ATTACKS)
    data["waivers"] = [{**data["waivers"][0], "until": "2026-06-30"}]
    return json.dumps(_spoil(data, count()))


@cache
def make_hostile_log() -> bytes:
    """Return rounds of the demo with an attack in place of every free text; some cannot even be read."""
    rounds = [demo_round(name) for name in ("hand-05", "hand-11", "hand-16", "hand-23")] * len(ATTACKS)
    numbers = count()
    spoiled = [json.dumps(_spoil(round_, numbers, events=False)) for round_ in rounds]
    named = [json.dumps({**demo_round("hand-16"), "round": text, "table": text, "casino": text}) for text in ATTACKS]
    unseen = [json.dumps({**demo_round("hand-16"), "round": text, "table": text}) for text in UNSEEN]
    events = [{"event": "announce", "what": text} for text in (*ATTACKS, *UNSEEN)]
    told = {**demo_round("hand-16"), "round": "told", "events": [*demo_round("hand-16")["events"], *events]}
    long = [json.dumps({**demo_round("hand-16"), "round": LONG}), json.dumps({**demo_round("hand-16"), LONG: 1})]
    unknown = [json.dumps({**demo_round("hand-16"), text: text}) for text in (*ATTACKS, *UNSEEN)]
    games = [json.dumps({**demo_round("hand-16"), "game": text}) for text in ATTACKS]
    return to_log([*spoiled, *named, *unseen, json.dumps(told), *long, *unknown, *games, *ATTACKS])


def _spoil(value: Any, numbers: Iterator[int], key: str = "", *, events: bool = True) -> Any:
    match value:
        case dict():
            return {
                name: part if name in _FIXED or (name == "events" and not events) else _spoil(part, numbers, name)
                for name, part in value.items()
            }
        case list():
            return [_spoil(part, numbers, key) for part in value]
        case str():
            number = next(numbers)
            return f"{ATTACKS[number % len(ATTACKS)]}{number}"
        case _:
            return value
