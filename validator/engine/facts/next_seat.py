"""Seats clockwise, the next one and those between two: they are numbered that way, and after the highest number comes
the lowest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.intervals import unless
from validator.engine.seats.seat_order import seats_follow
from validator.evidence.handlog.event_values import HIGHEST_SEAT


def next_seat(scope: Scope, start: Bounds) -> Bounds:
    """Return the number of the next seat of each round among those that take part.

    It is unknown where the number before it is, and where seats may follow after the record stops.
    """
    low, high = start
    seats = scope.batch.seats
    number = next_numbers(seats.round[seats.playing], seats.number[seats.playing], np.where(low == high, low, 0))
    return unless((low == high) & (number != ABSENT) & ~seats_follow(scope), number)


def next_numbers(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints) -> Ints:
    """int64[rounds]: the number of the seat that comes next after a seat number (`start`, one a round) among some
    seats, told by the round they belong to and their number; ABSENT where a round has none."""
    around = HIGHEST_SEAT + 1
    steps = np.full(len(start), around, np.int64)
    np.minimum.at(steps, owner, (number.astype(np.int64) - start[owner] - 1) % around)
    return np.where(steps < around, (start + 1 + steps) % around, ABSENT)


def lie_between(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints, end: Ints) -> Flags:
    """bool[seats]: which seats, told by their round and their number, one comes by clockwise on the way from one seat
    number to another (`start` and `end`, one a round), neither of them counted; once round the table where both are
    one."""
    around = HIGHEST_SEAT + 1
    result: Flags = (number - start[owner] - 1) % around < (end - start - 1)[owner] % around
    return result
