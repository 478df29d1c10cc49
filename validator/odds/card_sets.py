"""Sets of cards by class of suits, the strengths of hands that contain them, and longest-suited hands that share
cards.

Sets of cards that differ only in the names of suits are counted once. A set consists of four sets of ranks, one for
each suit, and renaming suits reorders them. So a class is a multiset of four sets of ranks, with as many sets of
cards as there are distinct orders: 134,459 classes for the 2,598,960 sets of five cards.

Hands without known cards X come from inclusion and exclusion. For every subset S of X, take the hands that contain
S; add them if S has an even number of cards, otherwise subtract them.

A longest-suited hand is made up of its cards of one suit and all wild cards. So another hand is lower than the
player's if it is lower in every suit. For a given number of wild cards, the count of lower hands is a sum of
products over the suits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Ints, Ints32, make_read_only
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.hand_orders import LongestFlushRanking
from fairdeal.validator.cards.ranking_models import RANKS, SUITS

_SUITS = len(SUITS)
_RANKS = len(RANKS)
_BIT = np.array(
    [1 << (code // _SUITS + _RANKS * (code % _SUITS)) if code < _SUITS * _RANKS else 0 for code in range(256)],
    np.uint64,
)
_OF_SUIT = np.uint64((1 << _RANKS) - 1)


class SuitClasses(Struct, frozen=True, kw_only=True, eq=False):
    """All sets of `size` cards from a deck of 52, by class."""

    size: int
    cards: Codes
    """Example of each class, uint8[n, size]."""
    weight: Ints
    """Number of sets in each class, int64[n]."""
    keys: NDArray[np.uint64]
    """Key of each class, ascending, uint64[n]."""

    def find_classes(self, cards: Codes) -> Ints:
        """Return the class of each set of cards, int64[m]. Cards of a row are distinct and in any order."""
        return np.searchsorted(self.keys, make_suit_key(cards))


def make_suit_key(cards: Codes, bits: NDArray[np.uint64] = _BIT) -> NDArray[np.uint64]:
    """Return a number for each row of distinct cards that identifies its class, uint64[n].

    Args:
        cards: cards, uint8[n, k].
        bits: bit of each card, uint64[256]; no bit for a card that is left out.
    """
    masks = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        masks |= bits.take(column)
    suits = [masks >> np.uint64(_RANKS * suit) & _OF_SUIT for suit in range(_SUITS)]
    for low, high in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        suits[low], suits[high] = np.minimum(suits[low], suits[high]), np.maximum(suits[low], suits[high])
    keys = suits[0]
    for suit in suits[1:]:
        keys = keys << np.uint64(_RANKS) | suit
    return keys


def make_suit_key_without(cards: Codes, without: Codes) -> NDArray[np.uint64]:
    """Return the same number for the cards of each row without some cards, uint64[n]."""
    bits = _BIT.copy()
    bits[without] = 0
    return make_suit_key(cards, bits)


@cache
def list_suit_classes(size: int, ranks: int = _RANKS) -> SuitClasses:
    """Return the classes of sets of a size, with ranks from the lowest up. The empty set has one class."""
    parts = [_list_classes(lengths, ranks) for lengths in _list_partitions(size, _SUITS, min(size, ranks))]
    cards = np.concatenate([cards for cards, _ in parts])
    weight = np.concatenate([weight for _, weight in parts])
    keys = make_suit_key(cards)
    order = np.argsort(keys, kind="stable")
    return SuitClasses(size=size, cards=cards[order], weight=weight[order], keys=keys[order])


def _list_partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of descending numbers, zeros among them."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _list_partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _list_classes(lengths: tuple[int, ...], of: int) -> tuple[Codes, Ints]:
    """Return the classes with these suit lengths, and the number of sets in each."""
    cards, alike, suit = np.zeros((1, 0), np.uint8), np.ones(1, np.int64), 0
    for length in dict.fromkeys(lengths):
        times = lengths.count(length)
        ranks, orders = _list_suits_of_length(length, times, of)
        suits = np.repeat(np.arange(suit, suit + times, dtype=np.uint8), length)
        here = ranks * np.uint8(_SUITS) + suits
        cards = np.concatenate([np.repeat(cards, len(here), axis=0), np.tile(here, (len(cards), 1))], axis=1)
        alike = np.repeat(alike, len(orders)) * np.tile(orders, len(alike))
        suit += times
    return cards, factorial(_SUITS) // alike


def _list_suits_of_length(length: int, times: int, of: int) -> tuple[Codes, Ints]:
    """Return multisets of sets of ranks of one length, and the number of orders that leave each unchanged.

    Returns:
        uint8[n, length * times], the sets of each multiset side by side; and int64[n].
    """
    sets = np.array([*combinations(range(of), length)], np.uint8).reshape(comb(of, length), length)
    chosen = np.array([*combinations_with_replacement(range(len(sets)), times)], np.int64).reshape(-1, times)
    orders, run = np.ones(len(chosen), np.int64), np.ones(len(chosen), np.int64)
    for place in range(1, times):
        run = np.where(chosen[:, place] == chosen[:, place - 1], run + 1, 1)
        orders *= run
    return sets[chosen].reshape(len(chosen), -1), orders


RankHands = Callable[[Codes], Ints32]
"""Returns the strengths of hands, int32[n], from their cards, uint8[n, k]."""
_AT_ONCE = 1 << 20
"""Number of hands that are ranked at a time."""


class StrengthCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Number of hands of each strength."""

    strengths: Ints32
    """Strengths that occur, ascending, int32[k]."""
    cards: Codes
    """Example of each strength, uint8[k, size]."""
    count: Ints
    """Number of hands of each strength, int64[k]."""


