"""Alignment of rounds, or seats, with a course: the phases of events, and the events that are out of order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Ints,
    Ints8,
    Ints16,
    Ints32,
    Truths,
    are_all,
    find_distinct,
    find_true,
    group_equal,
)
from fairdeal.validator.engine.core.compiled_game import CompiledCourse
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.timeline import step_events
from fairdeal.validator.engine.timeline.milestone_order import find_reported_acts
from fairdeal.validator.engine.timeline.repeated_events import find_repetitions
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.procedure_model import PhaseWindow


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
    late = find_true(reached > base + last)
    while len(onward := late[runs.remaining.take(place.take(late)) > 0]):
        place[onward] = runs.remaining.take(place.take(onward))
        first[onward], last[onward] = (
            runs.first_phase.take(place.take(onward)),
            runs.last_phase.take(place.take(onward)),
        )
        reached = np.maximum.accumulate(base + first)
        late = find_true(reached > base + last)
    low, high = np.zeros(len(places), np.int8), np.full(len(places), width - 1, np.int8)
    low[chosen], high[chosen] = first, last
    return low, high, find_distinct(owner.take(late)).astype(np.int64)


def find_phase_windows(course: CompiledCourse, places: Ints16, phases: Ints) -> tuple[Ints8, Ints8]:
    """Return the runs of phases that contain the given phases, as `earliest_phases` returns them."""
    place = places.copy()
    while len(onward := find_true(course.phase_runs.last_phase.take(place) < phases)):
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


class OrderViolation(Struct, frozen=True, kw_only=True):
    """Event that is out of order in a course."""

    event: int
    """Index of the event."""
    group: int
    """Round or seat of the event."""
    boundary: int
    """Boundary that the event crossed: index of the phase that begins there."""
    is_late: bool
    """True if the event came after the phase at the boundary had begun; false if it came too early."""
    steps: tuple[str, ...]
    """Steps of the event, narrowest first."""
    other_event: int
    """Nearest event in order that this event should have preceded, or followed."""
    other_steps: tuple[str, ...]
    """Steps of the other event, narrowest first."""
    owner: bytes | None
    """Structure of the check that reports the violation; None if there is none."""


class CourseAlignment(Struct, frozen=True, kw_only=True):
    """Alignment of the events of a batch with a course."""

    events: Ints
    """Aligned events, int64[m], grouped by round or seat and in log order."""
    owner: Ints32
    """Round or seat of each aligned event, int32[m]."""
    first_phase: Ints8
    """First phase in which each event may be, int8[all events]; phase 0 for events that are not aligned or out of
    order.
    """
    last_phase: Ints8
    """Last phase in which each event may be, int8[all events]; the last phase for events that are not aligned or out of
    order.
    """
    violations: tuple[OrderViolation, ...]
    """Violations in log order."""
    applies: Truths
    """Applicability of the course to each round or seat, uint8."""

    def list_certain_violations(self) -> list[OrderViolation]:
        """Return the violations in rounds or seats to which the course surely applies."""
        return [lapse for lapse in self.violations if self.applies[lapse.group] == YES]


@cached_fact
def align_course(scope: EvaluationContext, name: str) -> CourseAlignment:
    """Align the rounds or seats of a batch with a course, by the events that surely belong to its steps.

    Events that are reported as out of order in an earlier course of the game are ignored.
    """
    course = scope.compiled_game.courses[name]
    applies = scope.evaluate(course.course.when, course.course.per)
    places = allowed_phases(scope, name, include_possible=False)
    chosen, owner = group_events(scope, course, places, applies)
    low, high, broken = earliest_phases(course, places, chosen, owner)
    lapses: list[OrderViolation] = []
    for group in broken.tolist():
        events = events_of_group(chosen, owner, group)
        phases = np.array(find_ordered_phases(places[events].tolist()))
        kept, phases_kept = events[phases >= 0], phases[phases >= 0]
        low[kept], high[kept] = find_phase_windows(course, places[kept], phases_kept)
        out = events[phases < 0]
        low[out], high[out] = 0, len(course.course.phases) - 1
        lapses += [
            _describe_violation(scope, course, places, group, event, kept, phases_kept) for event in out.tolist()
        ]
    in_log_order = _merge_per_turn(scope, sorted(lapses, key=lambda lapse: lapse.event))
    return CourseAlignment(
        events=chosen, owner=owner, first_phase=low, last_phase=high, violations=in_log_order, applies=applies
    )


def _merge_per_turn(scope: EvaluationContext, lapses: list[OrderViolation]) -> tuple[OrderViolation, ...]:
    """Assign the violations of one seat in one turn at one boundary to the check of the first event.

    A late call and the wager that goes with it are one violation. A check that is waived takes no act of another.
    """
    first: dict[tuple[int, str, int, bool, bool], bytes | None] = {}
    found_by: list[bytes | None] = []
    for lapse in lapses:
        seat, turn = int(scope.batch.events.seat[lapse.event]), scope.compiled_game.steps[lapse.steps[0]].turn
        is_waived = lapse.owner in scope.waived_checks
        place = None if seat == ABSENT or turn is None else (seat, turn, lapse.boundary, lapse.is_late, is_waived)
        found_by.append(lapse.owner if place is None else first.setdefault(place, lapse.owner))
    return tuple(replace(lapse, owner=owner) for lapse, owner in zip(lapses, found_by, strict=True))


@cached_fact
def reported_out_of_order(scope: EvaluationContext) -> Flags:
    """Return whether a requirement reports each event as surely out of order, at a milestone or in a course.

    A requirement on the order of seats need not report the same events again. Violations that are waived, or whose
    requirement may not be in force, do not count: the order of seats may be the only one to report them.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    for name in scope.compiled_game.courses:
        result[reported_in_course(scope, name)] = True
    result[list(find_reported_acts(scope))] = True
    return result


