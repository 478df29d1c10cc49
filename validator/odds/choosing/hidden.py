"""Cards that a player does not see when deciding, with the number of deals of each kind."""

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
    """Way to follow an alternative."""

    gone: tuple[int, ...]
    """Columns of the player's cards that are discarded."""
    matters: bool
    """True if the settlement then depends on the unseen cards."""


class Hidden(Protocol):
    """Cards of the player by class, and deals of the unseen cards by signature.

    Settlement is the same for all deals with one signature and one cell of the player's cards.
    """

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    weight: Ints
    """Number of hands in each class, int64[n]."""
    cell_of: Ints
    """Cell of each class, int64[n]; settlement does not distinguish classes of one cell."""
    signatures: int
    """Number of signatures."""

    def find(self, cards: Codes, /) -> Ints:
        """Return the class of each hand of the player, int64[m]; the cards, uint8[m, k], are in any order."""
        ...

    def ways(self, discards: int, hands: list[str], /) -> list[Way]:
        """Return the ways to discard a number of cards, if these hands then decide the settlement."""
        ...

    def numbers(self, way: Way) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures]."""
        ...

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals for a class, each with its signature: at least one with the signature that is
        wanted."""
        ...


class OneHidden:
    """Unseen cards that belong to one hand, or to none."""

    def __init__(self, counts: Counts, looks: Looks, seen: list[str], hidden: str | None) -> None:
        self.counts, self.looks, self.hidden = counts, looks, hidden
        self.prepared = counts.prepared
        classes = suit_classes(self.prepared.game.deal.cards["player"])
        self.cards, self.weight = classes.cards, classes.weight
        self.versus = self._find_compared_hand(seen)
        self.cell_of = self._find_cells(seen)
        self.holds_own = hidden is not None and "player" in self.prepared.hands[hidden].places
        self.places = np.zeros((1, 2), np.int64)
        if hidden is not None:
            ends = tuple(sorted(looks.ends[hidden]))
            self.completions = counts.completions(hidden, None if self.versus else ends)
            strengths = self.completions.spread.strengths
            inner = ends if self.versus else tuple(range(1, len(ends) + 1))
            bounds = np.array([0, *np.searchsorted(strengths, inner, "left"), len(strengths)], np.int64)
            self.places = self._find_intervals(bounds[:-1], bounds[1:])
        self.signatures = self.places.shape[1] // 2

    def _find_compared_hand(self, seen: list[str]) -> str | None:
        """Return the hand of the player that is compared with the unseen one."""
        compared = {hand for pair in self.looks.compared for hand in pair if hand != self.hidden}
        if len(compared) > 1 or not compared <= {*seen} or (compared and self.hidden is None):
            raise TooLarge("several hands are compared with each other")
        return next(iter(compared), None)

    def _find_cells(self, seen: list[str]) -> Ints:
        columns = [np.zeros(len(self.cards), np.int32)]
        columns += [self.counts.rank(name, self.cards, tuple(sorted(self.looks.ends[name]))) for name in seen]
        cells: Ints = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        return cells

    def _find_intervals(self, low: Ints, high: Ints) -> Ints:
        """Return the interval of the unseen hand's strengths for each signature, int64[classes or 1, 2 * signatures].

        Each distinguished stretch is divided into strengths below, equal to and above the player's hand.
        """
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
        """Return the class of each hand of the player, int64[m]."""
        return suit_classes(self.cards.shape[1]).find(cards)

    def ways(self, discards: int, hands: list[str]) -> list[Way]:
        """Return the ways to discard a number of cards."""
        matters = self.hidden in hands and self._keeps_whole_hand(discards)
        ways = [Way(gone=columns, matters=matters) for columns in combinations(range(self.cards.shape[1]), discards)]
        return ways if matters and self.holds_own else ways[:1]

    def _keeps_whole_hand(self, discards: int) -> bool:
        """Return whether a player who discards this many cards keeps as many as the unseen hand needs."""
        if self.hidden is None or not self.holds_own:
            return True
        hand = self.prepared.hands[self.hidden]
        return self.cards.shape[1] - discards == hand.sizes[hand.places.index("player")]

    def numbers(self, way: Way) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures].

        If the unseen cards do not matter, all deals have the first signature.
        """
        if not way.matters:
            deals = np.zeros((len(self.cards), self.signatures), np.int64)
            deals[:, 0] = self.deals
            return deals
        kept = [at for at in range(self.cards.shape[1]) if at not in way.gone]
        in_hand, out = (
            (self.cards[:, kept], self.cards[:, way.gone]) if self.holds_own else (self.cards[:, :0], self.cards)
        )
        counted = below(self.completions, in_hand, out, self.places)
        return counted[:, 1::2] - counted[:, 0::2]

    @cached_property
    def deals(self) -> int:
        """Return the number of ways to deal the unseen cards of the hand."""
        if self.hidden is None:
            return 1
        hand = self.prepared.hands[self.hidden]
        unseen = sum(size for place, size in zip(hand.places, hand.sizes, strict=True) if place != "player")
        return comb(CARDS - self.cards.shape[1], unseen)

    def examples(self, at: int, way: Way, signature: int) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals of the unseen hand for a class of the player's cards."""
        if not way.matters:
            yield 0, {}
            return
        stretches = self.places[at if len(self.places) > 1 else 0].reshape(-1, 2)
        cards = self.cards[at]
        if not self.holds_own:
            first, last = stretches[signature].tolist()
            hands = self.completions.spread.cards[first:last]
            # Prefer a hand without the player's cards: settlement is the same for all hands that share no card.
            apart = ~np.isin(hands, cards).any(axis=1)
            yield signature, self._split_by_place(hands[int(apart.argmax())])
            return
        kept = [column for column in range(len(cards)) if column not in way.gone]
        hands = completed(cards[None, kept], self.completions.size, cards[None, list(way.gone)])[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        for stretch, (first, last) in enumerate(stretches.tolist()):
            fits = (spots >= first) & (spots < last)
            if fits.any():
                yield stretch, self._split_by_place(hands[int(fits.argmax()), len(kept) :])

    def _split_by_place(self, cards: Codes) -> dict[Place, Codes]:
        assert self.hidden is not None
        hand, by_place, start = self.prepared.hands[self.hidden], dict[Place, Codes](), 0
        for place, size in zip(hand.places, hand.sizes, strict=True):
            if place != "player":
                by_place[place] = cards[start : start + size]
                start += size
        return by_place
