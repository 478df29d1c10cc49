"""How far rounds, or seats, came in a course: what came of it at all, and what events that may belong to steps leave
open."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.arrays import Flags, Ints, Ints8, alike
from validator.engine.compiled.courses import PreparedCourse
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.course import Taken, in_groups, of_group, owners, places_of, steps_at, taken
from validator.engine.timeline.phases_in_order import stand
from validator.engine.timeline.step_counts import any_doubtful
from validator.engine.timeline.step_events import doubtful_of, events_of, events_perhaps_of
from validator.rules.model.course import Window


@fact
def happened(scope: Scope, name: str) -> tuple[Ints, Ints]:
    """The windows of a course, as bits by their numbers, in which something came, or may have: int64[k], all that come
    up, and int64[rounds or seats], which of them."""
    course, took = scope.prepared.courses[name], taken(scope, name)
    owner, count = owners(scope, course)
    result = np.zeros(count + 1, np.int64)  # the last stands for no seat
    for number, window in enumerate(course.windows):
        came = np.zeros(count + 1, bool)
        came[owner.take(_events_in_window(scope, course, window, took.low))] = True
        result |= came.astype(np.int64) << number
    examples, codes = alike(result[:-1])
    return result[examples], codes


def came_before(scope: Scope, name: str, step: str, boundary: int, *, perhaps: bool) -> Flags:
    """bool[rounds or seats]: whether something of a step came that stands before the phase which begins at a boundary,
    or is out of place. With `perhaps` the events that may belong to the step count."""
    course, took = scope.prepared.courses[name], taken(scope, name)
    owner, count = owners(scope, course)
    chosen = events_perhaps_of(scope, step) if perhaps else events_of(scope, step)
    ahead = took.low[chosen] < boundary
    for number in np.flatnonzero(np.isin(chosen, doubtful_of(scope, step))).tolist():
        ahead[number] = _first_phase(scope, course, took, step, int(chosen[number])) < boundary
    result = np.zeros(count + 1, bool)
    result[owner[chosen[ahead]]] = True
    return result[:-1]


def _first_phase(scope: Scope, course: PreparedCourse, took: Taken, step: str, event: int) -> int:
    """Return the first phase in which an event may stand if it belongs to a step, as of the events that surely came
    before it; the very first where it could stand in none."""
    place = course.places[step]
    events = of_group(took.events, took.owner, int(owners(scope, course)[0][event]))
    earlier = events[events < event]
    reached = int(took.low[earlier].max(initial=0))
    later = place >> reached
    return reached + (later & -later).bit_length() - 1 if later else 0


def begun(scope: Scope, name: str, boundary: int) -> Flags:
    """bool[rounds or seats]: whether something surely came that stands in the phase which begins at a boundary, or
    after it."""
    took = taken(scope, name)
    result = np.zeros(scope.length(scope.prepared.courses[name].course.per), bool)
    result[took.owner.compress(took.low.take(took.events) >= boundary)] = True
    return result


def first_after(scope: Scope, name: str, group: int, boundary: int) -> tuple[int, str] | None:
    """The first event of a round or seat that stands in the phase which begins at a boundary, or after it, and its
    step; None where there is none."""
    took = taken(scope, name)
    events = of_group(took.events, took.owner, group)
    later = events[took.low[events] >= boundary]
    return (int(later[0]), steps_at(scope, scope.prepared.courses[name], int(later[0]))[0]) if len(later) else None


def left_open_at(scope: Scope, name: str, key: bytes, boundaries: Collection[int]) -> Flags:
    """bool[rounds or seats]: whether events that may or may not belong to steps of a course leave open whether a check
    finds something out of place at its boundaries."""
    course = scope.prepared.courses[name]
    owner, count = owners(scope, course)
    result = np.zeros(count + 1, bool)
    if any_doubtful(scope, list(course.places)):
        low, high, _ = _perhaps(scope, name)
        for boundary in boundaries:
            for sides in course.sides(boundary, key):
                before, after = (
                    [_standing(scope, course.windows[number], low, high) for number in side] or [np.zeros(0, np.int64)]
                    for side in sides
                )
                last, first = np.full(count + 1, -1, np.int64), np.full(count + 1, np.iinfo(np.int64).max)
                for events in before:
                    np.maximum.at(last, owner[events], events)
                for events in after:
                    np.minimum.at(first, owner[events], events)
                result |= last > first
    return result[:-1]


@fact
def _perhaps(scope: Scope, name: str) -> tuple[Ints8, Ints8, Ints]:
    """As `stand`, every event taken for one of each step that it may belong to; what is out of place as it is stands
    anywhere."""
    course = scope.prepared.courses[name]
    places = places_of(scope, name, perhaps=True)
    took = taken(scope, name)
    places[[lapse.event for lapse in took.lapses]] = course.everywhere
    return stand(course, places, *in_groups(scope, course, places, took.applies))


def _standing(scope: Scope, window: Window, low: Ints8, high: Ints8) -> Ints:
    """int64[m]: the events that may belong to a step and then are within one of its windows."""
    chosen = events_perhaps_of(scope, window.step)
    return chosen[(low[chosen] >= window.low) & (high[chosen] <= window.high)]


def _events_in_window(scope: Scope, course: PreparedCourse, window: Window, low: Ints8) -> Ints:
    chosen = events_perhaps_of(scope, window.step)
    if sum(other.step == window.step for other in course.windows) == 1:
        return chosen
    return chosen[(low[chosen] >= window.low) & (low[chosen] <= window.high)]