def count_set_strengths(size: int, strength: RankHands) -> StrengthCounts:
    """Return the number of hands of each strength among all hands of a size."""
    classes = list_suit_classes(size)
    return _count_strengths(classes.cards, _rank_in_parts(classes.cards, strength), classes.weight)


def count_category_strengths(size: int, ranking: LongestFlushRanking) -> StrengthCounts:
    """Return the number of hands of each strength, if only the category of a hand matters.

    Cards of one suit then count alike, unless they are wild.
    """
    alike = ranking.card_classes()
    groups = [np.flatnonzero(alike == kind).astype(np.uint8) for kind in range(int(alike.max()) + 1)]
    rows, weights = [], []
    for counts in _list_shares(size, [len(group) for group in groups]):
        rows.append(np.concatenate([group[:count] for group, count in zip(groups, counts, strict=True)]))
        weights.append(prod(comb(len(group), count) for group, count in zip(groups, counts, strict=True)))
    cards = np.stack(rows)
    return _count_strengths(cards, ranking.strength(cards), np.array(weights, np.int64))


def _list_shares(total: int, most: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take a number of cards from groups of these sizes."""
    if not most:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most[0]) + 1):
        for rest in _list_shares(total - first, most[1:]):
            yield (first, *rest)


def _count_strengths(cards: Codes, strengths: Ints32, weight: Ints) -> StrengthCounts:
    kinds, first, kind = np.unique(strengths, return_index=True, return_inverse=True)
    # Sums of whole numbers below 2**53 are exact in floating point.
    count = np.bincount(kind, weight, minlength=len(kinds)).astype(np.int64)
    return StrengthCounts(strengths=kinds, cards=cards[first], count=count)


def _rank_in_parts(cards: Codes, strength: RankHands) -> Ints32:
    return np.concatenate([strength(cards[at : at + _AT_ONCE]) for at in range(0, len(cards), _AT_ONCE)])


class HandCompletions:
    """Number of hands below each strength, by the class of the known cards. Counts are kept."""

    def __init__(self, size: int, strength: RankHands, spread: StrengthCounts) -> None:
        """Prepare the counts.

        Args:
            size: number of cards of a hand.
            strength: ranks hands.
            spread: number of hands of each strength.
        """
        self.size, self.strength, self.spread = size, strength, spread
        self._tables: dict[int, tuple[SuitClasses, Ints]] = {}

    def count_by_class(self, known: int) -> tuple[SuitClasses, Ints]:
        """Return the classes of a number of known cards, and the hands with these cards that are below each strength.

        Returns:
            The classes, and whole numbers[classes, strengths + 1], as small as the counts permit.
        """
        if known not in self._tables:
            self._tables[known] = self._count(list_suit_classes(known))
        return self._tables[known]

    def _count(self, classes: SuitClasses) -> tuple[SuitClasses, Ints]:
        if classes.size == 0:
            counts_below = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.spread.count)])
            return classes, counts_below[None, :]
        ways = comb(CARDS - classes.size, self.size - classes.size)
        step, kinds = max(_AT_ONCE // ways, 1), len(self.spread.strengths)
        counts = np.zeros((len(classes.cards), kinds + 1), np.min_scalar_type(ways))
        for start in range(0, len(classes.cards), step):
            hands = complete_hands(classes.cards[start : start + step], self.size)
            places = np.searchsorted(self.spread.strengths, self.strength(hands.reshape(-1, self.size)))
            rows = np.repeat(np.arange(len(hands)), ways)
            counted = np.bincount(rows * kinds + places, minlength=len(hands) * kinds).reshape(-1, kinds)
            counts[start : start + step, 1:] = np.cumsum(counted, axis=1)
        return classes, counts


def complete_hands(known: Codes, size: int, without: Codes | None = None) -> Codes:
    """Return every hand of a size that contains the known cards of a row, uint8[n, c, size]; these cards come first.

    Args:
        known: known cards, uint8[n, k].
        size: number of cards of a hand.
        without: cards that the hands of the same row do not contain, uint8[n, j].
    """
    excluded = known if without is None else np.concatenate([known, without], axis=1)
    free = np.ones((len(known), CARDS), bool)
    free[np.arange(len(known))[:, None], excluded] = False
    rest = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), CARDS - excluded.shape[1])
    drawn = rest[:, _list_choices(rest.shape[1], size - known.shape[1])]
    first = np.broadcast_to(known[:, None, :], (*drawn.shape[:2], known.shape[1]))
    return np.concatenate([first, drawn], axis=2)


@lru_cache(maxsize=16)
@make_read_only
def _list_choices(of: int, number: int) -> Ints:
    """Return the ways to choose a number of items, int64[c, number]."""
    return np.array([*combinations(range(of), number)], np.int64).reshape(comb(of, number), number)


def count_below(completions: HandCompletions, held: Codes, out: Codes, places: Ints) -> Ints:
    """Return the number of hands below some strengths for each row of known cards, int64[n, t].

    Args:
        completions: counts of completed hands.
        held: cards that the hand contains, uint8[n, a].
        out: other cards that are not in the deck, uint8[n, x].
        places: indices of the strengths, int64[n or 1, t].
    """
    total = np.zeros((len(held), places.shape[1]), np.int64)
    for number in range(out.shape[1] + 1):
        known = held.shape[1] + number
        if known > completions.size:
            break
        for chosen in combinations(range(out.shape[1]), number):
            cards = np.concatenate([held, out[:, chosen]], axis=1)
            if known == completions.size:  # a whole hand, so no counting is needed
                own = np.searchsorted(completions.spread.strengths, completions.strength(cards))
                counted = (own[:, None] < places).astype(np.int64)
            else:
                classes, table = completions.count_by_class(known)
                counted = table[classes.find_classes(cards)[:, None], places].astype(np.int64)
            total += counted if number % 2 == 0 else -counted
    return total


SUIT_COUNT = len(SUITS)
RELATIONS = 3


class SharedCards(Struct, frozen=True, kw_only=True, eq=False):
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

    def __init__(self, ranking: LongestFlushRanking, own: int, another: int, shared: int) -> None:
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

    def list_own_hands(self) -> Iterator[OwnHands]:
        """Yield all hands of the player."""
        for wild in range(min(self.own, self.wilds) + 1):
            classes = list_suit_classes(self.own - wild, len(self.ranks))
            masks = np.zeros((SUIT_COUNT, len(classes.cards)), np.int64)
            for column in classes.cards.T.astype(np.int64):
                masks[column % SUIT_COUNT, np.arange(len(column))] |= 1 << (column // SUIT_COUNT)
            kinds, kind = np.unique(count_ranks(masks), axis=1, return_inverse=True)
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

    def list_shared_cards(self) -> Iterator[SharedCards]:
        """Yield all sets of shared cards, with wild cards not distinguished."""
        for wild in range(min(self.shared, self.wilds) + 1):
            for lengths in product(range(self.shared - wild + 1), repeat=SUIT_COUNT):
                if sum(lengths) == self.shared - wild:
                    masks = tuple(list_rank_sets(length, len(self.ranks)) for length in lengths)
                    yield SharedCards(masks=masks, lengths=lengths, wild=wild)

    def list_signatures(self) -> Ints:
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

    def find_signatures(self, own: Ints32, other: Ints32) -> Ints:
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

    def sort_shared_cards(self, cards: Iterable[int]) -> SharedCards:
        """Return one set of shared cards."""
        masks, wild = self._sort_cards(cards)
        return SharedCards(
            masks=tuple(np.array([mask], np.int64) for mask in masks),
            lengths=tuple(mask.bit_count() for mask in masks),
            wild=wild,
        )

    def sort_own_hand(self, cards: Codes) -> OwnHands:
        """Return one hand of the player."""
        masks, wild = self._sort_cards(cards.tolist())
        return OwnHands(
            cards=cards[None, :],
            weight=np.ones(1, np.int64),
            masks=np.array(masks, np.int64)[:, None],
            wild=wild,
            lengths=tuple(mask.bit_count() for mask in masks),
        )


def count_ranks(masks: Ints) -> Ints:
    """Return the number of ranks in sets that are given as bits."""
    return np.array([mask.bit_count() for mask in range(1 << len(RANKS))])[masks]


@cache
@make_read_only
def list_rank_sets(count: int, ranks: int) -> Ints:
    """Return all sets of a size among the first `ranks` ranks, as bits, int64[n]."""
    masks = np.arange(1 << ranks)
    return masks[count_ranks(masks) == count]
