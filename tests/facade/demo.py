"""The first demo: its log, its submission and edits of them, as inputs of tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.facade.rules import rules_folder

GAME = "co-rule10-3card-shine"
DEMO = rules_folder() / GAME / "demo"

SUPER_6_AREA = "{wager: super-6, legend: Super 6 Bonus}"
LIMITS_LAWFUL = '{clause: "(2)", by: General manager G. Example, given: 2026-01-20}'

Record = dict[str, Any]
Edit = Callable[[str], str]


def demo_lines() -> list[str]:
    """Return the lines of the demo's hand log; the last hand-written one is broken."""
    return (DEMO / "hand-log.jsonl").read_text("utf-8").splitlines()


def demo_round(name: str) -> Record:
    """Return a round of the demo's hand log, as data of its own."""
    found: Record = json.loads(next(line for line in demo_lines() if f'"round":"{name}"' in line))
    return found


def demo_submission(*edits: Edit) -> str:
    """Return the demo's submission, edited."""
    text = (DEMO / "submission.yaml").read_text("utf-8")
    for edit in edits:
        text = edit(text)
    return text


def comply(*edits: Edit) -> str:
    """Return the demo's submission corrected, without the waiver it claims, and edited."""
    return demo_submission(
        replace_once("posted: [], tips: false} # PLANTED: posted nowhere", "posted: [signage], tips: false}"),
        replace_once("odds: 5 to 1} # PLANTED: table D pays 6 to 1; 5 to 1 is in table C", "odds: 6 to 1}"),
        replace_once("  areas: # PLANTED: there is none for Super 6\n", f"  areas:\n  - {SUPER_6_AREA}\n"),
        replace_once("PLANTED: nobody vouches under clause (2) that the limits are lawful\n", f"\n- {LIMITS_LAWFUL}\n"),
        lambda text: text.partition("\nwaivers:")[0] + "\n",
        *edits,
    )


def grant_waiver(*clauses: str, **terms: str) -> str:
    """Return a regulator's file with a waiver for the casino of the demo."""
    told = {"licensee": "Golden Gulch Casino", "document": GAME, "by": "A. Specimen, director", "granted": "2026-01-25"}
    waiver = {**told, "clauses": list(clauses), **terms}
    return json.dumps({"regulator": "Specimen Gaming Commission", "waivers": [waiver]})


def to_log(rounds: Iterable[Record | str]) -> bytes:
    """Return rounds, or unchanged lines, as a log in JSON Lines."""
    lines = (round_ if isinstance(round_, str) else json.dumps(round_, separators=(",", ":")) for round_ in rounds)
    return "".join(f"{line}\n" for line in lines).encode()


def replace_once(old: str, new: str) -> Edit:
    """Return an edit that puts `new` in place of `old`, which must occur in the text exactly once."""

    def edit(text: str) -> str:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        return text.replace(old, new)

    return edit
