"""Hashes by which rounds and players are recognised without their text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import Identities
from validator.evidence.columns.batch import Coded

_STEP = np.uint64(0x9E3779B97F4A7C15)


def numbers_of(texts: Sequence[str]) -> Identities:
    """Hash texts to numbers, 0 for an empty text: a polynomial of the characters modulo 2**64.

    Returns: uint64[n].
    """
    wide = np.array([*texts, ""], np.str_)
    letters = wide.view(np.uint32).reshape(len(wide), -1).astype(np.uint64)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    hashes = np.zeros(len(texts), np.uint64)
    for place, column in enumerate(letters[:-1].T):
        # A text may contain the character zero, which also pads shorter texts here.
        hashes = np.where(place < lengths, hashes * _STEP + column + np.uint64(1), hashes)
    return hashes


def numbers_of_column(column: Coded) -> Identities:
    """Hash the texts of a column, 0 if nothing is recorded.

    Returns: uint64[n].
    """
    return numbers_of([*column.names, ""])[column.codes]
