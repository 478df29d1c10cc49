"""How many deals of the shared cards and the other hand are lower than each hand of the player, as high, or higher.

What the player's hand is worth hangs on its longest suits only, and given that, no suit hangs on another: not the
shared cards that may lie in it, nor those of the other hand. So for shared cards that lie alike in the suits each
number is a sum over what the hand may be worth, w, of products over suits, and a product of matrices makes it for all
hands at once. Where several suits are longest, the hands worth w are those worth no more, less those worth less.

Products of matrices are of floats, which are exact as far as numbers stay below 2^53.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations, pairwise
from math import comb, prod
from typing import TypeVar

import numpy as np
from msgspec import Struct

from validator.arrays import Indices, Ints, Ints32, Reals, distinct
from validator.odds.counting.shared_flush import RELATIONS, SUIT_COUNT, OwnHands, Shared, SharedFlush, sets_of_ranks

T = TypeVar("T")

_EXACT = 2**53
_KEPT = 200
"""The most factors that are kept at a time."""


class Term(Struct, frozen=True, kw_only=True):
    """Other hands with so many `wild` cards, that come to the length of the player's in some `suits`,
    of so many cards each; the cards of the others fall short, in so many `ways`."""

    wild: int
    suits: dict[int, int]
    ways: int


class Plan(Struct, frozen=True, kw_only=True):
    """How the other hands are counted for shared cards that lie alike in the suits: `lengths`, how many of them have
    each length; `length`, that of the player's hand; `longest`, the suits that come to it; `fixed`, how many of the
    other hands are lower because none of their suits does; and `terms` for all others that may be lower."""

    lengths: tuple[int, ...]
    length: int
    longest: frozenset[int]
    fixed: int
    terms: list[Term]


class Suit(Struct, frozen=True, kw_only=True):
    """One suit in a product: the player has so many `own` cards of it, `shared` are the sets that may be shared, int64
    as bytes, and the other hand has so many `cards`, None where it does not matter which. Beside them are so many wild
    cards in either hand, shared ones with them. `worth` is how many cards that are not wild make up the player's hand,
    and `longest` says whether this suit does."""

    own: int
    shared: bytes
    cards: int | None
    wild: int
    other_wild: int
    worth: int
    longest: bool


class FlushCounting:
    """Counts the hands that share cards with those of the player. Raises ValueError where there are too many."""

    def __init__(self, flush: SharedFlush) -> None:
        self.flush = flush
        self.factors: dict[Suit, Reals] = {}
        self.alone: dict[Suit, list[tuple[Indices, Indices, Ints]]] = {}
        left = len(flush.ranks) * SUIT_COUNT + flush.wilds - flush.own
        if comb(left, flush.shared) * comb(left, flush.another) * flush.hands >= _EXACT:
            raise ValueError("there are too many hands to count")

    def count(self, own: OwnHands, shared_cards: Iterable[Shared]) -> Ints:
        """int64[n, signatures]: how many deals of some shared cards and the other hand stand so to each hand."""
        flush, hands = self.flush, len(own.cards)
        found = np.zeros((RELATIONS, flush.most, flush.most, hands), np.int64)
        sets = [sets_of_ranks(length, len(flush.ranks)) for length in own.lengths]
        rows = [np.searchsorted(every, masks) for every, masks in zip(sets, own.masks, strict=True)]
        for shared in shared_cards:
            if own.wild + shared.wild > flush.wilds:
                continue
            plan = self._plan(own, shared)
            alike = comb(flush.wilds - own.wild, shared.wild)
            free = [
                ((every[:, None] & masks) == 0).sum(axis=1)[row]
                for every, masks, row in zip(sets, shared.masks, rows, strict=True)
            ]
            deals, length = alike * prod(free), plan.length
            for other, number in enumerate(plan.lengths):
                found[0 if other < length else 2, length, other] += deals * number
            # Of those of the same length, what is known of all lower hands takes off the shorter ones.
            known = deals * (plan.fixed - sum(plan.lengths[:length]))
            lower, not_higher = known, known.copy()
            for term in plan.terms:
                suits = sorted(plan.longest.union(term.suits), key=lambda suit: (suit not in plan.longest, suit))
                times = alike * term.ways * prod(free[suit] for suit in range(SUIT_COUNT) if suit not in suits)
                below, not_above = self._compared(own, shared, plan, term, suits)
                at = np.ravel_multi_index([rows[suit] for suit in suits], [len(sets[suit]) for suit in suits])
                lower += below[at] * times
                not_higher += not_above[at] * times
            found[0, length, length] += lower
            found[1, length, length] += not_higher - lower
            found[2, length, length] -= not_higher
        return found.reshape(flush.signatures, hands).T

    def _plan(self, own: OwnHands, shared: Shared) -> Plan:
        flush, held, own_wild = self.flush, shared.lengths, own.wild + shared.wild
        both = [mine + two for mine, two in zip(own.lengths, held, strict=True)]
        length = max(both) + own_wild
        left = [len(flush.ranks) - cards for cards in both]
        wilds_left = flush.wilds - own_wild
        no_longer = [0] * flush.most
        fixed, terms = 0, []
        for wild in range(min(wilds_left, flush.another) + 1):
            times, cards = comb(wilds_left, wild), flush.another - wild
            for at in range(flush.most):
                room = tuple(at - length_held - shared.wild - wild for length_held in held)
                no_longer[at] += times * _ways(tuple(left), room, cards)
            exactly = [length - length_held - shared.wild - wild for length_held in held]
            if min(exactly) < 0:
                continue
            for suits in (some for number in range(SUIT_COUNT + 1) for some in combinations(range(SUIT_COUNT), number)):
                others = [suit for suit in range(SUIT_COUNT) if suit not in suits]
                ways = times * _ways(
                    tuple(left[suit] for suit in others),
                    tuple(exactly[suit] - 1 for suit in others),
                    cards - sum(exactly[suit] for suit in suits),
                )
                if ways and suits:
                    terms.append(Term(wild=wild, suits={suit: exactly[suit] for suit in suits}, ways=ways))
                elif ways:
                    fixed += ways
        return Plan(
            lengths=tuple(after - before for before, after in pairwise([0, *no_longer])),
            length=length,
            longest=frozenset(suit for suit, cards in enumerate(both) if cards + own_wild == length),
            fixed=fixed,
            terms=terms,
        )

    def _compared(self, own: OwnHands, shared: Shared, plan: Plan, term: Term, suits: list[int]) -> Ints:
        """int64[2, m]: how many other hands of a term are lower than the player's, and how many are not higher, with
        all shared cards that may lie in some suits, for all that the player may have in these, the last the fastest."""
        asked = [
            Suit(
                own=own.lengths[suit],
                shared=shared.masks[suit].tobytes(),
                cards=term.suits.get(suit),
                wild=own.wild + shared.wild,
                other_wild=term.wild + shared.wild,
                worth=plan.length - own.wild - shared.wild,
                longest=suit in plan.longest,
            )
            for suit in suits
        ]
        if len(plan.longest) == 1:
            found = self._of_one(*asked)
        else:
            middle = len(asked) // 2
            no_more, less = (self._product(asked[:middle]).swapaxes(-1, -2) @ self._product(asked[middle:])).swapaxes(
                0, 1
            )
            found = no_more - less
        return found.astype(np.int64).reshape(2, -1)

    def _of_one(self, suit: Suit, *suits: Suit) -> Reals:
        """float64[2, m, k]: the sum of products of the one suit that is the longest and others. It alone says what the
        player's hand is worth, so that only as many w matter as there are sets of shared cards."""
        others = self._product(suits)[:, 0]
        found = np.zeros((2, len(sets_of_ranks(suit.own, len(self.flush.ranks))), others.shape[-1]))
        for apart, at, lower in self._kept(self.alone, suit, self._beside_shared):
            found[:, apart] += lower[:, :, None] * (others[:, at] if suits else others)
        return found

    def _beside_shared(self, suit: Suit) -> list[tuple[Indices, Indices, Ints]]:
        """For each set of shared cards those of the player's sets, int64[m], that have none of them; which w each makes
        the hand worth, int64[m]; and int64[2, m], how many cards of the other hand are lower, and not higher."""
        own, worth, places = self._sets(suit)
        found = []
        for mask in np.frombuffer(suit.shared, np.int64).tolist():
            apart = np.flatnonzero((own & mask) == 0)
            at = np.searchsorted(worth, places[own[apart] | mask])
            first, ends = self._first(suit, own[apart], mask, worth)
            found.append((apart, at, first[ends[:, at], np.arange(len(apart))]))
        return found

    def _product(self, suits: Sequence[Suit]) -> Reals:
        """float64[2, 2 or 1, w, m]: the products of factors, for all that the player may have in the suits."""
        found = np.ones((2, 1, 1, 1))
        for suit in suits:
            factor = self._kept(self.factors, suit, self._factor)
            both = found[..., :, None] * factor[..., None, :]
            found = both.reshape(*both.shape[:3], -1)
        return found

    def _factor(self, suit: Suit) -> Reals:
        """float64[2, 2 or 1, w, m]: for each w that the player's hand may be worth, and each set of the player's cards
        of a suit, how many sets of shared cards and of cards of the other hand there are with which the other's is
        lower than w, and not higher; in a suit that is one of the longest, of those with which the player's is worth no
        more than w, and less."""
        own, worth, places = self._sets(suit)
        found = np.zeros((2, 2 if suit.longest else 1, len(worth), len(own)))
        for mask in np.frombuffer(suit.shared, np.int64).tolist():
            first, ends = self._first(suit, own, mask, worth)
            lower = (first * ((own & mask) == 0))[ends]
            if suit.longest:
                mine = places[own | mask]
                found[:, 0] += lower * (mine <= worth[:, None])
                found[:, 1] += lower * (mine < worth[:, None])
            else:
                found[:, 0] += lower
        return found

    @staticmethod
    def _kept(found: dict[Suit, T], suit: Suit, make: Callable[[Suit], T]) -> T:
        if suit not in found:
            if len(found) >= _KEPT:
                found.clear()
            found[suit] = make(suit)
        return found[suit]

    def _sets(self, suit: Suit) -> tuple[Ints, Ints32, Ints32]:
        """What the player may have in a suit, int64[m]; what the hand may be worth, int32[w], rising; and what each set
        of ranks makes it worth, int32[masks]."""
        ranks, places = len(self.flush.ranks), self.flush.places[suit.wild]
        return sets_of_ranks(suit.own, ranks), distinct(places[sets_of_ranks(suit.worth, ranks)]), places

    def _first(self, suit: Suit, own: Ints, shared: int, worth: Ints32) -> tuple[Ints, Ints]:
        """int64[n, m], of the first n sets of cards of the other hand, the lowest first, how many have none of the
        player's; and int64[2, w], how many are lower than what the player's may be worth, and how many not higher."""
        if suit.cards is None:
            return np.ones((1, len(own)), np.int64), np.zeros((2, len(worth)), np.int64)
        sets = sets_of_ranks(suit.cards, len(self.flush.ranks))
        masks = sets[sets & shared == 0]
        places = self.flush.places[suit.other_wild][masks | shared]
        order = np.argsort(places, kind="stable")
        first = np.zeros((len(masks) + 1, len(own)), np.int64)
        np.cumsum((masks[order][:, None] & own) == 0, axis=0, out=first[1:])
        return first, np.array([np.searchsorted(places[order], worth, side) for side in ("left", "right")])


@cache
def _ways(left: tuple[int, ...], most: tuple[int, ...], cards: int) -> int:
    """The ways to take so many cards out of suits of which so many are left, of each no more than its most."""
    if not left:
        return int(cards == 0)
    return sum(
        comb(left[0], taken) * _ways(left[1:], most[1:], cards - taken)
        for taken in range(min(left[0], most[0], cards) + 1)
    )
