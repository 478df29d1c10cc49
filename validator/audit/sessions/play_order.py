"""Order of play of every session, and gaps in it.

A session consists of all rounds of one casino and table, by time and then by number. Only numbers, and rounds that name
their previous round, can prove that no round is missing. Otherwise, checks over a session must consider every round
that may be missing.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Identities, Ints, Ints32

ANY_NUMBER = -1
"""Gap of any number of rounds, including none; before the first round of a session without a number: all earlier
rounds."""

NO_GAP, JUMP, BEGINNING, UNNUMBERED, TWICE, BACKWARDS, ELSEWHERE = range(7)
"""Reasons why rounds are, or may be, missing before a round."""


class Order(Struct, frozen=True, kw_only=True):
    """Rounds in the order of play, session after session. All arrays are parallel."""

    rows: Ints
    """Index of each round in the input."""
    first: Flags
    """True for the first round of a session."""
    opening: Flags
    """True if the table opened since the previous round; missing rounds are then missing after the opening."""
    gap: Ints
    """Number of rounds missing before it, or ANY_NUMBER."""
    why: Codes
    """Reason of the gap."""

    def __len__(self) -> int:
        return len(self.rows)

    def session(self) -> Ints:
        """Return the number of each round's session, from 0.

        Returns:
            int64[rounds].
        """
        return np.cumsum(self.first) - 1

    def between(self, start: int, end: int) -> Order:
        """Return the part of the order from one place up to another."""
        names = ("rows", "first", "opening", "gap", "why")
        return Order(**{name: getattr(self, name)[start:end] for name in names})

    def as_part_of(self, whole: Order) -> Order:
        """Return the order of the same rounds with the gaps and openings of a larger order."""
        return replace(self, opening=whole.opening, gap=whole.gap, why=whole.why)

    def stretch(self) -> Ints:
        """Return the number of the part between two openings of the table that each round belongs to, from 0.

        Returns:
            int64[rounds].
        """
        return np.cumsum(self.first | self.opening) - 1

    def as_it_stands(self, *, opened: Flags) -> Order:
        """Return the order as if no round were missing between rounds without numbers.

        Args:
            opened: bool[rounds]; if set for the first round of a session, that round is an opening.
        """
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
    """Build the order of play of rounds given in any order.

    Args:
        casino: codes of the casinos.
        table: codes of the tables.
        time: any clock that all rounds share.
        number: number of each round; ABSENT if not recorded.
        ties: keys that order rounds of one time and number, most important first; with them, the result does not depend
            on the order of the input.
        name: hash of the id of each round.
        after: hash of the id of the previous round that each round names; 0 if none.
    """
    keys: list[NDArray[np.integer]] = [*reversed(ties), number, time, table, casino]
    rows = np.lexsort(keys)
    casino, table, time, number = casino[rows], table[rows], time[rows], number[rows].astype(np.int64)
    first = np.ones(len(rows), bool)
    first[1:] = (casino[1:] != casino[:-1]) | (table[1:] != table[:-1])
    previous_number = np.where(first, ABSENT, np.roll(number, 1))
    same_time = ~first & (time == np.roll(time, 1))
    step = number - previous_number

    why = np.full(len(rows), NO_GAP, np.uint8)
    gap = np.zeros(len(rows), np.int64)
    opening = (number == 1) & ~((previous_number == 1) & same_time)
    beginning = first & (number > 1)
    unnumbered = ~opening & ~beginning & ((number == ABSENT) | (previous_number == ABSENT))
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
        why[_has_ambiguous_number(np.cumsum(first | opening), number) & rest & (why == NO_GAP)] = TWICE
    if name is not None and after is not None:
        names_previous = (after[rows] != 0) & ~opening
        is_consecutive = names_previous & ~first & (after[rows] == np.roll(name[rows], 1))
        why[is_consecutive & np.isin(why, (UNNUMBERED, TWICE))] = NO_GAP
        why[names_previous & ~is_consecutive & np.isin(why, (NO_GAP, UNNUMBERED))] = ELSEWHERE
    gap[why == JUMP] = step[why == JUMP] - 1
    gap[why == BEGINNING] = number[why == BEGINNING] - 1
    gap[np.isin(why, (UNNUMBERED, TWICE, BACKWARDS, ELSEWHERE))] = ANY_NUMBER
    return Order(rows=rows, first=first, opening=opening | beginning, gap=gap, why=why)


def _has_ambiguous_number(stretch: Ints, number: Ints32) -> Flags:
    """Return whether the number of each round, or the number before it, occurs several times between openings.

    The order of these rounds is not known.
    """
    numbered = number != ABSENT
    key = stretch * (int(number.max(initial=0)) + 2) + number
    keys, counts = np.unique(key[numbered], return_counts=True)
    several = keys[counts > 1]
    return numbered & (np.isin(key, several) | np.isin(key - 1, several))
