"""Rules by which cards are set into a High Hand and a Low Hand, for whole columns of hands.

A way to set cards is the number of a choice of cards for the Low Hand, in the order of `list_splits`. A set of ways is
an unsigned number with bit k for way k. It is empty if a hand does not have what the rule names.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from msgspec import Struct

from fairdeal.validator.arrays import Bits32, Codes, Flags, Ints, Ints32, np
from fairdeal.validator.cards.card_codes import JOKER, NO_CARD, UNKNOWN, sort_columns
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.cards.ranking_models import RANKS

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
        needs = np.zeros((2, len(RANKS), hands), np.int64)
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
            needs[0, above, every], needs[1, above, every] = group.size - group.low, group.low
        kept = np.zeros((len(splits.low), hands), bool)
        for number, places in enumerate(list_splits(self.size, self.low.size)):
            in_low = np.stack([(splits.ranks[list(places)] == rank).sum(axis=0) for rank in range(len(RANKS))])
            kept[number] = has_all & ((counts - in_low >= needs[0]) & (in_low >= needs[1])).all(axis=0)
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
