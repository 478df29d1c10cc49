"""Numbers that stand for names, by which rounds and players are known again without the text being kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import Identities
from validator.evidence.columns.batch import Coded

_STEP = np.uint64(0x9E3779B97F4A7C15)


def numbers_of(texts: Sequence[str]) -> Identities:
    """uint64[n]: numbers that stand for texts, 0 for an empty one: a polynomial of their characters modulo 2**64."""
    wide = np.array([*texts, ""], np.str_)
    letters = wide.view(np.uint32).reshape(len(wide), -1).astype(np.uint64)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    found = np.zeros(len(texts), np.uint64)
    for place, column in enumerate(letters[:-1].T):
        # A text may hold the character zero, with which shorter ones are filled up here.
        found = np.where(place < lengths, found * _STEP + column + np.uint64(1), found)
    return found


def numbers_of_column(column: Coded) -> Identities:
    """uint64[n]: numbers that stand for the texts of a column, 0 where there is none."""
    return numbers_of([*column.names, ""])[column.codes]
