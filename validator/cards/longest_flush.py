"""Rankings of the longest suited hand at work: what a hand is worth when the cards of one suit count.

The strength of a hand is the number of its category, 0 for the lowest, shifted left by `_BITS`, and below it the
place of the hand among all hands of up to `MOST` cards, ordered by their number of cards and then by their ranks
from the highest down. Ranks that may repeat, sorted ascending as r0 <= r1 <= …, are numbered without gaps by
C(r0, 1) + C(r1 + 1, 2) + …, which is that very order.
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
"""int32[cards]: how many hands there are of fewer cards, one at least."""
_BIT_OF_KEY = np.array([0, *(1 << rank for rank in range(len(RANKS)))], np.uint16)


class LongestSuited(Struct, frozen=True, kw_only=True):
    """An order of hands of any number of cards by the longest hand of one suit in them.

    `rules` are the fewest cards of each category and whether all of them must be natural, lowest category first.
    `wild` are the ranks of wild cards, as numbers 0 to 12 for 2 to ace. `spans` are the strengths of each name.
    """

    categories: tuple[str, ...]
    rules: tuple[tuple[int, bool], ...]
    wild: frozenset[int]
    counts_as: Literal["highest-missing", "ace", "own-rank"]
    natural_in_own_suit: bool
    spans: Mapping[str, tuple[int, int]]

    def __hash__(self) -> int:
        return hash((self.categories, self.rules))

    def span(self, name: str) -> tuple[int, int]:
        """The strengths that a category or band takes in: from the first up to, not including, the second.

        Raises `ValueError` if there is no such name.
        """
        if name not in self.spans:
            raise ValueError(f"{name} is not a category of {', '.join(reversed(self.categories))}")
        return self.spans[name]

    def at_least(self, name: str) -> int:
        """Lowest strength that counts as at least the category or band of this name.

        Raises `ValueError` if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """A hand of this strength in words, as in `4 card flush: ace, ten, seven, three`; -1 is `unknown hand`."""
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
        """`int32[n]`: strength of the best suited hand out of each row of `cards` (`uint8[n, m]`); -1 where a card
        of the row is `UNKNOWN` or `NO_CARD`. Raises `ValueError` if `m` is not within 1 and `MOST`."""
        rows, width = cards.shape
        if not 1 <= width <= MOST:
            raise ValueError(f"a suited hand is made of 1 to {MOST} cards, not of {width}")
        columns = np.ascontiguousarray(cards.T)
        best = np.full(rows, -1, np.int32)
        for suit in range(_SUITS):
            np.maximum(best, self._of_suit(columns, suit), out=best)
        best[(columns >= CARDS).any(axis=0)] = -1
        return best

    def _of_suit(self, columns: Codes, suit: int) -> Ints32:
        """Strength of the hand of one suit, -1 where there is none. `columns` is `uint8[m, n]`."""
        key_of, is_wild = _tables(self.wild, self.counts_as, self.natural_in_own_suit)
        keys, wild = key_of[suit].take(columns), is_wild[suit].take(columns)
        pure = ~wild.any(axis=0)
        if self.counts_as == "highest-missing" and not pure.all():
            _fill(keys, wild, np.flatnonzero(~pure))
        falling = sorted_columns(keys.T)[::-1]
        length = (falling > 0).sum(axis=0, dtype=np.uint8)
        place = _FEWER.take(length)
        for before, column in enumerate(falling):
            left = length - np.minimum(length, np.uint8(before))
            place += _shares().take((left << 4) + column)
        levels = self._levels()[pure.view(np.uint8), length]
        return np.where(length > 0, (levels << _BITS) + place, -1)

    def _levels(self) -> Ints32:
        """`int32[2, cards]`: the category of a suited hand, with wild cards and without, by its number of cards."""

        def level(length: int, pure: bool) -> int:
            fits = [place for place, (fewest, only) in enumerate(self.rules) if length >= fewest and pure >= only]
            return max(fits, default=0)

        return np.array([[level(length, pure) for length in range(MOST + 1)] for pure in (False, True)], np.int32)

    def category(self, strengths: Ints32) -> Codes:
        """`uint8[n]`: index in `categories` of each strength; 255 for -1."""
        return (strengths >> _BITS).astype(np.uint8)

    def alike(self) -> Codes:
        """`uint8[52]`: cards of one number do the same for the category of any hand: those of a suit, but for wild
        ones."""
        return np.array([code % _SUITS * 2 + (code // _SUITS in self.wild) for code in range(CARDS)], np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """`int64[n]`: how many cards the suited hand of each strength has; -1 for -1."""
        places = strengths & (1 << _BITS) - 1
        return np.where(strengths < 0, -1, np.searchsorted(_FEWER[1:], places, side="right"))


@cache
def _tables(wild: frozenset[int], counts_as: str, natural_in_own_suit: bool) -> tuple[Codes, Flags]:
    """By suit and code of a card: its key in the hand of that suit, and whether it is wild there, both `[4, 256]`.

    A key is one more than the rank a card counts as, 0 for a card that is not of the hand.
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


def _fill(keys: Codes, wild: Flags, hands: Ints) -> None:
    """Put in place of every wild card of these hands (columns of `keys`) the key of the highest rank still missing."""
    found, wild = keys[:, hands], wild[:, hands]
    taken = np.zeros(len(hands), np.uint16)
    for key in np.where(wild, 0, found):
        taken |= _BIT_OF_KEY.take(key)
    nth = np.zeros(len(hands), np.uint32)
    for place, here in enumerate(map(np.flatnonzero, wild)):
        found[place, here] = _missing().take((nth[here] << len(RANKS)) + taken[here])
        nth[here] += 1
    keys[:, hands] = found


@cache
def _missing() -> Codes:
    """`uint8[13 * 8192]`: the key of the nth highest rank, counted from 0, that is not among a set of ranks."""
    table = np.zeros((len(RANKS), 1 << len(RANKS)), np.uint8)
    sets = np.arange(1 << len(RANKS))
    nth = np.zeros(len(sets), np.int64)
    for rank in range(_ACE, -1, -1):
        absent = sets >> rank & 1 == 0
        table[nth[absent], sets[absent]] = rank + 1
        nth += absent
    return table.reshape(-1)


@cache
def _shares() -> Ints32:
    """`int32[cards * 16]`: what a card adds to the place of its hand, by how many cards of it are no higher (the
    card itself counted) and its key."""
    table = np.zeros((MOST + 1, 16), np.int32)
    for left in range(1, MOST + 1):
        table[left, 1 : len(RANKS) + 1] = [comb(rank + left - 1, left) for rank in range(len(RANKS))]
    return table.reshape(-1)


def compile_suited(model: SuitedRanking) -> LongestSuited:
    """The ranking a rule file describes, ready for use."""
    wild = model.wild
    rising = list(reversed(model.categories))
    spans = {one.category: (level << _BITS, level + 1 << _BITS) for level, one in enumerate(rising)}
    return LongestSuited(
        categories=tuple(spans),
        rules=tuple(one.asks() for one in rising),
        wild=frozenset() if wild is None else frozenset(map(RANKS.index, wild.ranks)),
        counts_as="own-rank" if wild is None else wild.ranks_as,
        natural_in_own_suit=wild is not None and wild.in_own_suit == "natural",
        spans=with_bands(spans, model.bands),
    )
