"""Compiled rankings of the longest suited hand: the value of a hand if the cards of one suit count.

The strength of a hand is the number of its category, 0 for the lowest, shifted left by `_BITS`, plus the index of the
hand. The index counts all hands of up to `MAX_RANKED_CARDS` cards, by number of cards and then by ranks from the
highest down. Ranks that may repeat, sorted ascending as r0 <= r1 <= …, have the index C(r0, 1) + C(r1 + 1, 2) + …,
without gaps and in that order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import comb
from typing import Literal

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.bands import with_bands
from validator.cards.cards import CARDS, RANK_WORDS
from validator.cards.longest_flush_model import MOST, SuitedRanking
from validator.cards.names import RANKS
from validator.cards.sorting import sorted_columns

_BITS = 23
_SUITS = 4
_ACE = len(RANKS) - 1
_FEWER = np.array([sum(comb(_ACE + size, size) for size in range(1, length)) for length in range(MOST + 1)], np.int32)
"""Number of hands with fewer cards, at least one, int32[cards]."""
_BIT_OF_KEY = np.array([0, *(1 << rank for rank in range(len(RANKS)))], np.uint16)


class LongestSuited(Struct, frozen=True, kw_only=True):
    """Order of hands of any number of cards by their longest hand of one suit."""

    categories: tuple[str, ...]
    """Names of the categories, lowest first."""
    rules: tuple[tuple[int, bool], ...]
    """Fewest cards of each category, and whether all must be natural, lowest first."""
    wild: frozenset[int]
    """Ranks of wild cards, as numbers 0 to 12 for 2 to ace."""
    counts_as: Literal["highest-missing", "ace", "own-rank"]
    """Rank of a wild card."""
    natural_in_own_suit: bool
    """True if a wild card is natural in a hand of its own suit."""
    spans: Mapping[str, tuple[int, int]]
    """Strengths of each category and band; the end is exclusive."""

    def __hash__(self) -> int:
        return hash((self.categories, self.rules))

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        if name not in self.spans:
            raise ValueError(f"{name} is not a category of {', '.join(reversed(self.categories))}")
        return self.spans[name]

    def at_least(self, name: str) -> int:
        """Return the lowest strength of a category or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `4 card flush: ace, ten, seven, three`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        place = strength & (1 << _BITS) - 1
        length = int(np.searchsorted(_FEWER[1:], place, side="right"))
        number, ranks = place - int(_FEWER[length]), []
        for size in range(length, 0, -1):
            rank = max(rank for rank in range(len(RANKS)) if comb(rank + size - 1, size) <= number)
            number -= comb(rank + size - 1, size)
            ranks.append(RANK_WORDS[rank])
        return f"{self.categories[strength >> _BITS].replace('-', ' ')}: {', '.join(ranks)}"

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best suited hand in each row of `cards` (uint8[n, m]).

        It is -1 if a card of the row is `UNKNOWN` or `NO_CARD`. Raises ValueError if `m` is not between 1 and
        `MAX_RANKED_CARDS`.

        Returns: int32[n].
        """
        rows, width = cards.shape
        if not 1 <= width <= MOST:
            raise ValueError(f"a suited hand is made of 1 to {MOST} cards, not of {width}")
        columns = np.ascontiguousarray(cards.T)
        best = np.full(rows, -1, np.int32)
        for suit in range(_SUITS):
            np.maximum(best, self._rank_suit(columns, suit), out=best)
        best[(columns >= CARDS).any(axis=0)] = -1
        return best

    def _rank_suit(self, columns: Codes, suit: int) -> Ints32:
        """Return the strength of the hand of one suit, -1 if there is none. `columns` is uint8[m, n]."""
        key_of, is_wild = _tabulate_keys(self.wild, self.counts_as, self.natural_in_own_suit)
        keys, wild = key_of[suit].take(columns), is_wild[suit].take(columns)
        pure = ~wild.any(axis=0)
        if self.counts_as == "highest-missing" and not pure.all():
            _fill_wild(keys, wild, np.flatnonzero(~pure))
        falling = sorted_columns(keys.T)[::-1]
        length = (falling > 0).sum(axis=0, dtype=np.uint8)
        place = _FEWER.take(length)
        for before, column in enumerate(falling):
            left = length - np.minimum(length, np.uint8(before))
            place += _tabulate_shares().take((left << 4) + column)
        levels = self._tabulate_levels()[pure.view(np.uint8), length]
        return np.where(length > 0, (levels << _BITS) + place, -1)

    def _tabulate_levels(self) -> Ints32:
        """Return the category of a suited hand by its number of cards, with wild cards and without.

        Returns: int32[2, cards].
        """

        def level(length: int, pure: bool) -> int:
            fits = [place for place, (fewest, only) in enumerate(self.rules) if length >= fewest and pure >= only]
            return max(fits, default=0)

        return np.array([[level(length, pure) for length in range(MOST + 1)] for pure in (False, True)], np.int32)

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return (strengths >> _BITS).astype(np.uint8)

    def alike(self) -> Codes:
        """Return a class for each card: cards of one class, such as the natural cards of a suit, have the same effect
        on the category.

        Returns: uint8[52].
        """
        return np.array([code % _SUITS * 2 + (code // _SUITS in self.wild) for code in range(CARDS)], np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the suited hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        places = strengths & (1 << _BITS) - 1
        return np.where(strengths < 0, -1, np.searchsorted(_FEWER[1:], places, side="right"))


@cache
def _tabulate_keys(wild: frozenset[int], counts_as: str, natural_in_own_suit: bool) -> tuple[Codes, Flags]:
    """Return, by suit and code of a card, its key in the hand of that suit and whether it is wild there, both [4, 256].

    A key is one more than the rank of the card, 0 for a card outside the hand.
    """
    keys, is_wild = np.zeros((_SUITS, 256), np.uint8), np.zeros((_SUITS, 256), bool)
    for suit in range(_SUITS):
        for code in range(CARDS):
            rank, own = code // 4, code % 4 == suit
            is_wild[suit, code] = rank in wild and not (own and natural_in_own_suit)
            if is_wild[suit, code]:
                keys[suit, code] = 1 + (_ACE if counts_as == "ace" else rank)
            elif own:
                keys[suit, code] = 1 + rank
    return keys, is_wild


def _fill_wild(keys: Codes, wild: Flags, hands: Ints) -> None:
    """Replace every wild card of some hands (columns of `keys`) by the key of the highest missing rank."""
    filled, wild = keys[:, hands], wild[:, hands]
    present = np.zeros(len(hands), np.uint16)
    for key in np.where(wild, 0, filled):
        present |= _BIT_OF_KEY.take(key)
    nth = np.zeros(len(hands), np.uint32)
    for place, hands_here in enumerate(map(np.flatnonzero, wild)):
        filled[place, hands_here] = _tabulate_missing().take((nth[hands_here] << len(RANKS)) + present[hands_here])
        nth[hands_here] += 1
    keys[:, hands] = filled


@cache
def _tabulate_missing() -> Codes:
    """Return the key of the nth highest rank, from 0, that is not in a set of ranks.

    Returns: uint8[13 * 8192].
    """
    table = np.zeros((len(RANKS), 1 << len(RANKS)), np.uint8)
    sets = np.arange(1 << len(RANKS))
    nth = np.zeros(len(sets), np.int64)
    for rank in range(_ACE, -1, -1):
        absent = sets >> rank & 1 == 0
        table[nth[absent], sets[absent]] = rank + 1
        nth += absent
    return table.reshape(-1)


@cache
def _tabulate_shares() -> Ints32:
    """Return the share of a card in the index of its hand, by rank from the bottom and by key.

    The first is the number of cards that are no higher, itself included.

    Returns: int32[cards * 16].
    """
    table = np.zeros((MOST + 1, 16), np.int32)
    for left in range(1, MOST + 1):
        table[left, 1 : len(RANKS) + 1] = [comb(rank + left - 1, left) for rank in range(len(RANKS))]
    return table.reshape(-1)


def compile_suited(model: SuitedRanking) -> LongestSuited:
    """Compile the ranking of a rule file."""
    wild = model.wild
    rising = list(reversed(model.categories))
    spans = {category.category: (level << _BITS, level + 1 << _BITS) for level, category in enumerate(rising)}
    return LongestSuited(
        categories=tuple(spans),
        rules=tuple(category.asks() for category in rising),
        wild=frozenset() if wild is None else frozenset(map(RANKS.index, wild.ranks)),
        counts_as="own-rank" if wild is None else wild.ranks_as,
        natural_in_own_suit=wild is not None and wild.in_own_suit == "natural",
        spans=with_bands(spans, model.bands),
    )
