"""Types of arrays, each by what it holds; every one has as many dimensions as its docstring or field says. And what is
asked of them everywhere."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer)

Ints: TypeAlias = NDArray[np.int64]
"""Amounts in minor currency units, counts, and indices that are computed with."""
Ints32: TypeAlias = NDArray[np.int32]
"""Rows of tables, codes of names, strengths of hands."""
Ints16: TypeAlias = NDArray[np.int16]
"""Small counts."""
Ints8: TypeAlias = NDArray[np.int8]
"""Very small numbers: seats of a table, kinds, answers that may be missing."""
Indices: TypeAlias = NDArray[np.intp]
"""Positions as NumPy finds them."""
Codes: TypeAlias = NDArray[np.uint8]
"""Numbers that stand for something by a list beside them."""
Cards: TypeAlias = NDArray[np.uint8]
"""Card codes."""
Tri: TypeAlias = NDArray[np.uint8]
"""No, unknown, yes as 0, 1, 2."""
Statuses: TypeAlias = NDArray[np.uint8]
"""Statuses of a requirement, by `audit.statuses.status_codes`."""
Identities: TypeAlias = NDArray[np.uint64]
"""Numbers by which names are known again without keeping them."""
Flags: TypeAlias = NDArray[np.bool_]
"""Yes or no."""
Reals: TypeAlias = NDArray[np.float64]
"""Mean values and chances; counts in products of matrices, which are exact below 2^53."""
Bits32: TypeAlias = NDArray[np.uint32]
"""Sets of up to 32 things, a bit each."""
Bits64: TypeAlias = NDArray[np.uint64]
"""Sets of up to 64 things, a bit each."""

Bounds: TypeAlias = tuple[Ints, Ints]
"""The least and the most that numbers may be; one array twice where all is known (`engine.core.intervals`)."""
Column: TypeAlias = tuple[str, NDArray[Any]]
"""What rounds or seats show of a part of a statement, by the name of the part."""

ABSENT = -1
"""No value among numbers that are otherwise not negative: an amount that is not recorded, the row of no seat, the code
of no name, the strength of a hand that is not known or not complete."""


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The different ones of some whole numbers, rising. `np.unique` would import what it knows of masked arrays, which
    takes as long as to judge a round."""
    rising = np.sort(numbers)
    fresh = np.ones(len(rising), bool)
    fresh[1:] = rising[1:] != rising[:-1]
    return rising[fresh]


def is_among(numbers: Ints, others: Ints) -> Flags:
    """Return which numbers are among others, bool[n]. Unlike `np.isin` it never imports what NumPy knows of masked
    arrays, and takes no longer where the numbers lie far apart."""
    rising = np.append(np.sort(others), np.iinfo(np.int64).max)
    return rising[np.searchsorted(rising[:-1], numbers)] == numbers


_FEW = 64
"""So many different numbers are looked for one by one, which is faster than to sort all."""


def alike(numbers: Ints) -> tuple[Ints, Ints]:
    """int64[k]: where each of the different ones of some numbers stands, once; int64[n]: which of them each number is.
    In no order that says anything, and fastest where few are different."""
    result, left = np.empty(len(numbers), np.int64), np.arange(len(numbers))
    examples: list[int] = []
    while len(left):
        if len(examples) == _FEW:
            _, first, result = np.unique(numbers, return_index=True, return_inverse=True)
            return first, result.reshape(-1)
        same = numbers.take(left) == numbers[left[0]]
        result[left.compress(same)] = len(examples)
        examples.append(int(left[0]))
        left = left.compress(~same)
    return np.array(examples, np.int64), result
