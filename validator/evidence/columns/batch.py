"""A batch of rounds as flat arrays tied by offsets: what the interpreter plays on.

One round is a batch of one. Children point at their parents by index (`seat_round`, `stake_seat`, …), and
rounds know where their children start (`seat_offsets`, `event_offsets`). Text that repeats is coded once
a batch. Nothing here knows a game: the names of wagers and decisions are whatever the log says.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct

from validator.arrays import Bits64, Cards, Codes, Flags, Ints, Ints8, Ints16, Ints32, distinct

UNDATED, DAY, MOMENT = range(3)
"""What a log tells of when a round was played: nothing; the day; the day and the time of it."""


class Coded(Struct, frozen=True, kw_only=True):
    """A column of text: `codes[i]` is an index into `names`, or ABSENT where the log says nothing.

    `codes` is int32[n]. Which name has which code may differ from batch to batch; ask `code`.
    """

    codes: Ints32
    names: tuple[str, ...]

    def code(self, name: str) -> int:
        """The code of a name in this batch, or -2 (equal to nothing) where it does not occur."""
        try:
            return self.names.index(name)
        except ValueError:
            return -2

    def standing(self) -> tuple[str, ...]:
        """The names that stand in it: `names` may hold any number of others, which the log has elsewhere."""
        return tuple([self.names[code] for code in distinct(self.codes).tolist() if code >= 0])

    def at(self, places: Ints) -> Coded:
        """The column at some places alone, int64[m]."""
        return Coded(codes=self.codes.take(places), names=self.names)

    def among(self, names: Collection[str]) -> Flags:
        """bool[n]: where one of these names stands."""
        found = np.zeros(len(self.codes), bool)
        for name in set(names).intersection(self.names):
            found |= self.codes == self.code(name)
        return found

    def text(self, index: int) -> str | None:
        """The text at one place, or None where the log says nothing."""
        code = int(self.codes[index])
        return None if code < 0 else self.names[code]


class Hands(Struct, frozen=True, kw_only=True):
    """Cards of a place, a row each: `cards` is uint8[n, width] padded with NO_CARD, `count` int16[n].

    `count` is -1 where the cards are not recorded at all; a card that was there but whose face is not
    recorded is UNKNOWN.
    """

    cards: Cards
    count: Ints16


class Seats(Struct, frozen=True, kw_only=True):
    """The betting positions of every round in which something was wagered or dealt.

    `hands` are the cards dealt first, in order; `discarded` those of them (or of the drawn ones) that were put
    aside; `drawn` those dealt in their place. Each of the three may be unrecorded. `stack` and `stack_after` are chips
    before anything is wagered and when the round is over, `won` chips received from pots, after rake: in minor units,
    ABSENT where the log does not say. A seat that is not `playing` takes no part.
    """

    offsets: Ints  # int64[rounds + 1]
    round: Ints32  # the round a seat belongs to
    number: Ints16  # as the log numbers it: 1 is the dealer's left
    player: Coded
    decision: Coded
    hands: Hands
    discarded: Hands
    drawn: Hands
    stack: Ints
    stack_after: Ints
    won: Ints
    playing: Flags


class Stakes(Struct, frozen=True, kw_only=True):
    """Wagers and bonuses of every seat: what was staked, paid and taken, in minor currency units.

    A bonus has no stake of its own: `bonus` is set and `amount` is 0. `paid` and `taken` are ABSENT where
    the log does not say. `claimed` is int8[n], whether the player declared a win: 1, 0, or ABSENT.
    """

    seat: Ints32  # index into Seats
    wager: Coded
    tip: Flags
    bonus: Flags
    amount: Ints
    paid: Ints
    taken: Ints
    claimed: Ints8


class Meters(Struct, frozen=True, kw_only=True):
    """What the meters of every round read, in minor currency units, ABSENT where the log does not say.

    `opening` is before the round's wagers, `shown` when awards are made (the round's wagers in, no award out),
    `closing` after the round. A round lists a meter at most once.
    """

    offsets: Ints  # int64[rounds + 1]
    round: Ints32  # the round a reading belongs to
    meter: Coded
    opening: Ints
    shown: Ints
    closing: Ints


class Events(Struct, frozen=True, kw_only=True):
    """What happened, in order. Every column has one entry an event; ABSENT where a kind has no such field.

    `kind`, `place`, `face`, `by`, `means` (the key `in`) are codes of the closed lists in `events.py`; `amount`
    also holds what the key `number` says; `positions` is text of rising digits; `pot` is 0 for the main pot, `chips`
    how many pieces; `cards` is the hands relation of the events that carry cards, at `cards_row[event]` (ABSENT for
    the others).
    """

    offsets: Ints  # int64[rounds + 1]
    round: Ints32
    kind: Codes
    seat: Ints32  # index into Seats
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


class Versions(Struct, frozen=True, kw_only=True):
    """Records of a batch that other records of the same rounds contradict."""

    number: Ints32
    """int32[rounds]: which version of its round a record is, from 1; 0 for a round with a single version."""
    last: Flags
    """bool[rounds]: whether no later version of the round follows."""
    other: Coded
    """The place of another version, as `file:line`."""


class Batch(Struct, frozen=True, kw_only=True):
    """A run of rounds of one game, in log order.

    `line` is int64[rounds], the 1-based line (or row) of the log; `day` is int32[rounds], days since
    1970-01-01 by the log's own calendar; `dated` is uint8[rounds], how much of day and time the log tells, the
    rest of them standing for nothing; `number` is int32[rounds], which round it is since the table opened
    (1 opens a session), ABSENT where the log does not say; `deck` is the deck in play; `button` is int8[rounds], the
    number of the seat where the button lies, ABSENT where the log does not say; `small_bet` and `big_bet` are
    int64[rounds], the sizes of bets and raises in minor units where the limit is fixed, ABSENT elsewhere; `after` is
    the id of the round just before; `complete` is false where the record stops before the round is over; `recorded` is
    bool[rounds], whether the round has events at all; `unrecorded` is uint64[rounds], the kinds of event, or parts of
    kinds, that this log declares as not recorded, by the bits of `told.BITS`. Cards of the dealer and the community are
    as those of `Seats`. `currency` is the code of the currency of its amounts; `context` what the house notes besides,
    an object of JSON as `context.written` writes it.
    """

    file: Coded
    game: str
    round: tuple[str, ...]
    line: Ints
    table: Coded
    casino: Coded
    day: Ints32
    time: Ints  # microseconds since 1970-01-01, by the log's own calendar
    dated: Codes
    offset: Ints16  # minutes by which that is ahead of UTC; 0 where the log does not say
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
    meters: Meters
    seats: Seats
    stakes: Stakes
    events: Events
    recorded: Flags
    unrecorded: Bits64
    currency: Coded
    context: Coded
    versions: Versions | None = None
    """None if every round has a single version."""

    def __len__(self) -> int:
        return len(self.round)
