"""Sorting of the few cards in each of very many rows, a column at a time."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Codes

Value = TypeVar("Value", bound=np.generic)


@cache
def _list_exchanges(width: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of places which, exchanged in order, sort any `width` values.

    This is Batcher's odd-even merge: sorted runs of length 1, 2, 4, … are merged pairwise at shrinking strides.
    """
    exchanges: list[tuple[int, int]] = []
    run = 1
    while run < width:
        stride = run
        while stride:
            for start in range(stride % run, width - stride, 2 * stride):
                exchanges += [
                    (low, low + stride)
                    for low in range(start, min(start + stride, width - stride))
                    if low // (2 * run) == (low + stride) // (2 * run)
                ]
            stride //= 2
        run *= 2
    return tuple(exchanges)


def sorted_columns(rows: Codes) -> Codes:
    """Sort the values of each row of `rows` (uint8[n, m]) in ascending order down its column.

    Returns: uint8[m, n].
    """
    columns = np.array(rows.T, order="C", copy=True)
    sort_down(columns)
    return columns


def sort_down(columns: NDArray[Value]) -> None:
    """Sort the values of each column of `columns` ([m, n], m small) in ascending order, in place.

    An exchange is one minimum and one maximum over whole rows, ten times as fast as to sort column by column.
    """
    lower = np.empty(columns.shape[1], columns.dtype)
    for first, second in _list_exchanges(len(columns)):
        np.minimum(columns[first], columns[second], out=lower)
        np.maximum(columns[first], columns[second], out=columns[second])
        columns[first] = lower
