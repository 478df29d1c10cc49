"""Arithmetic on bounds, which give the least and the largest possible value of each number.

Partly known numbers are bounds: of three seats of which one is unknown, two or three may fulfil a condition.
Comparisons use bounds, so that they yield an answer wherever the evidence allows one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints, Tri
from validator.engine.core.kleene import decided, known

FAR = 2**61
"""Bound beyond every value that a quantity can have; it marks an unknown bound."""
_MOST_FACTOR = 1000


def certain(values: Ints) -> Bounds:
    """Return the bounds of known values."""
    return values, values


def unless(evident: Flags, values: Ints) -> Bounds:
    """Return the bounds of values that are known where `evident`, and open elsewhere."""
    if evident.all():
        return certain(values)
    return np.where(evident, values, -FAR), np.where(evident, values, FAR)


def told(values: Ints) -> Bounds:
    """Return the bounds of a column of the log, which are open where it has no value."""
    return unless(values != ABSENT, values)


def where_told(least: Ints, most: Ints, evident: Flags) -> Bounds:
    """Return bounds where `evident`, and open bounds elsewhere."""
    if least is most:
        return unless(evident, least)
    return np.where(evident, least, -FAR), np.where(evident, most, FAR)


def within(values: NDArray[Any]) -> Ints:
    """Limit values to the range from -UNBOUNDED to UNBOUNDED.

    Returns:
        int64[n].
    """
    return np.clip(values, -FAR, FAR).astype(np.int64)


def added(first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of the sum of two quantities."""
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return certain(within(low + least))
    return within(low + least), within(high + most)


def less(bounds: Bounds) -> Bounds:
    """Return the bounds of the negated quantity."""
    low, high = bounds
    return certain(-low) if low is high else (-high, -low)


def smaller(first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of the smaller of two quantities."""
    (low, high), (least, most) = first, second
    smallest = np.minimum(low, least)
    return smallest, smallest if low is high and least is most else np.minimum(high, most)


def multiple(bounds: Bounds, by: int) -> Bounds:
    """Return the bounds of a multiple of a quantity, by a factor of at most 1,000."""

    def times(values: Ints) -> Ints:
        near = np.abs(values) < FAR // _MOST_FACTOR
        return np.where(near, np.where(near, values, 0) * by, np.sign(values) * FAR)

    low, high = bounds
    return certain(times(low)) if low is high else (times(low), times(high))


def remainder(bounds: Bounds, by: int) -> Bounds:
    """Return the bounds of the remainder of a division; all remainders are possible if a multiple is between the
    bounds.
    """
    low, high = bounds
    if low is high:
        return certain(low % by)
    apart = low // by != high // by
    return np.where(apart, 0, low % by), np.where(apart, by - 1, high % by)


def equal(first: Bounds, second: Bounds) -> Tri:
    """Return whether two quantities are equal.

    Returns:
        uint8[n].
    """
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return known(low == least)
    apart = (high < least) | (low > most)
    return decided((low == high) & (least == most) & ~apart, apart)


def at_least(first: Bounds, second: Bounds) -> Tri:
    """Return whether a quantity is at least as large as another.

    Returns:
        uint8[n].
    """
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return known(low >= least)
    return decided(low >= most, high < least)
