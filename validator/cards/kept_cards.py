"""Cards that may be kept in an exchange of cards, for whole columns of hands.

A way to keep cards is a number whose bits are places of the hand, its cards in ascending order of code: bit 0 is the
lowest card. A set of ways is an unsigned number too, with bit k for way k; a hand of up to 5 cards has at most 32 ways.
The set is empty if a hand has no cards that fit the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Literal

from msgspec import Struct

from fairdeal.validator.arrays import Bits32, Codes, Flags, Ints16, Ints32, make_read_only, np
from fairdeal.validator.cards.card_codes import CompiledDeck, sort_columns
from fairdeal.validator.cards.ranking import CompiledRanking, hand_number, hand_numbers, load_or_build, tabulate
from fairdeal.validator.cards.ranking_models import RANKS, SUITS


class CompiledKeepAll(Struct, frozen=True, kw_only=True):
    """Rule that keeps every card."""

    size: int
    """Number of cards of a hand."""

    def ways(self, columns: Codes) -> Bits32:
        """Return the only way.

        Returns: uint32[n].
        """
        return np.full(columns.shape[1], 1 << (1 << self.size) - 1, np.uint32)


class CompiledKeepGrouped(Struct, frozen=True, kw_only=True):
    """Rule that keeps the groups of the hand's category, and the highest or the lowest other cards."""

    ranking: CompiledRanking
    """Ranking of the hand."""
    groups: bool
    """True if the groups are kept."""
    others: int
    """Number of other cards kept."""
    lowest: bool = False
    """True if these are the lowest other cards; otherwise the highest."""

    def ways(self, columns: Codes) -> Bits32:
        """Return the ways of each hand; several if cards of one rank are interchangeable.

        Returns: uint32[n].
        """
        return _tabulate_groups(self).view(np.uint32).take(hand_numbers(columns))

    def ranks(self, hand: tuple[int, ...], strength: int) -> tuple[int, ...] | None:
        """Return the ranks of the kept cards, ascending; None if the hand has none that fit."""
        grouped = self.ranking.group_ranks(strength) if self.groups else ()
        others = list(hand)
        for rank in grouped:
            others.remove(rank)
        if (self.groups and not grouped) or self.others > len(others):
            return None
        kept = others[: self.others] if self.lowest else others[len(others) - self.others :]
        return tuple(sorted((*grouped, *kept)))


