"""Hands that discard cards and draw others: their strengths afterwards, and pairs of them from one deck.

If each hand of a pair had a deck of its own, they would be independent, and all pairs could be counted. The effect
of the common deck is small and is sampled. Each block pairs all of its hands of one side with all hands of the
other. Pairs with a common card are impossible; the others represent them. Only the deviation from the expectation
for each hand alone counts, so the sampling error is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Bits64, Codes, Flags, Ints, Ints32, Reals
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.odds.card_sets import RankHands, complete_hands, list_suit_classes

_AT_ONCE = 1 << 20
"""Number of hands that are ranked at a time."""
_ORDERS = np.array(
    [[card - card % 4 + order[card % 4] for card in range(CARDS)] for order in permutations(range(len(SUITS)))],
    np.uint8,
)
"""Every card with the suits renamed, in each of the 24 orders, uint8[24, 52]."""


class ExchangingHands:
    """Hands by class, with the cards that each discards."""

    def __init__(
        self, cards: Codes, weight: Ints, aside: Flags, strength: RankHands, strengths: Ints32, group: Ints, groups: int
    ) -> None:
        """Prepare the hands.

        Args:
            cards: cards of each class, uint8[n, k].
            weight: number of hands in each class, int64[n].
            aside: True for the cards that are discarded, bool[n, k].
            strength: ranks hands.
            strengths: strengths that occur, ascending, int32[s].
            group: group of each class, int64[n].
            groups: number of groups.
        """
        self.cards, self.weight, self.aside, self.group, self.groups = cards, weight, aside, group, groups
        self.strength, self.strengths = strength, strengths
        self.most_discards = int(aside.sum(axis=1).max(initial=0))
        """Largest number of discards."""
        self._until = np.cumsum(weight)

    def compute_chances(self) -> Reals:
        """Return the probability that a hand from a full deck is of a group and ends with a strength,
        float64[groups, s]."""
        size, number = self.cards.shape[1], self.aside.sum(axis=1)
        chances = np.zeros((self.groups, len(self.strengths)))
        for group, drawn in np.unique(np.stack([self.group, number], axis=1), axis=0).tolist():
            rows = np.flatnonzero((self.group == group) & (number == drawn))
            aside, cards = self.aside[rows], self.cards[rows]
            kept, discards = cards[~aside].reshape(len(rows), size - drawn), cards[aside].reshape(len(rows), drawn)
            total = np.zeros(len(self.strengths))
            # Hands without the discarded cards, by inclusion and exclusion.
            for retained in range(drawn + 1):
                for chosen in combinations(range(drawn), retained):
                    known = np.concatenate([kept, discards[:, chosen]], axis=1)
                    total += (-1) ** retained * self._count_completed(known, self.weight[rows])
            chances[group] += total / comb(CARDS - size, drawn)
        return chances / self.weight.sum()

    def _count_completed(self, known: Codes, weight: Ints) -> Reals:
        """Return the number of hands with known cards that have each strength, float64[s]."""
        size, number = self.cards.shape[1], known.shape[1]
        classes = list_suit_classes(number)
        times = np.bincount(classes.find_classes(known), weight, minlength=len(classes.cards))
        there = np.flatnonzero(times)
        ways = comb(CARDS - number, size - number)
        step, counts = max(_AT_ONCE // ways, 1), np.zeros(len(self.strengths))
        for start in range(0, len(there), step):
            part = there[start : start + step]
            hands = complete_hands(classes.cards[part], size).reshape(-1, size)
            counts += np.bincount(self._find_strengths(hands), np.repeat(times[part], ways), minlength=len(counts))
        return counts

    def _find_strengths(self, hands: Codes) -> Ints:
        return np.searchsorted(self.strengths, self.strength(hands))

    def draw_hands(self, rng: np.random.Generator, count: int, likelier: Reals | None = None) -> ExchangedHands:
        """Return random hands from a full deck, with the cards they draw.

        Args:
            rng: source of random numbers.
            count: number of hands.
            likelier: factor on the probability of each class, float64[n]; None for 1.
        """
        if likelier is None:
            at = np.searchsorted(self._until, rng.integers(0, self._until[-1], count), "right")
        else:
            until = np.cumsum(self.weight * likelier)
            at = np.searchsorted(until, rng.random(count) * until[-1], "right")
        orders = rng.integers(0, len(_ORDERS), count)
        cards, aside = _ORDERS[orders[:, None], self.cards[at]], self.aside[at]
        deck = deal_other_cards(rng, cards, self.most_discards)
        turn = np.cumsum(aside, axis=1) - 1
        final_cards = (
            np.where(aside, np.take_along_axis(deck, np.maximum(turn, 0), axis=1), cards)
            if self.most_discards
            else cards
        )
        taken = np.zeros(count, np.uint64)
        for column in (*cards.T, *final_cards.T):
            taken |= np.uint64(1) << column.astype(np.uint64)
        return ExchangedHands(
            row=at,
            group=self.group[at],
            place=self._find_strengths(final_cards),
            cards_drawn=aside.sum(axis=1),
            all_cards=taken,
        )


class ExchangedHands(Struct, frozen=True, kw_only=True, eq=False):
    """Random hands after their exchange."""

    row: Ints
    """Class of each hand, int64[n]."""
    group: Ints
    """Group of each hand, int64[n]."""
    place: Ints
    """Final strength of each hand, as an index, int64[n]."""
    cards_drawn: Ints
    """Number of cards that each hand drew, int64[n]."""
    all_cards: Bits64
    """All cards that each hand had, as bits."""


def deal_other_cards(rng: np.random.Generator, known: Codes, cards: int) -> Codes:
    """Return cards of a shuffled deck without the known ones of each row, uint8[n, cards]."""
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


BLOCK = 1000
"""Number of hands of either side in a block."""
_RELATIONS = 3
"""Number of relations: the other hand is lower, equal or higher."""
_ROWS = 64
"""Number of hands that are paired with all others at a time, so that the data fits the processor's cache."""


