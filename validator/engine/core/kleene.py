"""Three-valued logic over whole columns.

The values are ordered no < unknown < yes, so that Kleene's logic is plain arithmetic: "and" is the minimum, "or" the
maximum, "not" is 2 minus the value. Unknown means that the evidence does not show the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from validator.arrays import Flags, Ints32, Tri
from validator.text.truth import NO, UNKNOWN, YES

__all__ = [
    "NO",
    "UNKNOWN",
    "YES",
    "Tri",
    "constant",
    "decided",
    "every",
    "highest",
    "known",
    "negated",
    "some",
    "unknown_where",
    "where_known",
]


def known(values: Flags) -> Tri:
    """Convert flags to yes and no."""
    return np.left_shift(values.view(np.uint8), np.uint8(1))


def where_known(values: Flags, evident: Flags) -> Tri:
    """Convert flags to yes and no where `evident`, unknown elsewhere."""
    # Combining bits is several times as fast as a choice per item.
    return known(values & evident) | (~evident).view(np.uint8)


def unknown_where(doubtful: Flags, values: Tri) -> Tri:
    """Set truth values to unknown where `doubtful`."""
    bits = doubtful.view(np.uint8)
    return (values & (bits - np.uint8(1))) | bits


def decided(yes: Flags, no: Flags) -> Tri:
    """Return yes where `yes`, no where `no`, and unknown elsewhere."""
    return known(yes) | (~(yes | no)).view(np.uint8)


def constant(value: int, length: int) -> Tri:
    """Return an array that holds one value throughout."""
    return np.full(length, value, np.uint8)


def every(parts: Sequence[Tri]) -> Tri:
    """Return whether all parts hold."""
    return reduce(np.minimum, parts)


def some(parts: Sequence[Tri]) -> Tri:
    """Return whether at least one part holds."""
    return reduce(np.maximum, parts)


def negated(part: Tri) -> Tri:
    """Return the negation of truth values."""
    return np.subtract(np.uint8(YES), part)


def highest(values: Tri, owner: Ints32, owners: int) -> Tri:
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
