"""Hand counts of a game, and the number of deals in which a hand that shares cards is lower, equal or higher.

The worth of a longest-suited hand depends only on its longest suits. Given that worth, suits are independent. So
for shared cards of one pattern of suits, each count is a sum over the worth w of products over suits. A product of
matrices computes it for all hands at once. If several suits are longest, the hands worth exactly w are those worth
at most w, less those worth less.

The matrices contain floats, which are exact below 2^53.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations, pairwise
from math import comb, prod
from typing import TypeVar

import numpy as np
from msgspec import Struct

from fairdeal.validator import disk_cache
from fairdeal.validator.arrays import Bits32, Codes, Indices, Ints, Ints32, Reals, find_distinct
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.odds import card_sets

T = TypeVar("T")

_EXACT = 2**53
_KEPT = 200
"""Largest number of factors that are kept at a time."""


class FlushTerm(Struct, frozen=True, kw_only=True):
    """Other hands that reach the length of the player's hand in some suits and are shorter in the others."""

    wild: int
    """Number of wild cards of the other hand."""
    suits: dict[int, int]
    """Number of cards in each suit that reaches the length."""
    ways: int
    """Number of ways to choose the cards of the other suits."""


class FlushPlan(Struct, frozen=True, kw_only=True):
    """Plan for counting other hands, for shared cards of one pattern of suits."""

    lengths: tuple[int, ...]
    """Number of other hands by length."""
    length: int
    """Length of the player's hand."""
    longest: frozenset[int]
    """Suits of the player with that length."""
    fixed: int
    """Number of other hands that are lower because no suit reaches the length."""
    terms: list[FlushTerm]
    """All other hands that may be lower."""


class SuitFactor(Struct, frozen=True, kw_only=True):
    """Suit as a factor of a product."""

    own: int
    """Number of cards of the player."""
    shared: bytes
    """Possible sets of shared cards, int64 as bytes."""
    cards: int | None
    """Number of cards of the other hand; None if it does not matter."""
    wild: int
    """Number of wild cards in the player's hand, with shared ones."""
    other_wild: int
    """Number of wild cards in the other hand, with shared ones."""
    worth: int
    """Number of natural cards that make up the player's hand."""
    longest: bool
    """True if this suit makes up the player's hand."""


