"""What a player does not see when deciding: how many deals of it there are, by what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Codes, Ints
from validator.cards.cards import CARDS
from validator.language.terms import Place
from validator.odds.counting.counts import Counts
from validator.odds.counting.distributions import below, completed
from validator.odds.counting.suit_classes import suit_classes
from validator.odds.rounds.looked_at import Looks
from validator.odds.rounds.refusals import TooLarge


class Way(Struct, frozen=True):
    """A way to follow an alternative: which of the player's cards are put aside, by their places, and whether what is
    not seen then matters."""

    gone: tuple[int, ...]
    matters: bool


class Hidden(Protocol):
    """The cards of a player by class, uint8[n, k], how many hands each stands for, int64[n], and, int64[n], by numbers
    that are the same for classes of which nothing asks; and the signatures of what is not seen: deals of one signature
    are settled alike beside classes of one number."""

    cards: Codes
    weight: Ints
    cell_of: Ints
    signatures: int

    def find(self, cards: Codes, /) -> Ints:
        """int64[m]: the class of each hand of the player, uint8[m, k], its cards in any order."""
        ...

    def ways(self, discards: int, hands: list[str], /) -> list[Way]:
        """The ways to put so many cards aside, where such hands then decide what is due."""
        ...

    def numbers(self, way: Way) -> Ints | Bits32:
        """int64[n, signatures]: how many deals there are."""
        ...

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Deals of other places beside a class of the player's cards, each with its signature: one of that asked for,
        and perhaps others."""
        ...


class OneHidden:
    """One hand, or none, that is not seen whole."""

    def __init__(self, counts: Counts, looks: Looks, seen: list[str], hidden: str | None) -> None:
        self.counts, self.looks, self.hidden = counts, looks, hidden
        self.prepared = counts.prepared
        classes = suit_classes(self.prepared.game.deal.cards["player"])
        self.cards, self.weight = classes.cards, classes.weight
        self.versus = self._compared(seen)
        self.cell_of = self._cells(seen)
        self.holds_own = hidden is not None and "player" in self.prepared.hands[hidden].places
        self.places = np.zeros((1, 2), np.int64)
        if hidden is not None:
            ends = tuple(sorted(looks.ends[hidden]))
            self.completions = counts.completions(hidden, None if self.versus else ends)
            strengths = self.completions.spread.strengths
            inner = ends if self.versus else tuple(range(1, len(ends) + 1))
            bounds = np.array([0, *np.searchsorted(strengths, inner, "left"), len(strengths)], np.int64)
            self.places = self._places(bounds[:-1], bounds[1:])
        self.signatures = self.places.shape[1] // 2

    def _compared(self, seen: list[str]) -> str | None:
        """The hand of the player that is held against the one that is not seen."""
        found = {hand for pair in self.looks.compared for hand in pair if hand != self.hidden}
        if len(found) > 1 or not found <= {*seen} or (found and self.hidden is None):
            raise TooLarge("several hands are held against each other")
        return next(iter(found), None)

    def _cells(self, seen: list[str]) -> Ints:
        columns = [np.zeros(len(self.cards), np.int32)]
        columns += [self.counts.rank(name, self.cards, tuple(sorted(self.looks.ends[name]))) for name in seen]
        found: Ints = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        return found

    def _places(self, low: Ints, high: Ints) -> Ints:
        """int64[classes or 1, 2 * signatures]: from and up to which place of the hidden hand's strengths each signature
        goes. They are the stretches that are told apart, in each those below the player's hand, as high, and above."""
        if self.versus is None:
            return np.stack([low, high], axis=1).reshape(1, -1)
        strengths = self.completions.spread.strengths
        own = self.counts.rank(self.versus, self.cards, None)
        left, right = np.searchsorted(strengths, own, "left"), np.searchsorted(strengths, own, "right")
        start = np.stack([np.zeros_like(left), left, right], axis=1)[:, None, :]
        stop = np.stack([left, right, np.full_like(left, len(strengths))], axis=1)[:, None, :]
        first = np.maximum(start, low[None, :, None])
        last = np.maximum(np.minimum(stop, high[None, :, None]), first)
        return np.stack([first, last], axis=3).reshape(len(own), -1)

    def find(self, cards: Codes) -> Ints:
        """int64[m]: the class of each hand of the player, uint8[m, k]."""
        return suit_classes(self.cards.shape[1]).find(cards)

    def ways(self, discards: int, hands: list[str]) -> list[Way]:
        """The ways to put so many cards aside."""
        matters = self.hidden in hands and self._is_whole(discards)
        ways = [Way(gone=gone, matters=matters) for gone in combinations(range(self.cards.shape[1]), discards)]
        return ways if matters and self.holds_own else ways[:1]

    def _is_whole(self, discards: int) -> bool:
        """Whether a player who puts so many cards aside keeps as many as the hidden hand is made of."""
        if self.hidden is None or not self.holds_own:
            return True
        hand = self.prepared.hands[self.hidden]
        return self.cards.shape[1] - discards == hand.sizes[hand.places.index("player")]

    def numbers(self, way: Way) -> Ints | Bits32:
        """int64[n, signatures]: how many deals there are; all of the first signature where they do not matter."""
        if not way.matters:
            found = np.zeros((len(self.cards), self.signatures), np.int64)
            found[:, 0] = self.deals
            return found
        kept = [at for at in range(self.cards.shape[1]) if at not in way.gone]
        held, out = (
            (self.cards[:, kept], self.cards[:, way.gone]) if self.holds_own else (self.cards[:, :0], self.cards)
        )
        counted = below(self.completions, held, out, self.places)
        return counted[:, 1::2] - counted[:, 0::2]

    @cached_property
    def deals(self) -> int:
        """How many ways there are to deal the cards of the hidden hand that the player has not."""
        if self.hidden is None:
            return 1
        hand = self.prepared.hands[self.hidden]
        unseen = sum(size for place, size in zip(hand.places, hand.sizes, strict=True) if place != "player")
        return comb(CARDS - self.cards.shape[1], unseen)

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Deals of the hidden hand beside a class of the player's cards."""
        if not way.matters:
            yield 0, {}
            return
        stretches = self.places[at if len(self.places) > 1 else 0].reshape(-1, 2)
        cards = self.cards[at]
        if not self.holds_own:
            first, last = stretches[signature].tolist()
            hands = self.completions.spread.cards[first:last]
            # One that has none of the player's cards, if it is there: two hands that share no card are settled alike,
            # whichever cards they are made of.
            apart = ~np.isin(hands, cards).any(axis=1)
            yield signature, self._by_place(hands[int(apart.argmax())])
            return
        kept = [column for column in range(len(cards)) if column not in way.gone]
        hands = completed(cards[None, kept], self.completions.size, cards[None, list(way.gone)])[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        for stretch, (first, last) in enumerate(stretches.tolist()):
            fits = (spots >= first) & (spots < last)
            if fits.any():
                yield stretch, self._by_place(hands[int(fits.argmax()), len(kept) :])

    def _by_place(self, cards: Codes) -> dict[Place, Codes]:
        assert self.hidden is not None
        hand, found, start = self.prepared.hands[self.hidden], dict[Place, Codes](), 0
        for place, size in zip(hand.places, hand.sizes, strict=True):
            if place != "player":
                found[place] = cards[start : start + size]
                start += size
        return found
