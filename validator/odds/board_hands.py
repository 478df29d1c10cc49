"""Hands that share a board or exchange cards: their strengths, and how many hands of another player each can meet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import combinations, pairwise, permutations
from math import comb
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Bits64, Codes, Flags, Ints, Ints32, Reals, make_read_only
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.engine.core.compiled_game import CompiledHand
from fairdeal.validator.odds.card_sets import RELATIONS, RankHands, complete_hands, list_suit_classes

_SUITS = len(SUITS)
PAIRS = np.array([*combinations(range(CARDS), 2)], np.uint8)
"""Pairs of own cards, uint8[1326, 2]."""
_SUIT_ORDERS = np.array([*permutations(range(_SUITS))], np.int64)
"""Ways to rename suits: the new number of each, int64[24, 4]."""
_RADIX = _SUITS ** np.arange(_SUITS)


@cache
@make_read_only
def _number_pairs() -> Ints:
    """Return the index of the pair of two cards, int64[52, 52]."""
    numbers = np.zeros((CARDS, CARDS), np.int64)
    numbers[PAIRS[:, 0], PAIRS[:, 1]] = numbers[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(len(PAIRS))
    return numbers


@cache
@make_read_only
def _rename_pairs() -> tuple[Ints, Ints]:
    """Return the pair that each becomes when suits are renamed, and the pair that becomes each, int64[24, 1326]."""
    renamed = (PAIRS // _SUITS * _SUITS)[None] + _SUIT_ORDERS[:, PAIRS % _SUITS]
    after = _number_pairs()[renamed[..., 0], renamed[..., 1]]
    return after, np.argsort(after, axis=1)


@cache
@make_read_only
def _number_orders() -> Ints:
    """Return the index of each way to rename suits by its digits, int64[256]."""
    numbers = np.zeros(_SUITS**_SUITS, np.int64)
    numbers[_SUIT_ORDERS @ _RADIX] = np.arange(len(_SUIT_ORDERS))
    return numbers


class BoardClasses:
    """All boards of a size by class of suits, with numbers for each pair of own cards."""

    def __init__(self, size: int) -> None:
        """List the boards of a size."""
        self.size = size
        self.classes = list_suit_classes(size)
        self.shape = (len(self.classes.cards), len(PAIRS))

    @cached_property
    def is_free(self) -> Flags:
        """Return whether a pair has no card of the board, bool[classes, 1326]."""
        return find_free_pairs(self.classes.cards)

    @cached_property
    def _suit_masks(self) -> NDArray[np.int64]:
        return _make_suit_masks(self.classes.cards)

    def locate(self, boards: Codes) -> tuple[Ints, Ints]:
        """Return the class of each board, and a way to rename suits that makes it the example of its class.

        Args:
            boards: cards, uint8[n, size].

        Returns:
            int64[n] each.
        """
        found = self.classes.find_classes(boards)
        ours = np.argsort(_make_suit_masks(boards), axis=1, kind="stable")
        theirs = np.argsort(self._suit_masks[found], axis=1, kind="stable")
        renamed = np.empty_like(ours)
        np.put_along_axis(renamed, ours, theirs, axis=1)
        return found, _number_orders()[renamed @ _RADIX]

    def collect(self, boards: Codes, numbers: Ints, into: Ints) -> None:
        """Add the numbers of larger boards to those of every board that is part of them.

        Args:
            boards: cards, uint8[n, k].
            numbers: numbers by pair, multiplied by the weight of each board, int64[n, 1326].
            into: sums by class, which `average` completes, int64[classes, 1326].
        """
        for columns in combinations(range(boards.shape[1]), self.size):
            found, renaming = self.locate(boards[:, columns])
            key = found * len(_SUIT_ORDERS) + renaming
            order = np.argsort(key, kind="stable")
            first = np.flatnonzero(np.diff(key[order], prepend=-1))
            sums = np.add.reduceat(numbers[order], first, axis=0)
            found, renaming = found[order[first]], renaming[order[first]]
            for way in np.unique(renaming).tolist():
                rows = np.flatnonzero(renaming == way)
                into[found[rows]] += sums[rows][:, _rename_pairs()[1][way]]

    def average(self, collected: Ints) -> Ints:
        """Return the sums over all boards that contain the example of each class, int64[classes, 1326]."""
        result = np.zeros(self.shape, np.int64)
        for way, order in enumerate(_SUIT_ORDERS):
            rows = np.flatnonzero((self._suit_masks[:, order] == self._suit_masks).all(axis=1))
            result[rows] += collected[rows][:, _rename_pairs()[0][way]]
        return result // len(_SUIT_ORDERS)

    def spread(self, numbers: Ints, boards: Codes) -> Ints:
        """Return the sums over all boards that are part of larger ones, int64[n, 1326].

        Args:
            numbers: numbers by class and pair, int64[classes, 1326].
            boards: cards of the larger boards, uint8[n, k].
        """
        result = np.zeros((len(boards), len(PAIRS)), np.int64)
        for columns in combinations(range(boards.shape[1]), self.size):
            found, renaming = self.locate(boards[:, columns])
            for way in np.unique(renaming).tolist():
                rows = np.flatnonzero(renaming == way)
                result[rows] += numbers[found[rows][:, None], _rename_pairs()[0][way]]
        return result


def find_free_pairs(boards: Codes) -> Flags:
    """Return whether each pair has no card of the board, bool[n, 1326]."""
    used = np.zeros((len(boards), CARDS), np.bool_)
    np.put_along_axis(used, boards.astype(np.int64), True, axis=1)
    return ~(used[:, PAIRS[:, 0]] | used[:, PAIRS[:, 1]])


def _make_suit_masks(boards: Codes) -> NDArray[np.int64]:
    masks = np.zeros((len(boards), _SUITS), np.int64)
    for column in boards.T.astype(np.int64):
        masks[np.arange(len(boards)), column % _SUITS] |= 1 << column // _SUITS
    return masks


class PairCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Pairs of own cards on some boards, and the number of other pairs of each kind."""

    pairs: Ints
    """Index of each pair that shares no card with its board, int64[n, p]."""
    cell: Ints
    """Cell of the own hand between its bounds, int64[n, p]."""
    counts: Ints32
    """Number of other pairs by cell of the other hand, and by whether that is lower, equal or higher, int32[n, p, cells
    * 3]."""