class StrengthCells(Struct, frozen=True, kw_only=True, eq=False):
    """Cells of strengths that are distinguished for two hands.

    The kind of a pair is `(own cell * other cells + other cell) * 3 + relation`.
    """

    own: Ints
    """Cell of each strength of the own hand, int64[s]."""
    other: Ints
    """Cell of each strength of the other hand, int64[s]."""

    @property
    def others(self) -> int:
        """Return the number of cells of the other hand."""
        return int(self.other.max()) + 1

    @property
    def kinds(self) -> int:
        """Return the number of kinds of pairs."""
        return (int(self.own.max()) + 1) * self.others * _RELATIONS

    def pair_chances_by_own(self, other: Reals) -> Reals:
        """Return the probability of each kind for each own strength, float64[s, kinds].

        Args:
            other: probability of each strength of the other hand, float64[s].
        """
        chances = np.zeros((len(self.own), self.kinds))
        every = np.arange(len(self.own))
        for cell in range(self.others):
            in_cell = np.where(self.other == cell, other, 0.0)
            until = np.cumsum(in_cell)
            kind = (self.own * self.others + cell) * _RELATIONS
            for relation, chance in enumerate((until - in_cell, in_cell, until[-1] - until)):
                chances[every, kind + relation] = chance
        return chances

    def pair_chances_by_other(self, own: Reals) -> Reals:
        """Return the probability of each kind for each strength of the other hand, float64[s, kinds].

        Args:
            own: probability of each own strength, float64[s].
        """
        chances = np.zeros((len(self.other), self.kinds))
        every = np.arange(len(self.other))
        for cell in range(int(self.own.max()) + 1):
            in_cell = np.where(self.own == cell, own, 0.0)
            until = np.cumsum(in_cell)
            kind = (cell * self.others + self.other) * _RELATIONS
            for relation, chance in enumerate((until[-1] - until, in_cell, until - in_cell)):
                chances[every, kind + relation] = chance
        return chances


