"""Bounds of numbers: the least and the most they may be, and how bounds are reckoned with.

What is not fully known lies between two bounds: of three seats of which one is unknown, two or three may fulfil a
condition. Bounds are what is compared, so that an answer is found wherever the evidence allows one. Both are one
array where all is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints, Tri
from validator.engine.core import kleene

FAR = 2**61
"""Beyond every number a quantity can come to: the bound where none is known."""
_MOST_FACTOR = 1000


def certain(values: Ints) -> Bounds:
    """Values that are known."""
    return values, values


def unless(evident: Flags, values: Ints) -> Bounds:
    """Values where they are evident, anything elsewhere."""
    if evident.all():
        return certain(values)
    return np.where(evident, values, -FAR), np.where(evident, values, FAR)


def told(values: Ints) -> Bounds:
    """A column of the log, anything where it says nothing."""
    return unless(values != ABSENT, values)


def where_told(least: Ints, most: Ints, evident: Flags) -> Bounds:
    """Bounds where they are evident, anything elsewhere."""
    if least is most:
        return unless(evident, least)
    return np.where(evident, least, -FAR), np.where(evident, most, FAR)


def within(values: NDArray[Any]) -> Ints:
    """int64[n]: values, none of them farther out than `FAR`."""
    return np.clip(values, -FAR, FAR).astype(np.int64)


def added(first: Bounds, second: Bounds) -> Bounds:
    """The sum of two."""
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return certain(within(low + least))
    return within(low + least), within(high + most)


def less(of: Bounds) -> Bounds:
    """The negative of one."""
    low, high = of
    return certain(-low) if low is high else (-high, -low)


def smaller(first: Bounds, second: Bounds) -> Bounds:
    """The smaller of two."""
    (low, high), (least, most) = first, second
    smallest = np.minimum(low, least)
    return smallest, smallest if low is high and least is most else np.minimum(high, most)


def multiple(of: Bounds, by: int) -> Bounds:
    """One so many times over, at most 1,000."""

    def times(values: Ints) -> Ints:
        near = np.abs(values) < FAR // _MOST_FACTOR
        return np.where(near, np.where(near, values, 0) * by, np.sign(values) * FAR)

    low, high = of
    return certain(times(low)) if low is high else (times(low), times(high))


def remainder(of: Bounds, by: int) -> Bounds:
    """What is left of one that is divided; anything that can be left where it lies on both sides of a multiple."""
    low, high = of
    if low is high:
        return certain(low % by)
    apart = low // by != high // by
    return np.where(apart, 0, low % by), np.where(apart, by - 1, high % by)


def equal(first: Bounds, second: Bounds) -> Tri:
    """uint8[n]: whether two are the same."""
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return kleene.known(low == least)
    apart = (high < least) | (low > most)
    return kleene.decided((low == high) & (least == most) & ~apart, apart)


def at_least(first: Bounds, second: Bounds) -> Tri:
    """uint8[n]: whether one is no less than the other."""
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return kleene.known(low >= least)
    return kleene.decided(low >= most, high < least)
