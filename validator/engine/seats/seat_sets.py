"""Sets of seats as bit masks, one per round: bit i is the i-th seat clockwise from the button."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Bits32, Codes, Flags, Ints8

MOST_SEATS = 32
"""Largest number of seats that a mask can hold."""


_ONE, _LONG = np.uint32(1), np.uint64(1)


def mask_of_first(count: NDArray[Any]) -> Bits32:
    """Return the masks of the first `count` seats.

    Returns:
        uint32[n].
    """
    wide: Bits32 = ((np.uint64(1) << count.astype(np.uint64)) - np.uint64(1)).astype(np.uint32)
    return wide


def mask_of_seat(rows: Ints8) -> Bits32:
    """Return the mask of one seat; empty if the row is ABSENT.

    Returns:
        uint32[n].
    """
    return np.where(rows >= 0, _ONE << np.maximum(rows, 0).astype(np.uint32), np.uint32(0))


def count_seats(masks: Bits32) -> Codes:
    """Return the number of seats of each set.

    Returns:
        uint8[n].
    """
    return np.bitwise_count(masks)


def has_several_seats(masks: Bits32) -> Flags:
    """Return whether each set has two seats or more.

    Returns:
        bool[n].
    """
    return (masks & (masks - _ONE)) != 0


def seats_between(after: Bits32, before: Ints8, among: Bits32) -> Bits32:
    """Return the seats of a set that are clockwise between two rows.

    If both rows are the same, these are all other seats of the set.

    Args:
        after: uint32[n], the row before the first seat.
        before: int8[n], the row after the last seat, which must be a seat.
        among: the set.

    Returns:
        uint32[n].
    """
    bit = mask_of_seat(before)
    below, beyond = bit - _ONE, ~((_ONE << after) | ((_ONE << after) - _ONE))
    wraps = before.astype(np.int64) <= after
    return among & ~bit & np.where(wraps, below | beyond, below & beyond)


def find_next_seat_in(wanted: Bits32, after: Bits32, count: Bits32) -> Ints8:
    """Return the first seat of a set clockwise after a row; ABSENT if the set is empty.

    Args:
        wanted: the set.
        after: uint32[n], the row, whose own seat comes last.
        count: uint32[n], the number of seats, at least 1.

    Returns:
        int8[n].
    """
    start = after + _ONE
    start = np.where(start == count, np.uint32(0), start)
    # The set is repeated twice, so that the lowest bit from `start` on is the next seat.
    wide = wanted.astype(np.uint64)
    twice = (wide | (wide << count)) >> start
    steps = np.bitwise_count((twice & (~twice + _LONG)) - _LONG)
    row = start + steps
    row -= np.where(row >= count, count, np.uint32(0))
    return np.where(wanted != 0, row, np.uint32(255)).astype(np.uint8).view(np.int8)
