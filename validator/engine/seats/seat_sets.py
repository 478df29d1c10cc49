"""Sets of seats as bit masks, one a round: bit i is the i-th seat clockwise from the button."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Bits32, Codes, Flags, Ints8

MOST_SEATS = 32
"""The most seats of a round that masks can hold."""


_ONE, _LONG = np.uint32(1), np.uint64(1)


def all_of(count: NDArray[Any]) -> Bits32:
    """uint32[n]: the first `count` seats."""
    wide: Bits32 = ((np.uint64(1) << count.astype(np.uint64)) - np.uint64(1)).astype(np.uint32)
    return wide


def bit_of(rows: Ints8) -> Bits32:
    """uint32[n]: the mask of one seat, empty where the row is ABSENT."""
    return np.where(rows >= 0, _ONE << np.maximum(rows, 0).astype(np.uint32), np.uint32(0))


def size(masks: Bits32) -> Codes:
    """uint8[n]: how many seats are in each set."""
    return np.bitwise_count(masks)


def several(masks: Bits32) -> Flags:
    """bool[n]: whether a set has two seats or more."""
    return (masks & (masks - _ONE)) != 0


def between(after: Bits32, before: Ints8, among: Bits32) -> Bits32:
    """uint32[n]: the seats of a set that come clockwise after the seat of row `after` (uint32) and before that of
    another row, which is a seat; all others of the set where the two are one."""
    bit = bit_of(before)
    below, beyond = bit - _ONE, ~((_ONE << after) | ((_ONE << after) - _ONE))
    wraps = before.astype(np.int64) <= after
    return among & ~bit & np.where(wraps, below | beyond, below & beyond)


def next_of(wanted: Bits32, after: Bits32, count: Bits32) -> Ints8:
    """int8[n]: the first seat of a set that comes clockwise after the seat of row `after` (uint32), that seat itself
    coming last; ABSENT where the set is empty. `count`, uint32 and at least 1, is the number of seats."""
    start = after + _ONE
    start = np.where(start == count, np.uint32(0), start)
    # Two turns of the table side by side: the lowest bit from `start` on is the next seat.
    wide = wanted.astype(np.uint64)
    twice = (wide | (wide << count)) >> start
    steps = np.bitwise_count((twice & (~twice + _LONG)) - _LONG)
    row = start + steps
    row -= np.where(row >= count, count, np.uint32(0))
    return np.where(wanted != 0, row, np.uint32(255)).astype(np.uint8).view(np.int8)
