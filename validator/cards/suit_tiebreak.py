"""Rankings in which suits decide between hands that are otherwise the same.

The strength of a hand is its strength by ranks, shifted left by two bits a card, and below it two bits for the suit of
each card, 3 for the highest suit, in the order in which the ranks of the cards count; of cards of equal rank the one
of the highest suit comes first. Where the lowest hand wins the bits of the suits are turned round as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints, Ints32
from validator.cards import rank_tables
from validator.cards.cards import CARDS, cards_in_symbols, words
from validator.cards.names import SUITS, Suit
from validator.cards.ranking import CompiledRanking
from validator.cards.sorting import sorted_columns


class BySuit(Struct, frozen=True, kw_only=True):
    """An order of hands of `ranking.size` cards: by `ranking`, then by suits.

    `suits` are the four suits from the lowest up, as numbers 0 to 3 for clubs, diamonds, hearts and spades.
    """

    ranking: CompiledRanking
    suits: tuple[int, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, the worst first."""
        return self.ranking.categories

    @property
    def _bits(self) -> int:
        return 2 * self.ranking.size

    def span(self, name: str) -> tuple[int, int]:
        """The strengths that a category, mark or band takes in: from the first up to, not including, the second.

        Raises `ValueError` if there is no such name.
        """
        low, high = self.ranking.span(name)
        return low << self._bits, high << self._bits

    def at_least(self, name: str) -> int:
        """Lowest strength that counts as at least the category, mark or band of this name.

        Raises `ValueError` if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """A hand of this strength in words, as in `pair of nines, kicker ace (9♠ 9♥ A♣)`, a single card as in `two of
        clubs`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        by_ranks, by_suits = int(strength) >> self._bits, self._turned(int(strength) & (1 << self._bits) - 1)
        suits = [self.suits[by_suits >> 2 * place & 3] for place in reversed(range(self.ranking.size))]
        cards = [4 * rank + suit for rank, suit in zip(self.ranking.arrangement(by_ranks), suits, strict=True)]
        return f"{self.ranking.describe(by_ranks)} ({cards_in_symbols(cards)})" if len(cards) > 1 else words(cards[0])

    def _turned(self, by_suits: int) -> int:
        return by_suits if self.ranking.wins == "highest" else (1 << self._bits) - 1 - by_suits

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """`int32[n]`: strength of the best hand of `ranking.size` cards out of each row of `cards` (`uint8[n, m]`);
        -1 where a card of the row is `UNKNOWN` or `NO_CARD`. Raises `ValueError` if `m` is less than that size."""
        rows, width = cards.shape
        if width < self.ranking.size:
            raise ValueError(f"a hand of {self.ranking.size} cards cannot be chosen from {width}")
        # Codes whose suits are numbered from the lowest up; what is no known card stays none.
        codes = np.arange(256, dtype=np.uint8)
        codes[:CARDS] = [code // 4 * 4 + self.suits.index(code % 4) for code in range(CARDS)]
        known = (cards < CARDS).all(axis=1)
        best = np.full(rows, -1, np.int32)
        for places in combinations(range(width), self.ranking.size):
            columns = sorted_columns(codes.take(cards[:, places]))
            np.maximum(best, self._whole(columns), out=best, where=known)
        return best

    def _whole(self, columns: Codes) -> Ints32:
        """Strength of whole hands (`uint8[size, n]`, codes with suits as above, ascending down each column)."""
        numbers = rank_tables.numbers(columns)
        by_suits = np.zeros(columns.shape[1], np.int32)
        for column, shifts in zip(columns, _shifts(self.ranking), strict=True):
            by_suits |= (column & 3).astype(np.int32) << shifts.take(numbers)
        if self.ranking.wins == "lowest":
            by_suits ^= (1 << self._bits) - 1
        return (self.ranking.table().take(numbers) << self._bits) + by_suits

    def category(self, strengths: Ints32) -> Codes:
        """`uint8[n]`: index in `categories` of each strength; 255 for -1."""
        return self.ranking.category(strengths >> self._bits)

    def length(self, strengths: Ints32) -> Ints:
        """`int64[n]`: how many cards make up the hand of each strength, `ranking.size`; -1 for -1."""
        return self.ranking.length(strengths)


@cache
def _shifts(ranking: CompiledRanking) -> Ints32:
    """`int32[size, hands]`: how far the suit of each card of a hand, its cards ascending, is shifted left, by the
    `kernel.number` of the hand."""
    strengths, size = ranking.table(), ranking.size

    def shift(place: int, ranks: tuple[int, ...], suited: bool) -> int:
        arrangement = ranking.arrangement(int(strengths[rank_tables.number(ranks, suited)]))
        higher_alike = ranks[place + 1 :].count(ranks[place])
        return 2 * (size - 1 - arrangement.index(ranks[place]) - higher_alike)

    return np.stack([rank_tables.tabulate(size, partial(shift, place)) for place in range(size)])


def compile_by_suit(ranking: CompiledRanking, suits: Sequence[Suit]) -> BySuit:
    """A ranking in which these suits, highest first, decide between hands that are otherwise the same."""
    return BySuit(ranking=ranking, suits=tuple(SUITS.index(suit) for suit in reversed(suits)))