@cached_fact
def reported_in_course(scope: EvaluationContext, name: str) -> Ints:
    """Return the events that a requirement reports as surely out of order in a course.

    Returns:
        int64[m].
    """
    violations = align_course(scope, name).list_certain_violations()
    counts = scope.compiled_game.courses[name].always_in_force.keys() - scope.waived_checks
    return np.array([lapse.event for lapse in violations if lapse.owner in counts], np.int64)


@cached_fact
def reported_as_severe(scope: EvaluationContext, severity: Severity) -> Flags:
    """Return whether a requirement of at least this severity reports each event as out of order.

    Returns:
        bool[events].
    """
    severities, result = list(Severity), np.zeros(scope.count_items("event"), bool)  # most severe first
    as_grave = severities[: severities.index(severity) + 1]
    for name, course in scope.compiled_game.courses.items():
        out_of_order, lapses = frozenset(reported_in_course(scope, name).tolist()), align_course(scope, name).violations
        by = {
            lapse.event: course.always_in_force[lapse.owner]
            for lapse in lapses
            if lapse.event in out_of_order and lapse.owner is not None
        }
        result[[event for event, owner in by.items() if owner in as_grave]] = True
    result[[event for event, found_at in find_reported_acts(scope).items() if found_at in as_grave]] = True
    return result


def allowed_phases(scope: EvaluationContext, name: str, *, include_possible: bool) -> Ints16:
    """Return the phases in which each event may be, as bits.

    An event of several steps may be in the phases common to all of them. If there are none, the steps that come first
    in the course decide. Repetitions of earlier acts may be in any phase.

    Returns:
        int16[events].
    """
    course = scope.compiled_game.courses[name]
    places = np.full(scope.count_items("event"), course.all_phases, np.int16)
    for step, place in course.step_phases.items():
        if place != course.all_phases:
            chosen = (
                step_events.possible_events(scope, step)
                if include_possible
                else step_events.certain_events(scope, step)
            )
            if not len(chosen):
                continue
            before = places.take(chosen)
            both = before & np.int16(place)
            places[chosen] = both if are_all(both) else np.where(both == 0, before, both)
    for other in scope.compiled_game.courses:
        if other == name:
            break
        if len(reported := reported_in_course(scope, other)):
            places[reported] = course.all_phases
    places[find_repetitions(scope)] = course.all_phases
    return places


def event_owners(scope: EvaluationContext, course: CompiledCourse) -> tuple[Ints32, int]:
    """Return the round or seat of each event, ABSENT if it has none, and the number of rounds or seats.

    Returns:
        int32[events]; the number.
    """
    events, per = scope.batch.events, course.course.per
    return (events.round if per == "round" else events.seat), scope.count_items(per)


def group_events(
    scope: EvaluationContext, course: CompiledCourse, places: Ints16, applies: Truths
) -> tuple[Ints, Ints32]:
    """Return the events that are limited to some phases, of rounds or seats to which the course may apply.

    Returns:
        int64[m], the events grouped by round or seat and in log order; int32[m], the round or seat of each.
    """
    chosen, per = find_true(places != course.all_phases), course.course.per
    owner = event_owners(scope, course)[0].take(chosen)
    if per == "round" and course.course.when is None:
        return chosen, owner
    # The last entry is for no seat: ABSENT indexes it.
    concerned = np.append(applies, NO).take(owner) != NO
    chosen, owner = chosen.compress(concerned), owner.compress(concerned)
    if per == "seat":
        order = np.argsort(owner, kind="stable")
        chosen, owner = chosen.take(order), owner.take(order)
    return chosen, owner


