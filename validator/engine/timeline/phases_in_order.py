"""Where events stand in the phases of a course: as early as those before them let them, or the fewest out of place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from validator.arrays import Ints, Ints8, Ints16, Ints32, distinct
from validator.engine.compiled.courses import PreparedCourse


def stand(course: PreparedCourse, places: Ints16, chosen: Ints, owner: Ints32) -> tuple[Ints8, Ints8, Ints]:
    """int8[events] both: the first and the last of the neighbouring phases where each event stands, if every event
    stands as early as those before it let it; and the rounds or seats in which one cannot, rising.

    A phase reached never falls, so it is the running maximum of the first phases, with the number of the round above
    them that it begin anew with each.
    """
    place = places.take(chosen)
    runs, width = course.runs, np.int64(len(course.course.phases))
    first, last = runs.low.take(place), runs.high.take(place)
    base = owner.astype(np.int64) * width
    reached = np.maximum.accumulate(base + first)
    late = np.flatnonzero(reached > base + last)
    while len(onward := late[runs.rest.take(place.take(late)) > 0]):
        place[onward] = runs.rest.take(place.take(onward))
        first[onward], last[onward] = runs.low.take(place.take(onward)), runs.high.take(place.take(onward))
        reached = np.maximum.accumulate(base + first)
        late = np.flatnonzero(reached > base + last)
    low, high = np.zeros(len(places), np.int8), np.full(len(places), width - 1, np.int8)
    low[chosen], high[chosen] = first, last
    return low, high, distinct(owner.take(late)).astype(np.int64)


def windows_at(course: PreparedCourse, places: Ints16, phases: Ints) -> tuple[Ints8, Ints8]:
    """The neighbouring phases of some places within which some phases lie, as `stand` has them."""
    place = places.copy()
    while len(onward := np.flatnonzero(course.runs.high.take(place) < phases)):
        place[onward] = course.runs.rest.take(place.take(onward))
    return course.runs.low.take(place), course.runs.high.take(place)


def largest_in_order(places: Sequence[int]) -> list[int]:
    """The phase in which each of some events stands, those of the largest set that can stand in order, and -1 for the
    others, which are out of place.

    `places` are the phases where each event may stand, as bits, the first phase being 1, in log order; phases must not
    fall. Of several largest sets it is one that leaves out the fewest events which came before their time, so that who
    is late is out of place, and not what could not wait for it; of those, one that ends in the earliest phase. It
    depends on nothing but the events given.
    """
    blocks = [(place, len(list(run))) for place, run in groupby(places)]  # alike and side by side, they stand together
    # By the phase reached: how many are out of place, how many of them early, and where each block stands, last first.
    best: dict[int, tuple[tuple[int, int], Any]] = {0: ((0, 0), None)}
    for place, count in blocks:
        reached: dict[int, tuple[tuple[int, int], Any]] = {}
        for phase in sorted(best):
            (lost, early), chain = best[phase]
            open_ = place >> phase
            if open_:
                stands = phase + (open_ & -open_).bit_length() - 1
                _offer(reached, stands, (lost, early), (stands, chain))
            waits = 0 if place & ((2 << phase) - 1) else count
            _offer(reached, phase, (lost + count, early + waits), (-1, chain))
        best = reached
    chain = best[min(best, key=lambda phase: (best[phase][0], phase))][1]
    result: list[int] = []
    for _, count in reversed(blocks):
        stands, chain = chain
        result.extend([stands] * count)
    return result[::-1]


def _offer(
    reached: dict[int, tuple[tuple[int, int], Any]], phase: int, cost: tuple[int, int], chain: tuple[int, Any]
) -> None:
    if phase not in reached or cost < reached[phase][0]:
        reached[phase] = cost, chain
