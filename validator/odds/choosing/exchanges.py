"""Hands that put cards aside and draw others in their stead: what all of them come to, and some of them by chance."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb

import numpy as np
from msgspec import Struct

from validator.arrays import Bits64, Codes, Flags, Ints, Ints32, Reals
from validator.cards.cards import CARDS
from validator.cards.names import SUITS
from validator.odds.counting.distributions import Strength, completed
from validator.odds.counting.suit_classes import suit_classes

_AT_ONCE = 1 << 20
"""Hands that are ranked at a time."""
_ORDERS = np.array(
    [[card - card % 4 + order[card % 4] for card in range(CARDS)] for order in permutations(range(len(SUITS)))],
    np.uint8,
)
"""uint8[24, 52]: every card with the suits renamed, in each of the ways there are."""


class Exchanges:
    """Hands by class: `cards`, uint8[n, k], how many hands each stands for (`weight`, int64[n]) and which of the cards
    are put aside, bool[n, k]. `strength` ranks hands, `strengths`, int32[s], are those there are, rising. Hands are
    told apart by `group`, int64[n], of `groups`."""

    def __init__(
        self, cards: Codes, weight: Ints, aside: Flags, strength: Strength, strengths: Ints32, group: Ints, groups: int
    ) -> None:
        self.cards, self.weight, self.aside, self.group, self.groups = cards, weight, aside, group, groups
        self.strength, self.strengths = strength, strengths
        self.most = int(aside.sum(axis=1).max(initial=0))
        """The most cards that are put aside."""
        self._until = np.cumsum(weight)

    def chances(self) -> Reals:
        """float64[groups, s]: how likely one of all hands is of a group and ends up with each strength, dealt from a
        whole deck."""
        size, number = self.cards.shape[1], self.aside.sum(axis=1)
        found = np.zeros((self.groups, len(self.strengths)))
        for group, drawn in np.unique(np.stack([self.group, number], axis=1), axis=0).tolist():
            rows = np.flatnonzero((self.group == group) & (number == drawn))
            aside, cards = self.aside[rows], self.cards[rows]
            kept, gone = cards[~aside].reshape(len(rows), size - drawn), cards[aside].reshape(len(rows), drawn)
            total = np.zeros(len(self.strengths))
            # Hands that have none of the cards put aside, by inclusion and exclusion.
            for back in range(drawn + 1):
                for chosen in combinations(range(drawn), back):
                    known = np.concatenate([kept, gone[:, chosen]], axis=1)
                    total += (-1) ** back * self._completed(known, self.weight[rows])
            found[group] += total / comb(CARDS - size, drawn)
        return found / self.weight.sum()

    def _completed(self, known: Codes, weight: Ints) -> Reals:
        """float64[s]: how many hands that have the known cards of a row come to each strength, a row counted so many
        times."""
        size, number = self.cards.shape[1], known.shape[1]
        classes = suit_classes(number)
        times = np.bincount(classes.find(known), weight, minlength=len(classes.cards))
        there = np.flatnonzero(times)
        ways = comb(CARDS - number, size - number)
        step, found = max(_AT_ONCE // ways, 1), np.zeros(len(self.strengths))
        for start in range(0, len(there), step):
            some = there[start : start + step]
            hands = completed(classes.cards[some], size).reshape(-1, size)
            found += np.bincount(self._places(hands), np.repeat(times[some], ways), minlength=len(found))
        return found

    def _places(self, hands: Codes) -> Ints:
        return np.searchsorted(self.strengths, self.strength(hands))

    def some(self, rng: np.random.Generator, count: int, likelier: Reals | None = None) -> Drawn:
        """Draw hands by chance from a whole deck, with the cards they draw.

        Args:
            rng: source of chance.
            count: number of hands.
            likelier: how much likelier each class is to be drawn than it is in a deck, float64[n]; None for no class.
        """
        if likelier is None:
            at = np.searchsorted(self._until, rng.integers(0, self._until[-1], count), "right")
        else:
            until = np.cumsum(self.weight * likelier)
            at = np.searchsorted(until, rng.random(count) * until[-1], "right")
        orders = rng.integers(0, len(_ORDERS), count)
        cards, aside = _ORDERS[orders[:, None], self.cards[at]], self.aside[at]
        deck = dealt_beside(rng, cards, self.most)
        turn = np.cumsum(aside, axis=1) - 1
        held = np.where(aside, np.take_along_axis(deck, np.maximum(turn, 0), axis=1), cards) if self.most else cards
        taken = np.zeros(count, np.uint64)
        for column in (*cards.T, *held.T):
            taken |= np.uint64(1) << column.astype(np.uint64)
        return Drawn(row=at, group=self.group[at], place=self._places(held), drawn=aside.sum(axis=1), taken=taken)


class Drawn(Struct, frozen=True, kw_only=True, eq=False):
    """Hands that drew, int64[n] each: their class and group, the place of the strength they end up with, how many cards
    they drew; and all cards they had, a bit each."""

    row: Ints
    group: Ints
    place: Ints
    drawn: Ints
    taken: Bits64


def dealt_beside(rng: np.random.Generator, known: Codes, cards: int) -> Codes:
    """uint8[n, cards]: cards of a shuffled deck without the known ones of each row, uint8[n, k]."""
    free = np.ones((len(known), CARDS), bool)
    np.put_along_axis(free, known.astype(np.int64), False, axis=1)
    deck = np.nonzero(free)[1].astype(np.uint8).reshape(len(known), -1)
    rows = np.arange(len(deck))
    for place in range(cards):
        other = rng.integers(place, deck.shape[1], len(deck))
        swapped = deck[rows, other]
        deck[rows, other] = deck[:, place]
        deck[:, place] = swapped
    return deck[:, :cards]
