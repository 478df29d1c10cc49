"""Hands that were set: the event in every format of the log, what it may hold, and what the engine reads of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.event_kinds import KnownGame
from tests.facade.evidence import decode_lines, read_batch, to_lines, to_table

Record = dict[str, Any]

GAME = "cards"


def record(*events: Record) -> Record:
    deal = {"event": "deal", "place": "player", "seat": 1, "cards": "AsAdKcQhJk2c3d"}
    seat = {"seat": 1, "cards": "AsAdKcQhJk2c3d", "wagers": []}
    return {
        "round": "R1", "casino": "C", "table": "T", "time": "2026-03-02T18:00:00Z", "game": GAME,
        "seats": [seat], "events": [deal, *events],
    }  # fmt: skip


def set_cards(**changes: Any) -> Record:
    event = {"event": "set", "place": "player", "seat": 1, "high": "AsAdJk2c3d", "low": "KcQh"}
    return {key: value for key, value in (event | changes).items() if value is not None}


def read(*events: Record) -> Batch:
    return read_batch([record(*events)], GAME)


def test_lines_and_columns_keep_both_hands() -> None:
    batch = read(set_cards(), {"event": "set", "place": "dealer", "high": "KsKdQc9h8s", "low": "??Jd"})
    lines = to_lines(batch)
    events = json.loads(lines)["events"]
    assert events[1] == set_cards()
    assert events[2] == {"event": "set", "place": "dealer", "high": "KsKdQc9h8s", "low": "??Jd"}
    (again,) = batches_from_arrow(to_table(batch), known_games={GAME}).batches
    assert to_lines(again) == lines


@pytest.mark.parametrize(("jokers", "sound"), [(0, 0), (1, 1)])
def test_a_joker_needs_a_deck_with_one(jokers: int, sound: int) -> None:
    known = {GAME: KnownGame(acts={"deal"}, cards=52 + jokers, jokers=jokers)}
    text = json.dumps(record()).encode() + b"\n"
    decoded = decode_lines(text, file="log.jsonl", first_line=1, known_games=known)
    assert [len(batch) for batch in decoded.batches] == [1] * sound
    assert ["has no joker" in each.reason for each in decoded.quarantined] == [True] * (1 - sound)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (set_cards(low="KcQ"), "expected the cards of the Low Hand"),
        (set_cards(low=""), "expected the cards of the Low Hand"),
        (set_cards(low="Kc" * 13), "expected the cards of the Low Hand"),
        (set_cards(low=None), "the key `low` is missing"),
        (set_cards(high=None), "the key `high` is missing"),
        (set_cards(high="AsAx"), "is not a card"),
        (set_cards(place="burn"), "unknown value"),
        (set_cards(seat=None), "names no seat"),
        (set_cards(cards="As"), "unknown key"),
        (set_cards(seat=2), "which is not listed"),
    ],
)
def test_events_that_no_place_can_have_are_quarantined(event: Record, reason: str) -> None:
    text = json.dumps(record(event)).encode() + b"\n"
    decoded = decode_lines(text, file="log.jsonl", first_line=1, known_games={GAME})
    assert not decoded.batches
    assert reason in decoded.quarantined[0].reason
