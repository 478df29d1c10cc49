"""Hands made of exactly so many cards of each of several places, as of two of one's own and three of the community's.

The cards chosen of each place have a number of their own, and the numbers of all places together are the place of the
hand in one dense table: the cards of different places need not be put in order for every choice of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints32
from validator.cards import rank_tables
from validator.cards.cards import CARDS
from validator.cards.names import RANKS
from validator.cards.ranking import CompiledRanking
from validator.cards.ranking_protocol import HandOrder
from validator.cards.sorting import sorted_columns


class Composed(Struct, frozen=True, kw_only=True):
    """Hands of `uses` cards out of each of several places, which hold `sizes` cards; they add up to those of
    `ranking`."""

    ranking: CompiledRanking
    sizes: tuple[int, ...]
    uses: tuple[int, ...]

    def strength(self, cards: Codes) -> Ints32:
        """`int32[n]`: strength of the best such hand out of each row of `cards` (`uint8[n, sum(sizes)]`), which stand
        place by place; -1 where a card of the row is not known.

        Time grows with the number of hands that can be made of a row.
        """
        table = _strengths(self.ranking, self.uses)
        suited_from = np.int32(len(table) // 2)
        best = np.full(len(cards), -1, np.int32)
        for chosen in product(*self._choices(cards)):
            numbers, suits = chosen[0]
            for number, suit in chosen[1:]:
                numbers, suits = numbers + number, suits & suit
            np.maximum(best, table.take(numbers + (suits != 0) * suited_from), out=best)
        best[(cards >= CARDS).any(axis=1)] = -1
        return best

    def _choices(self, cards: Codes) -> list[list[tuple[Ints32, Codes]]]:
        """By place, of every choice of its cards what it adds to the number of the hand, and the suits all share."""
        found = []
        start, stride = 0, prod(map(_hands, self.uses))
        for size, used in zip(self.sizes, self.uses, strict=True):
            stride //= _hands(used)
            columns = sorted_columns(cards[:, start : start + size])
            found.append([(number * np.int32(stride), suits) for number, suits in rank_tables.choices(columns, used)])
            start += size
        return found


def _hands(size: int) -> int:
    """How many choices of ranks there are for so many cards."""
    return comb(len(RANKS) - 1 + size, size)


@cache
def _strengths(ranking: CompiledRanking, uses: tuple[int, ...]) -> Ints32:
    """The strength of every hand by the numbers of its parts, the last counting the ones; first all hands of mixed
    suits, then all of one suit."""

    def tabulate() -> Ints32:
        parts = [
            sorted(
                combinations_with_replacement(range(len(RANKS)), used),
                key=lambda ranks: rank_tables.number(ranks, False),
            )
            for used in uses
        ]
        numbers = [rank_tables.number(sorted(sum(ranks, ())), False) for ranks in product(*parts)]
        whole = ranking.table()
        return np.concatenate([whole[: len(whole) // 2].take(numbers), whole[len(whole) // 2 :].take(numbers)])

    return rank_tables.kept(("composed", repr(ranking), repr(uses)), tabulate)


def compose(ranking: HandOrder, sizes: Sequence[int], uses: Sequence[int]) -> Composed:
    """Hands made of `uses` cards out of places that hold `sizes` cards.

    Raises TypeError for a ranking that is not by ranks alone, ValueError where the numbers do not fit each other.
    """
    if not isinstance(ranking, CompiledRanking):
        raise TypeError("only a hand that is ranked by ranks alone can be made of so many cards of each place")
    if sum(uses) != ranking.size or any(used > size for used, size in zip(uses, sizes, strict=True)):
        raise ValueError(f"no hand of {ranking.size} is made of {list(uses)} out of {list(sizes)} cards")
    return Composed(ranking=ranking, sizes=tuple(sizes), uses=tuple(uses))
