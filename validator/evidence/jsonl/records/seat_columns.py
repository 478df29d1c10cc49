"""Seats to columns."""

from __future__ import annotations

from collections.abc import Sequence

from validator.arrays import Ints
from validator.evidence.columns.batch import Coded, Hands
from validator.evidence.columns.draft import SeatColumns
from validator.evidence.handlog.record import SeatRecord
from validator.evidence.jsonl.records.extract import Extractor


def seat_columns(
    take: Extractor,
    seats: Sequence[SeatRecord],
    *,
    counts: Ints,
    player: Coded,
    decision: Coded,
    hands: Hands,
    discarded: Hands,
    drawn: Hands,
) -> SeatColumns:
    """Seats of rounds, of which each has so many: what is text is given."""
    return SeatColumns(
        counts=counts,
        number=take.seats(seats),
        player=player,
        decision=decision,
        hands=hands,
        discarded=discarded,
        drawn=drawn,
        stack=take.rare_amounts(seats, "stack"),
        stack_after=take.rare_amounts(seats, "stack_after"),
        won=take.rare_amounts(seats, "won"),
        playing=take.rare_flags(seats, "playing") != 0,
    )
