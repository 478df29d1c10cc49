"""Columns of a log as they were read, before they were held against each other.

Rounds of several games may be mixed, and events name their seat by its number.
"""

from __future__ import annotations

from msgspec import Struct

from validator.arrays import Bits64, Codes, Flags, Ints, Ints8, Ints16, Ints32
from validator.evidence.columns.batch import Coded, Hands, Stakes


class SeatColumns(Struct, frozen=True, kw_only=True):
    """Every seat, in order; `counts` is int64[rounds], how many each round has. Columns as in `Seats`."""

    counts: Ints
    number: Ints8
    player: Coded
    decision: Coded
    hands: Hands
    discarded: Hands
    drawn: Hands
    stack: Ints
    stack_after: Ints
    won: Ints
    playing: Flags


class MeterColumns(Struct, frozen=True, kw_only=True):
    """Every reading of a meter, in order; `counts` is int64[rounds]. Columns as in `Meters`."""

    counts: Ints
    meter: Coded
    opening: Ints
    shown: Ints
    closing: Ints


class EventColumns(Struct, frozen=True, kw_only=True):
    """Every event, in order; `counts` is int64[rounds]. Columns as in `Events`, but `seat` is the number
    of the seat as the log has it."""

    counts: Ints
    kind: Codes
    seat: Ints8
    place: Ints8
    face: Ints8
    by: Ints8
    means: Ints8
    wager: Coded
    tip: Flags
    amount: Ints
    decision: Coded
    what: Coded
    deck: Coded
    positions: Coded
    pot: Ints8
    chips: Ints16
    cards_row: Ints32
    hands: Hands


class Draft(Struct, frozen=True, kw_only=True):
    """Rounds of a log, in order. Columns as in `Batch`.

    Every field is of its type and within its bounds, every event has the fields of its kind and no other,
    save in rounds noted as `Wrong` beside it.
    """

    file: str
    line: Ints
    round: tuple[str, ...]
    game: Coded
    table: Coded
    casino: Coded
    time: Ints
    offset: Ints16
    number: Ints32
    deck: Coded
    button: Ints8
    small_bet: Ints
    big_bet: Ints
    after: Coded
    complete: Flags
    dealer: Hands
    dealer_discarded: Hands
    dealer_drawn: Hands
    community: Hands
    community_discarded: Hands
    meters: MeterColumns
    seats: SeatColumns
    stakes: Stakes
    events: EventColumns
    recorded: Flags
    unrecorded: Bits64
    currency: Coded
    context: Coded


class Wrong:
    """Rounds found bad, by index, each with the first reason found."""

    __slots__ = ("reasons",)

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}

    def note(self, round_index: int, reason: str) -> None:
        """Remember that a round is bad, unless that is known."""
        self.reasons.setdefault(round_index, reason)
