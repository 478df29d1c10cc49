"""The order of play of every session, and what is missing from it.

A session is all rounds of one casino and table, by time and then by number. Only numbers, and rounds that name
the one before them, can prove that nothing is missing; where they do not, the machines that run over a session must
think of every round that may be missing.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints32

ANY_NUMBER = -1
"""A gap in which any number of rounds may be missing, none included; before the first round of a session that
does not say its number: all that went before."""

NO_GAP, JUMP, BEGINNING, UNNUMBERED, TWICE, BACKWARDS, ELSEWHERE = range(7)
"""Why rounds are, or may be, missing before a round."""


class Order(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play, session after session.

    `rows` is int64[rounds], the index of each round as it was given; `first` bool, whether it is the first of its
    session; `opening` bool, whether the table opened since the round before (or before the first one): rounds
    missing are then missing after the opening. `gap` int64 is how many are missing, `why` uint8 one of the reasons
    above.
    """

    rows: Ints
    first: Flags
    opening: Flags
    gap: Ints
    why: Codes

    def __len__(self) -> int:
        return len(self.rows)

    def session(self) -> Ints:
        """int64[rounds]: the number of each round's session, from 0."""
        return np.cumsum(self.first) - 1

    def between(self, start: int, end: int) -> Order:
        """Return the part of the order from one place up to another."""
        names = ("rows", "first", "opening", "gap", "why")
        return Order(**{name: getattr(self, name)[start:end] for name in names})

    def as_part_of(self, whole: Order) -> Order:
        """Return the order of the same rounds with the gaps that the rounds around them show."""
        return replace(self, opening=whole.opening, gap=whole.gap, why=whole.why)

    def stretch(self) -> Ints:
        """Number the stretches of rounds from one opening of a table to the next, from 0."""
        return np.cumsum(self.first | self.opening) - 1

    def as_it_stands(self, *, opened: Flags) -> Order:
        """Return the order in which rounds without numbers follow each other; where `opened` is set for the first round
        of a session, that round is an opening."""
        unnumbered = self.why == UNNUMBERED
        begins = self.first & unnumbered
        return replace(
            self,
            opening=self.opening | (begins & opened),
            gap=np.where(unnumbered & (~begins | opened), 0, self.gap),
        )


def in_order(
    *,
    casino: Ints32,
    table: Ints32,
    time: Ints,
    number: Ints32,
    ties: tuple[Ints, ...],
    name: Identities | None = None,
    after: Identities | None = None,
) -> Order:
    """The order of play of rounds given in any order.

    `casino` and `table` are codes; `time` is any clock that all rounds share; `number` is ABSENT where a round does
    not say it. `name` and `after` are uint64[rounds], the id of each round and of the one that it says was played
    just before at its table, as numbers that stand for them; 0 where it does not say. `ties` order rounds of one time
    and number, the most important first, so that the outcome does not hang on the order they are given in.
    """
    keys: list[NDArray[np.integer]] = [*reversed(ties), number, time, table, casino]
    rows = np.lexsort(keys)
    casino, table, time, number = casino[rows], table[rows], time[rows], number[rows].astype(np.int64)
    first = np.ones(len(rows), bool)
    first[1:] = (casino[1:] != casino[:-1]) | (table[1:] != table[:-1])
    before = np.where(first, ABSENT, np.roll(number, 1))
    same_time = ~first & (time == np.roll(time, 1))
    step = number - before

    why = np.full(len(rows), NO_GAP, np.uint8)
    gap = np.zeros(len(rows), np.int64)
    opening = (number == 1) & ~((before == 1) & same_time)
    beginning = first & (number > 1)
    unnumbered = ~opening & ~beginning & ((number == ABSENT) | (before == ABSENT))
    rest = ~opening & ~beginning & ~unnumbered
    for chosen, reason in (
        (beginning, BEGINNING),
        (unnumbered, UNNUMBERED),
        (rest & (step > 1), JUMP),
        (rest & (step == 0), TWICE),
        (rest & (step < 0), BACKWARDS),
    ):
        why[chosen] = reason
    if np.isin(why, (UNNUMBERED, TWICE, BACKWARDS)).any():
        why[_ambiguous(np.cumsum(first | opening), number) & rest & (why == NO_GAP)] = TWICE
    if name is not None and after is not None:
        told = (after[rows] != 0) & ~opening
        follows = told & ~first & (after[rows] == np.roll(name[rows], 1))
        why[follows & np.isin(why, (UNNUMBERED, TWICE))] = NO_GAP
        why[told & ~follows & np.isin(why, (NO_GAP, UNNUMBERED))] = ELSEWHERE
    gap[why == JUMP] = step[why == JUMP] - 1
    gap[why == BEGINNING] = number[why == BEGINNING] - 1
    gap[np.isin(why, (UNNUMBERED, TWICE, BACKWARDS, ELSEWHERE))] = ANY_NUMBER
    return Order(rows=rows, first=first, opening=opening | beginning, gap=gap, why=why)


def _ambiguous(stretch: Ints, number: Ints32) -> Flags:
    """Return whether the number of each round, or the number before it, comes several times in its stretch: which of
    those rounds came first is not known."""
    numbered = number != ABSENT
    key = stretch * (int(number.max(initial=0)) + 2) + number
    keys, counts = np.unique(key[numbered], return_counts=True)
    several = keys[counts > 1]
    return numbered & (np.isin(key, several) | np.isin(key - 1, several))
