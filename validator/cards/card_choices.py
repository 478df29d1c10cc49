"""Rules of drawing, for whole columns of hands: cards to keep in an exchange, and cards to set into two hands.

A way to keep cards is a number whose bits are places of the hand, its cards in ascending order of code: bit 0 is the
lowest card. A set of ways is an unsigned number too, with bit k for way k; a hand of up to 5 cards has at most 32 ways.
The set is empty if a hand has no cards that fit the rule.

A way to set cards is the number of a choice of cards for the Low Hand, in the order of `list_splits`. A set of ways is
an unsigned number with bit k for way k. It is empty if a hand does not have what the rule names.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Literal

from msgspec import Struct

from fairdeal.validator.arrays import Bits32, Codes, Flags, Ints, Ints16, Ints32, make_read_only, np
from fairdeal.validator.cards.card_codes import (
    JOKER,
    NO_CARD,
    UNKNOWN,
    CompiledDeck,
    hand_number,
    hand_numbers,
    load_or_build,
    sort_columns,
    tabulate,
)
from fairdeal.validator.cards.ranking import CompiledRanking
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
        unsuited, suited_ones = np.split(table, 2)
        missing = self.ranking.size - self.cards
        strengths_by_ranks: dict[tuple[int, ...], int] = {}
        for more in combinations_with_replacement(sorted({code // 4 for code in self.deck.cards}), missing):
            number = hand_number(sorted((*ranks, *more)), suited=False)
            for same_suit, strengths in ((False, unsuited), (True, suited_ones)):
                strength = int(strengths[number])
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
        size, count = len(columns), self.completing.cards
        places = np.array(list(combinations(range(size), count))).T
        worth = self._values().take(hand_numbers(columns[places].reshape(count, -1))).reshape(places.shape[1], -1)
        best = np.maximum(np.max(worth, axis=0), 0)
        bits = np.array([1 << way for way in _list_way_bits(size, count)], np.uint32)
        ways: Bits32 = np.bitwise_or.reduce((worth == best) * bits[:, None], axis=0)
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
    """Return every way to keep `count` cards of a hand, and the kept ranks."""
    return zip(_list_way_bits(len(hand), count), combinations(hand, count), strict=True)


@cache
def _list_way_bits(size: int, count: int) -> tuple[int, ...]:
    """Return the ways to keep `count` of `size` cards, as bits, in the order of `itertools.combinations`."""
    return tuple(sum(1 << place for place in places) for places in combinations(range(size), count))


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


_ACE = len(RANKS) - 1


@cache
def list_splits(cards: int, low: int) -> tuple[tuple[int, ...], ...]:
    """List the choices of `low` places out of `cards`, in ascending order."""
    return tuple(combinations(range(cards), low))


class SetGroup(Struct, frozen=True, kw_only=True):
    """Cards of one rank that a hand must have."""

    size: int
    """Fewest cards of the rank."""
    ranks: frozenset[int]
    """Permitted ranks, as numbers 0 to 12 for 2 to ace."""
    low: int
    """Number of them that belong to the Low Hand; the others belong to the High Hand."""


class CompiledSetRule(Struct, frozen=True, kw_only=True):
    """Compiled rule that sets cards."""

    groups: tuple[SetGroup, ...]
    """Groups that the hand must have."""
    completes: tuple[str, ...]
    """Categories that the High Hand must have; empty for any."""


class SplitStrengths(Struct, frozen=True, kw_only=True):
    """Every way to set the cards of some hands, with the strengths of both hands."""

    ranks: Ints
    """Rank of each card, a joker counting as an ace, int64[cards, n]."""
    high: Ints32
    """Strength of the High Hand, int32[ways, n]."""
    low: Ints32
    """Strength of the Low Hand, int32[ways, n]."""


class CompiledSetting(Struct, frozen=True, kw_only=True):
    """Hands into which the cards of a place are set."""

    high: CompiledRanking
    """Ranking of the High Hand."""
    low: CompiledRanking
    """Ranking of the Low Hand."""

    @property
    def size(self) -> int:
        """Number of cards that are set."""
        return self.high.size + self.low.size

    def rank_splits(self, cards: Codes) -> SplitStrengths:
        """Rank both hands of every way to set the cards of each row (uint8[n, size])."""
        high, low = [], []
        for places in list_splits(self.size, self.low.size):
            others = [place for place in range(self.size) if place not in places]
            high.append(self.high.strength(cards[:, others]))
            low.append(self.low.strength(cards[:, places]))
        ranks = np.where(cards == JOKER, _ACE, np.minimum(cards >> 2, _ACE)).astype(np.int64)
        return SplitStrengths(ranks=ranks.T, high=np.stack(high), low=np.stack(low))

    def find_ways(self, rule: CompiledSetRule, splits: SplitStrengths) -> Bits32:
        """Return the ways in which each hand can follow a rule: the best Low Hand, and then the best High Hand.

        Returns: uint32[n].
        """
        permitted = (splits.high >= 0) & (splits.low >= 0) & self._keeps_groups(rule, splits)
        if rule.completes:
            names = [name in rule.completes for name in self.high.categories]
            permitted &= np.array([*names, *[False] * (256 - len(names))])[self.high.category(splits.high)]
        for strengths in (splits.low, splits.high):
            allowed = np.where(permitted, strengths, -1)
            permitted &= allowed == allowed.max(axis=0)
        ways = np.zeros(permitted.shape[1], np.uint32)
        for number, chosen in enumerate(permitted):
            ways |= chosen.astype(np.uint32) << np.uint32(number)
        return ways

    def _keeps_groups(self, rule: CompiledSetRule, splits: SplitStrengths) -> Flags:
        """Return whether each way puts the groups of a rule where they belong, bool[ways, n]."""
        hands = splits.ranks.shape[1]
        counts = np.stack([(splits.ranks == rank).sum(axis=0) for rank in range(len(RANKS))])
        placed: list[tuple[SetGroup, Ints, Ints]] = []
        has_all, free = np.ones(hands, bool), np.ones((len(RANKS), hands), bool)
        every, above, size = np.arange(hands), np.full(hands, len(RANKS)), 0
        for group in rule.groups:
            allowed = np.array([rank in group.ranks for rank in range(len(RANKS))])[:, None]
            fits = free & allowed & (counts >= group.size)
            if group.size == size:  # groups of one size go from the highest rank down
                fits &= np.arange(len(RANKS))[:, None] < above
            above, size = _ACE - fits[::-1].argmax(axis=0), group.size
            has_all &= fits.any(axis=0)
            free[above, every] = False
            placed.append((group, above, counts[above, every]))
        kept = np.tile(has_all, (len(splits.low), 1))
        for number, places in enumerate(list_splits(self.size, self.low.size)):
            low = splits.ranks[list(places)]
            for group, rank, count in placed:
                in_low = (low == rank).sum(axis=0)
                kept[number] &= (count - in_low >= group.size - group.low) & (in_low >= group.low)
        return kept

    def match_ways(self, cards: Codes, high: Codes, low: Codes) -> Bits32:
        """Return the ways in which each row of cards gives these hands; none if they are not made of its cards.

        Args:
            cards: uint8[n, size], the cards of each place.
            high: uint8[n, m], the cards of the High Hand, padded with NO_CARD.
            low: uint8[n, k], those of the Low Hand.
        """
        ways = np.zeros(len(cards), np.uint32)
        wanted = [_sort_hand(high, self.high.size), _sort_hand(low, self.low.size)]
        for number, places in enumerate(list_splits(self.size, self.low.size)):
            others = [place for place in range(self.size) if place not in places]
            same = np.ones(len(cards), bool)
            for hand, chosen in zip(wanted, (others, list(places)), strict=True):
                same &= (sort_columns(cards[:, chosen]) == hand).all(axis=0)
            ways |= same.astype(np.uint32) << np.uint32(number)
        return ways


def _sort_hand(cards: Codes, size: int) -> Codes:
    """Return the cards of each row in ascending order down its column; no card of a place if their number differs."""
    hand = np.full((len(cards), size), NO_CARD, np.uint8)
    hand[:, : cards.shape[1]] = cards[:, :size]
    hand[((cards != NO_CARD).sum(axis=1) != size) | (cards == UNKNOWN).any(axis=1)] = NO_CARD
    return sort_columns(hand)
