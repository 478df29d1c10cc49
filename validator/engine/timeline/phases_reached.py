"""Progress of rounds, or seats, in a course: which windows have events, and what ambiguous events leave open."""

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
    """Return the windows of a course that have events, or may have, as bits.

    Returns:
        int64[k], the sets that occur; int64[rounds or seats], which of them each round or seat has.
    """
    course, alignment = scope.prepared.courses[name], taken(scope, name)
    owner, count = owners(scope, course)
    result = np.zeros(count + 1, np.int64)  # the last entry is for no seat
    for number, window in enumerate(course.windows):
        has_event = np.zeros(count + 1, bool)
        has_event[owner.take(_events_in_window(scope, course, window, alignment.low))] = True
        result |= has_event.astype(np.int64) << number
    examples, codes = alike(result[:-1])
    return result[examples], codes


def came_before(scope: Scope, name: str, step: str, boundary: int, *, perhaps: bool) -> Flags:
    """Return whether a step has an event before a boundary, or one that is out of order.

    Args:
        perhaps: count events that may belong to the step.

    Returns:
        bool[rounds or seats].
    """
    course, alignment = scope.prepared.courses[name], taken(scope, name)
    owner, count = owners(scope, course)
    chosen = events_perhaps_of(scope, step) if perhaps else events_of(scope, step)
    ahead = alignment.low[chosen] < boundary
    for number in np.flatnonzero(np.isin(chosen, doubtful_of(scope, step))).tolist():
        ahead[number] = _first_phase(scope, course, alignment, step, int(chosen[number])) < boundary
    result = np.zeros(count + 1, bool)
    result[owner[chosen[ahead]]] = True
    return result[:-1]


def _first_phase(scope: Scope, course: PreparedCourse, alignment: Taken, step: str, event: int) -> int:
    """Return the first phase in which an event may be if it belongs to a step, given the certain events before it.

    The result is 0 if the event could be in no phase.
    """
    place = course.places[step]
    events = of_group(alignment.events, alignment.owner, int(owners(scope, course)[0][event]))
    earlier = events[events < event]
    reached = int(alignment.low[earlier].max(initial=0))
    later = place >> reached
    return reached + (later & -later).bit_length() - 1 if later else 0


def begun(scope: Scope, name: str, boundary: int) -> Flags:
    """Return whether some event is surely in the phase at a boundary, or later.

    Returns:
        bool[rounds or seats].
    """
    alignment = taken(scope, name)
    result = np.zeros(scope.length(scope.prepared.courses[name].course.per), bool)
    result[alignment.owner.compress(alignment.low.take(alignment.events) >= boundary)] = True
    return result


def first_after(scope: Scope, name: str, group: int, boundary: int) -> tuple[int, str] | None:
    """Return the first event of a round or seat in the phase at a boundary or later, and its step; None if there is
    none.
    """
    alignment = taken(scope, name)
    events = of_group(alignment.events, alignment.owner, group)
    later = events[alignment.low[events] >= boundary]
    return (int(later[0]), steps_at(scope, scope.prepared.courses[name], int(later[0]))[0]) if len(later) else None


def left_open_at(scope: Scope, name: str, key: bytes, boundaries: Collection[int]) -> Flags:
    """Return whether ambiguous events leave open whether a check reports an event at its boundaries.

    Returns:
        bool[rounds or seats].
    """
    course = scope.prepared.courses[name]
    owner, count = owners(scope, course)
    result = np.zeros(count + 1, bool)
    if any_doubtful(scope, list(course.places)):
        low, high, _ = _assign_possible_phases(scope, name)
        for boundary in boundaries:
            for sides in course.sides(boundary, key):
                before, after = (
                    [_find_possible_events(scope, course.windows[number], low, high) for number in side]
                    or [np.zeros(0, np.int64)]
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
def _assign_possible_phases(scope: Scope, name: str) -> tuple[Ints8, Ints8, Ints]:
    """Assign phases as `earliest_phases`, counting each ambiguous event for all its steps.

    Events that are out of order may be in any phase.
    """
    course = scope.prepared.courses[name]
    places = places_of(scope, name, perhaps=True)
    alignment = taken(scope, name)
    places[[lapse.event for lapse in alignment.lapses]] = course.everywhere
    return stand(course, places, *in_groups(scope, course, places, alignment.applies))


def _find_possible_events(scope: Scope, window: Window, low: Ints8, high: Ints8) -> Ints:
    """Return the events that may belong to a step and then are inside a window."""
    chosen = events_perhaps_of(scope, window.step)
    return chosen[(low[chosen] >= window.low) & (high[chosen] <= window.high)]


def _events_in_window(scope: Scope, course: PreparedCourse, window: Window, low: Ints8) -> Ints:
    chosen = events_perhaps_of(scope, window.step)
    if sum(other.step == window.step for other in course.windows) == 1:
        return chosen
    return chosen[(low[chosen] >= window.low) & (low[chosen] <= window.high)]
