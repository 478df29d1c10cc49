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
from itertools import combinations, pairwise
from math import comb

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import LongestSuited
from validator.cards.names import RANKS, SUITS
from validator.odds.counting.suit_classes import suit_classes

_SUITS = len(SUITS)
_RELATIONS = 3
_KEPT = 400
"""The most tables that are kept at a time."""


class Shared(Struct, frozen=True):
    """Shared cards: in each suit the ranks of those that are not wild, as bits; and how many wild ones there are."""

    masks: tuple[int, ...]
    wild: int


class OwnHands(Struct, frozen=True, kw_only=True, eq=False):
    """Hands of the player that have the same number of wild cards and of others in each suit: `cards`, uint8[n, k],
    `weight`, int64[n], and `masks`, int64[4, n], the ranks of each suit as bits."""

    cards: Codes
    weight: Ints
    masks: Ints
    wild: int
    lengths: tuple[int, ...]


class Table(Struct, frozen=True, kw_only=True, eq=False):
    """Some cards of one suit beside shared and wild ones: `lower` is int32[sets of own ranks * width], how many of the
    first sets of ranks, from the lowest hand up, have none of the player's; `left` and `right`, int32[hands], how many
    of them are lower than a hand, and not higher, by its place among all hands."""

    lower: Ints32
    width: int
    left: Ints32
    right: Ints32


