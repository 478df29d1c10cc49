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

    def as_it_stands(self) -> Order:
        """The same order where rounds without numbers are taken to follow each other, the first of them an opening."""
        unnumbered = self.why == UNNUMBERED
        return replace(self, opening=self.opening | (self.first & unnumbered), gap=np.where(unnumbered, 0, self.gap))


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
    if name is not None and after is not None:
        told = (after[rows] != 0) & ~opening
        follows = told & ~first & (after[rows] == np.roll(name[rows], 1))
        why[follows & (why == UNNUMBERED)] = NO_GAP
        why[told & ~follows & np.isin(why, (NO_GAP, UNNUMBERED))] = ELSEWHERE
    gap[why == JUMP] = step[why == JUMP] - 1
    gap[why == BEGINNING] = number[why == BEGINNING] - 1
    gap[np.isin(why, (UNNUMBERED, TWICE, BACKWARDS, ELSEWHERE))] = ANY_NUMBER
    return Order(rows=rows, first=first, opening=opening | beginning, gap=gap, why=why)
