"""How many deals give a hand each strength, with some of its cards known and others known to be out of the deck.

Hands are counted once for sets of cards that differ by the names of suits only. That known cards X are not in a hand
is got by inclusion and exclusion: the hands with the cards A and none of X are, over all S within X, the hands with A
and S, added where S has an even number of cards and taken off where it has an odd one.
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
_AT_ONCE = 1 << 20
"""Hands that are ranked at a time."""


class Spread(Struct, frozen=True, kw_only=True, eq=False):
    """The strengths that hands of `size` cards have: `strengths`, int32[k], rising; `cards`, uint8[k, size], a hand of
    each; `count`, int64[k], how many hands."""

    strengths: Ints32
    cards: Codes
    count: Ints


def spread_of_sets(size: int, strength: Strength) -> Spread:
    """The strengths of all hands of so many cards."""
    classes = suit_classes(size)
    return _spread(classes.cards, _in_parts(classes.cards, strength), classes.weight)


def spread_of_categories(size: int, ranking: LongestSuited) -> Spread:
    """The strengths of all hands of so many cards, as far as the category of the hand matters: cards of one suit count
    alike unless they are wild."""
    alike = ranking.alike()
    groups = [np.flatnonzero(alike == kind).astype(np.uint8) for kind in range(int(alike.max()) + 1)]
    rows, weights = [], []
    for counts in _shares(size, [len(group) for group in groups]):
        rows.append(np.concatenate([group[:count] for group, count in zip(groups, counts, strict=True)]))
        weights.append(prod(comb(len(group), count) for group, count in zip(groups, counts, strict=True)))
    cards = np.stack(rows)
    return _spread(cards, ranking.strength(cards), np.array(weights, np.int64))


def _shares(total: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """The ways to take so many cards from groups of these sizes."""
    if not most:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most[0]) + 1):
        for rest in _shares(total - first, most[1:]):
            yield (first, *rest)


def _spread(cards: Codes, strengths: Ints32, weight: Ints) -> Spread:
    kinds, first, kind = np.unique(strengths, return_index=True, return_inverse=True)
    # Sums of whole numbers below 2**53 are exact in floating point.
    count = np.bincount(kind, weight, minlength=len(kinds)).astype(np.int64)
    return Spread(strengths=kinds, cards=cards[first], count=count)


def _in_parts(cards: Codes, strength: Strength) -> Ints32:
    return np.concatenate([strength(cards[at : at + _AT_ONCE]) for at in range(0, len(cards), _AT_ONCE)])


class Completions:
    """Hands of `size` cards completed from some of their cards: how many come to less than each strength of a spread,
    by the class of the cards that are known. What was counted is kept."""

    def __init__(self, size: int, strength: Strength, spread: Spread) -> None:
        self.size, self.strength, self.spread = size, strength, spread
        self._tables: dict[int, tuple[SuitClasses, Ints]] = {}

    def table(self, known: int) -> tuple[SuitClasses, Ints]:
        """The classes of so many known cards; and int64[classes, k + 1], for each of them how many of the hands that
        have those cards come to less than each strength."""
        if known not in self._tables:
            self._tables[known] = self._count(suit_classes(known))
        return self._tables[known]

    def _count(self, classes: SuitClasses) -> tuple[SuitClasses, Ints]:
        if classes.size == 0:
            below = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.spread.count)])
            return classes, below[None, :]
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
    """uint8[n, c, size]: every hand of `size` cards that has the known cards of a row (uint8[n, k]), these first; none
    has a card of the same row of `without` (uint8[n, j])."""
    gone = known if without is None else np.concatenate([known, without], axis=1)
    free = np.ones((len(known), CARDS), bool)
    free[np.arange(len(known))[:, None], gone] = False
    rest = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), CARDS - gone.shape[1])
    drawn = rest[:, _choices(rest.shape[1], size - known.shape[1])]
    first = np.broadcast_to(known[:, None, :], (*drawn.shape[:2], known.shape[1]))
    return np.concatenate([first, drawn], axis=2)


@lru_cache(maxsize=16)
def _choices(of: int, number: int) -> Ints:
    """int64[c, number]: the ways to take so many out of so many."""
    return np.array([*combinations(range(of), number)], np.int64).reshape(comb(of, number), number)


def below(completions: Completions, held: Codes, out: Codes, places: Ints) -> Ints:
    """int64[n, t]: for each row of cards that a hand holds (uint8[n, a]) and of cards that are out of the deck beside
    them (uint8[n, x]), how many hands come to less than each of some strengths, given by their places in the spread
    (int64[n or 1, t])."""
    found = np.zeros((len(held), places.shape[1]), np.int64)
    for number in range(out.shape[1] + 1):
        known = held.shape[1] + number
        if known > completions.size:
            break
        for chosen in combinations(range(out.shape[1]), number):
            cards = np.concatenate([held, out[:, chosen]], axis=1)
            if known == completions.size:  # a whole hand, which is below a strength or not
                own = np.searchsorted(completions.spread.strengths, completions.strength(cards))
                counted = (own[:, None] < places).astype(np.int64)
            else:
                classes, table = completions.table(known)
                counted = table[classes.find(cards)[:, None], places]
            found += counted if number % 2 == 0 else -counted
    return found