class Plan(Struct, frozen=True, kw_only=True):
    """How the other hands are counted for shared cards that lie alike in the suits: `lengths`, how many of them have
    each length; `length`, that of the player's hand; `fixed`, how many are lower because no suit comes to that length;
    and `terms`, for so many wild cards which suits come to it, of so many cards each, and in how many ways the others
    then fall short."""

    lengths: tuple[int, ...]
    length: int
    fixed: int
    terms: tuple[tuple[int, tuple[tuple[int, int], ...], int], ...]


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
            [rank * _SUITS + suit for rank in sorted(ranking.wild) for suit in range(_SUITS)], np.uint8
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
        return _RELATIONS * self.most**2

    def _suit_strengths(self) -> Ints32:
        """int32[wild cards + 1, masks]: what the cards of one suit are worth with so many wild ones; -1 where they are
        more than a hand has, or none."""
        found = np.full((self.wilds + 1, 1 << len(self.ranks)), -1, np.int32)
        for count in range(self.most):
            sets = [*combinations(range(len(self.ranks)), count)]
            masks = np.array([sum(1 << rank for rank in one) for one in sets], np.int64)
            chosen = np.array(sets, np.int64).reshape(len(sets), count)
            natural = (np.array(self.ranks, np.int64)[chosen] * _SUITS).astype(np.uint8)
            for wilds in range(self.wilds + 1):
                if 0 < count + wilds < self.most:
                    hand = np.concatenate([natural, np.tile(self.wild_cards[:wilds], (len(sets), 1))], axis=1)
                    found[wilds, masks] = self.ranking.strength(hand)
        return found

    def own_hands(self) -> Iterator[OwnHands]:
        """All hands of the player."""
        for wild in range(min(self.own, self.wilds) + 1):
            classes = suit_classes(self.own - wild, len(self.ranks))
            masks = np.zeros((_SUITS, len(classes.cards)), np.int64)
            for column in classes.cards.T.astype(np.int64):
                masks[column % _SUITS, np.arange(len(column))] |= 1 << (column // _SUITS)
            kinds, kind = np.unique(_bits(masks), axis=1, return_inverse=True)
            for number in range(kinds.shape[1]):
                chosen = np.flatnonzero(kind.reshape(-1) == number)
                ranks = np.array(self.ranks, np.uint8)[classes.cards[chosen] // _SUITS]
                natural = ranks * np.uint8(_SUITS) + classes.cards[chosen] % np.uint8(_SUITS)
                yield OwnHands(
                    cards=np.concatenate([natural, np.tile(self.wild_cards[:wild], (len(chosen), 1))], axis=1),
                    weight=classes.weight[chosen] * comb(self.wilds, wild),
                    masks=masks[:, chosen],
                    wild=wild,
                    lengths=tuple(kinds[:, number].tolist()),
                )

    def shared_cards(self) -> Iterator[Shared]:
        """All sets of shared cards, as far as wild ones are alike."""
        natural = [(suit, rank) for suit in range(_SUITS) for rank in range(len(self.ranks))]
        for wild in range(min(self.shared, self.wilds) + 1):
            for chosen in combinations(natural, self.shared - wild):
                masks = [0] * _SUITS
                for suit, rank in chosen:
                    masks[suit] |= 1 << rank
                yield Shared(tuple(masks), wild)

    def possible(self) -> Ints:
        """int64[s]: the signatures that any deal may have, rising: the shorter hand is never the higher."""
        return np.array(
            [
                (relation * self.most + own) * self.most + other
                for relation in range(_RELATIONS)
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

    def count_with(self, own: Codes, shared: tuple[int, ...]) -> Ints:
        """int64[signatures]: how many deals of the other hand stand so to one hand beside some shared cards."""
        masks, wild = self._lying(own.tolist())
        hand = OwnHands(
            cards=own[None, :],
            weight=np.ones(1, np.int64),
            masks=np.array(masks, np.int64)[:, None],
            wild=wild,
            lengths=tuple(mask.bit_count() for mask in masks),
        )
        return _Counting(self, hand).count([Shared(*self._lying(shared))])[:, 0]

    def _lying(self, cards: Iterable[int]) -> tuple[tuple[int, ...], int]:
        """In each suit the ranks of those cards that are not wild, as bits; and how many wild ones there are."""
        masks, wild = [0] * _SUITS, 0
        for code in cards:
            if code // _SUITS in self.ranking.wild:
                wild += 1
            else:
                masks[code % _SUITS] |= 1 << self.ranks.index(code // _SUITS)
        return tuple(masks), wild

    def count(self, own: OwnHands) -> Ints:
        """int64[n, signatures]: how many deals of the shared cards and the other hand stand so to each hand."""
        return _Counting(self, own).count(self.shared_cards()).T


class _Counting:
    """The other hands counted for hands of the player that lie alike in the suits."""

    def __init__(self, flush: SharedFlush, own: OwnHands) -> None:
        self.flush, self.own = flush, own
        self.tables: dict[tuple[int, int, int, int], Table] = {}
        self.plans: dict[tuple[tuple[int, ...], int], Plan] = {}
        rows = {length: _rows(length, len(flush.ranks)) for length in own.lengths}
        self.rows = [rows[length][masks] for length, masks in zip(own.lengths, own.masks, strict=True)]

    def count(self, shared_cards: Iterable[Shared]) -> Ints:
        """int64[signatures, n]: how many deals of some shared cards and the other hand stand so to each hand."""
        most, hands = self.flush.most, len(self.own.cards)
        # Alike for all shared cards of one plan, by which each is multiplied only once.
        deals: dict[tuple[tuple[int, ...], int], Ints] = {}
        lower, not_higher = np.zeros((most, hands), np.int64), np.zeros((most, hands), np.int64)
        for shared in shared_cards:
            if self.own.wild + shared.wild > self.flush.wilds:
                continue
            held = tuple(mask.bit_count() for mask in shared.masks)
            plan = self.plans.get((held, shared.wild))
            if plan is None:
                plan = self.plans[held, shared.wild] = self._plan(held, shared.wild)
            apart = np.ones(hands, bool)
            for suit, mask in enumerate(shared.masks):
                if mask:
                    apart &= (self.own.masks[suit] & mask) == 0
            times = apart * np.int64(comb(self.flush.wilds - self.own.wild, shared.wild))
            key = held, shared.wild
            deals[key] = deals[key] + times if key in deals else times
            below, not_above = self._beaten(shared, held, plan)
            lower[plan.length] += below * times
            not_higher[plan.length] += not_above * times
        found = np.zeros((_RELATIONS, most, most, hands), np.int64)
        for key, times in deals.items():
            plan = self.plans[key]
            own = plan.length
            for other, number in enumerate(plan.lengths):
                found[0 if other < own else 2, own, other] += times * number
            # Of those of the same length, what is known of all lower hands takes off the shorter ones.
            shorter = sum(plan.lengths[:own])
            lower[own] += times * (plan.fixed - shorter)
            not_higher[own] += times * (plan.fixed - shorter)
        for length in range(most):
            found[0, length, length] += lower[length]
            found[1, length, length] += not_higher[length] - lower[length]
            found[2, length, length] -= not_higher[length]
        return found.reshape(self.flush.signatures, hands)

    def _plan(self, held: tuple[int, ...], shared_wild: int) -> Plan:
        flush, own = self.flush, self.own
        own_wild = own.wild + shared_wild
        length = max(one + two for one, two in zip(own.lengths, held, strict=True)) + own_wild
        left = [len(flush.ranks) - one - two for one, two in zip(own.lengths, held, strict=True)]
        wilds_left = flush.wilds - own_wild
        no_longer = [0] * flush.most
        fixed, terms = 0, []
        for wild in range(min(wilds_left, flush.another) + 1):
            times, cards = comb(wilds_left, wild), flush.another - wild
            for at in range(flush.most):
                room = tuple(at - one - shared_wild - wild for one in held)
                no_longer[at] += times * _ways(tuple(left), room, cards)
            exactly = [length - one - shared_wild - wild for one in held]
            for number in range(_SUITS + 1):
                for suits in combinations(range(_SUITS), number):
                    others = [suit for suit in range(_SUITS) if suit not in suits]
                    rest = cards - sum(exactly[suit] for suit in suits)
                    if rest < 0 or min(exactly) < 0:
                        continue
                    ways = times * _ways(
                        tuple(left[suit] for suit in others), tuple(exactly[suit] - 1 for suit in others), rest
                    )
                    if ways and suits:
                        terms.append((wild, tuple((suit, exactly[suit]) for suit in suits), ways))
                    elif ways:
                        fixed += ways
        lengths = tuple(after - before for before, after in pairwise([0, *no_longer]))
        return Plan(lengths=lengths, length=length, fixed=fixed, terms=tuple(terms))

    def _beaten(self, shared: Shared, held: tuple[int, ...], plan: Plan) -> tuple[Ints, Ints]:
        """int64[n] both: how many other hands are lower than each of the player's, and how many are not higher, as far
        as that is not `fixed`."""
        own, places = self.own, self.flush.places[self.own.wild + shared.wild]
        worth = np.full(len(own.cards), -1, np.int32)
        for suit, mask in enumerate(shared.masks):
            if own.lengths[suit] + held[suit] + own.wild + shared.wild == plan.length:
                np.maximum(worth, places.take(own.masks[suit] | mask), out=worth)
        below, not_above = np.zeros(len(worth), np.int64), np.zeros(len(worth), np.int64)
        ranked: dict[tuple[int, int], tuple[Ints32, Ints32]] = {}
        for wild, suits, ways in plan.terms:
            low, high = None, None
            for suit, cards in suits:
                if (wild, suit) not in ranked:
                    table = self._table(own.lengths[suit], shared.masks[suit], cards, wild + shared.wild)
                    start = self.rows[suit] * np.int32(table.width)
                    ranked[wild, suit] = (
                        table.lower.take(start + table.left.take(worth)),
                        table.lower.take(start + table.right.take(worth)),
                    )
                one, two = ranked[wild, suit]
                low, high = (one, two) if low is None or high is None else (low * one, high * two)
            assert low is not None
            assert high is not None
            below += low * ways
            not_above += high * ways
        return below, not_above

    def _table(self, own_length: int, shared: int, cards: int, wild: int) -> Table:
        key = own_length, shared, cards, wild
        if key not in self.tables:
            if len(self.tables) >= _KEPT:
                self.tables.clear()
            self.tables[key] = self._made(*key)
        return self.tables[key]

    def _made(self, own_length: int, shared: int, cards: int, wild: int) -> Table:
        ranks = len(self.flush.ranks)
        masks = _masks(cards, ranks)
        masks = masks[masks & shared == 0]
        places = self.flush.places[wild][masks | shared]
        order = np.argsort(places, kind="stable")
        apart = (_masks(own_length, ranks)[:, None] & masks[order][None, :]) == 0
        lower = np.zeros((len(apart), len(order) + 1), np.int32)
        np.cumsum(apart, axis=1, out=lower[:, 1:])
        every = np.arange(self.flush.hands)
        return Table(
            lower=lower.reshape(-1),
            width=lower.shape[1],
            left=np.searchsorted(places[order], every, "left").astype(np.int32),
            right=np.searchsorted(places[order], every, "right").astype(np.int32),
        )


def _bits(masks: Ints) -> Ints:
    return np.array([mask.bit_count() for mask in range(1 << len(RANKS))])[masks]


@cache
def _masks(count: int, ranks: int) -> Ints:
    """int64[n]: all sets of so many ranks, as bits."""
    masks = np.arange(1 << ranks)
    return masks[_bits(masks) == count]


@cache
def _rows(count: int, ranks: int) -> Ints32:
    """int32[sets]: the place of each set of ranks among those of so many."""
    rows = np.zeros(1 << ranks, np.int32)
    masks = _masks(count, ranks)
    rows[masks] = np.arange(len(masks))
    return rows


@cache
def _ways(left: tuple[int, ...], most: tuple[int, ...], cards: int) -> int:
    """The ways to take so many cards out of suits of which so many are left, of each no more than its most."""
    if not left:
        return int(cards == 0)
    return sum(
        comb(left[0], taken) * _ways(left[1:], most[1:], cards - taken)
        for taken in range(min(left[0], most[0], cards) + 1)
    )
