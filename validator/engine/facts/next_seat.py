"""Next seat clockwise, and the seats between two seats. Seat numbers ascend clockwise and wrap around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import EvaluationContext
from validator.engine.core.intervals import bounds_where_known
from validator.engine.seats.seat_order import may_seats_follow
from validator.evidence.handlog.event_values import HIGHEST_SEAT


def find_next_seat(scope: EvaluationContext, start: Bounds) -> Bounds:
    """Return the number of the next playing seat in each round.

    It is unknown if the number before it is, or if seats may follow after a truncated record.
    """
    low, high = start
    seats = scope.batch.seats
    number = find_next_numbers(seats.round[seats.playing], seats.number[seats.playing], np.where(low == high, low, 0))
    return bounds_where_known((low == high) & (number != ABSENT) & ~may_seats_follow(scope), number)


def find_next_numbers(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints) -> Ints:
    """Return the next seat number clockwise after a seat number, among some seats; ABSENT if there is none.

    Args:
        owner: the round of each seat.
        number: the number of each seat.
        start: int64[rounds], the seat numbers to start from.

    Returns:
        int64[rounds].
    """
    around = HIGHEST_SEAT + 1
    steps = np.full(len(start), around, np.int64)
    np.minimum.at(steps, owner, (number.astype(np.int64) - start[owner] - 1) % around)
    return np.where(steps < around, (start + 1 + steps) % around, ABSENT)


def is_seat_between(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints, end: Ints) -> Flags:
    """Return whether each seat is clockwise between two seat numbers, both excluded.

    If both numbers are the same, all other seats are between them.

    Args:
        owner: the round of each seat.
        number: the number of each seat.
        start: int64[rounds], the first seat number.
        end: int64[rounds], the second seat number.

    Returns:
        bool[seats].
    """
    around = HIGHEST_SEAT + 1
    result: Flags = (number - start[owner] - 1) % around < (end - start - 1)[owner] % around
    return result
