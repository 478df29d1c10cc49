"""Which cards of a hand are kept when cards are exchanged, for whole columns of hands.

A way to keep cards is a number whose bits stand for places of the hand, its cards in ascending order of code: bit
0 is the lowest card. A set of ways is an unsigned number as well, bit k of it standing for way k; a hand of up to
5 cards has at most 32 ways. The set is empty where a hand has no cards such as are to be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Literal

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Codes, Flags, Ints16, Ints32
from validator.cards import rank_tables
from validator.cards.deck import Deck
from validator.cards.names import RANKS, SUITS
from validator.cards.ranking import CompiledRanking
from validator.cards.sorting import sorted_columns


class KeepAll(Struct, frozen=True, kw_only=True):
    """Every card is kept."""

    size: int

    def ways(self, columns: Codes) -> Bits32:
        """`uint32[n]`: the one way there is."""
        return np.full(columns.shape[1], 1 << (1 << self.size) - 1, np.uint32)


class KeepGrouped(Struct, frozen=True, kw_only=True):
    """The cards that form the groups of the hand's category, if `groups`, and the `highest` of the others."""

    ranking: CompiledRanking
    groups: bool
    highest: int

    def ways(self, columns: Codes) -> Bits32:
        """`uint32[n]`: the ways of each hand; several where cards of one rank stand for each other."""
        return _grouped(self).view(np.uint32).take(rank_tables.numbers(columns))

    def ranks(self, hand: tuple[int, ...], strength: int) -> tuple[int, ...] | None:
        """Ranks of the cards that are kept of a hand, ascending; None where it has none such."""
        grouped = self.ranking.grouped(strength) if self.groups else ()
        others = list(hand)
        for rank in grouped:
            others.remove(rank)
        if (self.groups and not grouped) or self.highest > len(others):
            return None
        return tuple(sorted((*grouped, *others[len(others) - self.highest :])))


