"""Hands with a fixed number of cards from each of several places, such as two own and three community cards.

A choice of cards of one place has a number, and the numbers of all places together index a dense table of hands. So the
cards of different places need not be sorted together for every choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints32
from validator.cards.cards import CARDS
from validator.cards.names import RANKS
from validator.cards.rank_tables import enumerate_choices, hand_number, load_or_build
from validator.cards.ranking import CompiledRanking
from validator.cards.ranking_protocol import HandOrder
from validator.cards.sorting import sorted_columns


class Composed(Struct, frozen=True, kw_only=True):
    """Hands with a fixed number of cards from each of several places; the numbers add up to the cards of the
    ranking."""

    ranking: CompiledRanking
    """Ranking of the hands."""
    sizes: tuple[int, ...]
    """Number of cards of each place."""
    uses: tuple[int, ...]
    """Number of cards used from each place."""

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row, -1 if a card of the row is unknown.

        Time grows with the number of possible hands of a row. `cards` is uint8[n, sum(sizes)], place by place.

        Returns: int32[n].
        """
        table = _tabulate_strengths(self.ranking, self.uses)
        suited_from = np.int32(len(table) // 2)
        best = np.full(len(cards), -1, np.int32)
        for chosen in product(*self._list_choices(cards)):
            numbers, suits = chosen[0]
            for number, suit in chosen[1:]:
                numbers, suits = numbers + number, suits & suit
            np.maximum(best, table.take(numbers + (suits != 0) * suited_from), out=best)
        best[(cards >= CARDS).any(axis=1)] = -1
        return best

    def _list_choices(self, cards: Codes) -> list[list[tuple[Ints32, Codes]]]:
        """Return, for each place and each choice of its cards, its share of the number of the hand, and the suits
        shared by all cards."""
        choices_by_place = []
        start, stride = 0, prod(map(_count_hands, self.uses))
        for size, used in zip(self.sizes, self.uses, strict=True):
            stride //= _count_hands(used)
            columns = sorted_columns(cards[:, start : start + size])
            choices_by_place.append(
                [(number * np.int32(stride), suits) for number, suits in enumerate_choices(columns, used)]
            )
            start += size
        return choices_by_place


def _count_hands(size: int) -> int:
    """Return the number of possible choices of ranks for some cards."""
    return comb(len(RANKS) - 1 + size, size)


@cache
def _tabulate_strengths(ranking: CompiledRanking, uses: tuple[int, ...]) -> Ints32:
    """Return the strength of every hand by the numbers of its parts, the last one lowest: first all hands of mixed
    suits, then all of one suit."""

    def tabulate() -> Ints32:
        parts = [
            sorted(
                combinations_with_replacement(range(len(RANKS)), used),
                key=lambda ranks: hand_number(ranks, False),
            )
            for used in uses
        ]
        numbers = [hand_number(sorted(sum(ranks, ())), False) for ranks in product(*parts)]
        whole = ranking.table()
        return np.concatenate([whole[: len(whole) // 2].take(numbers), whole[len(whole) // 2 :].take(numbers)])

    return load_or_build(("composed", repr(ranking), repr(uses)), tabulate)


def compose(ranking: HandOrder, sizes: Sequence[int], uses: Sequence[int]) -> Composed:
    """Compile hands of `uses` cards out of places that hold `sizes` cards.

    Raises TypeError for a ranking that is not by ranks alone, ValueError if the numbers do not fit.
    """
    if not isinstance(ranking, CompiledRanking):
        raise TypeError("a fixed number of cards from each place requires a ranking by ranks alone")
    if sum(uses) != ranking.size or any(used > size for used, size in zip(uses, sizes, strict=True)):
        raise ValueError(f"a hand of {ranking.size} cards cannot use {list(uses)} out of {list(sizes)} cards")
    return Composed(ranking=ranking, sizes=tuple(sizes), uses=tuple(uses))
