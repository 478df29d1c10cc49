"""Three-valued logic over whole columns.

The values are ordered no < unknown < yes, so that Kleene's logic is plain arithmetic: "and" is the minimum, "or" the
maximum, "not" is 2 minus the value. Unknown means that the evidence does not show the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from validator.arrays import Flags, Ints32, Truths
from validator.text.truth import NO, UNKNOWN, YES

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
    return np.left_shift(values.view(np.uint8), np.uint8(1))


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
    return np.full(length, value, np.uint8)


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
