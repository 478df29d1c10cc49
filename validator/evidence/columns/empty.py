"""Columns in which nothing is recorded."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Coded, Hands, Meters
from validator.evidence.handlog.event_values import WIDEST_HAND


def no_numbers(rows: int) -> Ints:
    """Return a column of ABSENT.

    Returns: int64[rows].
    """
    return np.full(rows, ABSENT, np.int64)


def no_names(rows: int) -> Coded:
    """Return a column of text in which nothing is recorded."""
    return Coded(codes=np.full(rows, ABSENT, np.int32), names=())


def no_hands(rows: int) -> Hands:
    """Return hands of which none is recorded."""
    return Hands(cards=np.full((rows, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rows, ABSENT, np.int16))


def no_meters(rounds: int) -> Meters:
    """Return the meters of rounds that have none."""
    nothing = no_numbers(0)
    return Meters(
        offsets=np.zeros(rounds + 1, np.int64),
        round=np.zeros(0, np.int32),
        meter=no_names(0),
        opening=nothing,
        shown=nothing,
        closing=nothing,
    )
