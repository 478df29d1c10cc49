"""Number of deals by strength of a hand, with some of its cards known and others known to be elsewhere.

Sets of cards that differ only in the names of suits are counted once. Hands without the known cards X come from
inclusion and exclusion. For every subset S of X, take the hands that contain A and S; add them if S has an even number
of cards, otherwise subtract them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints, Ints32
from validator.cards.cards import CARDS
from validator.cards.longest_flush import LongestSuited
from validator.odds.counting.suit_classes import SuitClasses, suit_classes

Strength = Callable[[Codes], Ints32]
"""Returns the strengths of hands, int32[n], from their cards, uint8[n, k]."""
_AT_ONCE = 1 << 20
"""Number of hands that are ranked at a time."""


class Spread(Struct, frozen=True, kw_only=True, eq=False):
    """Number of hands of each strength."""

    strengths: Ints32
    """Strengths that occur, ascending, int32[k]."""
    cards: Codes
    """Example of each strength, uint8[k, size]."""
    count: Ints
    """Number of hands of each strength, int64[k]."""


def spread_of_sets(size: int, strength: Strength) -> Spread:
    """Return the number of hands of each strength among all hands of a size."""
    classes = suit_classes(size)
    return _count_strengths(classes.cards, _rank_in_parts(classes.cards, strength), classes.weight)


def spread_of_categories(size: int, ranking: LongestSuited) -> Spread:
    """Return the number of hands of each strength, if only the category of a hand matters.

    Cards of one suit then count alike, unless they are wild.
    """
    alike = ranking.alike()
    groups = [np.flatnonzero(alike == kind).astype(np.uint8) for kind in range(int(alike.max()) + 1)]
    rows, weights = [], []
    for counts in _list_shares(size, [len(group) for group in groups]):
        rows.append(np.concatenate([group[:count] for group, count in zip(groups, counts, strict=True)]))
        weights.append(prod(comb(len(group), count) for group, count in zip(groups, counts, strict=True)))
    cards = np.stack(rows)
    return _count_strengths(cards, ranking.strength(cards), np.array(weights, np.int64))


def _list_shares(total: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take a number of cards from groups of these sizes."""
    if not most:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most[0]) + 1):
        for rest in _list_shares(total - first, most[1:]):
            yield (first, *rest)


def _count_strengths(cards: Codes, strengths: Ints32, weight: Ints) -> Spread:
    kinds, first, kind = np.unique(strengths, return_index=True, return_inverse=True)
    # Sums of whole numbers below 2**53 are exact in floating point.
    count = np.bincount(kind, weight, minlength=len(kinds)).astype(np.int64)
    return Spread(strengths=kinds, cards=cards[first], count=count)


def _rank_in_parts(cards: Codes, strength: Strength) -> Ints32:
    return np.concatenate([strength(cards[at : at + _AT_ONCE]) for at in range(0, len(cards), _AT_ONCE)])


class Completions:
    """Number of hands below each strength, by the class of the known cards. Counts are kept."""

    def __init__(self, size: int, strength: Strength, spread: Spread) -> None:
        """Prepare the counts.

        Args:
            size: number of cards of a hand.
            strength: ranks hands.
            spread: number of hands of each strength.
        """
        self.size, self.strength, self.spread = size, strength, spread
        self._tables: dict[int, tuple[SuitClasses, Ints]] = {}

    def table(self, known: int) -> tuple[SuitClasses, Ints]:
        """Return the classes of a number of known cards, and the hands with these cards that are below each strength.

        Returns:
            The classes, and int64[classes, strengths + 1].
        """
        if known not in self._tables:
            self._tables[known] = self._count(suit_classes(known))
        return self._tables[known]

    def _count(self, classes: SuitClasses) -> tuple[SuitClasses, Ints]:
        if classes.size == 0:
            counts_below = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.spread.count)])
            return classes, counts_below[None, :]
        ways = comb(CARDS - classes.size, self.size - classes.size)
        step, kinds = max(_AT_ONCE // ways, 1), len(self.spread.strengths)
        counts = np.zeros((len(classes.cards), kinds + 1), np.int64)
        for start in range(0, len(classes.cards), step):
            hands = completed(classes.cards[start : start + step], self.size)
            places = np.searchsorted(self.spread.strengths, self.strength(hands.reshape(-1, self.size)))
            rows = np.repeat(np.arange(len(hands)), ways)
            counted = np.bincount(rows * kinds + places, minlength=len(hands) * kinds).reshape(-1, kinds)
            np.cumsum(counted, axis=1, out=counts[start : start + step, 1:])
        return classes, counts


def completed(known: Codes, size: int, without: Codes | None = None) -> Codes:
    """Return every hand of a size that contains the known cards of a row, uint8[n, c, size]; these cards come first.

    Args:
        known: known cards, uint8[n, k].
        size: number of cards of a hand.
        without: cards that the hands of the same row do not contain, uint8[n, j].
    """
    excluded = known if without is None else np.concatenate([known, without], axis=1)
    free = np.ones((len(known), CARDS), bool)
    free[np.arange(len(known))[:, None], excluded] = False
    rest = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), CARDS - excluded.shape[1])
    drawn = rest[:, _list_choices(rest.shape[1], size - known.shape[1])]
    first = np.broadcast_to(known[:, None, :], (*drawn.shape[:2], known.shape[1]))
    return np.concatenate([first, drawn], axis=2)


@lru_cache(maxsize=16)
def _list_choices(of: int, number: int) -> Ints:
    """Return the ways to choose a number of items, int64[c, number]."""
    return np.array([*combinations(range(of), number)], np.int64).reshape(comb(of, number), number)


def below(completions: Completions, held: Codes, out: Codes, places: Ints) -> Ints:
    """Return the number of hands below some strengths for each row of known cards, int64[n, t].

    Args:
        completions: counts of completed hands.
        held: cards that the hand contains, uint8[n, a].
        out: other cards that are not in the deck, uint8[n, x].
        places: indices of the strengths, int64[n or 1, t].
    """
    total = np.zeros((len(held), places.shape[1]), np.int64)
    for number in range(out.shape[1] + 1):
        known = held.shape[1] + number
        if known > completions.size:
            break
        for chosen in combinations(range(out.shape[1]), number):
            cards = np.concatenate([held, out[:, chosen]], axis=1)
            if known == completions.size:  # a whole hand, so no counting is needed
                own = np.searchsorted(completions.spread.strengths, completions.strength(cards))
                counted = (own[:, None] < places).astype(np.int64)
            else:
                classes, table = completions.table(known)
                counted = table[classes.find(cards)[:, None], places]
            total += counted if number % 2 == 0 else -counted
    return total
