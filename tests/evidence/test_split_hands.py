"""Hands that were split: the cards that each holds, in every format of the log, and splits that contradict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.columns.recorded_events import apply_splits, find_boxes
from fairdeal.validator.evidence.columns.round_batch import Batch
from tests.facade.evidence import decode_lines, read_batch, to_lines, to_table

Record = dict[str, Any]

GAME = "cards"
CODES = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def seat(number: int, cards: str, split_of: int | None = None) -> Record:
    own: Record = {} if split_of is None else {"split-of": split_of}
    return {"seat": number, "cards": cards, "wagers": [], **own}


def split(number: int, to: int) -> Record:
    return {"event": "split", "seat": number, "to": to}


def deal(number: int, cards: str) -> Record:
    return {"event": "deal", "place": "player", "seat": number, "cards": cards}


def record(seats: list[Record], events: list[Record] | None = None) -> Record:
    own: Record = {} if events is None else {"events": events}
    return {
        "round": "R1", "casino": "C", "table": "T", "time": "2026-03-02T18:00:00Z", "game": GAME, "seats": seats, **own
    }  # fmt: skip


def hold(batch: Batch) -> list[str]:
    """Return the cards of each seat after all splits."""
    held = apply_splits(find_boxes(batch), batch.seats.hands)
    rows = ["".join(CODES[card] for card in row if card != NO_CARD) for row in held.cards.tolist()]
    assert [len(row) // 2 for row in rows] == held.count.tolist()
    return rows


@pytest.mark.parametrize(
    ("seats", "events", "held"),
    [
        ([seat(1, "8h8d3s"), seat(2, "TsTd")], None, ["8h8d3s", "TsTd"]),
        ([seat(1, "8h8d3s"), seat(11, "2cTs5h", 1)], None, ["8h3s", "8d2cTs5h"]),
        # The third card is an eight again: seat 12 begins with it, and so does seat 13 with the card that seat 11 got.
        (
            [seat(1, "8h8d8s3h2c"), seat(11, "8cTs", 1), seat(12, "9s", 1), seat(13, "4d5d", 11)],
            None,
            ["8h3h2c", "8dTs", "8s9s", "8c4d5d"],
        ),
        # The second split makes the hand with the lower number.
        (
            [seat(1, "8h8d8s3h"), seat(7, "9s", 1), seat(8, "Ts", 1)],
            [deal(1, "8h8d"), split(1, 8), deal(1, "8s"), split(1, 7), deal(1, "3h"), deal(7, "9s"), deal(8, "Ts")],
            ["8h3h", "8s9s", "8dTs"],
        ),
    ],
)
def test_a_split_moves_the_second_card(seats: list[Record], events: list[Record] | None, held: list[str]) -> None:
    batch = read_batch([record(seats, events)], GAME)
    assert hold(batch) == held
    written = decode_lines(to_lines(batch), file="log.jsonl", first_line=1, known_games={GAME})
    tabled = batches_from_arrow(to_table(batch), known_games={GAME})
    assert [hold(each) for decoded in (written, tabled) for each in decoded.batches] == [held, held]
    assert all("split-of" in json.loads(line)["seats"][-1] for line in to_lines(batch).splitlines()) == bool(
        find_boxes(batch).splits.any()
    )


@pytest.mark.parametrize(
    ("seats", "events", "reason"),
    [
        ([seat(1, "8h8d"), seat(2, "Ts", 3)], None, "seat 2 is split of seat 3, which is not listed"),
        ([seat(1, "8h8d", 2), seat(2, "Ts", 1)], None, "seat 1 is split of itself, directly or through other seats"),
        (
            [seat(1, "8h8d"), seat(2, "Ts")],
            [deal(1, "8h8d"), split(1, 2), deal(2, "Ts")],
            "seat 2 is not listed as split of seat 1, but an event splits the hand",
        ),
    ],
)
def test_a_split_of_no_hand_is_set_aside(seats: list[Record], events: list[Record] | None, reason: str) -> None:
    text = json.dumps(record(seats, events)).encode()
    decoded = decode_lines(text, file="log.jsonl", first_line=1, known_games={GAME})
    assert [reason in str(each) for each in decoded.quarantined] == [True], decoded.quarantined
