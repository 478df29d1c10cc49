"""Comparison of two longest-suited hands that share cards.

A hand is made up of its cards of one suit and all wild cards. So another hand is lower than the player's if it is lower
in every suit. For a given number of wild cards, the count of lower hands is a sum of products over the suits. Each
factor counts the ways to take cards of a suit without reaching the player's hand: all ways if fewer cards are taken,
none if more, and a table of ranks for equal lengths.

Wild cards differ only in their number, so hands are counted once for each set of natural cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import LongestSuited
from validator.cards.names import RANKS, SUITS
from validator.odds.counting.suit_classes import suit_classes

SUIT_COUNT = len(SUITS)
RELATIONS = 3


class Shared(Struct, frozen=True, kw_only=True, eq=False):
    """Sets of shared cards with one pattern of suits."""

    masks: tuple[Ints, ...]
    """Ranks that each suit may have, as bits, int64[m] for each suit; suits combine freely."""
    lengths: tuple[int, ...]
    """Number of ranks in each suit."""
    wild: int
    """Number of wild cards."""


class OwnHands(Struct, frozen=True, kw_only=True, eq=False):
    """Hands of the player with one pattern of suits."""

    cards: Codes
    """Cards, uint8[n, k]."""
    weight: Ints
    """Number of hands that each row represents, int64[n]."""
    masks: Ints
    """Ranks of each suit as bits, int64[4, n]."""
    wild: int
    """Number of wild cards."""
    lengths: tuple[int, ...]
    """Number of ranks in each suit."""


class SharedFlush:
    """Two hands, each with the same shared cards, ranked by the longest suited hand with wild cards.

    A signature is `(relation * most + length) * most + length of the other`. The relation is 0 if the other hand is
    lower than the player's, 1 if it is equal, and 2 if it is higher.
    """

    def __init__(self, ranking: LongestSuited, own: int, another: int, shared: int) -> None:
        """Prepare the comparison. Raises ValueError if the longer of two hands is not always the higher.

        Args:
            ranking: ranking in which wild cards are wild in every suit.
            own: number of the player's own cards.
            another: number of cards of the other hand.
            shared: number of shared cards.
        """
        self.ranking, self.own, self.another, self.shared = ranking, own, another, shared
        self.most = max(own, another) + shared + 1
        self.ranks = [rank for rank in range(len(RANKS)) if rank not in ranking.wild]
        self.wild_cards = np.array(
            [rank * SUIT_COUNT + suit for rank in sorted(ranking.wild) for suit in range(SUIT_COUNT)], np.uint8
        )
        self.wilds = len(self.wild_cards)
        strengths = self._rank_suits()
        every = np.unique(strengths[strengths >= 0])
        if (np.diff(ranking.length(every)) < 0).any():
            raise ValueError("the longer of two hands is not always the higher")
        self.hands = len(every)
        self.places = np.where(strengths < 0, -1, np.searchsorted(every, strengths)).astype(np.int32)

    @property
    def signatures(self) -> int:
        """Return the number of possible signatures."""
        return RELATIONS * self.most**2

    def _rank_suits(self) -> Ints32:
        """Return the strength of the cards of one suit with wild cards, int32[wild cards + 1, masks].

        It is -1 for no cards, or more cards than a hand has.
        """
        strengths = np.full((self.wilds + 1, 1 << len(self.ranks)), -1, np.int32)
        for count in range(self.most):
            sets = [*combinations(range(len(self.ranks)), count)]
            masks = np.array([sum(1 << rank for rank in ranks) for ranks in sets], np.int64)
            chosen = np.array(sets, np.int64).reshape(len(sets), count)
            natural = (np.array(self.ranks, np.int64)[chosen] * SUIT_COUNT).astype(np.uint8)
            for wilds in range(self.wilds + 1):
                if 0 < count + wilds < self.most:
                    hand = np.concatenate([natural, np.tile(self.wild_cards[:wilds], (len(sets), 1))], axis=1)
                    strengths[wilds, masks] = self.ranking.strength(hand)
        return strengths

    def own_hands(self) -> Iterator[OwnHands]:
        """Yield all hands of the player."""
        for wild in range(min(self.own, self.wilds) + 1):
            classes = suit_classes(self.own - wild, len(self.ranks))
            masks = np.zeros((SUIT_COUNT, len(classes.cards)), np.int64)
            for column in classes.cards.T.astype(np.int64):
                masks[column % SUIT_COUNT, np.arange(len(column))] |= 1 << (column // SUIT_COUNT)
            kinds, kind = np.unique(lengths_of(masks), axis=1, return_inverse=True)
            for number in range(kinds.shape[1]):
                chosen = np.flatnonzero(kind.reshape(-1) == number)
                ranks = np.array(self.ranks, np.uint8)[classes.cards[chosen] // SUIT_COUNT]
                natural = ranks * np.uint8(SUIT_COUNT) + classes.cards[chosen] % np.uint8(SUIT_COUNT)
                yield OwnHands(
                    cards=np.concatenate([natural, np.tile(self.wild_cards[:wild], (len(chosen), 1))], axis=1),
                    weight=classes.weight[chosen] * comb(self.wilds, wild),
                    masks=masks[:, chosen],
                    wild=wild,
                    lengths=tuple(kinds[:, number].tolist()),
                )

    def shared_cards(self) -> Iterator[Shared]:
        """Yield all sets of shared cards, with wild cards not distinguished."""
        for wild in range(min(self.shared, self.wilds) + 1):
            for lengths in product(range(self.shared - wild + 1), repeat=SUIT_COUNT):
                if sum(lengths) == self.shared - wild:
                    masks = tuple(sets_of_ranks(length, len(self.ranks)) for length in lengths)
                    yield Shared(masks=masks, lengths=lengths, wild=wild)

    def possible(self) -> Ints:
        """Return the signatures that a deal may have, ascending, int64[s]. The shorter hand is never the higher."""
        return np.array(
            [
                (relation * self.most + own) * self.most + other
                for relation in range(RELATIONS)
                for own in range(1, self.most)
                for other in range(1, self.most)
                if own == other or relation == (0 if own > other else 2)
            ],
            np.int64,
        )

    def signature(self, own: Ints32, other: Ints32) -> Ints:
        """Return the signatures of pairs of hands, int64[n], from their strengths."""
        relation = np.where(other < own, 0, np.where(other == own, 1, 2))
        return (relation * self.most + self.ranking.length(own)) * self.most + self.ranking.length(other)

    def _sort_cards(self, cards: Iterable[int]) -> tuple[tuple[int, ...], int]:
        """Return the ranks of natural cards in each suit, as bits, and the number of wild cards."""
        masks, wild = [0] * SUIT_COUNT, 0
        for code in cards:
            if code // SUIT_COUNT in self.ranking.wild:
                wild += 1
            else:
                masks[code % SUIT_COUNT] |= 1 << self.ranks.index(code // SUIT_COUNT)
        return tuple(masks), wild

    def one_shared(self, cards: Iterable[int]) -> Shared:
        """Return one set of shared cards."""
        masks, wild = self._sort_cards(cards)
        return Shared(
            masks=tuple(np.array([mask], np.int64) for mask in masks),
            lengths=tuple(mask.bit_count() for mask in masks),
            wild=wild,
        )

    def one_own(self, cards: Codes) -> OwnHands:
        """Return one hand of the player."""
        masks, wild = self._sort_cards(cards.tolist())
        return OwnHands(
            cards=cards[None, :],
            weight=np.ones(1, np.int64),
            masks=np.array(masks, np.int64)[:, None],
            wild=wild,
            lengths=tuple(mask.bit_count() for mask in masks),
        )


def lengths_of(masks: Ints) -> Ints:
    """Return the number of ranks in sets that are given as bits."""
    return np.array([mask.bit_count() for mask in range(1 << len(RANKS))])[masks]


@cache
def sets_of_ranks(count: int, ranks: int) -> Ints:
    """Return all sets of a size among the first `ranks` ranks, as bits, int64[n]."""
    masks = np.arange(1 << ranks)
    return masks[lengths_of(masks) == count]
