"""Sets of cards that are the same but for the names of their suits, each counted once with its number of sets.

A set of cards is four sets of ranks, one a suit; renaming suits puts these in another order. So a class is a multiset
of four sets of ranks, and stands for as many sets of cards as its members can be put in different orders (4! less what
is alike): 1,755 classes for the 22,100 sets of three cards, 134,459 for the 2,598,960 of five.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, factorial

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import Codes, Ints
from validator.cards.names import RANKS, SUITS

_SUITS = len(SUITS)
_RANKS = len(RANKS)
_BIT = np.zeros(256, np.uint64)
_BIT[: _SUITS * _RANKS] = [1 << (code // _SUITS + _RANKS * (code % _SUITS)) for code in range(_SUITS * _RANKS)]
_OF_SUIT = np.uint64((1 << _RANKS) - 1)


class SuitClasses(Struct, frozen=True, kw_only=True, eq=False):
    """All sets of `size` cards out of a deck of 52, by class: `cards`, uint8[n, size], is one set of each; `weight`,
    int64[n], how many sets it stands for; `keys`, uint64[n], ascending, what `key` makes of it."""

    size: int
    cards: Codes
    weight: Ints
    keys: NDArray[np.uint64]

    def find(self, cards: Codes) -> Ints:
        """int64[m]: the class of each set of cards, uint8[m, size], of different cards in any order."""
        return np.searchsorted(self.keys, key(cards))


def key(cards: Codes, bits: NDArray[np.uint64] = _BIT) -> NDArray[np.uint64]:
    """uint64[n]: a number for each row of different cards (uint8[n, k]) that is the same for sets of one class only.
    `bits`, uint64[256], has the bit of each card, none for one that is left out."""
    masks = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        masks |= bits.take(column)
    suits = [masks >> np.uint64(_RANKS * suit) & _OF_SUIT for suit in range(_SUITS)]
    for low, high in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        suits[low], suits[high] = np.minimum(suits[low], suits[high]), np.maximum(suits[low], suits[high])
    found = suits[0]
    for suit in suits[1:]:
        found = found << np.uint64(_RANKS) | suit
    return found


def key_without(cards: Codes, without: Codes) -> NDArray[np.uint64]:
    """uint64[n]: the same number of what each row has beside some cards, uint8[m], which are left out."""
    bits = _BIT.copy()
    bits[without] = 0
    return key(cards, bits)


@cache
def suit_classes(size: int, ranks: int = _RANKS) -> SuitClasses:
    """The classes of sets of so many cards, of so many ranks from the lowest up; those of no card are one, which stands
    for the empty set."""
    parts = [_of_lengths(lengths, ranks) for lengths in _partitions(size, _SUITS, min(size, ranks))]
    cards = np.concatenate([cards for cards, _ in parts])
    weight = np.concatenate([weight for _, weight in parts])
    keys = key(cards)
    order = np.argsort(keys, kind="stable")
    return SuitClasses(size=size, cards=cards[order], weight=weight[order], keys=keys[order])


def _partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as so many falling numbers, zeros among them."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _of_lengths(lengths: tuple[int, ...], of: int) -> tuple[Codes, Ints]:
    """The classes whose suits have so many cards each, and how many sets each of them stands for."""
    cards, alike, suit = np.zeros((1, 0), np.uint8), np.ones(1, np.int64), 0
    for length in dict.fromkeys(lengths):
        times = lengths.count(length)
        ranks, orders = _of_one_length(length, times, of)
        suits = np.repeat(np.arange(suit, suit + times, dtype=np.uint8), length)
        here = ranks * np.uint8(_SUITS) + suits
        cards = np.concatenate([np.repeat(cards, len(here), axis=0), np.tile(here, (len(cards), 1))], axis=1)
        alike = np.repeat(alike, len(orders)) * np.tile(orders, len(alike))
        suit += times
    return cards, factorial(_SUITS) // alike


def _of_one_length(length: int, times: int, of: int) -> tuple[Codes, Ints]:
    """uint8[n, length * times]: multisets of `times` sets of `length` ranks, laid end to end; int64[n]: in how many
    ways each can be put in order without changing it."""
    sets = np.array([*combinations(range(of), length)], np.uint8).reshape(comb(of, length), length)
    chosen = np.array([*combinations_with_replacement(range(len(sets)), times)], np.int64).reshape(-1, times)
    orders, run = np.ones(len(chosen), np.int64), np.ones(len(chosen), np.int64)
    for place in range(1, times):
        run = np.where(chosen[:, place] == chosen[:, place - 1], run + 1, 1)
        orders *= run
    return sets[chosen].reshape(len(chosen), -1), orders
