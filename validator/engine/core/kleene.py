"""Three-valued logic and arithmetic on bounds, over whole columns.

The values are ordered no < unknown < yes, so that Kleene's logic is plain arithmetic: "and" is the minimum, "or" the
maximum, "not" is 2 minus the value. Unknown means that the evidence does not show the answer.

Partly known numbers are bounds: of three seats of which one is unknown, two or three may fulfil a condition.
Comparisons use bounds, so that they yield an answer wherever the evidence allows one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Ints32, Truths, are_all, np
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "NO",
    "UNKNOWN",
    "YES",
    "Truths",
    "constant",
    "every",
    "from_flags",
    "from_yes_no",
    "negate",
    "some",
    "take_highest",
    "unknown_where",
    "where_known",
]


def from_flags(values: Flags) -> Truths:
    """Convert flags to yes and no."""
    bits = values.view(np.uint8)
    return bits + bits


def where_known(values: Flags, evident: Flags) -> Truths:
    """Convert flags to yes and no where `evident`, unknown elsewhere."""
    # Combining bits is several times as fast as a choice per item.
    return from_flags(values & evident) | (~evident).view(np.uint8)


def unknown_where(doubtful: Flags, values: Truths) -> Truths:
    """Set truth values to unknown where `doubtful`."""
    bits = doubtful.view(np.uint8)
    return (values & (bits - np.uint8(1))) | bits


def from_yes_no(yes: Flags, no: Flags) -> Truths:
    """Return yes where `yes`, no where `no`, and unknown elsewhere."""
    return from_flags(yes) | (~(yes | no)).view(np.uint8)


def constant(value: int, length: int) -> Truths:
    """Return an array that holds one value throughout."""
    result = np.empty(length, np.uint8)  # `np.full` takes several times as long for few items
    result.fill(value)
    return result


def every(parts: Sequence[Truths]) -> Truths:
    """Return whether all parts hold."""
    return reduce(np.minimum, parts)


def some(parts: Sequence[Truths]) -> Truths:
    """Return whether at least one part holds."""
    return reduce(np.maximum, parts)


def negate(part: Truths) -> Truths:
    """Return the negation of truth values."""
    return np.subtract(np.uint8(YES), part)


def take_highest(values: Truths, owner: Ints32, owners: int) -> Truths:
    """Return the highest value among the items of each owner; NO for an owner without items.

    Args:
        values: value of each item.
        owner: int32[n], owner of each item, in any order.
        owners: number of owners.

    Returns:
        uint8[owners].
    """
    result = np.zeros(owners, np.uint8)
    for value in (UNKNOWN, YES):
        # Assignment in ascending order is many times as fast as a maximum at indices.
        result[owner.compress(values == value)] = value
    return result


UNBOUNDED = 2**61
"""Bound beyond every value that a quantity can have; it marks an unknown bound."""
_MOST_FACTOR = 1000


def exact_bounds(values: Ints) -> Bounds:
    """Return the bounds of known values."""
    return values, values


def bounds_where_known(evident: Flags, values: Ints) -> Bounds:
    """Return the bounds of values that are known where `evident`, and open elsewhere."""
    if are_all(evident):
        return exact_bounds(values)
    return np.where(evident, values, -UNBOUNDED), np.where(evident, values, UNBOUNDED)


def recorded_bounds(values: Ints) -> Bounds:
    """Return the bounds of a column of the log, which are open where it has no value."""
    return bounds_where_known(values != ABSENT, values)


def keep_where_known(least: Ints, most: Ints, evident: Flags) -> Bounds:
    """Return bounds where `evident`, and open bounds elsewhere."""
    if least is most:
        return bounds_where_known(evident, least)
    return np.where(evident, least, -UNBOUNDED), np.where(evident, most, UNBOUNDED)


def clip_to_unbounded(values: NDArray[Any]) -> Ints:
    """Limit values to the range from -UNBOUNDED to UNBOUNDED.

    Returns:
        int64[n].
    """
    return np.clip(values, -UNBOUNDED, UNBOUNDED).astype(np.int64)


def add_bounds(first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of the sum of two quantities."""
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return exact_bounds(clip_to_unbounded(low + least))
    return clip_to_unbounded(low + least), clip_to_unbounded(high + most)


def negate_bounds(bounds: Bounds) -> Bounds:
    """Return the bounds of the negated quantity."""
    low, high = bounds
    return exact_bounds(-low) if low is high else (-high, -low)


def take_smaller(first: Bounds, second: Bounds) -> Bounds:
    """Return the bounds of the smaller of two quantities."""
    (low, high), (least, most) = first, second
    smallest = np.minimum(low, least)
    return smallest, smallest if low is high and least is most else np.minimum(high, most)


def multiply_bounds(bounds: Bounds, by: int) -> Bounds:
    """Return the bounds of a multiple of a quantity, by a factor of at most 1,000."""

    def times(values: Ints) -> Ints:
        near = np.abs(values) < UNBOUNDED // _MOST_FACTOR
        return np.where(near, np.where(near, values, 0) * by, np.sign(values) * UNBOUNDED)

    low, high = bounds
    return exact_bounds(times(low)) if low is high else (times(low), times(high))


def compute_remainder(bounds: Bounds, by: int) -> Bounds:
    """Return the bounds of the remainder of a division; all remainders are possible if a multiple is between the
    bounds.
    """
    low, high = bounds
    if low is high:
        return exact_bounds(low % by)
    apart = low // by != high // by
    return np.where(apart, 0, low % by), np.where(apart, by - 1, high % by)


def are_equal(first: Bounds, second: Bounds) -> Truths:
    """Return whether two quantities are equal.

    Returns:
        uint8[n].
    """
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return from_flags(low == least)
    apart = (high < least) | (low > most)
    return from_yes_no((low == high) & (least == most) & ~apart, apart)


def is_at_least(first: Bounds, second: Bounds) -> Truths:
    """Return whether a quantity is at least as large as another.

    Returns:
        uint8[n].
    """
    (low, high), (least, most) = first, second
    if low is high and least is most:
        return from_flags(low >= least)
    return from_yes_no(low >= most, high < least)
