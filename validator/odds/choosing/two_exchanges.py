"""How likely two hands that both exchange cards stand so to each other, dealt from one deck.

Were each dealt from a deck of its own, the two would be independent, and all that can come of them be counted. What one
deck changes is little, and it alone is found by chance: hands of either side are held against each other, all of one
block with all of the other; those that share a card cannot be dealt together, and the others stand for them. Of a pair
only counts what neither hand alone lets expect, so that chance has little to add.
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
"""Hands of either side that are held against each other."""
_RELATIONS = 3
"""The other hand is the lower, as high, the higher."""
_ROWS = 64
"""Hands that are held against all others at a time: what that takes stays near the processor."""


class Cells(Struct, frozen=True, kw_only=True, eq=False):
    """What is told apart of two hands: `own` and `other`, int64[s], are the cell of each strength, rising. A pair is of
    the kind (own cell * other cells + other cell) * 3 + relation."""

    own: Ints
    other: Ints

    @property
    def others(self) -> int:
        """How many cells the other hand has."""
        return int(self.other.max()) + 1

    @property
    def kinds(self) -> int:
        """How many kinds of pairs there may be."""
        return (int(self.own.max()) + 1) * self.others * _RELATIONS

    def beside_own(self, other: Reals) -> Reals:
        """float64[s, kinds]: of each own strength, how likely each kind is, where the other side has strengths with
        these chances, float64[s]."""
        found = np.zeros((len(self.own), self.kinds))
        every = np.arange(len(self.own))
        for cell in range(self.others):
            there = np.where(self.other == cell, other, 0.0)
            until = np.cumsum(there)
            kind = (self.own * self.others + cell) * _RELATIONS
            for relation, chance in enumerate((until - there, there, until[-1] - until)):
                found[every, kind + relation] = chance
        return found

    def beside_other(self, own: Reals) -> Reals:
        """float64[s, kinds]: the same of each strength of the other side."""
        found = np.zeros((len(self.other), self.kinds))
        every = np.arange(len(self.other))
        for cell in range(int(self.own.max()) + 1):
            there = np.where(self.own == cell, own, 0.0)
            until = np.cumsum(there)
            kind = (cell * self.others + self.other) * _RELATIONS
            for relation, chance in enumerate((until[-1] - until, there, until - there)):
                found[every, kind + relation] = chance
        return found


class Pairs:
    """Two sides whose pairs are told apart by `cells` and by the group of the own hand. Either side has all hands that
    can be dealt: of what is dealt from one deck each hand of a side is as likely as from a deck of its own."""

    def __init__(self, own: Exchanges, other: Exchanges, cells: Cells) -> None:
        self.own, self.other, self.cells = own, other, cells
        own_chances, other_chances = own.chances(), other.chances().sum(axis=0)
        self._beside_own = cells.beside_own(other_chances)
        self._beside_other = np.stack([cells.beside_other(of_group) for of_group in own_chances])
        self.apart: Reals = own_chances @ self._beside_own
        """float64[groups, kinds]: how likely each kind is with two decks."""
        self._weight = weights(own.cards.shape[1], own.most, other.most)

    def corrections(self, blocks: int, seed: int) -> Iterator[Reals]:
        """float64[groups, kinds] for each block: by how much each kind is likelier with one deck, as the pairs of the
        block have it; on average over all blocks that is so."""
        for number in range(blocks):
            rng = np.random.default_rng([seed, number])
            yield self._of_block(self.own.some(rng, BLOCK), self.other.some(rng, BLOCK))

    def _of_block(self, own: Drawn, other: Drawn) -> Reals:
        order = np.argsort(other.place, kind="stable")
        place, drawn, taken = other.place[order], other.drawn[order], other.taken[order]
        found = np.zeros(self.apart.shape)
        of_other = np.zeros(len(place))
        for group, number in np.unique(np.stack([own.group, own.drawn], axis=1), axis=0).tolist():
            rows = np.flatnonzero((own.group == group) & (own.drawn == number))
            for some in np.split(rows, range(_ROWS, len(rows), _ROWS)):
                # Where a pair can be dealt it stands for as many as the numbers of cards drawn say.
                there = (own.taken[some, None] & taken[None, :]) == 0
                sums = np.zeros((len(some), len(place) + 1))
                np.multiply(there, self._weight[number, drawn], out=sums[:, 1:])
                of_other += sums[:, 1:].sum(axis=0)
                np.cumsum(sums, axis=1, out=sums)
                self._count(own.place[some], place, sums, found[group])
                found[group] -= sums[:, -1] @ self._beside_own[own.place[some]]
        found += of_other.sum() * self.apart - np.tensordot(self._beside_other[:, place], of_other, axes=(1, 0))
        result: Reals = found / (len(own.place) * len(place))
        return result

    def _count(self, own: Ints, other: Ints, sums: Reals, counted: Reals) -> None:
        """Add the pairs of each kind: hands of the other side in rising order, float64[n, m + 1] how many of the first
        of them each of the own hands stands beside."""
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
    """float64[n + 1, m + 1]: how much likelier two hands that share no card, and draw n and m, are dealt from one deck
    than from two."""
    found = np.zeros((own + 1, other + 1))
    for n in range(own + 1):
        for m in range(other + 1):
            apart = comb(CARDS, size) * comb(CARDS - size, n) * comb(CARDS - size, m)
            found[n, m] = apart / (comb(CARDS - size, size) * comb(CARDS - 2 * size, n) * comb(CARDS - 2 * size - n, m))
    return found
