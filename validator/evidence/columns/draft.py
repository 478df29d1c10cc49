"""Columns of a log before any check between them.

Rounds of several games may be mixed, and events name their seat by its number.
"""

from __future__ import annotations

from msgspec import Struct

from validator.arrays import Bits64, Codes, Flags, Ints, Ints8, Ints16, Ints32
from validator.evidence.columns.batch import Coded, Hands, Stakes


class SeatColumns(Struct, frozen=True, kw_only=True):
    """All seats, in order. Columns as in `Seats`."""

    counts: Ints
    """Number of seats of each round, int64[rounds]."""
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
    """All readings of meters, in order. Columns as in `Meters`."""

    counts: Ints
    """Number of readings of each round, int64[rounds]."""
    meter: Coded
    opening: Ints
    shown: Ints
    closing: Ints


class EventColumns(Struct, frozen=True, kw_only=True):
    """All events, in order. Columns as in `Events`, except `seat`."""

    counts: Ints
    """Number of events of each round, int64[rounds]."""
    kind: Codes
    seat: Ints8
    """Number of the seat in the log."""
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

    Every field has its type and is within its bounds, and every event has exactly the fields of its kind. Exceptions
    are noted in a `BadRounds`.
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
    """Bad rounds, by index, each with the first reason found."""

    __slots__ = ("reasons",)

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}

    def note(self, round_index: int, reason: str) -> None:
        """Record a round as bad, unless it is already."""
        self.reasons.setdefault(round_index, reason)
