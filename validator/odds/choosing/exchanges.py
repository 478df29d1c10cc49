"""Hands that discard cards and draw others: their strengths afterwards, counted and sampled."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb

import numpy as np
from msgspec import Struct

from validator.arrays import Bits64, Codes, Flags, Ints, Ints32, Reals
from validator.cards.cards import CARDS
from validator.cards.names import SUITS
from validator.odds.counting.distributions import Strength, completed
from validator.odds.counting.suit_classes import suit_classes

_AT_ONCE = 1 << 20
"""Number of hands that are ranked at a time."""
_ORDERS = np.array(
    [[card - card % 4 + order[card % 4] for card in range(CARDS)] for order in permutations(range(len(SUITS)))],
    np.uint8,
)
"""Every card with the suits renamed, in each of the 24 orders, uint8[24, 52]."""


class Exchanges:
    """Hands by class, with the cards that each discards."""

    def __init__(
        self, cards: Codes, weight: Ints, aside: Flags, strength: Strength, strengths: Ints32, group: Ints, groups: int
    ) -> None:
        """Prepare the hands.

        Args:
            cards: cards of each class, uint8[n, k].
            weight: number of hands in each class, int64[n].
            aside: True for the cards that are discarded, bool[n, k].
            strength: ranks hands.
            strengths: strengths that occur, ascending, int32[s].
            group: group of each class, int64[n].
            groups: number of groups.
        """
        self.cards, self.weight, self.aside, self.group, self.groups = cards, weight, aside, group, groups
        self.strength, self.strengths = strength, strengths
        self.most = int(aside.sum(axis=1).max(initial=0))
        """Largest number of discards."""
        self._until = np.cumsum(weight)

    def chances(self) -> Reals:
        """Return the probability that a hand from a full deck is of a group and ends with a strength,
        float64[groups, s]."""
        size, number = self.cards.shape[1], self.aside.sum(axis=1)
        chances = np.zeros((self.groups, len(self.strengths)))
        for group, drawn in np.unique(np.stack([self.group, number], axis=1), axis=0).tolist():
            rows = np.flatnonzero((self.group == group) & (number == drawn))
            aside, cards = self.aside[rows], self.cards[rows]
            kept, discards = cards[~aside].reshape(len(rows), size - drawn), cards[aside].reshape(len(rows), drawn)
            total = np.zeros(len(self.strengths))
            # Hands without the discarded cards, by inclusion and exclusion.
            for retained in range(drawn + 1):
                for chosen in combinations(range(drawn), retained):
                    known = np.concatenate([kept, discards[:, chosen]], axis=1)
                    total += (-1) ** retained * self._count_completed(known, self.weight[rows])
            chances[group] += total / comb(CARDS - size, drawn)
        return chances / self.weight.sum()

    def _count_completed(self, known: Codes, weight: Ints) -> Reals:
        """Return the number of hands with known cards that have each strength, float64[s]."""
        size, number = self.cards.shape[1], known.shape[1]
        classes = suit_classes(number)
        times = np.bincount(classes.find(known), weight, minlength=len(classes.cards))
        there = np.flatnonzero(times)
        ways = comb(CARDS - number, size - number)
        step, counts = max(_AT_ONCE // ways, 1), np.zeros(len(self.strengths))
        for start in range(0, len(there), step):
            part = there[start : start + step]
            hands = completed(classes.cards[part], size).reshape(-1, size)
            counts += np.bincount(self._find_strengths(hands), np.repeat(times[part], ways), minlength=len(counts))
        return counts

    def _find_strengths(self, hands: Codes) -> Ints:
        return np.searchsorted(self.strengths, self.strength(hands))

    def some(self, rng: np.random.Generator, count: int, likelier: Reals | None = None) -> Drawn:
        """Return random hands from a full deck, with the cards they draw.

        Args:
            rng: source of random numbers.
            count: number of hands.
            likelier: factor on the probability of each class, float64[n]; None for 1.
        """
        if likelier is None:
            at = np.searchsorted(self._until, rng.integers(0, self._until[-1], count), "right")
        else:
            until = np.cumsum(self.weight * likelier)
            at = np.searchsorted(until, rng.random(count) * until[-1], "right")
        orders = rng.integers(0, len(_ORDERS), count)
        cards, aside = _ORDERS[orders[:, None], self.cards[at]], self.aside[at]
        deck = dealt_beside(rng, cards, self.most)
        turn = np.cumsum(aside, axis=1) - 1
        final_cards = (
            np.where(aside, np.take_along_axis(deck, np.maximum(turn, 0), axis=1), cards) if self.most else cards
        )
        taken = np.zeros(count, np.uint64)
        for column in (*cards.T, *final_cards.T):
            taken |= np.uint64(1) << column.astype(np.uint64)
        return Drawn(
            row=at, group=self.group[at], place=self._find_strengths(final_cards), drawn=aside.sum(axis=1), taken=taken
        )


class Drawn(Struct, frozen=True, kw_only=True, eq=False):
    """Random hands after their exchange."""

    row: Ints
    """Class of each hand, int64[n]."""
    group: Ints
    """Group of each hand, int64[n]."""
    place: Ints
    """Final strength of each hand, as an index, int64[n]."""
    drawn: Ints
    """Number of cards that each hand drew, int64[n]."""
    taken: Bits64
    """All cards that each hand had, as bits."""


def dealt_beside(rng: np.random.Generator, known: Codes, cards: int) -> Codes:
    """Return cards of a shuffled deck without the known ones of each row, uint8[n, cards]."""
    free = np.ones((len(known), CARDS), bool)
    np.put_along_axis(free, known.astype(np.int64), False, axis=1)
    deck = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), -1)
    rows = np.arange(len(deck))
    for place in range(cards):
        other = rng.integers(place, deck.shape[1], len(deck))
        swapped = deck[rows, other]
        deck[rows, other] = deck[:, place]
        deck[:, place] = swapped
    return deck[:, :cards]
