"""Rounds whose events and summary cannot both be true."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence.generate import GAME
from validator.evidence.jsonl import decode_lines

Record = dict[str, Any]

SEATS = [
    {
        "seat": 1,
        "cards": "AsKdTc",
        "decision": "play",
        "wagers": [
            {"wager": "main", "amount": 500, "paid": 500, "taken": 0},
            {"wager": "main", "amount": 100, "tip": True, "paid": 0, "taken": 100},
        ],
        "bonuses": [{"bonus": "extra", "paid": 50}],
    },
    {"seat": 4, "cards": "2c", "wagers": []},
]
EVENTS = [
    {"event": "wager", "seat": 1, "wager": "main", "amount": 700},
    {"event": "withdraw", "seat": 1, "wager": "main", "amount": 200},
    {"event": "wager", "seat": 1, "wager": "main", "amount": 100, "tip": True},
    {"event": "deal", "place": "player", "seat": 1, "cards": "AsKd"},
    {"event": "deal", "place": "burn", "cards": "9h"},
    {"event": "deal", "place": "player", "seat": 4, "cards": "2c"},
    {"event": "deal", "place": "player", "seat": 1, "cards": "Tc"},
    {"event": "deal", "place": "dealer", "cards": "3c3d"},
    {"event": "deal", "place": "community", "cards": "4c"},
    {"event": "decide", "seat": 1, "decision": "wait"},
    {"event": "decide", "seat": 1, "decision": "play"},
    {"event": "pay", "seat": 1, "wager": "main", "amount": 300},
    {"event": "pay", "seat": 1, "wager": "main", "amount": 200},
    {"event": "collect", "seat": 1, "wager": "main", "amount": 100, "tip": True},
    {"event": "pay", "seat": 1, "wager": "extra", "amount": 50},
]


def record() -> Record:
    """A round that does not contradict itself, to be altered freely."""
    whole = {
        "round": "r",
        "table": "t",
        "time": "2026-03-01T12:00:00Z",
        "game": GAME,
        "seats": SEATS,
        "dealer": "3c3d",
        "community": "4c",
        "events": EVENTS,
    }
    copied: Record = json.loads(json.dumps(whole))
    return copied


def reasons(*records: Record) -> list[str]:
    text = b"\n".join(json.dumps(each).encode() for each in records)
    decoded = decode_lines(text, file="log", first_line=1, known_games={GAME})
    return [entry.reason for entry in decoded.quarantined]


def contradiction(altered: Record) -> str:
    """The one reason, between two good neighbours."""
    (reason,) = reasons(record(), altered, record())
    start = "the record contradicts itself: "
    assert reason.startswith(start)
    return reason.removeprefix(start)


def test_a_sound_record() -> None:
    assert reasons(record()) == []


def alter(path: str, value: object) -> Record:
    found: Any = (whole := record())
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in steps:
        found = found[step]
    found[last] = value
    return whole


CASES = [
    ("seats.0.cards", "AsKd9c", "the cards of seat 1 are AsKd9c, but its events deal AsKdTc"),
    ("seats.0.cards", "AsKd", "the cards of seat 1 are AsKd, but its events deal AsKdTc"),
    ("seats.0.cards", "KdAsTc", "the cards of seat 1 are KdAsTc, but its events deal AsKdTc"),
    ("seats.1.cards", "2c2d", "the cards of seat 4 are 2c2d, but its events deal 2c"),
    ("seats.1.cards", "", "the cards of seat 4 are none, but its events deal 2c"),
    ("dealer", "3c3h", "the dealer's cards are 3c3h, but its events deal 3c3d"),
    ("community", "5c", "the community cards are 5c, but its events deal 4c"),
    ("events.8", {"event": "cut"}, "the community cards are 4c, but its events deal none"),
    ("seats.0.decision", "fold", "seat 1 decides `fold`, but `play` by its events"),
    ("seats.0.wagers.0.amount", 501, "seat 1, `main`: 501 staked, but 500 by its events"),
    ("seats.0.wagers.1.amount", 0, "seat 1, a tip on `main`: 0 staked, but 100 by its events"),
    ("seats.0.wagers.0.paid", 499, "seat 1, `main`: 499 paid, but 500 by its events"),
    ("seats.0.wagers.0.taken", 1, "seat 1, `main`: 1 taken, but 0 by its events"),
    ("seats.0.wagers.1.taken", 0, "seat 1, a tip on `main`: 0 taken, but 100 by its events"),
    ("seats.0.bonuses.0.paid", 51, "seat 1, `extra`: 51 paid, but 50 by its events"),
    ("events.0.wager", "other", "seat 1, `main`: 500 staked, but -200 by its events"),
    ("events.0.seat", 4, "seat 1, `main`: 500 staked, but -200 by its events"),
    ("events.2.tip", False, "seat 1, `main`: 500 staked, but 600 by its events"),
    ("events.11.amount", 301, "seat 1, `main`: 500 paid, but 501 by its events"),
    ("events.14.wager", "unheard", "seat 1, `extra`: 50 paid, but 0 by its events"),
    ("events.6", {"event": "cut"}, "the cards of seat 1 are AsKdTc, but its events deal AsKd"),
    (
        "events.9",
        {"event": "reveal", "place": "dealer", "cards": "3c3h"},
        "the dealer's cards are 3c3d, but 3c3h is shown there",
    ),
    (
        "events.4",
        {"event": "expose", "place": "player", "seat": 4, "cards": "As"},
        "the cards of seat 4 are 2c, but As is shown there",
    ),
    (
        "events.4",
        {"event": "turn-down", "place": "community", "cards": "5c"},
        "the community cards are 4c, but 5c is shown there",
    ),
    (
        "events.4",
        {"event": "return", "seat": 1, "wager": "main", "amount": 501},
        "seat 1, `main`: 501 given back by its events, but 500 left of the stake",
    ),
    (
        "events.4",
        {"event": "return", "seat": 1, "wager": "main", "amount": 1, "tip": True},
        "seat 1, a tip on `main`: 1 given back by its events, but 0 left of the stake",
    ),
    (
        "events.4",
        {"event": "return", "seat": 4, "wager": "extra", "amount": 5},
        "seat 4, `extra`: 5 given back by its events, but 0 left of the stake",
    ),
    (
        "events.6",
        {"event": "deal", "place": "player", "seat": 1, "cards": "Tc" * 12},
        "the cards of seat 1 are AsKdTc, but its events deal AsKd" + "Tc" * 12,
    ),
]


@pytest.mark.parametrize(("path", "value", "expected"), CASES, ids=[f"{case[0]}={case[1]}"[:60] for case in CASES])
def test_contradictions(path: str, value: object, expected: str) -> None:
    assert contradiction(alter(path, value)) == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seats.0.cards", None),
        ("seats.0.cards", "As??Tc"),
        ("events.3.cards", "??Kd"),
        ("dealer", None),
        ("community", None),
        ("seats.0.decision", None),
        ("seats.0.wagers.0.paid", None),
        ("seats.0.wagers.1.taken", None),
        ("seats.0.bonuses.0.paid", None),
        ("seats.1.decision", "play"),  # no decision of the seat is among the events
        ("events.4", {"event": "return", "seat": 1, "wager": "main", "amount": 500}),
        ("events.4", {"event": "reveal", "place": "dealer", "cards": "3d"}),
        ("events.4", {"event": "reveal", "place": "dealer", "cards": "3d??"}),
        ("events.4", {"event": "reveal", "place": "burn", "cards": "As"}),
        ("events.4", {"event": "turn-down", "place": "dealer"}),
        ("events.4", {"event": "collect-cards", "place": "dealer", "cards": "As"}),
    ],
)
def test_what_is_left_open_contradicts_nothing(path: str, value: object) -> None:
    assert reasons(alter(path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        ("dealer", "3c3h", "deal"),
        ("seats.0.decision", "fold", "decide"),
        ("seats.0.wagers.0.amount", 501, "wager"),
        ("seats.0.wagers.0.amount", 501, "withdraw"),
        ("seats.0.wagers.0.paid", 499, "pay"),
        ("seats.0.wagers.0.taken", 1, "collect"),
        ("events.4", {"event": "return", "seat": 1, "wager": "main", "amount": 501}, "return"),
    ],
)
def test_what_the_log_does_not_record_contradicts_nothing(path: str, value: object, kind: str) -> None:
    altered = alter(path, value)
    assert reasons(altered)
    assert reasons({**altered, "unrecorded": [kind]}) == []
    assert reasons({**altered, "unrecorded": ["tuck"]})
    assert reasons({**altered, "events": None}) == []


def test_shown_cards_contradict_no_hand_that_is_not_wholly_known() -> None:
    altered = alter("events.4", {"event": "reveal", "place": "dealer", "cards": "9h"})
    assert reasons(altered)
    assert reasons({**altered, "dealer": "3c??"}) == []
    assert reasons({**altered, "dealer": None}) == []


def test_taking_more_than_was_staked_is_no_contradiction_but_a_matter_for_judgement() -> None:
    altered = alter("seats.0.wagers.0.taken", 501)
    altered["events"].append({"event": "collect", "seat": 1, "wager": "main", "amount": 501})
    assert reasons(altered) == []


def test_no_events_at_all_deal_nothing() -> None:
    assert contradiction({**record(), "events": []}) == "the cards of seat 1 are AsKdTc, but its events deal none"


def test_very_many_names_and_amounts() -> None:
    rounds = []
    for number in range(300):
        wagers = [{"wager": f"w{number}-{place}", "amount": 10**12, "paid": 10**12} for place in range(60)]
        placed = [{"event": "wager", "seat": 99, **{k: w[k] for k in ("wager", "amount")}} for w in wagers]
        paid = [{**event, "event": "pay"} for event in placed]
        if number == 250:
            paid[7] = {**paid[7], "amount": 10**12 - 1}
        seats = [{"seat": 99, "wagers": wagers}]
        rounds.append({**record(), "seats": seats, "dealer": None, "community": None, "events": placed + paid})
    assert reasons(*rounds) == [
        "the record contradicts itself: seat 99, `w250-7`: 1000000000000 paid, but 999999999999 by its events"
    ]


def test_the_largest_sums_are_exact() -> None:
    whole = {**record(), "dealer": None, "community": None}
    whole["seats"] = [{"seat": 1, "wagers": [{"wager": "w", "amount": 1, "paid": 10**12}]}]
    most = {"event": "wager", "seat": 1, "wager": "w", "amount": 10**12}
    back = {**most, "event": "withdraw"}
    whole["events"] = [{**most, "amount": 1}, *[most] * 999, *[back] * 999, {**most, "event": "pay"}]
    assert reasons(whole) == []
    whole["events"][0]["amount"] = 2
    assert contradiction(whole) == "seat 1, `w`: 1 staked, but 2 by its events"