class HandPairs:
    """Pairs of two sides, distinguished by cells and by the group of the own hand.

    Either side has all hands that can be dealt. From one deck, each hand of a side is as likely as from a deck of its
    own.
    """

    def __init__(self, own: ExchangingHands, other: ExchangingHands, cells: StrengthCells) -> None:
        self.own, self.other, self.cells = own, other, cells
        own_chances, other_chances = own.compute_chances(), other.compute_chances().sum(axis=0)
        self._beside_own = cells.pair_chances_by_own(other_chances)
        self._beside_other = np.stack([cells.pair_chances_by_other(of_group) for of_group in own_chances])
        self.two_deck_chances: Reals = own_chances @ self._beside_own
        """Probability of each kind with two decks, float64[groups, kinds]."""
        self._weight = weigh_pairs(own.cards.shape[1], own.most_discards, other.most_discards)

    def sample_corrections(self, blocks: int, seed: int) -> Iterator[Reals]:
        """Yield for each block the change in the probability of each kind by the common deck, float64[groups, kinds].

        The change is correct on average over all blocks.
        """
        for number in range(blocks):
            rng = np.random.default_rng([seed, number])
            yield self._correct_by_block(self.own.draw_hands(rng, BLOCK), self.other.draw_hands(rng, BLOCK))

    def _correct_by_block(self, own: ExchangedHands, other: ExchangedHands) -> Reals:
        order = np.argsort(other.place, kind="stable")
        place, drawn, taken = other.place[order], other.cards_drawn[order], other.all_cards[order]
        correction = np.zeros(self.two_deck_chances.shape)
        of_other = np.zeros(len(place))
        for group, number in np.unique(np.stack([own.group, own.cards_drawn], axis=1), axis=0).tolist():
            rows = np.flatnonzero((own.group == group) & (own.cards_drawn == number))
            for part in np.split(rows, range(_ROWS, len(rows), _ROWS)):
                # A possible pair represents as many pairs as the numbers of drawn cards imply.
                is_possible = (own.all_cards[part, None] & taken[None, :]) == 0
                sums = np.zeros((len(part), len(place) + 1))
                np.multiply(is_possible, self._weight[number, drawn], out=sums[:, 1:])
                of_other += sums[:, 1:].sum(axis=0)
                np.cumsum(sums, axis=1, out=sums)
                self._count_pairs(own.place[part], place, sums, correction[group])
                correction[group] -= sums[:, -1] @ self._beside_own[own.place[part]]
        correction += of_other.sum() * self.two_deck_chances - np.tensordot(
            self._beside_other[:, place], of_other, axes=(1, 0)
        )
        result: Reals = correction / (len(own.place) * len(place))
        return result

    def _count_pairs(self, own: Ints, other: Ints, sums: Reals, counted: Reals) -> None:
        """Add the number of pairs of each kind.

        Args:
            own: own hands.
            other: hands of the other side, in ascending order.
            sums: running totals of the weights of the other hands, float64[n, m + 1].
            counted: receives the sums.
        """
        low, high = np.searchsorted(other, own, "left"), np.searchsorted(other, own, "right")
        cells, every = self.cells, np.arange(len(own))
        until = np.searchsorted(cells.other[other], np.arange(cells.others + 1))
        for cell in range(cells.others):
            start, stop = until[cell], until[cell + 1]
            edges = [np.clip(edge, start, stop) for edge in (start, low, high, stop)]
            kind = (cells.own[own] * cells.others + cell) * _RELATIONS
            for relation in range(_RELATIONS):
                number = sums[every, edges[relation + 1]] - sums[every, edges[relation]]
                counted += np.bincount(kind + relation, number, minlength=len(counted))


def weigh_pairs(size: int, own: int, other: int) -> Reals:
    """Return the factor by which two hands without a common card are likelier from one deck than from two.

    Returns:
        float64[own + 1, other + 1], by the number of cards that each draws.
    """
    factors = np.zeros((own + 1, other + 1))
    for n in range(own + 1):
        for m in range(other + 1):
            apart = comb(CARDS, size) * comb(CARDS - size, n) * comb(CARDS - size, m)
            factors[n, m] = apart / (
                comb(CARDS - size, size) * comb(CARDS - 2 * size, n) * comb(CARDS - 2 * size - n, m)
            )
    return factors