class Completing(Struct, frozen=True, kw_only=True):
    """What further cards of the decks can make of so many `cards` of a hand: a category of its ranking."""

    ranking: CompiledRanking
    category: str
    cards: int
    deck: Deck
    decks: int

    def best(self, ranks: tuple[int, ...], suited: bool) -> tuple[int, int]:
        """The strength of the best hand of the category that further cards make of cards of these ranks (ascending),
        -1 where they make none, and how many choices of ranks do."""
        low, high = self.ranking.span(self.category)
        table = self.ranking.table()
        missing = self.ranking.size - self.cards
        found: dict[tuple[int, ...], int] = {}
        for more in combinations_with_replacement(sorted({code // 4 for code in self.deck.cards}), missing):
            for same_suit in (False, True):
                strength = int(table[rank_tables.number(sorted((*ranks, *more)), same_suit)])
                if low <= strength < high and self._possible(ranks, suited, more, same_suit):
                    found[more] = max(strength, found.get(more, -1))
        return max(found.values(), default=-1), len(found)

    def _possible(self, ranks: tuple[int, ...], suited: bool, more: tuple[int, ...], same_suit: bool) -> bool:
        """Whether the decks have such cards: the further ones of the same suit as the others, or not all."""
        suits = len({code % 4 for code in self.deck.cards})
        together = (*ranks, *more)
        if same_suit:
            return suited and all(together.count(rank) <= self.decks for rank in more)
        return (not suited or suits > 1) and all(together.count(rank) <= self.decks * suits for rank in more)


class KeepToward(Struct, frozen=True, kw_only=True):
    """Cards that further cards of the decks can complete, at least by so many ranks (`completed_by`)."""

    completing: Completing
    completed_by: int
    prefer: Literal["best-completed", "highest-cards"] | None

    def ways(self, columns: Codes) -> Bits32:
        """`uint32[n]`: the ways of each hand; several where they are alike, or none is preferred."""
        values = self._values()
        chosen = list(combinations(range(len(columns)), self.completing.cards))
        worth = [values.take(rank_tables.numbers(columns[list(places)])) for places in chosen]
        best = np.maximum(np.max(worth, axis=0), 0)
        found = np.zeros(columns.shape[1], np.uint32)
        for places, one in zip(chosen, worth, strict=True):
            found |= (one == best) * np.uint32(1 << sum(1 << place for place in places))
        return found

    def _values(self) -> Ints32:
        """How much it is worth to keep cards, by their number; -1 where they cannot be completed."""
        best, choices = _completed(self.completing)
        match self.prefer:
            case "best-completed":
                worth = best
            case "highest-cards":
                # Numbers rise with the highest card first, those of suited cards as those of others.
                worth = np.arange(len(best), dtype=np.int32) % (len(best) // 2)
            case _:
                worth = np.zeros(len(best), np.int32)
        return np.where(choices < self.completed_by, np.int32(-1), worth)


Keeping = KeepAll | KeepGrouped | KeepToward
"""A compiled rule of drawing: `ways(columns)` are the ways in which hands can follow it."""


@cache
def _grouped(keeping: KeepGrouped) -> Ints32:
    """The set of ways of every hand, by its number."""
    ranking = keeping.ranking
    strengths = ranking.table()

    def ways(hand: tuple[int, ...], suited: bool) -> int:
        ranks = keeping.ranks(hand, int(strengths[rank_tables.number(hand, suited)]))
        found = 0 if ranks is None else sum(1 << way for way, kept in _choices(hand, len(ranks)) if kept == ranks)
        return found - (found >> 31 << 32)

    return rank_tables.kept(("kept", repr(keeping)), lambda: rank_tables.tabulate(ranking.size, ways))


def _choices(hand: tuple[int, ...], count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every way to keep so many cards of a hand, and what is kept."""
    for places in combinations(range(len(hand)), count):
        yield sum(1 << place for place in places), tuple(hand[place] for place in places)


@cache
def _completed(completing: Completing) -> tuple[Ints32, Ints32]:
    """What `Completing.best` says of every choice of cards, by its number: the best strengths, and how many ranks
    complete it."""

    def both() -> Ints32:
        found: dict[tuple[tuple[int, ...], bool], tuple[int, int]] = {}

        def best(ranks: tuple[int, ...], suited: bool) -> int:
            found[ranks, suited] = completing.best(ranks, suited)
            return found[ranks, suited][0]

        strengths = rank_tables.tabulate(completing.cards, best)
        choices = rank_tables.tabulate(completing.cards, lambda ranks, suited: found[ranks, suited][1])
        return np.concatenate([strengths, choices])

    table = rank_tables.kept(("completed", repr(completing)), both)
    return table[: len(table) // 2], table[len(table) // 2 :]


# What was put aside


class PutAside(Struct, frozen=True, kw_only=True):
    """What a log shows of the cards put aside: `own` (`bool[n]`), whether it shows them and all were of the hand,
    and then the ways to keep cards that it leaves open."""

    ways: Bits32
    own: Flags


def put_aside(columns: Codes, discarded: Codes, count: Ints16, goes_on: Flags) -> PutAside:
    """Find the ways to keep cards of hands that agree with the cards put aside.

    Args:
        columns: the cards of each hand, ascending, uint8[size, n].
        discarded: the cards put aside of each, some of which may be unknown, uint8[n, width].
        count: how many were put aside of each.
        goes_on: whether more may be put aside of each.
    """
    size, hands = columns.shape
    gone = np.zeros(hands, np.uint8)
    own = (count >= 0) & (count <= size)
    for place in range(min(size, discarded.shape[1])):
        card = discarded[:, place]
        known = (place < count) & (card < len(RANKS) * len(SUITS))
        found = ~known
        for bit, column in enumerate(columns):
            here = ~found & (column == card) & (gone >> bit & 1 == 0)
            gone |= (here << bit).astype(np.uint8)
            found |= here
        own &= found
    table, row = _fitting(size), np.where(own, count, 0)
    at_least = np.bitwise_or.accumulate(table[::-1])[::-1]
    return PutAside(ways=np.where(goes_on, at_least[row, gone], table[row, gone]), own=own)


@cache
def _fitting(size: int) -> Bits32:
    """`uint32[size + 1, 2 ** size]`: the ways to keep cards that put aside so many, among them the given places."""
    table = np.zeros((size + 1, 1 << size), np.uint32)
    for way in range(1 << size):
        aside = ~way & (1 << size) - 1
        for gone in range(1 << size):
            if gone & ~aside == 0:
                table[aside.bit_count(), gone] |= np.uint32(1 << way)
    return table


def cards_of(hand: Codes, way: int) -> tuple[list[int], list[int]]:
    """The cards kept and those put aside of a hand (`uint8[size]`) by a way to keep cards, highest code first."""
    falling = sorted_columns(hand[None])[::-1, 0].tolist()
    size = len(falling)
    kept = [code for place, code in enumerate(falling) if way >> size - 1 - place & 1]
    return kept, [code for place, code in enumerate(falling) if not way >> size - 1 - place & 1]
