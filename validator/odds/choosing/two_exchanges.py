"""Probability of each kind of pair of two hands that both exchange cards, dealt from one deck.

If each hand had a deck of its own, they would be independent, and all pairs could be counted. The effect of the common
deck is small and is sampled. Each block pairs all of its hands of one side with all hands of the other. Pairs with a
common card are impossible; the others represent them. Only the deviation from the expectation for each hand alone
counts, so the sampling error is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from msgspec import Struct

from validator.arrays import Ints, Reals
from validator.cards.cards import CARDS
from validator.odds.choosing.exchanges import Drawn, Exchanges

BLOCK = 1000
"""Number of hands of either side in a block."""
_RELATIONS = 3
"""Number of relations: the other hand is lower, equal or higher."""
_ROWS = 64
"""Number of hands that are paired with all others at a time, so that the data fits the processor's cache."""


class Cells(Struct, frozen=True, kw_only=True, eq=False):
    """Cells of strengths that are distinguished for two hands.

    The kind of a pair is `(own cell * other cells + other cell) * 3 + relation`.
    """

    own: Ints
    """Cell of each strength of the own hand, int64[s]."""
    other: Ints
    """Cell of each strength of the other hand, int64[s]."""

    @property
    def others(self) -> int:
        """Return the number of cells of the other hand."""
        return int(self.other.max()) + 1

    @property
    def kinds(self) -> int:
        """Return the number of kinds of pairs."""
        return (int(self.own.max()) + 1) * self.others * _RELATIONS

    def beside_own(self, other: Reals) -> Reals:
        """Return the probability of each kind for each own strength, float64[s, kinds].

        Args:
            other: probability of each strength of the other hand, float64[s].
        """
        chances = np.zeros((len(self.own), self.kinds))
        every = np.arange(len(self.own))
        for cell in range(self.others):
            in_cell = np.where(self.other == cell, other, 0.0)
            until = np.cumsum(in_cell)
            kind = (self.own * self.others + cell) * _RELATIONS
            for relation, chance in enumerate((until - in_cell, in_cell, until[-1] - until)):
                chances[every, kind + relation] = chance
        return chances

    def beside_other(self, own: Reals) -> Reals:
        """Return the probability of each kind for each strength of the other hand, float64[s, kinds].

        Args:
            own: probability of each own strength, float64[s].
        """
        chances = np.zeros((len(self.other), self.kinds))
        every = np.arange(len(self.other))
        for cell in range(int(self.own.max()) + 1):
            in_cell = np.where(self.own == cell, own, 0.0)
            until = np.cumsum(in_cell)
            kind = (cell * self.others + self.other) * _RELATIONS
            for relation, chance in enumerate((until[-1] - until, in_cell, until - in_cell)):
                chances[every, kind + relation] = chance
        return chances


class Pairs:
    """Pairs of two sides, distinguished by cells and by the group of the own hand.

    Either side has all hands that can be dealt. From one deck, each hand of a side is as likely as from a deck of its
    own.
    """

    def __init__(self, own: Exchanges, other: Exchanges, cells: Cells) -> None:
        self.own, self.other, self.cells = own, other, cells
        own_chances, other_chances = own.chances(), other.chances().sum(axis=0)
        self._beside_own = cells.beside_own(other_chances)
        self._beside_other = np.stack([cells.beside_other(of_group) for of_group in own_chances])
        self.apart: Reals = own_chances @ self._beside_own
        """Probability of each kind with two decks, float64[groups, kinds]."""
        self._weight = weights(own.cards.shape[1], own.most, other.most)

    def corrections(self, blocks: int, seed: int) -> Iterator[Reals]:
        """Yield for each block the change in the probability of each kind by the common deck, float64[groups, kinds].

        The change is correct on average over all blocks.
        """
        for number in range(blocks):
            rng = np.random.default_rng([seed, number])
            yield self._correct_by_block(self.own.some(rng, BLOCK), self.other.some(rng, BLOCK))

    def _correct_by_block(self, own: Drawn, other: Drawn) -> Reals:
        order = np.argsort(other.place, kind="stable")
        place, drawn, taken = other.place[order], other.drawn[order], other.taken[order]
        correction = np.zeros(self.apart.shape)
        of_other = np.zeros(len(place))
        for group, number in np.unique(np.stack([own.group, own.drawn], axis=1), axis=0).tolist():
            rows = np.flatnonzero((own.group == group) & (own.drawn == number))
            for part in np.split(rows, range(_ROWS, len(rows), _ROWS)):
                # A possible pair represents as many pairs as the numbers of drawn cards imply.
                is_possible = (own.taken[part, None] & taken[None, :]) == 0
                sums = np.zeros((len(part), len(place) + 1))
                np.multiply(is_possible, self._weight[number, drawn], out=sums[:, 1:])
                of_other += sums[:, 1:].sum(axis=0)
                np.cumsum(sums, axis=1, out=sums)
                self._count_pairs(own.place[part], place, sums, correction[group])
                correction[group] -= sums[:, -1] @ self._beside_own[own.place[part]]
        correction += of_other.sum() * self.apart - np.tensordot(self._beside_other[:, place], of_other, axes=(1, 0))
        result: Reals = correction / (len(own.place) * len(place))
        return result

    def _count_pairs(self, own: Ints, other: Ints, sums: Reals, counted: Reals) -> None:
        """Add the number of pairs of each kind.

        Args:
            own: own hands.
            other: hands of the other side, in ascending order.
            sums: running totals of the weights of the other hands, float64[n, m + 1].
            counted: receives the sums.
        """
        low, high = np.searchsorted(other, own, "left"), np.searchsorted(other, own, "right")
        cells, every = self.cells, np.arange(len(own))
        until = np.searchsorted(cells.other[other], np.arange(cells.others + 1))
        for cell in range(cells.others):
            start, stop = until[cell], until[cell + 1]
            edges = [np.clip(edge, start, stop) for edge in (start, low, high, stop)]
            kind = (cells.own[own] * cells.others + cell) * _RELATIONS
            for relation in range(_RELATIONS):
                number = sums[every, edges[relation + 1]] - sums[every, edges[relation]]
                counted += np.bincount(kind + relation, number, minlength=len(counted))


def weights(size: int, own: int, other: int) -> Reals:
    """Return the factor by which two hands without a common card are likelier from one deck than from two.

    Returns:
        float64[own + 1, other + 1], by the number of cards that each draws.
    """
    factors = np.zeros((own + 1, other + 1))
    for n in range(own + 1):
        for m in range(other + 1):
            apart = comb(CARDS, size) * comb(CARDS - size, n) * comb(CARDS - size, m)
            factors[n, m] = apart / (
                comb(CARDS - size, size) * comb(CARDS - 2 * size, n) * comb(CARDS - 2 * size - n, m)
            )
    return factors