class SharedBoard:
    """Two hands of a pair and a board each, with the bounds of strength that settlement distinguishes."""

    def __init__(self, own: CompiledHand, other: CompiledHand, own_ends: list[int], other_ends: list[int]) -> None:
        """Prepare the counts.

        Args:
            own: the own hand.
            other: the other hand.
            own_ends: ascending strengths at which cells of the own hand begin.
            other_ends: the same of the other hand.
        """
        self.own, self.other = own, other
        self.own_ends, self.other_ends = np.array(own_ends, np.int64), np.array(other_ends, np.int64)
        self.kinds = (len(other_ends) + 1) * RELATIONS

    def count(self, boards: Codes) -> PairCounts:
        """Return the number of other pairs of each kind for each pair of own cards.

        Args:
            boards: cards, uint8[n, k].
        """
        count, many = len(boards), CARDS - boards.shape[1]
        rest = _list_rest(boards)
        left, right = _list_sides(many)
        pairs = _number_pairs()[rest[:, left], rest[:, right]]
        own, other = self._rank_pairs(boards, pairs)
        every, codes = np.unique(np.concatenate([own, other]), return_inverse=True)
        code_type: type[np.int16 | np.int32] = np.int16 if len(every) < np.iinfo(np.int16).max else np.int32
        ranks: NDArray[Any] = codes.reshape(2, count, -1).astype(code_type)
        mine, theirs = ranks

        def square(values: NDArray[Any], fill: int) -> NDArray[Any]:
            result = np.full((count, many, many), fill, values.dtype)
            result[:, left, right] = result[:, right, left] = values
            return result

        row_own, row_other = square(mine, 0), square(theirs, np.iinfo(code_type).max)
        lower_in_row = np.zeros((2, count, many, many), np.int8)
        for column in range(many):
            against = row_other[:, :, column, None]
            lower_in_row[0] += against < row_own
            lower_in_row[1] += against <= row_own
        frequency = np.zeros((count, len(every) + 1), np.int32)
        board = np.repeat(np.arange(count), theirs.shape[1])
        frequency[:, 1:] = np.bincount(board * len(every) + theirs.reshape(-1), minlength=count * len(every)).reshape(
            count, -1
        )
        below = np.cumsum(frequency, axis=1, dtype=np.int32)
        at = mine.astype(np.int64)
        lower, not_higher = (
            np.take_along_axis(below, at + more, axis=1)
            - lower_in_row[more][:, left, right]
            - lower_in_row[more][:, right, left]
            + (theirs <= mine if more else theirs < mine)
            for more in (0, 1)
        )
        edges = [np.zeros_like(lower)]
        for end in np.searchsorted(every, self.other_ends).tolist():
            in_row = (row_other < end).sum(axis=2, dtype=np.int32)
            edges.append(below[:, end, None] - in_row[:, left] - in_row[:, right] + (theirs < end))
        edges.append(np.full_like(lower, comb(many - 2, 2)))
        counts = np.empty((*lower.shape, self.kinds), np.int32)
        for cell, (first, last) in enumerate(pairwise(edges)):
            here = np.minimum(lower, last) - np.minimum(lower, first)
            so_far = np.minimum(not_higher, last) - np.minimum(not_higher, first)
            counts[..., cell * RELATIONS] = here
            counts[..., cell * RELATIONS + 1] = so_far - here
            counts[..., cell * RELATIONS + 2] = last - first - so_far
        cell_of = np.searchsorted(self.own_ends, every, "right")
        return PairCounts(pairs=pairs, cell=cell_of[mine], counts=counts)

    def find_other_pair(self, board: Codes, pair: int, kind: int) -> Codes:
        """Return the first other pair of a kind that `count` has counted, uint8[2]."""
        free = find_free_pairs(np.concatenate([board, PAIRS[pair]])[None])[0]
        others = np.flatnonzero(free)
        own, other = self._rank_pairs(board[None], np.append(others, pair)[None])
        relation = np.sign(other[0, :-1].astype(np.int64) - own[0, -1]) + 1
        found = np.searchsorted(self.other_ends, other[0, :-1], "right") * RELATIONS + relation == kind
        other_pair: Codes = PAIRS[others[np.argmax(found)]]
        return other_pair

    def _rank_pairs(self, boards: Codes, pairs: Ints) -> tuple[Ints32, Ints32]:
        """Return the strengths of the own and of the other hand with each pair, int32[n, p] each."""
        hands = np.concatenate(
            [PAIRS[pairs], np.broadcast_to(boards[:, None, :], (*pairs.shape, boards.shape[1]))], axis=2
        ).reshape(-1, boards.shape[1] + 2)
        own = self.own.strength(hands).reshape(pairs.shape)
        return own, own if self.other.ranking == self.own.ranking else self.other.strength(hands).reshape(pairs.shape)


def _list_rest(boards: Codes) -> Codes:
    """Return the other cards of the deck, ascending, uint8[n, 52 - k]."""
    free = np.ones((len(boards), CARDS), np.bool_)
    np.put_along_axis(free, boards.astype(np.int64), False, axis=1)
    return np.nonzero(free)[1].astype(np.uint8).reshape(len(boards), -1)


@cache
@make_read_only
def _list_sides(many: int) -> tuple[Ints, Ints]:
    """Return the first and the second place of every pair of places, int64[p] each."""
    left, right = np.triu_indices(many, 1)
    return left.astype(np.int64), right.astype(np.int64)


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
