"""Bounds of numbers: the least and the most they may be, and how bounds are reckoned with.

What is not fully known lies between two bounds: of three seats of which one is unknown, two or three may fulfil a
condition. Bounds are what is compared, so that an answer is found wherever the evidence allows one. Both are one
array where all is known.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints
from validator.rules.conditions.conditions import Quantity

Bounds = tuple[Ints, Ints]

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


def within(values: NDArray[Any]) -> Ints:
    """int64[n]: values, none of them farther out than `FAR`."""
    return np.clip(values, -FAR, FAR).astype(np.int64)


def reckoned(quantity: Quantity, parts: list[Bounds]) -> Bounds:
    """A quantity that is worked out from others (`Quantity.parts`), from the bounds of these."""
    match quantity.operator:
        case "sum":
            return reduce(_added, parts)
        case "smaller":
            return reduce(_smaller, parts)
        case "difference":
            return _added(parts[0], _less(parts[1]))
        case _:
            return _multiple(parts[0], quantity.operand.by)


def _added(one: Bounds, other: Bounds) -> Bounds:
    (low, high), (least, most) = one, other
    if low is high and least is most:
        return certain(within(low + least))
    return within(low + least), within(high + most)


def _less(of: Bounds) -> Bounds:
    low, high = of
    return certain(-low) if low is high else (-high, -low)


def _smaller(one: Bounds, other: Bounds) -> Bounds:
    (low, high), (least, most) = one, other
    smallest = np.minimum(low, least)
    return smallest, smallest if low is high and least is most else np.minimum(high, most)


def _multiple(of: Bounds, by: int) -> Bounds:
    def multiple(values: Ints) -> Ints:
        near = np.abs(values) < FAR // _MOST_FACTOR
        return np.where(near, np.where(near, values, 0) * by, np.sign(values) * FAR)

    low, high = of
    return certain(multiple(low)) if low is high else (multiple(low), multiple(high))