class FlushCounter:
    """Counts the hands that share cards with those of the player. Raises ValueError if there are too many."""

    def __init__(self, flush: card_sets.SharedFlush) -> None:
        self.flush = flush
        self.factors: dict[SuitFactor, Reals] = {}
        self.alone: dict[SuitFactor, list[tuple[Indices, Indices, Ints]]] = {}
        left = len(flush.ranks) * card_sets.SUIT_COUNT + flush.wilds - flush.own
        if comb(left, flush.shared) * comb(left, flush.another) * flush.hands >= _EXACT:
            raise ValueError("there are too many hands to count")

    def count(self, own: card_sets.OwnHands, shared_cards: Iterable[card_sets.SharedCards]) -> Ints:
        """Return the number of deals by hand and signature, int64[n, signatures].

        Args:
            own: hands of the player.
            shared_cards: patterns of the shared cards.
        """
        flush, hands = self.flush, len(own.cards)
        counts = np.zeros((card_sets.RELATIONS, flush.most, flush.most, hands), np.int64)
        sets = [card_sets.list_rank_sets(length, len(flush.ranks)) for length in own.lengths]
        rows = [np.searchsorted(every, masks) for every, masks in zip(sets, own.masks, strict=True)]
        for shared in shared_cards:
            if own.wild + shared.wild > flush.wilds:
                continue
            plan = self._make_plan(own, shared)
            wild_ways = comb(flush.wilds - own.wild, shared.wild)
            free = [
                ((every[:, None] & masks) == 0).sum(axis=1)[row]
                for every, masks, row in zip(sets, shared.masks, rows, strict=True)
            ]
            deals, length = wild_ways * prod(free), plan.length
            for other, number in enumerate(plan.lengths):
                counts[0 if other < length else 2, length, other] += deals * number
            # Of the hands of the same length, subtract the shorter ones from all lower hands.
            lower_in_length = deals * (plan.fixed - sum(plan.lengths[:length]))
            lower, not_higher = lower_in_length, lower_in_length.copy()
            for term in plan.terms:
                suits = sorted(plan.longest.union(term.suits), key=lambda suit: (suit not in plan.longest, suit))
                times = (
                    wild_ways
                    * term.ways
                    * prod(free[suit] for suit in range(card_sets.SUIT_COUNT) if suit not in suits)
                )
                below_here, not_above = self._compare_suits(own, shared, plan, term, suits)
                at = np.ravel_multi_index([rows[suit] for suit in suits], [len(sets[suit]) for suit in suits])
                lower += below_here[at] * times
                not_higher += not_above[at] * times
            counts[0, length, length] += lower
            counts[1, length, length] += not_higher - lower
            counts[2, length, length] -= not_higher
        return counts.reshape(flush.signatures, hands).T

    def _make_plan(self, own: card_sets.OwnHands, shared: card_sets.SharedCards) -> FlushPlan:
        flush, shared_lengths, own_wild = self.flush, shared.lengths, own.wild + shared.wild
        together = [
            own_length + shared_length for own_length, shared_length in zip(own.lengths, shared_lengths, strict=True)
        ]
        length = max(together) + own_wild
        left = [len(flush.ranks) - cards for cards in together]
        wilds_left = flush.wilds - own_wild
        no_longer = [0] * flush.most
        fixed, terms = 0, []
        for wild in range(min(wilds_left, flush.another) + 1):
            times, cards = comb(wilds_left, wild), flush.another - wild
            for at in range(flush.most):
                room = tuple(at - length_held - shared.wild - wild for length_held in shared_lengths)
                no_longer[at] += times * _count_ways(tuple(left), room, cards)
            exactly = [length - length_held - shared.wild - wild for length_held in shared_lengths]
            if min(exactly) < 0:
                continue
            for suits in (
                chosen
                for number in range(card_sets.SUIT_COUNT + 1)
                for chosen in combinations(range(card_sets.SUIT_COUNT), number)
            ):
                others = [suit for suit in range(card_sets.SUIT_COUNT) if suit not in suits]
                ways = times * _count_ways(
                    tuple(left[suit] for suit in others),
                    tuple(exactly[suit] - 1 for suit in others),
                    cards - sum(exactly[suit] for suit in suits),
                )
                if ways and suits:
                    terms.append(FlushTerm(wild=wild, suits={suit: exactly[suit] for suit in suits}, ways=ways))
                elif ways:
                    fixed += ways
        return FlushPlan(
            lengths=tuple(after - before for before, after in pairwise([0, *no_longer])),
            length=length,
            longest=frozenset(suit for suit, cards in enumerate(together) if cards + own_wild == length),
            fixed=fixed,
            terms=terms,
        )

    def _compare_suits(
        self, own: card_sets.OwnHands, shared: card_sets.SharedCards, plan: FlushPlan, term: FlushTerm, suits: list[int]
    ) -> Ints:
        """Return how many other hands of a term are lower than the player's, and how many are not higher, int64[2, m].

        All possible shared cards in these suits are counted, for all cards that the player may have there, last suit
        fastest.
        """
        factors = [
            SuitFactor(
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
            compared = self._multiply_longest_suit(*factors)
        else:
            middle = len(factors) // 2
            no_more, less = (
                self._multiply_suits(factors[:middle]).swapaxes(-1, -2) @ self._multiply_suits(factors[middle:])
            ).swapaxes(0, 1)
            compared = no_more - less
        return compared.astype(np.int64).reshape(2, -1)

    def _multiply_longest_suit(self, suit: SuitFactor, *suits: SuitFactor) -> Reals:
        """Return the sum of products of the only longest suit with other suits, float64[2, m, k].

        This suit alone determines the worth of the player's hand. So only as many values w matter as there are sets of
        shared cards.
        """
        others = self._multiply_suits(suits)[:, 0]
        products = np.zeros((2, len(card_sets.list_rank_sets(suit.own, len(self.flush.ranks))), others.shape[-1]))
        for rows, at, lower in self._keep(self.alone, suit, self._count_with_shared):
            products[:, rows] += lower[:, :, None] * (others[:, at] if suits else others)
        return products

    def _count_with_shared(self, suit: SuitFactor) -> list[tuple[Indices, Indices, Ints]]:
        """Return three arrays for each set of shared cards.

        Returns:
            int64[m], the player's sets without these cards; int64[m], the index of the worth w that each makes; and
                int64[2, m], the number of sets of the other hand that are lower, and not higher.
        """
        own, worth, places = self._list_sets(suit)
        results = []
        for mask in np.frombuffer(suit.shared, np.int64).tolist():
            rows = np.flatnonzero((own & mask) == 0)
            at = np.searchsorted(worth, places[own[rows] | mask])
            first, ends = self._count_lowest(suit, own[rows], mask, worth)
            results.append((rows, at, first[ends[:, at], np.arange(len(rows))]))
        return results

    def _multiply_suits(self, suits: Sequence[SuitFactor]) -> Reals:
        """Return the products of factors for all cards that the player may have in the suits, float64[2, 2 or 1, w,
        m]."""
        product = np.ones((2, 1, 1, 1))
        for suit in suits:
            factor = self._keep(self.factors, suit, self._make_factor)
            multiplied = product[..., :, None] * factor[..., None, :]
            product = multiplied.reshape(*multiplied.shape[:3], -1)
        return product

    def _make_factor(self, suit: SuitFactor) -> Reals:
        """Return the number of card sets of a suit by worth w and the player's cards, float64[2, 2 or 1, w, m].

        It counts sets of shared cards with sets of the other hand that are lower than w, and not higher. In a longest
        suit, it counts separately the shared cards with which the player's suit is worth at most w, and less than w.
        """
        own, worth, places = self._list_sets(suit)
        factor = np.zeros((2, 2 if suit.longest else 1, len(worth), len(own)))
        for mask in np.frombuffer(suit.shared, np.int64).tolist():
            first, ends = self._count_lowest(suit, own, mask, worth)
            lower = (first * ((own & mask) == 0))[ends]
            if suit.longest:
                mine = places[own | mask]
                factor[:, 0] += lower * (mine <= worth[:, None])
                factor[:, 1] += lower * (mine < worth[:, None])
            else:
                factor[:, 0] += lower
        return factor

    @staticmethod
    def _keep(kept: dict[SuitFactor, T], suit: SuitFactor, make: Callable[[SuitFactor], T]) -> T:
        if suit not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[suit] = make(suit)
        return kept[suit]

    def _list_sets(self, suit: SuitFactor) -> tuple[Ints, Ints32, Ints32]:
        """Return the player's sets of a suit, int64[m]; the possible worths, ascending, int32[w]; and the worth by
        mask, int32[masks]."""
        ranks, places = len(self.flush.ranks), self.flush.places[suit.wild]
        return (
            card_sets.list_rank_sets(suit.own, ranks),
            find_distinct(places[card_sets.list_rank_sets(suit.worth, ranks)]),
            places,
        )

    def _count_lowest(self, suit: SuitFactor, own: Ints, shared: int, worth: Ints32) -> tuple[Ints, Ints]:
        """Return how many of the lowest sets of the other hand share no card with the player's.

        Returns:
            int64[n, m], by number of lowest sets and the player's set; and int64[2, w], how many sets are lower than
                each worth, and not higher.
        """
        if suit.cards is None:
            return np.ones((1, len(own)), np.int64), np.zeros((2, len(worth)), np.int64)
        sets = card_sets.list_rank_sets(suit.cards, len(self.flush.ranks))
        masks = sets[sets & shared == 0]
        places = self.flush.places[suit.other_wild][masks | shared]
        order = np.argsort(places, kind="stable")
        first = np.zeros((len(masks) + 1, len(own)), np.int64)
        np.cumsum((masks[order][:, None] & own) == 0, axis=0, out=first[1:])
        return first, np.array([np.searchsorted(places[order], worth, side) for side in ("left", "right")])


@cache
def _count_ways(left: tuple[int, ...], most: tuple[int, ...], cards: int) -> int:
    """Return the number of ways to take cards from suits with a number left and a maximum for each."""
    if not left:
        return int(cards == 0)
    return sum(
        comb(left[0], taken) * _count_ways(left[1:], most[1:], cards - taken)
        for taken in range(min(left[0], most[0], cards) + 1)
    )


ReportProgress = Callable[[str], object]
"""Receives messages about the progress of long work."""
StrengthBounds = tuple[int, ...] | None
"""Strengths at which a distinguished group of hands begins or ends; None if every strength is distinguished."""


class FlushCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Number of deals by the player's hand and the signature of both hands."""

    cards: Codes
    """Hands of the player, uint8[n, k]."""
    weight: Ints
    """Number of hands that each row represents, int64[n]."""
    signatures: Ints
    """Signatures that occur, ascending, int64[s]."""
    deal_counts: Bits32
    """Number of deals by hand and signature, uint32[n, s]."""


class HandCounts:
    """Hand counts of a game, made when first needed."""

    def __init__(
        self, prepared: CompiledGame, report_progress: ReportProgress = lambda _: None, *, is_quick: bool = False
    ) -> None:
        """Prepare the counts of a game.

        Args:
            prepared: the game.
            report_progress: receives messages on the progress.
            is_quick: whether to refuse wagers whose deals take minutes to count.
        """
        self.prepared, self.report_progress, self.is_quick = prepared, report_progress, is_quick
        self._spreads: dict[tuple[str, StrengthBounds], card_sets.StrengthCounts] = {}
        self._completions: dict[tuple[str, StrengthBounds], card_sets.HandCompletions] = {}
        self._flushes: dict[str, FlushCounts] = {}

    def rank_hands(self, hand: str, cards: Codes, ends: StrengthBounds) -> Ints32:
        """Return the strengths of hands, or the index of the interval between bounds that each is in, int32[n]."""
        strengths = self.prepared.hands[hand].strength(cards)
        return strengths if ends is None else np.searchsorted(np.array(ends), strengths, "right").astype(np.int32)

    def count_strengths(self, hand: str, ends: StrengthBounds) -> card_sets.StrengthCounts:
        """Return the number of hands of each strength."""
        if (hand, ends) not in self._spreads:
            size = sum(self.prepared.hands[hand].sizes)
            self._spreads[hand, ends] = card_sets.count_set_strengths(
                size, lambda cards: self.rank_hands(hand, cards, ends)
            )
        return self._spreads[hand, ends]

    def count_completions(self, hand: str, ends: StrengthBounds) -> card_sets.HandCompletions:
        """Return the counts of hands that are completed from some of their cards."""
        if (hand, ends) not in self._completions:
            self._completions[hand, ends] = card_sets.HandCompletions(
                sum(self.prepared.hands[hand].sizes),
                lambda cards: self.rank_hands(hand, cards, ends),
                self.count_strengths(hand, ends),
            )
        return self._completions[hand, ends]

    def count_flushes(self, flush: card_sets.SharedFlush) -> FlushCounts:
        """Return the counts for longest-suited hands that share cards. They take long, so they are cached on disk."""
        key = repr((flush.ranking, flush.own, flush.another, flush.shared))
        if key not in self._flushes:
            owns = list(flush.list_own_hands())
            self._flushes[key] = FlushCounts(
                cards=np.concatenate([own.cards for own in owns]),
                weight=np.concatenate([own.weight for own in owns]),
                signatures=(signatures := flush.list_signatures()),
                deal_counts=self._load_deals(key, flush, owns, signatures),
            )
        return self._flushes[key]

    def _load_deals(
        self, key: str, flush: card_sets.SharedFlush, owns: list[card_sets.OwnHands], signatures: Ints
    ) -> Bits32:
        entry = disk_cache.build_key("flushes", key)
        cached = disk_cache.load_entry(entry, trusted=())
        if isinstance(cached, bytes):
            return np.frombuffer(cached, "<u4").reshape(-1, len(signatures))
        counting, parts, done = FlushCounter(flush), [], 0
        for own in owns:
            parts.append(counting.count(own, flush.list_shared_cards())[:, signatures].astype("<u4"))
            done += int(own.weight.sum())
            self.report_progress(f"{done:,} hands of a player compared with all others")
        number = np.concatenate(parts)
        disk_cache.store_entry(entry, number.tobytes())
        return number
