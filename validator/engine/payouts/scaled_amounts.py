"""What is due, as it is worked out: whole amounts in parts of a minor unit, multiplied without running over."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import Flags, Ints

Item = TypeVar("Item", bound=np.generic)

MOST_PER = 9 * 10**6
"""The largest rate, and the most parts of a minor unit, by which any amount that evidence can state still fits 64
bits."""
MOST = 2**62
"""What is due where it would be more than fits; no amount that evidence can state comes near it."""


class Award(Struct, frozen=True, kw_only=True):
    """What is due to some stakes, where any of `k` tables may be in use.

    `paid`, int64[k, n], is what is due beyond the stake in units of 1 / `per` of a minor unit; `taken`, int64[1 or
    k, n], what is due of the stake, in minor units. `floor`, bool[k, n], says where more may be paid; None is
    nowhere. `evident`, bool[n], is whether the evidence shows it; None is everywhere.
    """

    paid: Ints
    taken: Ints
    per: int = 1
    floor: Flags | None = None
    evident: Flags | None = None


def nothing_evident(count: int) -> Award:
    """What cannot be told of so many stakes."""
    none = np.zeros((1, count), np.int64)
    return Award(paid=none, taken=none, evident=np.zeros(count, bool))


def times(amounts: Ints, rates: Ints, largest: int) -> Ints:
    """Amounts that evidence can state by rates of which none is above `largest`; `MOST` where that does not fit."""
    if largest <= MOST_PER:
        return amounts * rates
    too_much = amounts.astype(np.float64) * rates >= MOST
    return np.where(too_much, MOST, amounts * np.where(too_much, 0, rates))


def rescaled(paid: Ints, factor: int) -> Ints:
    """Amounts in parts that are smaller by a whole factor; `MOST` where that does not fit."""
    return paid if factor == 1 else np.where(paid > MOST // factor, MOST, paid * factor)


def widened(rows: NDArray[Item], count: int) -> NDArray[Item]:
    """Rows of alternatives made as many as `count`, the last one repeated."""
    return rows if len(rows) == count else rows[np.minimum(np.arange(count), len(rows) - 1)]
