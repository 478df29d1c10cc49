"""Classes of sets of cards that differ only in the names of their suits.

A set of cards consists of four sets of ranks, one for each suit. Renaming suits reorders them, so a class is a multiset
of four sets of ranks. It represents as many sets of cards as there are distinct orders. There are 1,755 classes for the
22,100 sets of three cards, and 134,459 for the 2,598,960 sets of five.
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
    """All sets of `size` cards from a deck of 52, by class."""

    size: int
    cards: Codes
    """Example of each class, uint8[n, size]."""
    weight: Ints
    """Number of sets in each class, int64[n]."""
    keys: NDArray[np.uint64]
    """Key of each class, ascending, uint64[n]."""

    def find(self, cards: Codes) -> Ints:
        """Return the class of each set of cards, int64[m]. Cards of a row are distinct and in any order."""
        return np.searchsorted(self.keys, key(cards))


def key(cards: Codes, bits: NDArray[np.uint64] = _BIT) -> NDArray[np.uint64]:
    """Return a number for each row of distinct cards that identifies its class, uint64[n].

    Args:
        cards: cards, uint8[n, k].
        bits: bit of each card, uint64[256]; no bit for a card that is left out.
    """
    masks = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        masks |= bits.take(column)
    suits = [masks >> np.uint64(_RANKS * suit) & _OF_SUIT for suit in range(_SUITS)]
    for low, high in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        suits[low], suits[high] = np.minimum(suits[low], suits[high]), np.maximum(suits[low], suits[high])
    keys = suits[0]
    for suit in suits[1:]:
        keys = keys << np.uint64(_RANKS) | suit
    return keys


def key_without(cards: Codes, without: Codes) -> NDArray[np.uint64]:
    """Return the same number for the cards of each row without some cards, uint64[n]."""
    bits = _BIT.copy()
    bits[without] = 0
    return key(cards, bits)


@cache
def suit_classes(size: int, ranks: int = _RANKS) -> SuitClasses:
    """Return the classes of sets of a size, with ranks from the lowest up. The empty set has one class."""
    parts = [_list_classes(lengths, ranks) for lengths in _list_partitions(size, _SUITS, min(size, ranks))]
    cards = np.concatenate([cards for cards, _ in parts])
    weight = np.concatenate([weight for _, weight in parts])
    keys = key(cards)
    order = np.argsort(keys, kind="stable")
    return SuitClasses(size=size, cards=cards[order], weight=weight[order], keys=keys[order])


def _list_partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of descending numbers, zeros among them."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _list_partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _list_classes(lengths: tuple[int, ...], of: int) -> tuple[Codes, Ints]:
    """Return the classes with these suit lengths, and the number of sets in each."""
    cards, alike, suit = np.zeros((1, 0), np.uint8), np.ones(1, np.int64), 0
    for length in dict.fromkeys(lengths):
        times = lengths.count(length)
        ranks, orders = _list_suits_of_length(length, times, of)
        suits = np.repeat(np.arange(suit, suit + times, dtype=np.uint8), length)
        here = ranks * np.uint8(_SUITS) + suits
        cards = np.concatenate([np.repeat(cards, len(here), axis=0), np.tile(here, (len(cards), 1))], axis=1)
        alike = np.repeat(alike, len(orders)) * np.tile(orders, len(alike))
        suit += times
    return cards, factorial(_SUITS) // alike


def _list_suits_of_length(length: int, times: int, of: int) -> tuple[Codes, Ints]:
    """Return multisets of sets of ranks of one length, and the number of orders that leave each unchanged.

    Returns:
        uint8[n, length * times], the sets of each multiset side by side; and int64[n].
    """
    sets = np.array([*combinations(range(of), length)], np.uint8).reshape(comb(of, length), length)
    chosen = np.array([*combinations_with_replacement(range(len(sets)), times)], np.int64).reshape(-1, times)
    orders, run = np.ones(len(chosen), np.int64), np.ones(len(chosen), np.int64)
    for place in range(1, times):
        run = np.where(chosen[:, place] == chosen[:, place - 1], run + 1, 1)
        orders *= run
    return sets[chosen].reshape(len(chosen), -1), orders
