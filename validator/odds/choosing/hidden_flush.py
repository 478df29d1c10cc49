"""Two longest-suited hands that share cards, when the player decides before seeing either completely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from validator.arrays import Bits32, Codes, Ints
from validator.cards.cards import CARDS
from validator.cards.longest_flush import LongestSuited
from validator.engine.compiled.game import Prepared
from validator.language.terms import Place
from validator.odds.choosing.hidden import Way
from validator.odds.counting.counts import Counts
from validator.odds.counting.flush_counts import FlushCounting
from validator.odds.counting.shared_flush import Shared, SharedFlush
from validator.odds.counting.suit_classes import key_without
from validator.odds.rounds.looked_at import Looks
from validator.odds.rounds.refusals import TooLarge

_DEALS = 200_000
"""Number of random deals for a hand of the player from which examples are taken first."""


class TwoFlushes:
    """Player's hand and another one, each with the same shared cards. Settlement depends only on which is higher,
    and on the number of cards of each."""

    def __init__(self, counts: Counts, looks: Looks) -> None:
        """Prepare the counts. Raises `TooManyDeals` if settlement depends on more."""
        prepared = counts.prepared
        own, other, shared = _find_places(prepared, looks)
        self.other, self.shared = other, shared
        ranking = prepared.hands[own].ranking
        if not isinstance(ranking, LongestSuited) or ranking != prepared.hands[_find_other_hand(looks, own)].ranking:
            raise TooLarge("hands that share cards are compared with each other")
        if ranking.natural_in_own_suit or any(ends for ends in looks.ends.values()):
            raise TooLarge("settlement depends on more than the order and the length of hands that share cards")
        sizes = prepared.game.deal.cards
        try:
            self.flush = SharedFlush(ranking, sizes["player"], sizes[other], sizes[shared])
            self.counting = FlushCounting(self.flush)
        except ValueError as error:
            raise TooLarge(str(error)) from error
        self.ranking = ranking
        flush_counts = counts.flushes(self.flush)
        self.cards, self.weight, self.counted = flush_counts.cards, flush_counts.weight, flush_counts.number
        self.numbered = {int(signature): at for at, signature in enumerate(flush_counts.signatures)}
        self.cell_of = np.zeros(len(self.cards), np.int64)
        self.signatures = len(self.numbered)
        self.looked_for = set(looks.ends)

    def find(self, cards: Codes) -> Ints:
        """Return the class of each hand of the player, int64[m]. Wild cards are not distinguished."""
        keys = key_without(self.cards, self.flush.wild_cards)
        order = np.argsort(keys)
        return order[np.searchsorted(keys[order], key_without(cards, self.flush.wild_cards))]

    def ways(self, _discards: int, hands: list[str]) -> list[Way]:
        """Return the only way, without discards."""
        return [Way(gone=(), matters=not self.looked_for.isdisjoint(hands))]

    def numbers(self, way: Way) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures].

        If the unseen cards do not matter, all deals have the first signature.
        """
        if way.matters:
            return self.counted
        deals = np.zeros_like(self.counted)
        deals[:, 0] = self.counted[0].sum()
        return deals

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals for a hand of the player, from random deals first, then from shared cards with the
        signature."""
        if not way.matters:
            yield 0, {}
            return
        examples: dict[int, dict[Place, Codes]] = {}
        own = self.cards[at]
        rest = np.array([code for code in range(CARDS) if code not in own], np.uint8)
        shared, other = self.flush.shared, self.flush.another
        rng = np.random.default_rng(at)
        order = np.argsort(rng.random((_DEALS, len(rest)), np.float32), axis=1)[:, : shared + other]
        self._collect_examples(own, rest[order], examples)
        if signature not in examples:
            patterns = [
                (kind.lengths, kind.wild)
                for kind in self.flush.shared_cards()
                if self._has_signature(at, kind, signature)
            ]
            for cards in combinations(rest.tolist(), shared):
                pattern = self.flush.one_shared(cards)
                if (pattern.lengths, pattern.wild) in patterns and self._has_signature(at, pattern, signature):
                    left = [code for code in rest.tolist() if code not in cards]
                    hands = np.array([*combinations(left, other)], np.uint8)
                    deals = np.concatenate([np.tile(np.array(cards, np.uint8), (len(hands), 1)), hands], axis=1)
                    self._collect_examples(own, deals, examples)
                    break
        yield from examples.items()

    def _has_signature(self, at: int, shared: Shared, signature: int) -> bool:
        counted = self.counting.count(self.flush.one_own(self.cards[at]), [shared])[0]
        return any(counted[row] for row, number in self.numbered.items() if number == signature)

    def _collect_examples(self, own: Codes, deals: Codes, examples: dict[int, dict[Place, Codes]]) -> None:
        """Record a deal of each signature; `deals` is uint8[n, shared + other]."""
        shared = self.flush.shared
        own_cards = np.concatenate([np.tile(own, (len(deals), 1)), deals[:, :shared]], axis=1)
        numbers = self.flush.signature(self.ranking.strength(own_cards), self.ranking.strength(deals))
        for signature, first in zip(*np.unique(numbers, return_index=True), strict=True):
            number = self.numbered[int(signature)]
            if number not in examples:
                row = deals[int(first)]
                examples[number] = {self.shared: row[:shared], self.other: row[shared:]}


def _find_places(prepared: Prepared, looks: Looks) -> tuple[str, Place, Place]:
    """Return the player's hand, the place of the other hand, and the place of shared cards. Raises `TooManyDeals`."""
    for own in looks.hands:
        for another in looks.hands:
            places, others = prepared.hands[own].places, prepared.hands[another].places
            common = [place for place in places if place in others]
            if {*looks.hands} == {own, another} and "player" in places and "player" not in others:
                rest = [place for place in others if place not in common]
                if len(places) == len(others) == 2 and len(common) == 1 and len(rest) == 1:
                    return own, rest[0], common[0]
    raise TooLarge(f"deals are not counted where {' and '.join(looks.hands)} share cards or a deck")


def _find_other_hand(looks: Looks, own: str) -> str:
    """Return the other of two hands."""
    return next(hand for hand in looks.hands if hand != own)
