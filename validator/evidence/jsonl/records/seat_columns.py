"""Columns of seats."""

from __future__ import annotations

from collections.abc import Sequence

from validator.arrays import Ints
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.draft import SeatColumns
from validator.evidence.handlog.record import SeatRecord
from validator.evidence.jsonl.records.extract import Extractor


def seat_columns(
    extractor: Extractor,
    seats: Sequence[SeatRecord],
    *,
    counts: Ints,
    player: Coded,
    decision: Coded,
    hands: Hands,
    discarded: Hands,
    drawn: Hands,
) -> SeatColumns:
    """Build the columns of seats; `counts` are the seats of each round. Columns of text and cards are given."""
    return SeatColumns(
        counts=counts,
        number=extractor.seats(seats),
        player=player,
        decision=decision,
        hands=hands,
        discarded=discarded,
        drawn=drawn,
        stack=extractor.rare_amounts(seats, "stack"),
        stack_after=extractor.rare_amounts(seats, "stack_after"),
        won=extractor.rare_amounts(seats, "won"),
        playing=extractor.rare_flags(seats, "playing") != 0,
    )
