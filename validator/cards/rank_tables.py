"""Tables that give a value for very many hands at once, by the ranks of the cards and whether they share a suit.

The ranks, sorted ascending as r0 <= r1 <= …, have the number C(r0, 1) + C(r1 + 1, 2) + …, the combinatorial number
system without gaps. So a value for every possible hand is one small dense table.
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


def load_or_build(key: tuple[str, ...], make: Callable[[], Ints32]) -> Ints32:
    """Load a table from the disk cache, or build and cache it.

    Returns: int32[n].
    """
    entry = disk_cache.key_of(*key)
    cached = disk_cache.fetch(entry, trusted=())
    if isinstance(cached, bytes):
        return np.frombuffer(cached, "<i4")
    table = make()
    disk_cache.keep(entry, table.astype("<i4").tobytes())
    return table


def hand_number(ranks: Sequence[int], suited: bool) -> int:
    """Return the index of a hand in a table: its ranks, ascending, and whether its cards share a suit."""
    unsuited = sum(comb(rank + place, place + 1) for place, rank in enumerate(ranks))
    return unsuited + suited * comb(len(RANKS) - 1 + len(ranks), len(ranks))


def hand_numbers(columns: Codes) -> NDArray[np.uint16]:
    """Return `hand_number` of every hand in `columns`; any number if a card is unknown.

    `columns` is uint8[size, n], with codes ascending down each column.

    Returns: uint16[n].
    """
    size = len(columns)
    shares = _tabulate_shares(size)
    numbers = np.zeros(columns.shape[1], np.uint16)
    suits = np.full(columns.shape[1], 255, np.uint8)
    for place, column in enumerate(columns):
        numbers += shares[place].take(column)
        suits &= _SUIT_BIT.take(column)
    return numbers + (suits != 0) * np.uint16(comb(len(RANKS) - 1 + size, size))


def tabulate(size: int, value: Callable[[tuple[int, ...], bool], int]) -> Ints32:
    """Tabulate `value(ranks, suited)` of every hand of `size` cards, by `hand_number`.

    The ranks are ascending. All hands of mixed suits come first, then all of one suit.

    Returns: int32[2 * C(12 + size, size)].
    """
    hands = comb(len(RANKS) - 1 + size, size)
    table = np.empty(2 * hands, np.int32)
    for ranks in combinations_with_replacement(range(len(RANKS)), size):
        unsuited = hand_number(ranks, False)
        table[unsuited], table[unsuited + hands] = value(ranks, False), value(ranks, True)
    return table


@cache
def _tabulate_shares(size: int) -> NDArray[np.uint16]:
    """Return the share of a card in the number of its hand, by its place in it and its code.

    Returns: uint16[size, 256].
    """
    shares = np.zeros((size, 256), np.uint16)
    for place in range(size):
        shares[place, :CARDS] = [comb(code // 4 + place, place + 1) for code in range(CARDS)]
    return shares


def find_best_values(cards: Codes, size: int, table: Ints32) -> Ints32:
    """Return the highest value in `table` of any `size` cards in each row of `cards`; -1 if a card is unknown.

    Rows (uint8[n, m]) are sorted once, so every choice of their places is sorted too. Time and memory grow with the
    number of choices, C(m, size). Raises ValueError if `m < size`.

    Returns: int32[n].
    """
    columns = sorted_columns(cards)
    if len(columns) < size:
        raise ValueError(f"a hand of {size} cards cannot be chosen from {len(columns)}")
    suited_from = np.uint16(len(table) // 2)
    best = np.full(len(cards), -1, np.int32)
    for number, suit in enumerate_choices(columns, size):
        np.add(number, (suit != 0) * suited_from, out=number)
        np.maximum(best, table.take(number), out=best)
    best[columns[-1] >= CARDS] = -1
    return best


def enumerate_choices(columns: Codes, size: int) -> Iterator[tuple[NDArray[np.uint16], Codes]]:
    """Yield, for every choice of `size` cards of each row, its number and the suits that all its cards share.

    The number is that of mixed suits, uint16[n]; the suits are uint8[n], one bit each. Both may be overwritten, and are
    meaningless if a card is unknown. `columns` is uint8[m, n], with codes ascending down each column.
    """
    shares = _tabulate_shares(size)
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


def pack_digits(ranks: Iterable[int]) -> int:
    """Pack ranks, in order, as the hexadecimal digits of one integer."""
    return reduce(lambda number, rank: number << 4 | rank, ranks, 0)


def pack_column_digits(cards: Codes) -> Ints32:
    """Pack the ranks of each row of `cards` (uint8[n, size]), from left to right.

    Returns: int32[n].
    """
    ranks = (cards >> 2).astype(np.int32)
    packed = np.zeros(len(cards), np.int32)
    for column in ranks.T:
        packed = packed << 4 | column
    return packed