def events_of_group(events: Ints, owner: Ints32, group: int) -> Ints:
    """Return the events of one round or seat, ascending.

    Returns:
        int64[k].
    """
    return events[np.searchsorted(owner, group) : np.searchsorted(owner, group, side="right")]


def _describe_violation(
    scope: EvaluationContext, course: CompiledCourse, places: Ints16, group: int, event: int, kept: Ints, phases: Ints
) -> OrderViolation:
    """Describe an event out of order, relative to the events that are in order.

    If the event may be both before and after its position, it belongs to the nearer phase. If both are equally near, it
    belongs to the later one.
    """
    at = int(np.searchsorted(kept, event))
    reached = int(phases[at - 1]) if at else 0
    waiting = int(phases[at]) if at < len(phases) else len(course.course.phases)
    options: list[tuple[int, bool, int]] = []
    place = int(places[event])
    while place:
        low, high = int(course.phase_runs.first_phase[place]), int(course.phase_runs.last_phase[place])
        if high < reached:
            options.append((reached - high, True, high + 1))
        if low > waiting:
            options.append((low - waiting, False, low))
        place = int(course.phase_runs.remaining[place])
    _, late, boundary = min(options)
    other = int(kept[at - 1] if late else kept[at])
    steps, others = steps_of_event(scope, course, event), steps_of_event(scope, course, other)
    bars = 1 << (boundary if late else boundary - 1)
    ours = tuple(step for step in steps if not course.step_phases[step] & bars)
    return OrderViolation(
        event=event,
        group=group,
        boundary=boundary,
        is_late=late,
        steps=ours,
        other_event=other,
        other_steps=others,
        owner=course.find_owner(boundary, ours, others),
    )


def steps_of_event(scope: EvaluationContext, course: CompiledCourse, event: int) -> tuple[str, ...]:
    """Return the steps of a course that an event belongs to, steps with fewer phases first."""
    result = [step for step in course.step_phases if _contains(step_events.certain_events(scope, step), event)]
    return tuple(sorted(result, key=lambda step: course.step_phases[step].bit_count()))


def _contains(events: Ints, event: int) -> bool:
    at = int(np.searchsorted(events, event))
    return at < len(events) and int(events[at]) == event


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
        events = _events_in_window(scope, course, window, alignment.first_phase)
        if len(events):
            has_event = np.zeros(count + 1, np.int64)
            has_event[owner.take(events)] = 1 << number
            result |= has_event
    examples, codes = group_equal(result[:-1])
    return result[examples], codes


def is_ambiguous_at(scope: EvaluationContext, name: str, key: bytes) -> Flags:
    """Return whether ambiguous events leave open whether a check reports an event at its boundaries.

    Returns:
        bool[rounds or seats].
    """
    course = scope.compiled_game.courses[name]
    owner, count = event_owners(scope, course)
    result = np.zeros(count + 1, bool)
    if step_events.has_ambiguous_events(scope, list(course.step_phases)):
        low, high, _ = _assign_possible_phases(scope, name)
        for before, after in scope.compiled_game.boundary_checks[key].separated_windows:
            last, first = np.full(count + 1, -1, np.int64), np.full(count + 1, np.iinfo(np.int64).max)
            for number in before:
                events = _find_possible_events(scope, course.windows[number], low, high)
                np.maximum.at(last, owner[events], events)
            for number in after:
                events = _find_possible_events(scope, course.windows[number], low, high)
                np.minimum.at(first, owner[events], events)
            result |= last > first
    return result[:-1]


@cached_fact
def _assign_possible_phases(scope: EvaluationContext, name: str) -> tuple[Ints8, Ints8, Ints]:
    """Assign phases as `earliest_phases`, counting each ambiguous event for all its steps.

    Events that are out of order may be in any phase.
    """
    course = scope.compiled_game.courses[name]
    places = allowed_phases(scope, name, include_possible=True)
    alignment = align_course(scope, name)
    places[[lapse.event for lapse in alignment.violations]] = course.all_phases
    return earliest_phases(course, places, *group_events(scope, course, places, alignment.applies))


def _find_possible_events(scope: EvaluationContext, window: PhaseWindow, low: Ints8, high: Ints8) -> Ints:
    """Return the events that may belong to a step and then are inside a window."""
    chosen = step_events.possible_events(scope, window.step)
    return chosen[(low[chosen] >= window.low) & (high[chosen] <= window.high)]


def _events_in_window(scope: EvaluationContext, course: CompiledCourse, window: PhaseWindow, low: Ints8) -> Ints:
    chosen = step_events.possible_events(scope, window.step)
    if not len(chosen) or window.step not in course.steps_of_several_windows:
        return chosen
    return chosen[(low[chosen] >= window.low) & (low[chosen] <= window.high)]
