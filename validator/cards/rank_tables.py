"""The value of very many hands at once, looked up by the ranks and the suitedness of each.

What a hand is worth depends on the ranks of its cards, in any order, and on whether they share a suit. The
ranks, sorted ascending as r0 <= r1 <= …, are numbered without gaps by C(r0, 1) + C(r1 + 1, 2) + …, the
combinatorial number system, so that a value for every possible hand is one small dense table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from validator import disk_cache
from validator.arrays import Codes, Ints32
from validator.cards.cards import CARDS
from validator.cards.names import RANKS
from validator.cards.sorting import sorted_columns

_SUIT_BIT = (1 << (np.arange(256) & 3)).astype(np.uint8)


def kept(key: tuple[str, ...], make: Callable[[], Ints32]) -> Ints32:
    """`int32[n]`: a table out of the store, or made and put there."""
    entry = disk_cache.key_of(*key)
    found = disk_cache.fetch(entry, trusted=())
    if isinstance(found, bytes):
        return np.frombuffer(found, "<i4")
    table = make()
    disk_cache.keep(entry, table.astype("<i4").tobytes())
    return table


def number(ranks: Sequence[int], suited: bool) -> int:
    """The place of a hand in a table: its ranks, ascending, and whether its cards share a suit."""
    unsuited = sum(comb(rank + place, place + 1) for place, rank in enumerate(ranks))
    return unsuited + suited * comb(len(RANKS) - 1 + len(ranks), len(ranks))


def numbers(columns: Codes) -> NDArray[np.uint16]:
    """`uint16[n]`: `number` of every hand in `columns` (`uint8[size, n]`, codes ascending down each column); any
    number where a card is not known."""
    size = len(columns)
    shares = _shares(size)
    found = np.zeros(columns.shape[1], np.uint16)
    suits = np.full(columns.shape[1], 255, np.uint8)
    for place, column in enumerate(columns):
        found += shares[place].take(column)
        suits &= _SUIT_BIT.take(column)
    return found + (suits != 0) * np.uint16(comb(len(RANKS) - 1 + size, size))


def tabulate(size: int, value: Callable[[tuple[int, ...], bool], int]) -> Ints32:
    """`int32[2 * C(12 + size, size)]`: `value(ranks, suited)` of every hand of `size` cards, the ranks
    ascending, by its `number`; first all hands of mixed suits, then all of one suit."""
    hands = comb(len(RANKS) - 1 + size, size)
    table = np.empty(2 * hands, np.int32)
    for ranks in combinations_with_replacement(range(len(RANKS)), size):
        unsuited = number(ranks, False)
        table[unsuited], table[unsuited + hands] = value(ranks, False), value(ranks, True)
    return table


@cache
def _shares(size: int) -> NDArray[np.uint16]:
    """`uint16[size, 256]`: what a card adds to the number of its hand, by its place in it and its code."""
    shares = np.zeros((size, 256), np.uint16)
    for place in range(size):
        shares[place, :CARDS] = [comb(code // 4 + place, place + 1) for code in range(CARDS)]
    return shares


def best_of(cards: Codes, size: int, table: Ints32) -> Ints32:
    """`int32[n]`: the highest value in `table` of any `size` cards out of each row of `cards`
    (`uint8[n, m]`, `m >= size`); -1 where a card of the row is not known.

    Rows are sorted once, which leaves every choice of their places sorted as well. Time and memory grow
    with the number of choices, C(m, size). Raises `ValueError` if `m < size`.
    """
    columns = sorted_columns(cards)
    if len(columns) < size:
        raise ValueError(f"a hand of {size} cards cannot be chosen from {len(columns)}")
    suited_from = np.uint16(len(table) // 2)
    best = np.full(len(cards), -1, np.int32)
    for number, suit in choices(columns, size):
        np.add(number, (suit != 0) * suited_from, out=number)
        np.maximum(best, table.take(number), out=best)
    best[columns[-1] >= CARDS] = -1
    return best


def choices(columns: Codes, size: int) -> Iterator[tuple[NDArray[np.uint16], Codes]]:
    """Of every choice of `size` cards out of each of some rows (`uint8[m, n]`, codes ascending down each column) its
    number as one of mixed suits, `uint16[n]`, and the suits that all its cards share, `uint8[n]`, a bit each. Both are
    the caller's to write to; they mean nothing where a card is not known."""
    shares = _shares(size)
    spare = len(columns) - size
    share = [{place: shares[nth].take(columns[place]) for place in range(nth, nth + spare + 1)} for nth in range(size)]
    suits = _SUIT_BIT.take(columns)
    for places in combinations(range(len(columns)), size):
        number = share[0][places[0]].copy()
        suit = suits[places[0]].copy()
        for nth in range(1, size):
            number += share[nth][places[nth]]
            suit &= suits[places[nth]]
        yield number, suit


def digits(ranks: Iterable[int]) -> int:
    """The ranks in order as the digits, base 16, of one integer."""
    return reduce(lambda number, rank: number << 4 | rank, ranks, 0)


def column_digits(cards: Codes) -> Ints32:
    """`int32[n]`: `digits` of the ranks of each row of `cards` (`uint8[n, size]`), left to right."""
    ranks = (cards >> 2).astype(np.int32)
    numbers = np.zeros(len(cards), np.int32)
    for column in ranks.T:
        numbers = numbers << 4 | column
    return numbers
