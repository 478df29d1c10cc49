"""Assignment of events to the phases of a course: the earliest possible phases, or the fewest events out of order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from validator.arrays import Ints, Ints8, Ints16, Ints32, find_distinct
from validator.engine.compiled.courses import CompiledCourse


def earliest_phases(course: CompiledCourse, places: Ints16, chosen: Ints, owner: Ints32) -> tuple[Ints8, Ints8, Ints]:
    """Assign each event to the earliest run of phases that the events before it allow.

    The phase reached never decreases, so it is the running maximum of the first phases. The number of the round above
    them restarts it in each round.

    Returns:
        int8[events] each, the first and the last phase of the run; then the rounds or seats in which an event has no
        phase, ascending.
    """
    place = places.take(chosen)
    runs, width = course.phase_runs, np.int64(len(course.course.phases))
    first, last = runs.first_phase.take(place), runs.last_phase.take(place)
    base = owner.astype(np.int64) * width
    reached = np.maximum.accumulate(base + first)
    late = np.flatnonzero(reached > base + last)
    while len(onward := late[runs.remaining.take(place.take(late)) > 0]):
        place[onward] = runs.remaining.take(place.take(onward))
        first[onward], last[onward] = (
            runs.first_phase.take(place.take(onward)),
            runs.last_phase.take(place.take(onward)),
        )
        reached = np.maximum.accumulate(base + first)
        late = np.flatnonzero(reached > base + last)
    low, high = np.zeros(len(places), np.int8), np.full(len(places), width - 1, np.int8)
    low[chosen], high[chosen] = first, last
    return low, high, find_distinct(owner.take(late)).astype(np.int64)


def find_phase_windows(course: CompiledCourse, places: Ints16, phases: Ints) -> tuple[Ints8, Ints8]:
    """Return the runs of phases that contain the given phases, as `earliest_phases` returns them."""
    place = places.copy()
    while len(onward := np.flatnonzero(course.phase_runs.last_phase.take(place) < phases)):
        place[onward] = course.phase_runs.remaining.take(place.take(onward))
    return course.phase_runs.first_phase.take(place), course.phase_runs.last_phase.take(place)


def find_ordered_phases(places: Sequence[int]) -> list[int]:
    """Return the phase of each event in the largest set that is in order; -1 for the others, which are out of order.

    Of several largest sets, choose one that leaves out the fewest early events. The late event is then out of order,
    and not the events that could not wait for it. Of these sets, choose one that ends in the earliest phase. The result
    depends on the given events only.

    Args:
        places: phases of each event, as bits, in log order; phase 0 is bit 0, and phases must not decrease.
    """
    blocks = [(place, len(list(run))) for place, run in groupby(places)]  # adjacent equal events stay together
    # By the phase reached: events out of order, early ones among them, and the phase of each block, last first.
    best: dict[int, tuple[tuple[int, int], Any]] = {0: ((0, 0), None)}
    for place, count in blocks:
        reached: dict[int, tuple[tuple[int, int], Any]] = {}
        for phase in sorted(best):
            (lost, early), chain = best[phase]
            later = place >> phase
            if later:
                next_phase = phase + (later & -later).bit_length() - 1
                _keep_better(reached, next_phase, (lost, early), (next_phase, chain))
            early_count = 0 if place & ((2 << phase) - 1) else count
            _keep_better(reached, phase, (lost + count, early + early_count), (-1, chain))
        best = reached
    chain = best[min(best, key=lambda phase: (best[phase][0], phase))][1]
    result: list[int] = []
    for _, count in reversed(blocks):
        next_phase, chain = chain
        result.extend([next_phase] * count)
    return result[::-1]


def _keep_better(
    reached: dict[int, tuple[tuple[int, int], Any]], phase: int, cost: tuple[int, int], chain: tuple[int, Any]
) -> None:
    if phase not in reached or cost < reached[phase][0]:
        reached[phase] = cost, chain
