"""Batch of rounds as flat arrays, joined by offsets and indices.

A single round is a batch of one. Children refer to their parents by index (`Seats.round`, `Stakes.seat`), and rounds
know where their children start (`Seats.offsets`, `Events.offsets`). Repeated text is stored once per batch as a code.
Nothing here depends on a game: names of wagers and decisions are those of the log.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Bits64, Cards, Codes, Flags, Ints, Ints8, Ints16, Ints32, find_distinct

UNDATED, DAY, MOMENT = range(3)
"""Precision of the time of a round: no day; the day; the day and the time."""


class CodedColumn(Struct, frozen=True, kw_only=True):
    """Column of text, stored as codes. A name may have different codes in different batches."""

    codes: NDArray[np.int32]
    """Indices into `names`; ABSENT if nothing is recorded, int32[n]."""
    names: tuple[str, ...]
    """Distinct texts, in the order of their codes."""

    def code(self, name: str) -> int:
        """Return the code of a name in this batch; -2, which equals no code, if the name does not occur."""
        try:
            return self.names.index(name)
        except ValueError:
            return -2

    def used_names(self) -> tuple[str, ...]:
        """Return the names that occur in the column; `names` may hold others, which the log has elsewhere."""
        return tuple([self.names[code] for code in find_distinct(self.codes).tolist() if code >= 0])

    def take(self, places: Ints) -> CodedColumn:
        """Return the column at the indices `places`."""
        return CodedColumn(codes=self.codes.take(places), names=self.names)

    def is_one_of(self, names: Collection[str]) -> Flags:
        """Return whether each text is one of some names.

        Returns: bool[n].
        """
        matches = np.zeros(len(self.codes), bool)
        for name in set(names).intersection(self.names):
            matches |= self.codes == self.code(name)
        return matches

    def text(self, index: int) -> str | None:
        """Return the text at an index; None if nothing is recorded."""
        code = int(self.codes[index])
        return None if code < 0 else self.names[code]


class Hands(Struct, frozen=True, kw_only=True):
    """Cards of places, one row each. An unrecorded face is UNKNOWN."""

    cards: Cards
    """Card codes, padded with NO_CARD, uint8[n, width]."""
    count: Ints16
    """Number of cards; -1 if the cards are not recorded, int16[n]."""


class Seats(Struct, frozen=True, kw_only=True):
    """Betting positions of all rounds in which a wager was placed or a card dealt."""

    offsets: Ints
    """Index of the first seat of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the seat."""
    number: Ints16
    """Number of the seat in the log: 1 is the dealer's left."""
    player: CodedColumn
    """Player at the seat, by the id of the log."""
    decision: CodedColumn
    """Last decision of the seat."""
    hands: Hands
    """Cards dealt first, in order; may be unrecorded."""
    discarded: Hands
    """Discards among the cards dealt first or drawn; may be unrecorded."""
    drawn: Hands
    """Cards dealt to replace discards; may be unrecorded."""
    stack: Ints
    """Chips before any wager, in minor units; ABSENT if not recorded."""
    stack_after: Ints
    """Chips after the round, in minor units; ABSENT if not recorded."""
    won: Ints
    """Chips received from pots, after rake, in minor units; ABSENT if not recorded."""
    playing: Flags
    """False if the seat takes no part in the round."""
    split_of: Ints16
    """Number of the seat whose hand was split into this one; ABSENT if none was."""


class Stakes(Struct, frozen=True, kw_only=True):
    """Wagers and bonuses of all seats, with amounts in minor currency units."""

    seat: Ints32
    """Index into `Seats`."""
    wager: CodedColumn
    """Name of the wager or bonus."""
    selection: CodedColumn
    """Selection of the stake, in a fixed order of its parts."""
    tip: Flags
    """True if the stake was placed for the dealer."""
    bonus: Flags
    """True for a bonus, which has no stake of its own."""
    amount: Ints
    """Amount staked; 0 for a bonus."""
    brought: Ints
    """Part of the amount that lay on the table since an earlier round; ABSENT if not recorded."""
    paid: Ints
    """Amount paid beyond the stake; ABSENT if not recorded."""
    taken: Ints
    """Amount taken of the stake; ABSENT if not recorded."""
    claimed: Ints8
    """1 if the player declared a win, 0 if not, ABSENT if not recorded."""


class Meters(Struct, frozen=True, kw_only=True):
    """Readings of the meters of all rounds, in minor currency units; ABSENT if not recorded. A round lists a meter
    once."""

    offsets: Ints
    """Index of the first reading of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the reading."""
    meter: CodedColumn
    """Name of the meter."""
    opening: Ints
    """Reading before the wagers of the round."""
    shown: Ints
    """Reading when awards are made: after the wagers of the round, before any award."""
    closing: Ints
    """Reading after the round."""


