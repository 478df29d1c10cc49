"""Columns of seats."""

from __future__ import annotations

from collections.abc import Sequence

from validator.arrays import Ints
from validator.evidence.columns.batch import CodedColumn, Hands
from validator.evidence.columns.draft import SeatColumns
from validator.evidence.handlog.record import SeatRecord
from validator.evidence.jsonl.records.extract import Extractor


def build_seat_columns(
    extractor: Extractor,
    seats: Sequence[SeatRecord],
    *,
    counts: Ints,
    player: CodedColumn,
    decision: CodedColumn,
    hands: Hands,
    discarded: Hands,
    drawn: Hands,
) -> SeatColumns:
    """Build the columns of seats; `counts` are the seats of each round. Columns of text and cards are given."""
    return SeatColumns(
        counts=counts,
        number=extractor.take_seats(seats),
        player=player,
        decision=decision,
        hands=hands,
        discarded=discarded,
        drawn=drawn,
        stack=extractor.take_rare_amounts(seats, "stack"),
        stack_after=extractor.take_rare_amounts(seats, "stack_after"),
        won=extractor.take_rare_amounts(seats, "won"),
        playing=extractor.take_rare_flags(seats, "playing") != 0,
    )
