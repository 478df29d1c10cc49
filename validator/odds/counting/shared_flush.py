"""How one longest-suited hand stands to another when both are made of cards of their own and of shared ones.

The cards of a hand that are of one suit, with every wild card added, make it up; so another hand of given cards is
lower than the player's where it is lower in every suit. For so many wild cards in it, the number of such hands is a sum
of products over the suits, each factor the number of ways to take some cards of a suit out of those that are left
without coming up to the player's hand: all of them where too few are taken, none where too many, and where as many are
taken as make the same length, those whose ranks are lower, which is looked up.

Nothing distinguishes wild cards but their number, so hands of the player are counted once for each set of other cards.
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
    """Sets of shared cards that lie alike in the suits: `masks`, for each suit int64[m], the ranks that may be there,
    as bits, any of one suit with any of another; `lengths`, how many ranks each suit has; and how many wild cards."""

    masks: tuple[Ints, ...]
    lengths: tuple[int, ...]
    wild: int


class OwnHands(Struct, frozen=True, kw_only=True, eq=False):
    """Hands of the player that have the same number of wild cards and of others in each suit: `cards`, uint8[n, k],
    `weight`, int64[n], and `masks`, int64[4, n], the ranks of each suit as bits."""

    cards: Codes
    weight: Ints
    masks: Ints
    wild: int
    lengths: tuple[int, ...]


class SharedFlush:
    """The player's `own` cards and as many of `another` hand, each with the same `shared` ones, by a ranking of the
    longest suited hand in which wild cards are wild in every suit.

    Signatures are numbers: `(relation * most + length) * most + length of the other`, `relation` 0 where the other
    hand is lower than the player's, 1 where it is as high, 2 where it is higher. Raises ValueError for a ranking by
    which the longer of two hands is not always the higher.
    """

    def __init__(self, ranking: LongestSuited, own: int, another: int, shared: int) -> None:
        self.ranking, self.own, self.another, self.shared = ranking, own, another, shared
        self.most = max(own, another) + shared + 1
        self.ranks = [rank for rank in range(len(RANKS)) if rank not in ranking.wild]
        self.wild_cards = np.array(
            [rank * SUIT_COUNT + suit for rank in sorted(ranking.wild) for suit in range(SUIT_COUNT)], np.uint8
        )
        self.wilds = len(self.wild_cards)
        strengths = self._suit_strengths()
        every = np.unique(strengths[strengths >= 0])
        if (np.diff(ranking.length(every)) < 0).any():
            raise ValueError("the longer of two hands is not always the higher")
        self.hands = len(every)
        self.places = np.where(strengths < 0, -1, np.searchsorted(every, strengths)).astype(np.int32)

    @property
    def signatures(self) -> int:
        """How many signatures there may be."""
        return RELATIONS * self.most**2

    def _suit_strengths(self) -> Ints32:
        """int32[wild cards + 1, masks]: what the cards of one suit are worth with so many wild ones; -1 where they are
        more than a hand has, or none."""
        found = np.full((self.wilds + 1, 1 << len(self.ranks)), -1, np.int32)
        for count in range(self.most):
            sets = [*combinations(range(len(self.ranks)), count)]
            masks = np.array([sum(1 << rank for rank in ranks) for ranks in sets], np.int64)
            chosen = np.array(sets, np.int64).reshape(len(sets), count)
            natural = (np.array(self.ranks, np.int64)[chosen] * SUIT_COUNT).astype(np.uint8)
            for wilds in range(self.wilds + 1):
                if 0 < count + wilds < self.most:
                    hand = np.concatenate([natural, np.tile(self.wild_cards[:wilds], (len(sets), 1))], axis=1)
                    found[wilds, masks] = self.ranking.strength(hand)
        return found

    def own_hands(self) -> Iterator[OwnHands]:
        """All hands of the player."""
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
        """All sets of shared cards, as far as wild ones are alike."""
        for wild in range(min(self.shared, self.wilds) + 1):
            for lengths in product(range(self.shared - wild + 1), repeat=SUIT_COUNT):
                if sum(lengths) == self.shared - wild:
                    masks = tuple(sets_of_ranks(length, len(self.ranks)) for length in lengths)
                    yield Shared(masks=masks, lengths=lengths, wild=wild)

    def possible(self) -> Ints:
        """int64[s]: the signatures that any deal may have, rising: the shorter hand is never the higher."""
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
        """int64[n]: the signatures of pairs of hands, given by their strengths."""
        relation = np.where(other < own, 0, np.where(other == own, 1, 2))
        return (relation * self.most + self.ranking.length(own)) * self.most + self.ranking.length(other)

    def _lying(self, cards: Iterable[int]) -> tuple[tuple[int, ...], int]:
        """In each suit the ranks of those cards that are not wild, as bits; and how many wild ones there are."""
        masks, wild = [0] * SUIT_COUNT, 0
        for code in cards:
            if code // SUIT_COUNT in self.ranking.wild:
                wild += 1
            else:
                masks[code % SUIT_COUNT] |= 1 << self.ranks.index(code // SUIT_COUNT)
        return tuple(masks), wild

    def one_shared(self, cards: Iterable[int]) -> Shared:
        """One set of shared cards."""
        masks, wild = self._lying(cards)
        return Shared(
            masks=tuple(np.array([mask], np.int64) for mask in masks),
            lengths=tuple(mask.bit_count() for mask in masks),
            wild=wild,
        )

    def one_own(self, cards: Codes) -> OwnHands:
        """One hand of the player, uint8[k]."""
        masks, wild = self._lying(cards.tolist())
        return OwnHands(
            cards=cards[None, :],
            weight=np.ones(1, np.int64),
            masks=np.array(masks, np.int64)[:, None],
            wild=wild,
            lengths=tuple(mask.bit_count() for mask in masks),
        )


def lengths_of(masks: Ints) -> Ints:
    """int64[...]: how many ranks sets of ranks have, given as bits."""
    return np.array([mask.bit_count() for mask in range(1 << len(RANKS))])[masks]


@cache
def sets_of_ranks(count: int, ranks: int) -> Ints:
    """int64[n]: all sets of so many of the first `ranks` ranks, as bits."""
    masks = np.arange(1 << ranks)
    return masks[lengths_of(masks) == count]
