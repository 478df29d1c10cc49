"""Rankings in which suits decide between hands that are otherwise equal.

The strength of a hand is its strength by ranks, shifted left by two bits per card, plus two bits per suit; 3 is the
highest suit. The cards are in the order in which their ranks count, and the highest suit is first among
equal ranks. If the lowest hand wins, the bits of the suits are inverted too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints, Ints32
from validator.cards.cards import CARDS, cards_in_symbols, words
from validator.cards.names import SUITS, Suit
from validator.cards.rank_tables import hand_number, hand_numbers, tabulate
from validator.cards.ranking import CompiledRanking
from validator.cards.sorting import sorted_columns


class BySuit(Struct, frozen=True, kw_only=True):
    """Order of hands by a ranking, then by suits."""

    ranking: CompiledRanking
    """Ranking of the hands by ranks."""
    suits: tuple[int, ...]
    """Suits from the lowest up, as numbers 0 to 3 for clubs, diamonds, hearts and spades."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories, the worst first."""
        return self.ranking.categories

    @property
    def _bits(self) -> int:
        return 2 * self.ranking.size

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        low, high = self.ranking.span(name)
        return low << self._bits, high << self._bits

    def at_least(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `pair of nines, kicker ace (9♠ 9♥ A♣)`, or `two of clubs` for a single
        card; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        by_ranks, by_suits = int(strength) >> self._bits, self._mirror(int(strength) & (1 << self._bits) - 1)
        suits = [self.suits[by_suits >> 2 * place & 3] for place in reversed(range(self.ranking.size))]
        cards = [4 * rank + suit for rank, suit in zip(self.ranking.arrangement(by_ranks), suits, strict=True)]
        return f"{self.ranking.describe(by_ranks)} ({cards_in_symbols(cards)})" if len(cards) > 1 else words(cards[0])

    def _mirror(self, by_suits: int) -> int:
        return by_suits if self.ranking.wins == "highest" else (1 << self._bits) - 1 - by_suits

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of `cards` (uint8[n, m]).

        It is -1 if a card of the row is `UNKNOWN` or `NO_CARD`. Raises ValueError if `m` is less than the size of a
        hand.

        Returns: int32[n].
        """
        rows, width = cards.shape
        if width < self.ranking.size:
            raise ValueError(f"a hand of {self.ranking.size} cards cannot be chosen from {width}")
        # Codes with suits numbered from the lowest up; other codes stay as they are.
        codes = np.arange(256, dtype=np.uint8)
        codes[:CARDS] = [code // 4 * 4 + self.suits.index(code % 4) for code in range(CARDS)]
        known = (cards < CARDS).all(axis=1)
        best = np.full(rows, -1, np.int32)
        for places in combinations(range(width), self.ranking.size):
            columns = sorted_columns(codes.take(cards[:, places]))
            np.maximum(best, self._rank_whole_hands(columns), out=best, where=known)
        return best

    def _rank_whole_hands(self, columns: Codes) -> Ints32:
        """Return the strength of whole hands (uint8[size, n], suits numbered from the lowest, ascending down each
        column)."""
        numbers = hand_numbers(columns)
        by_suits = np.zeros(columns.shape[1], np.int32)
        for column, shifts in zip(columns, _tabulate_shifts(self.ranking), strict=True):
            by_suits |= (column & 3).astype(np.int32) << shifts.take(numbers)
        if self.ranking.wins == "lowest":
            by_suits ^= (1 << self._bits) - 1
        return (self.ranking.table().take(numbers) << self._bits) + by_suits

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return self.ranking.category(strengths >> self._bits)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength, `ranking.size`; -1 for -1.

        Returns: int64[n].
        """
        return self.ranking.length(strengths)


@cache
def _tabulate_shifts(ranking: CompiledRanking) -> Ints32:
    """Return the shift of the suit of each card of a hand, cards ascending, by the `hand_number` of the hand.

    Returns: int32[size, hands].
    """
    strengths, size = ranking.table(), ranking.size

    def shift(place: int, ranks: tuple[int, ...], suited: bool) -> int:
        arrangement = ranking.arrangement(int(strengths[hand_number(ranks, suited)]))
        higher_alike = ranks[place + 1 :].count(ranks[place])
        return 2 * (size - 1 - arrangement.index(ranks[place]) - higher_alike)

    return np.stack([tabulate(size, partial(shift, place)) for place in range(size)])


def compile_by_suit(ranking: CompiledRanking, suits: Sequence[Suit]) -> BySuit:
    """Compile a ranking in which suits, highest first, decide between hands that are otherwise equal."""
    return BySuit(ranking=ranking, suits=tuple(SUITS.index(suit) for suit in reversed(suits)))
