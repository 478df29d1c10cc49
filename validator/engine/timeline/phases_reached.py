"""Progress of rounds, or seats, in a course: which windows have events, and what ambiguous events leave open."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.arrays import Flags, Ints, Ints8, group_equal
from validator.engine.compiled.courses import CompiledCourse
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.course import (
    CourseAlignment,
    align_course,
    allowed_phases,
    event_owners,
    events_of_group,
    group_events,
    steps_of_event,
)
from validator.engine.timeline.phases_in_order import earliest_phases
from validator.engine.timeline.step_counts import has_ambiguous_events
from validator.engine.timeline.step_events import ambiguous_events, certain_events, possible_events
from validator.rules.model.course import PhaseWindow


@cached_fact
def find_windows_with_events(scope: EvaluationContext, name: str) -> tuple[Ints, Ints]:
    """Return the windows of a course that have events, or may have, as bits.

    Returns:
        int64[k], the sets that occur; int64[rounds or seats], which of them each round or seat has.
    """
    course, alignment = scope.compiled_game.courses[name], align_course(scope, name)
    owner, count = event_owners(scope, course)
    result = np.zeros(count + 1, np.int64)  # the last entry is for no seat
    for number, window in enumerate(course.windows):
        has_event = np.zeros(count + 1, bool)
        has_event[owner.take(_events_in_window(scope, course, window, alignment.first_phase))] = True
        result |= has_event.astype(np.int64) << number
    examples, codes = group_equal(result[:-1])
    return result[examples], codes


def has_event_before(scope: EvaluationContext, name: str, step: str, boundary: int, *, perhaps: bool) -> Flags:
    """Return whether a step has an event before a boundary, or one that is out of order.

    Args:
        perhaps: count events that may belong to the step.

    Returns:
        bool[rounds or seats].
    """
    course, alignment = scope.compiled_game.courses[name], align_course(scope, name)
    owner, count = event_owners(scope, course)
    chosen = possible_events(scope, step) if perhaps else certain_events(scope, step)
    ahead = alignment.first_phase[chosen] < boundary
    for number in np.flatnonzero(np.isin(chosen, ambiguous_events(scope, step))).tolist():
        ahead[number] = _first_phase(scope, course, alignment, step, int(chosen[number])) < boundary
    result = np.zeros(count + 1, bool)
    result[owner[chosen[ahead]]] = True
    return result[:-1]


def _first_phase(
    scope: EvaluationContext, course: CompiledCourse, alignment: CourseAlignment, step: str, event: int
) -> int:
    """Return the first phase in which an event may be if it belongs to a step, given the certain events before it.

    The result is 0 if the event could be in no phase.
    """
    place = course.step_phases[step]
    events = events_of_group(alignment.events, alignment.owner, int(event_owners(scope, course)[0][event]))
    earlier = events[events < event]
    reached = int(alignment.first_phase[earlier].max(initial=0))
    later = place >> reached
    return reached + (later & -later).bit_length() - 1 if later else 0


def has_begun(scope: EvaluationContext, name: str, boundary: int) -> Flags:
    """Return whether some event is surely in the phase at a boundary, or later.

    Returns:
        bool[rounds or seats].
    """
    alignment = align_course(scope, name)
    result = np.zeros(scope.count_items(scope.compiled_game.courses[name].course.per), bool)
    result[alignment.owner.compress(alignment.first_phase.take(alignment.events) >= boundary)] = True
    return result


def find_first_event_after(scope: EvaluationContext, name: str, group: int, boundary: int) -> tuple[int, str] | None:
    """Return the first event of a round or seat in the phase at a boundary or later, and its step; None if there is
    none.
    """
    alignment = align_course(scope, name)
    events = events_of_group(alignment.events, alignment.owner, group)
    later = events[alignment.first_phase[events] >= boundary]
    return (
        (int(later[0]), steps_of_event(scope, scope.compiled_game.courses[name], int(later[0]))[0])
        if len(later)
        else None
    )


def is_ambiguous_at(scope: EvaluationContext, name: str, key: bytes, boundaries: Collection[int]) -> Flags:
    """Return whether ambiguous events leave open whether a check reports an event at its boundaries.

    Returns:
        bool[rounds or seats].
    """
    course = scope.compiled_game.courses[name]
    owner, count = event_owners(scope, course)
    result = np.zeros(count + 1, bool)
    if has_ambiguous_events(scope, list(course.step_phases)):
        low, high, _ = _assign_possible_phases(scope, name)
        for boundary in boundaries:
            for sides in course.iter_ordered_windows(boundary, key):
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


@cached_fact
def _assign_possible_phases(scope: EvaluationContext, name: str) -> tuple[Ints8, Ints8, Ints]:
    """Assign phases as `earliest_phases`, counting each ambiguous event for all its steps.

    Events that are out of order may be in any phase.
    """
    course = scope.compiled_game.courses[name]
    places = allowed_phases(scope, name, perhaps=True)
    alignment = align_course(scope, name)
    places[[lapse.event for lapse in alignment.violations]] = course.all_phases
    return earliest_phases(course, places, *group_events(scope, course, places, alignment.applies))


def _find_possible_events(scope: EvaluationContext, window: PhaseWindow, low: Ints8, high: Ints8) -> Ints:
    """Return the events that may belong to a step and then are inside a window."""
    chosen = possible_events(scope, window.step)
    return chosen[(low[chosen] >= window.low) & (high[chosen] <= window.high)]


def _events_in_window(scope: EvaluationContext, course: CompiledCourse, window: PhaseWindow, low: Ints8) -> Ints:
    chosen = possible_events(scope, window.step)
    if sum(other.step == window.step for other in course.windows) == 1:
        return chosen
    return chosen[(low[chosen] >= window.low) & (low[chosen] <= window.high)]
