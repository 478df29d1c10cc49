"""Amounts due as whole numbers in parts of a minor unit, multiplied without overflow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import Flags, Ints

Item = TypeVar("Item", bound=np.generic)

MAX_DENOMINATOR = 9 * 10**6
"""Largest rate, and number of parts, with which every amount that evidence can state fits 64 bits."""
OVERFLOW_AMOUNT = 2**62
"""Amount due where the exact amount would overflow; no amount that evidence can state is near it."""


class DueAmounts(Struct, frozen=True, kw_only=True):
    """Amounts due to some stakes, where any of `k` tables may be in use."""

    paid: Ints
    """Amounts due beyond the stakes, in parts of a minor unit, int64[k, n]."""
    taken: Ints
    """Amounts due of the stakes, in minor units, int64[1 or k, n]."""
    denominator: int = 1
    """Number of parts in a minor unit."""
    is_minimum: Flags | None = None
    """True if more may be paid, bool[k, n]; None if nowhere."""
    is_known: Flags | None = None
    """True if the evidence shows the amounts, bool[n]; None if everywhere."""


def build_unknown_due(count: int) -> DueAmounts:
    """Build unknown amounts due for some stakes."""
    none = np.zeros((1, count), np.int64)
    return DueAmounts(paid=none, taken=none, is_known=np.zeros(count, bool))


def multiply_amounts(amounts: Ints, rates: Ints, largest: int) -> Ints:
    """Multiply amounts by rates of at most `largest`; OVERFLOW_AMOUNT if the product does not fit."""
    if largest <= MAX_DENOMINATOR:
        return amounts * rates
    too_much = amounts.astype(np.float64) * rates >= OVERFLOW_AMOUNT
    return np.where(too_much, OVERFLOW_AMOUNT, amounts * np.where(too_much, 0, rates))


def rescale(paid: Ints, factor: int) -> Ints:
    """Convert amounts to smaller parts; OVERFLOW_AMOUNT if the result does not fit."""
    return paid if factor == 1 else np.where(paid > OVERFLOW_AMOUNT // factor, OVERFLOW_AMOUNT, paid * factor)


def repeat_last_row(rows: NDArray[Item], count: int) -> NDArray[Item]:
    """Extend rows of alternatives to a number of rows by repeating the last one."""
    return rows if len(rows) == count else rows[np.minimum(np.arange(count), len(rows) - 1)]
