"""Two hands that share a board: the boards by class of suits, and the numbers of hands of another player against each
pair of own cards.

Boards that differ only in the names of suits are counted once. Every row of 1,326 numbers is by pair of own cards, in
the order of `PAIRS`; a pair that contains a card of the board has 0.

The number of other pairs without the own cards i and j comes from inclusion and exclusion: all pairs, less those with
i, less those with j, and the pair of both once more.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations, pairwise, permutations
from math import comb
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, make_read_only
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import SUITS
from fairdeal.validator.engine.core.compiled_game import CompiledHand
from fairdeal.validator.odds.card_sets import RELATIONS, list_suit_classes

_SUITS = len(SUITS)
PAIRS = np.array([*combinations(range(CARDS), 2)], np.uint8)
"""Pairs of own cards, uint8[1326, 2]."""
_ORDERS = np.array([*permutations(range(_SUITS))], np.int64)
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
    renamed = (PAIRS // _SUITS * _SUITS)[None] + _ORDERS[:, PAIRS % _SUITS]
    after = _number_pairs()[renamed[..., 0], renamed[..., 1]]
    return after, np.argsort(after, axis=1)


@cache
@make_read_only
def _number_orders() -> Ints:
    """Return the index of each way to rename suits by its digits, int64[256]."""
    numbers = np.zeros(_SUITS**_SUITS, np.int64)
    numbers[_ORDERS @ _RADIX] = np.arange(len(_ORDERS))
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
            key = found * len(_ORDERS) + renaming
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
        for way, order in enumerate(_ORDERS):
            rows = np.flatnonzero((self._suit_masks[:, order] == self._suit_masks).all(axis=1))
            result[rows] += collected[rows][:, _rename_pairs()[0][way]]
        return result // len(_ORDERS)

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
