"""Two longest-suited hands that share cards, neither of which a player sees whole when deciding."""

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
"""Deals of other cards beside a hand of the player, out of which examples are taken first."""


class TwoFlushes:
    """The player's hand and another one, each with the same cards beside its own. Nothing is asked of them but which is
    the higher, and how many cards they have."""

    def __init__(self, counts: Counts, looks: Looks) -> None:
        prepared = counts.prepared
        own, other, shared = _places_of(prepared, looks)
        self.other, self.shared = other, shared
        ranking = prepared.hands[own].ranking
        if not isinstance(ranking, LongestSuited) or ranking != prepared.hands[_other(looks, own)].ranking:
            raise TooLarge("hands that share cards are held against each other")
        if ranking.natural_in_own_suit or any(ends for ends in looks.ends.values()):
            raise TooLarge("more is asked of hands that share cards than which is the higher and how long they are")
        sizes = prepared.game.deal.cards
        try:
            self.flush = SharedFlush(ranking, sizes["player"], sizes[other], sizes[shared])
            self.counting = FlushCounting(self.flush)
        except ValueError as error:
            raise TooLarge(str(error)) from error
        self.ranking = ranking
        found = counts.flushes(self.flush)
        self.cards, self.weight, self.counted = found.cards, found.weight, found.number
        self.numbered = {int(signature): at for at, signature in enumerate(found.signatures)}
        self.cell_of = np.zeros(len(self.cards), np.int64)
        self.signatures = len(self.numbered)
        self.looked_for = set(looks.ends)

    def find(self, cards: Codes) -> Ints:
        """int64[m]: the class of each hand of the player, uint8[m, k]: wild cards are alike, the others as ever."""
        keys = key_without(self.cards, self.flush.wild_cards)
        order = np.argsort(keys)
        return order[np.searchsorted(keys[order], key_without(cards, self.flush.wild_cards))]

    def ways(self, _discards: int, hands: list[str]) -> list[Way]:
        """The one way there is."""
        return [Way(gone=(), matters=not self.looked_for.isdisjoint(hands))]

    def numbers(self, way: Way) -> Ints | Bits32:
        """int64[n, signatures]: how many deals there are; all of the first signature where they do not matter."""
        if way.matters:
            return self.counted
        found = np.zeros_like(self.counted)
        found[:, 0] = self.counted[0].sum()
        return found

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Deals beside a hand of the player: first of any cards, then of shared cards that have the signature."""
        if not way.matters:
            yield 0, {}
            return
        found: dict[int, dict[Place, Codes]] = {}
        own = self.cards[at]
        rest = np.array([code for code in range(CARDS) if code not in own], np.uint8)
        shared, other = self.flush.shared, self.flush.another
        rng = np.random.default_rng(at)
        order = np.argsort(rng.random((_DEALS, len(rest)), np.float32), axis=1)[:, : shared + other]
        self._sorted_out(own, rest[order], found)
        if signature not in found:
            here = [(kind.lengths, kind.wild) for kind in self.flush.shared_cards() if self._has(at, kind, signature)]
            for cards in combinations(rest.tolist(), shared):
                one = self.flush.one_shared(cards)
                if (one.lengths, one.wild) in here and self._has(at, one, signature):
                    left = [code for code in rest.tolist() if code not in cards]
                    hands = np.array([*combinations(left, other)], np.uint8)
                    both = np.concatenate([np.tile(np.array(cards, np.uint8), (len(hands), 1)), hands], axis=1)
                    self._sorted_out(own, both, found)
                    break
        yield from found.items()

    def _has(self, at: int, shared: Shared, signature: int) -> bool:
        counted = self.counting.count(self.flush.one_own(self.cards[at]), [shared])[0]
        return any(counted[row] for row, number in self.numbered.items() if number == signature)

    def _sorted_out(self, own: Codes, deals: Codes, found: dict[int, dict[Place, Codes]]) -> None:
        """Put down a deal of each signature; `deals` is uint8[n, shared + other]."""
        shared = self.flush.shared
        mine = np.concatenate([np.tile(own, (len(deals), 1)), deals[:, :shared]], axis=1)
        numbers = self.flush.signature(self.ranking.strength(mine), self.ranking.strength(deals))
        for signature, first in zip(*np.unique(numbers, return_index=True), strict=True):
            number = self.numbered[int(signature)]
            if number not in found:
                row = deals[int(first)]
                found[number] = {self.shared: row[:shared], self.other: row[shared:]}


def _places_of(prepared: Prepared, looks: Looks) -> tuple[str, Place, Place]:
    """The player's hand, the place of the other one, and that of the cards they share. Raises TooLarge."""
    for own in looks.hands:
        for another in looks.hands:
            places, others = prepared.hands[own].places, prepared.hands[another].places
            common = [place for place in places if place in others]
            if {*looks.hands} == {own, another} and "player" in places and "player" not in others:
                rest = [place for place in others if place not in common]
                if len(places) == len(others) == 2 and len(common) == 1 and len(rest) == 1:
                    return own, rest[0], common[0]
    raise TooLarge(f"deals are not counted where {' and '.join(looks.hands)} share cards or a deck")


def _other(looks: Looks, own: str) -> str:
    """The other of two hands."""
    return next(hand for hand in looks.hands if hand != own)