class Completion(Struct, frozen=True, kw_only=True):
    """Hands of a category that further cards of the decks can make of some kept cards."""

    ranking: CompiledRanking
    """Ranking of the completed hand."""
    category: str
    """Category of the completed hand."""
    cards: int
    """Number of kept cards."""
    deck: CompiledDeck
    """Deck in use."""
    decks: int
    """Number of decks."""

    def best(self, ranks: tuple[int, ...], suited: bool) -> tuple[int, int]:
        """Return the strength of the best hand that completes some cards (ranks ascending), -1 if none, and the number
        of choices of ranks that complete them."""
        low, high = self.ranking.span(self.category)
        table = self.ranking.table()
        missing = self.ranking.size - self.cards
        strengths_by_ranks: dict[tuple[int, ...], int] = {}
        for more in combinations_with_replacement(sorted({code // 4 for code in self.deck.cards}), missing):
            for same_suit in (False, True):
                strength = int(table[hand_number(sorted((*ranks, *more)), same_suit)])
                if low <= strength < high and self._possible(ranks, suited, more, same_suit):
                    strengths_by_ranks[more] = max(strength, strengths_by_ranks.get(more, -1))
        return max(strengths_by_ranks.values(), default=-1), len(strengths_by_ranks)

    def _possible(self, ranks: tuple[int, ...], suited: bool, more: tuple[int, ...], same_suit: bool) -> bool:
        """Return whether the decks have some further cards: all in the suit of the others, or not all."""
        suits = len({code % 4 for code in self.deck.cards})
        together = (*ranks, *more)
        if same_suit:
            return suited and all(together.count(rank) <= self.decks for rank in more)
        return (not suited or suits > 1) and all(together.count(rank) <= self.decks * suits for rank in more)


class CompiledKeepToward(Struct, frozen=True, kw_only=True):
    """Rule that keeps cards which further cards of the decks can complete."""

    completing: Completion
    """Hands that the kept cards can become."""
    completed_by: int
    """Fewest choices of ranks that complete the cards."""
    prefer: Literal["best-completed", "highest-cards"] | None
    """Preferred cards if several sets can be kept."""

    def ways(self, columns: Codes) -> Bits32:
        """Return the ways of each hand; several if they are alike, or none is preferred.

        Returns: uint32[n].
        """
        values = self._values()
        chosen = list(combinations(range(len(columns)), self.completing.cards))
        worth = [values.take(hand_numbers(columns[list(places)])) for places in chosen]
        best = np.maximum(np.max(worth, axis=0), 0)
        ways = np.zeros(columns.shape[1], np.uint32)
        for places, values_of in zip(chosen, worth, strict=True):
            ways |= (values_of == best) * np.uint32(1 << sum(1 << place for place in places))
        return ways

    def _values(self) -> Ints32:
        """Return the value of kept cards, by their number; -1 if they cannot be completed."""
        best, choices = _tabulate_completions(self.completing)
        match self.prefer:
            case "best-completed":
                worth = best
            case "highest-cards":
                # Numbers rise with the highest card first, for suited cards as for others.
                worth = np.arange(len(best), dtype=np.int32) % (len(best) // 2)
            case _:
                worth = np.zeros(len(best), np.int32)
        return np.where(choices < self.completed_by, np.int32(-1), worth)


CompiledKeepRule = CompiledKeepAll | CompiledKeepGrouped | CompiledKeepToward
"""Compiled rule of drawing; `ways(columns)` are the ways in which hands can follow it."""


@cache
@make_read_only
def _tabulate_groups(keeping: CompiledKeepGrouped) -> Ints32:
    """Return the set of ways of every hand, by its number."""
    ranking = keeping.ranking
    strengths = ranking.table()

    def ways(hand: tuple[int, ...], suited: bool) -> int:
        ranks = keeping.ranks(hand, int(strengths[hand_number(hand, suited)]))
        way_set = (
            0 if ranks is None else sum(1 << way for way, kept in _enumerate_ways(hand, len(ranks)) if kept == ranks)
        )
        return way_set - (way_set >> 31 << 32)

    return load_or_build(("kept", repr(keeping)), lambda: tabulate(ranking.size, ways))


def _enumerate_ways(hand: tuple[int, ...], count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield every way to keep `count` cards of a hand, and the kept ranks."""
    for places in combinations(range(len(hand)), count):
        yield sum(1 << place for place in places), tuple(hand[place] for place in places)


@cache
@make_read_only
def _tabulate_completions(completing: Completion) -> tuple[Ints32, Ints32]:
    """Return `Completion.best` for every choice of cards, by its number: the best strengths, and the numbers of
    choices."""

    def both() -> Ints32:
        completions: dict[tuple[tuple[int, ...], bool], tuple[int, int]] = {}

        def best(ranks: tuple[int, ...], suited: bool) -> int:
            completions[ranks, suited] = completing.best(ranks, suited)
            return completions[ranks, suited][0]

        strengths = tabulate(completing.cards, best)
        choices = tabulate(completing.cards, lambda ranks, suited: completions[ranks, suited][1])
        return np.concatenate([strengths, choices])

    table = load_or_build(("completed", repr(completing)), both)
    return table[: len(table) // 2], table[len(table) // 2 :]


# Discards


class DiscardConstraint(Struct, frozen=True, kw_only=True):
    """Ways to keep cards that agree with the discards of a log."""

    ways: Bits32
    """Ways that the log leaves open, uint32[n]."""
    own: Flags
    """True if the log shows the discards and all belonged to the hand, bool[n]."""


def match_discards(columns: Codes, discarded: Codes, count: Ints16, goes_on: Flags) -> DiscardConstraint:
    """Find the ways to keep cards that agree with the discards.

    Args:
        columns: the cards of each hand, ascending, uint8[size, n].
        discarded: the discards of each hand, some of which may be unknown, uint8[n, width].
        count: the number of discards of each hand.
        goes_on: True if a hand may discard more.
    """
    size, hands = columns.shape
    discarded_places = np.zeros(hands, np.uint8)
    own = (count >= 0) & (count <= size)
    for place in range(min(size, discarded.shape[1])):
        card = discarded[:, place]
        known = (place < count) & (card < len(RANKS) * len(SUITS))
        matched = ~known
        for bit, column in enumerate(columns):
            matches = ~matched & (column == card) & (discarded_places >> bit & 1 == 0)
            discarded_places |= (matches << bit).astype(np.uint8)
            matched |= matches
        own &= matched
    table, row = _tabulate_discards(size), np.where(own, count, 0)
    at_least = np.bitwise_or.accumulate(table[::-1])[::-1]
    return DiscardConstraint(
        ways=np.where(goes_on, at_least[row, discarded_places], table[row, discarded_places]), own=own
    )


@cache
@make_read_only
def _tabulate_discards(size: int) -> Bits32:
    """Return the ways to keep cards with a number of discards that include some places.

    Returns: uint32[size + 1, 2 ** size].
    """
    table = np.zeros((size + 1, 1 << size), np.uint32)
    for way in range(1 << size):
        aside = ~way & (1 << size) - 1
        for places in range(1 << size):
            if places & ~aside == 0:
                table[aside.bit_count(), places] |= np.uint32(1 << way)
    return table


def split_kept_cards(hand: Codes, way: int) -> tuple[list[int], list[int]]:
    """Return the kept cards and the discards of a hand (uint8[size]) by a way to keep cards, highest code first."""
    falling = sort_columns(hand[None])[::-1, 0].tolist()
    size = len(falling)
    kept = [code for place, code in enumerate(falling) if way >> size - 1 - place & 1]
    return kept, [code for place, code in enumerate(falling) if not way >> size - 1 - place & 1]
