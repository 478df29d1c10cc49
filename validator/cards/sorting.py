"""Sorting the few cards of each of very many rows, a column at a time."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Codes

Value = TypeVar("Value", bound=np.generic)


@cache
def _exchanges(width: int) -> tuple[tuple[int, int], ...]:
    """The pairs of places which, put in order one after the other, sort any `width` values.

    Batcher's odd-even merge: sorted runs of length 1, 2, 4, … are merged pairwise at shrinking strides.
    """
    found: list[tuple[int, int]] = []
    run = 1
    while run < width:
        stride = run
        while stride:
            for start in range(stride % run, width - stride, 2 * stride):
                found += [
                    (low, low + stride)
                    for low in range(start, min(start + stride, width - stride))
                    if low // (2 * run) == (low + stride) // (2 * run)
                ]
            stride //= 2
        run *= 2
    return tuple(found)


def sorted_columns(rows: Codes) -> Codes:
    """`uint8[m, n]`: the values of each row of `rows` (`uint8[n, m]`) in ascending order down its column."""
    columns = np.array(rows.T, order="C", copy=True)
    sort_down(columns)
    return columns


def sort_down(columns: NDArray[Value]) -> None:
    """Put the values of each column of `columns` (`[m, n]`, m small) in ascending order, in place.

    An exchange is one minimum and one maximum over whole rows of it, which is an order of magnitude faster
    than sorting column by column.
    """
    lower = np.empty(columns.shape[1], columns.dtype)
    for first, second in _exchanges(len(columns)):
        np.minimum(columns[first], columns[second], out=lower)
        np.maximum(columns[first], columns[second], out=columns[second])
        columns[first] = lower