class Outcomes(Struct, frozen=True, kw_only=True):
    """Results of all rounds that are no cards, as the summaries list them. A round lists an outcome once."""

    offsets: Ints
    """Index of the first result of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the result."""
    name: CodedColumn
    """Name of the outcome."""
    value: CodedColumn
    """Value of the outcome."""


class Events(Struct, frozen=True, kw_only=True):
    """Events of all rounds, in order. All columns are parallel; ABSENT if a kind has no such field."""

    offsets: Ints
    """Index of the first event of each round, int64[rounds + 1]."""
    round: Ints32
    """Round of the event."""
    kind: Codes
    """Index into KINDS."""
    seat: Ints32
    """Index into `Seats`."""
    place: Ints8
    """Index into PLACES."""
    face: Ints8
    """Index into FACES."""
    by: Ints8
    """Index into ACTORS."""
    means: Ints8
    """Index into MEANS (key `in`)."""
    wager: CodedColumn
    """Name of the wager or bonus."""
    tip: Flags
    """True if the stake was placed for the dealer."""
    amount: Ints
    """Amount in minor units, or the count of the key `number`."""
    decision: CodedColumn
    """Decision of the seat."""
    what: CodedColumn
    """Text of the key `what`."""
    deck: CodedColumn
    """Deck of the event."""
    positions: CodedColumn
    """Positions of cards at the place, as rising digits."""
    value: CodedColumn
    """Value of an outcome, or the selection of a stake (key `selection`)."""
    pot: Ints8
    """Pot: 0 for the main pot."""
    chips: Ints16
    """Number of pieces put forward, or the seat that a hand is split to."""
    cards_row: Ints32
    """Row of the cards in `hands`; ABSENT for an event without cards."""
    hands: Hands
    """Cards of the events that have some."""


class RecordVersions(Struct, frozen=True, kw_only=True):
    """Contradicting records of the same rounds in a batch."""

    number: NDArray[np.int32]
    """Version number of each record of a round, from 1; 0 for a round with a single version, int32[rounds]."""
    last: NDArray[np.bool_]
    """True if no later version of the round follows, bool[rounds]."""
    other: CodedColumn
    """Location of another version, as `file:line`."""


class Batch(Struct, frozen=True, kw_only=True):
    """Rounds of one game, in log order. Columns are parallel: one entry per round."""

    file: CodedColumn
    """Log of the round."""
    game: str
    """Id of the document that governs the game."""
    round: tuple[str, ...]
    """Id of the round."""
    line: Ints
    """Line (or row) of the log, from 1."""
    table: CodedColumn
    """Table of the round."""
    casino: CodedColumn
    """Casino of the round."""
    day: Ints32
    """Days since 1970-01-01, by the log's own calendar."""
    time: Ints
    """Microseconds since 1970-01-01, by the log's own clock."""
    dated: Codes
    """Precision of day and time: UNDATED, DAY or MOMENT. Anything finer in `day` and `time` is meaningless."""
    offset: Ints16
    """Minutes by which the clock of the log is ahead of UTC; 0 if not recorded."""
    number: Ints32
    """Number of the round since the table opened (1 opens a session); ABSENT if not recorded."""
    deck: CodedColumn
    """Deck in play."""
    button: Ints8
    """Number of the seat that has the button; ABSENT if not recorded."""
    small_bet: Ints
    """Smaller size of bets and raises under a fixed limit, in minor units; otherwise ABSENT."""
    big_bet: Ints
    """Larger size of bets and raises under a fixed limit, in minor units; otherwise ABSENT."""
    after: CodedColumn
    """Id of the round played just before."""
    complete: Flags
    """False if the record stops before the end of the round."""
    dealer: Hands
    """Cards dealt to the dealer, as in `Seats.hands`."""
    dealer_discarded: Hands
    """Discards of the dealer."""
    dealer_drawn: Hands
    """Cards drawn by the dealer."""
    community: Hands
    """Community cards."""
    community_discarded: Hands
    """Discarded community cards."""
    outcomes: Outcomes
    meters: Meters
    seats: Seats
    stakes: Stakes
    events: Events
    recorded: Flags
    """True if the round was recorded event by event."""
    unrecorded: Bits64
    """Kinds of event, or parts of kinds, that the log declares as not recorded, by the bits of `KIND_BITS`."""
    currency: CodedColumn
    """Currency of the amounts."""
    context: CodedColumn
    """Context recorded with the round, as a JSON object (`encode_context`)."""
    versions: RecordVersions | None = None
    """Contradicting records; None if every round has a single version."""

    def __len__(self) -> int:
        return len(self.round)
