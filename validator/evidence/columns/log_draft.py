"""Columns of a log before any check between them, and the location of a row in its record for messages.

Rounds of several games may be mixed, and events name their seat by its number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Bits64, Codes, Flags, Ints, Ints8, Ints16, Ints32
from fairdeal.validator.cards.card_codes import parse_cards
from fairdeal.validator.evidence.columns.batch import CodedColumn, Hands, Stakes
from fairdeal.validator.evidence.columns.text_columns import DecodedHands


class SeatColumns(Struct, frozen=True, kw_only=True):
    """All seats, in order. Columns as in `Seats`."""

    counts: Ints
    """Number of seats of each round, int64[rounds]."""
    number: Ints8
    player: CodedColumn
    decision: CodedColumn
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
    meter: CodedColumn
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
    wager: CodedColumn
    tip: Flags
    amount: Ints
    decision: CodedColumn
    what: CodedColumn
    deck: CodedColumn
    positions: CodedColumn
    pot: Ints8
    chips: Ints16
    cards_row: Ints32
    hands: Hands


class LogDraft(Struct, frozen=True, kw_only=True):
    """Rounds of a log, in order. Columns as in `Batch`.

    Every field has its type and is within its bounds, and every event has exactly the fields of its kind. Exceptions
    are noted in a `BadRounds`.
    """

    file: str
    line: Ints
    round: tuple[str, ...]
    game: CodedColumn
    table: CodedColumn
    casino: CodedColumn
    time: Ints
    offset: Ints16
    number: Ints32
    deck: CodedColumn
    button: Ints8
    small_bet: Ints
    big_bet: Ints
    after: CodedColumn
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
    currency: CodedColumn
    context: CodedColumn


class BadRounds:
    """Bad rounds, by index, each with the first reason found."""

    __slots__ = ("reasons",)

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}

    def note(self, round_index: int, reason: str) -> None:
        """Record a round as bad, unless it is already."""
        self.reasons.setdefault(round_index, reason)


class RowLevel:
    """Rows of one relation: rounds, or the entries of a list in the rows of another relation.

    Every refusal is noted in `wrong`, for the round of the row.
    """

    __slots__ = ("_name", "_offsets", "_parent", "wrong")

    def __init__(self, wrong: BadRounds) -> None:
        self.wrong = wrong
        self._parent: RowLevel | None = None
        self._name = ""
        self._offsets = np.empty(0, np.int64)

    def nested_list(self, name: str, counts: Ints) -> RowLevel:
        """Return the level of the entries of a list.

        Args:
            name: the key of the list.
            counts: the number of entries of each row of this level, int64[rows].
        """
        inner = RowLevel(self.wrong)
        inner._parent, inner._name = self, name
        inner._offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return inner

    def locate(self, row: int) -> tuple[int, str]:
        """Return the round of a row and the path to the row in the record, such as `$.seats[2]`."""
        if self._parent is None:
            return row, "$"
        owner = int(np.searchsorted(self._offsets, row, side="right")) - 1
        round_index, path = self._parent.locate(owner)
        return round_index, f"{path}.{self._name}[{row - int(self._offsets[owner])}]"

    def refuse(self, bad: Flags, field: str, reason: str | Callable[[int], str]) -> None:
        """Note the rounds of the marked rows as bad.

        Args:
            bad: the rows, bool[n].
            field: the bad field; empty if the row itself is bad.
            reason: the reason, which may depend on the row.
        """
        for row in np.flatnonzero(bad).tolist():
            round_index, path = self.locate(row)
            explanation = reason if isinstance(reason, str) else reason(row)
            self.wrong.note(round_index, f"at `{path}{'.' * bool(field)}{field}`: {explanation}")

    def check_hands(self, decoded: DecodedHands, field: str, text: Callable[[int], str | None]) -> Hands:
        """Return the hands of a column and refuse malformed ones. `text` returns the source of a row."""
        self.refuse(~decoded.well_formed, field, lambda row: explain_bad_hand(text(row) or ""))
        return decoded.hands


def explain_bad_hand(text: str) -> str:
    """Explain why a text is not a hand."""
    try:
        parse_cards(text)
    except ValueError as error:
        return str(error)
    return "more cards than a hand can hold"
