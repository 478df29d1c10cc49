"""Hands ranked and counted in plain NumPy, without the program: a reference for its odds."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np

DECK = range(52)
"""Cards as rank * 4 + suit, rank 0 for the two."""


def classes(size: int) -> dict[tuple[int, ...], int]:
    """Return one set of cards for all that differ in the names of suits, and the number of sets it represents."""
    found: dict[tuple[int, ...], int] = {}
    for cards in combinations(DECK, size):
        first = min(
            tuple(sorted(card // 4 * 4 + suits[card % 4] for card in cards)) for suits in permutations(range(4))
        )
        found[first] = found.get(first, 0) + 1
    return found


def hands(size: int) -> Any:
    return np.array([*combinations(DECK, size)], np.int64)


def masks(cards: Any) -> Any:
    """Return the set of cards of each row as bits."""
    return np.bitwise_or.reduce(np.left_shift(np.uint64(1), cards.astype(np.uint64)), axis=1)


def three_cards(cards: Any) -> tuple[Any, Any]:
    """Return the category of each hand of three cards and a number that orders them. Categories: 6 three aces, 5
    straight flush, 4 three of a kind, 3 straight, 2 flush, 1 pair, 0 none of these."""
    ranks = -np.sort(-(cards // 4), axis=1)
    high, middle, low = ranks.T
    flush = (cards % 4 == cards[:, :1] % 4).all(axis=1)
    wheel = (high == 12) & (middle == 1) & (low == 0)
    run = ((high - middle == 1) & (middle - low == 1)) | wheel
    trips, pair = high == low, (high == middle) | (middle == low)
    category = np.select([trips & (high == 12), flush & run, trips, run, flush, pair], [6, 5, 4, 3, 2, 1], default=0)
    top = np.where(wheel, 1, high)
    kicker = np.where(high == middle, low, high)
    order = np.where(run, top, np.where(category == 1, middle * 13 + kicker, (high * 13 + middle) * 13 + low))
    return category, category * 10_000 + order


def five_cards(cards: Any) -> Any:
    """Return the category of each hand of five cards, 9 for a royal flush down to 0, and the rank of its highest
    pair."""
    count = np.zeros((len(cards), 13), np.int8)
    for column in (cards // 4).T:
        count[np.arange(len(cards)), column] += 1
    most, pairs = count.max(axis=1), (count == 2).sum(axis=1)
    flush = (cards % 4 == cards[:, :1] % 4).all(axis=1)
    bits = ((count > 0) << np.arange(13)).sum(axis=1)
    runs = {31 << low: low + 4 for low in range(9)} | {0b1000000001111: 3}
    run = np.isin(bits, list(runs))
    royal = bits == 31 << 8
    category = np.select(
        [
            flush & royal,
            flush & run,
            most == 4,
            (most == 3) & (pairs == 1),
            flush,
            run,
            most == 3,
            pairs == 2,
            pairs == 1,
        ],
        [9, 8, 7, 6, 5, 4, 3, 2, 1],
        default=0,
    )
    pair = 12 - (count[:, ::-1] == 2).argmax(axis=1)
    return category, pair
