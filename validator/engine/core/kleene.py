"""Yes, no and unknown over whole columns.

The values are ordered no < unknown < yes, so that Kleene's logic is plain arithmetic: and is the minimum,
or the maximum, not is 2 minus the value. Unknown is what the evidence does not show.
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
    """Truth values as yes and no."""
    return np.left_shift(values.view(np.uint8), np.uint8(1))


def where_known(values: Flags, evident: Flags) -> Tri:
    """Truth values where `evident`, unknown elsewhere."""
    # Bits put together are several times as fast as a choice item by item.
    return known(values & evident) | (~evident).view(np.uint8)


def unknown_where(doubtful: Flags, values: Tri) -> Tri:
    """Truth values, unknown where `doubtful`."""
    bits = doubtful.view(np.uint8)
    return (values & (bits - np.uint8(1))) | bits


def decided(yes: Flags, no: Flags) -> Tri:
    """Yes and no where they are so, unknown where neither is."""
    return known(yes) | (~(yes | no)).view(np.uint8)


def constant(value: int, length: int) -> Tri:
    """One value throughout."""
    return np.full(length, value, np.uint8)


def every(parts: Sequence[Tri]) -> Tri:
    """Whether all hold."""
    return reduce(np.minimum, parts)


def some(parts: Sequence[Tri]) -> Tri:
    """Whether at least one holds."""
    return reduce(np.maximum, parts)


def negated(part: Tri) -> Tri:
    """Whether it does not hold."""
    return np.subtract(np.uint8(YES), part)


def highest(values: Tri, owner: Ints32, owners: int) -> Tri:
    """uint8[owners]: the highest value of each owner's items, NO for those that own none.

    `owner` is int32[n], the owner of each item, in any order.
    """
    result = np.zeros(owners, np.uint8)
    for value in (UNKNOWN, YES):
        # Plain assignment in ascending order is many times as fast as a maximum at indices.
        result[owner.compress(values == value)] = value
    return result
