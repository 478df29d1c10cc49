"""Check of the phases of a course: a phase begins only when the earlier ones are over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import Flags
from validator.audit.statuses.status_codes import (
    BREAKS_OFF,
    IN_DOUBT,
    NO_EVENTS,
    Judged,
    Told,
    item_place,
    judged_from,
)
from validator.engine.compiled.courses import PreparedCourse
from validator.engine.core.context import Scope
from validator.engine.text.evidence_text import at_event
from validator.engine.timeline.course import Lapse, taken
from validator.engine.timeline.phases_reached import begun, came_before, first_after, happened, left_open_at
from validator.engine.timeline.step_events import events_perhaps_of, steps_recorded
from validator.engine.timeline.truncated_records import breaks_off
from validator.rules.model.requirement import PhaseCheck
from validator.text.models.model import structure_of


def phase(scope: Scope, check: PhaseCheck) -> Judged:
    """Check the boundaries of a course, in each round or at each seat."""
    course, key = scope.prepared.courses[check.course], structure_of(check)
    grain, boundaries = course.course.per, check.boundaries(course.course)
    rounds = scope.round_of(grain)
    lapses: dict[int, Lapse] = {}
    for lapse in taken(scope, check.course).lapses:
        if lapse.owner == key:
            lapses.setdefault(lapse.group, lapse)
    broken = np.zeros(scope.length(grain), bool)
    broken[list(lapses)] = True
    asked = _steps_to_record(scope, check, course, key, boundaries)
    recorded = steps_recorded(scope, asked)[rounds]
    lacking, untold = _find_missing_steps(scope, check, course)
    untold |= left_open_at(scope, check.course, key, boundaries)
    missing = _is_surely_missing(scope, check, course, asked)
    statuses = judged_from(
        broken | lacking,
        scope.truth(course.course.when, grain),
        broken | missing | (recorded & (lacking | ~untold)),
        _has_phase_events(scope, check, course, key, boundaries),
    )

    def describe_failure(item: int) -> Told:
        return (
            _describe_out_of_place(scope, check, course, lapses[item])
            if item in lapses
            else _describe_missing_step(scope, check, course, item)
        )

    def describe_gap(item: int) -> Told:
        round_ = int(rounds[item])
        return Told(
            where=item_place(scope, grain, item),
            expected=f"in this order: {'; '.join(map(scope.prepared.game.phase_title, course.course.phases))}",
            observed=NO_EVENTS if not recorded[item] else IN_DOUBT if scope.batch.complete[round_] else BREAKS_OFF,
        )

    return Judged(marks=statuses, round=rounds, tell=describe_failure, gap=describe_gap)


def _is_surely_missing(scope: Scope, check: PhaseCheck, course: PreparedCourse, asked: Sequence[str]) -> Flags:
    """Return whether a required step did not come, although the log does not record every step of the check.

    A step that never came is missing, whatever else is not recorded. A step that came too late did so whatever the
    order of the deal.

    Returns:
        bool[n].
    """
    grain = course.course.per
    rounds = scope.round_of(grain)
    owner = scope.batch.events.round if grain == "round" else scope.batch.events.seat
    found = np.zeros(scope.length(grain), bool)
    but_for_the_order = steps_recorded(scope, asked, ordered=False)[rounds]
    for step in check.at_least_one:
        came = np.zeros(len(found) + 1, bool)  # the last entry is for events without a seat
        came[owner[events_perhaps_of(scope, step)]] = True
        lacking = _find_missing_step(scope, check, course, step)[0]
        found |= lacking & steps_recorded(scope, [step])[rounds] & (~came[:-1] | but_for_the_order)
    return found


def _describe_out_of_place(scope: Scope, check: PhaseCheck, course: PreparedCourse, lapse: Lapse) -> Told:
    named = course.narrow[lapse.boundary]
    step = next((step for step in lapse.steps if named.get(step) == lapse.owner), lapse.steps[0])
    title, other = scope.prepared.steps[step].title, scope.prepared.steps[lapse.others[0]].title
    side = "after" if lapse.late else "before"
    return Told(
        where=item_place(scope, "event", lapse.event),
        expected=f"{title} only {_describe_allowed_time(scope, course, check, step, lapse, other)}",
        observed=f"{at_event(scope, title, lapse.event)}, {side} {at_event(scope, other, lapse.other)}",
    )


def _describe_allowed_time(
    scope: Scope, course: PreparedCourse, check: PhaseCheck, step: str, lapse: Lapse, other: str
) -> str:
    """Describe when a step may come: before a phase, after a phase, or either.

    The text also names `other`, which the step came on the wrong side of. It names only `other` if the adjacent phase
    did not come at all.
    """
    titles = [scope.prepared.game.phase_title(name) for name in course.course.phases]
    missed = lapse.boundary - 1 if lapse.late else lapse.boundary  # the nearest of its phases
    windows = course.course.windows(step)
    at = next(number for number, window in enumerate(windows) if window.low <= missed <= window.high)
    ends, begins = (at, at + 1) if lapse.late else (at - 1, at)
    before = [windows[ends].high + 1] if ends >= 0 else []
    after = [windows[begins].low - 1] if begins < len(windows) else []
    if before and after and titles[before[0]] == titles[after[0]]:
        return f"before or after this, not during it: {titles[before[0]]}"
    if before and after:
        return f"before {titles[before[0]]} or after {titles[after[0]]}"
    (adjacent,), side = before or after, "before" if before else "after"
    if not _is_only_in(scope, check, lapse.group, adjacent):
        return f"{side} {other}"
    return f"{side} {titles[adjacent]}" + ("" if titles[adjacent] == other else f", and so {side} {other}")


def _is_only_in(scope: Scope, check: PhaseCheck, group: int, phase_: int) -> bool:
    """Return whether an event is in a phase and can be in no other."""
    course = taken(scope, check.course)
    events = course.events[course.owner == group]
    return bool(((course.low[events] == phase_) & (course.high[events] == phase_)).any())


def _describe_missing_step(scope: Scope, check: PhaseCheck, course: PreparedCourse, item: int) -> Told:
    lacking = [
        step
        for step in check.at_least_one
        if not came_before(scope, check.course, step, course.due(step), perhaps=True)[item]
    ]
    round_ = int(scope.round_of(course.course.per)[item])
    absent = max(lacking, key=lambda step: bool(steps_recorded(scope, [step])[round_]))
    boundary, title = course.due(absent), scope.prepared.steps[absent].title
    later = first_after(scope, check.course, item, boundary)
    if later is None:
        return Told(where=item_place(scope, course.course.per, item), expected=title, observed="it did not happen")
    return Told(
        where=item_place(scope, "event", later[0]),
        expected=f"{title} before {scope.prepared.game.phase_title(course.course.phases[boundary])}",
        observed=f"it did not happen before {at_event(scope, scope.prepared.steps[later[1]].title, later[0])}",
    )


def _find_missing_steps(scope: Scope, check: PhaseCheck, course: PreparedCourse) -> tuple[Flags, Flags]:
    """Return where a required step did not come, and where the log does not show whether it came.

    Returns:
        bool[rounds or seats], bool[rounds or seats].
    """
    lacking, open_ = np.zeros((2, scope.length(course.course.per)), bool)
    for step in check.at_least_one:
        lacks, may_lack = _find_missing_step(scope, check, course, step)
        lacking |= lacks
        open_ |= may_lack
    return lacking, open_


def _find_missing_step(scope: Scope, check: PhaseCheck, course: PreparedCourse, step: str) -> tuple[Flags, Flags]:
    """Return where one required step did not come, and where the log does not show whether it came.

    Returns:
        bool[n], bool[n].
    """
    per, due = course.course.per, course.due(step)
    absent = ~came_before(scope, check.course, step, due, perhaps=True)
    goes_on = absent & breaks_off(scope, per)
    if goes_on.any():
        goes_on &= ~begun(scope, check.course, due)
    return absent & ~goes_on, goes_on | ~came_before(scope, check.course, step, due, perhaps=False)


def _has_phase_events(
    scope: Scope, check: PhaseCheck, course: PreparedCourse, key: bytes, boundaries: Sequence[int]
) -> Flags:
    """Return whether an event came, or may have come, that could be out of place at the boundaries or was required.

    Returns:
        bool[rounds or seats].
    """
    if check.at_least_one:
        return np.ones(scope.length(course.course.per), bool)
    kept_apart = [
        tuple(sum(1 << number for number in side) for side in sides)
        for boundary in boundaries
        for sides in course.sides(boundary, key)
    ]
    distinct, codes = happened(scope, check.course)
    found = [any(came & before and came & after for before, after in kept_apart) for came in distinct.tolist()]
    return np.array(found, bool).take(codes)


def _steps_to_record(
    scope: Scope, check: PhaseCheck, course: PreparedCourse, key: bytes, boundaries: Sequence[int]
) -> list[str]:
    """Return the steps that the log must record to prove a requirement: those adjacent to its boundaries.

    Of steps that the requirement does not name, asides count only if no other step is adjacent.
    """
    found: list[str] = [*check.at_least_one]
    for boundary in boundaries:
        named = course.narrow[boundary]
        for sides in course.sides(boundary, key):
            if not all(sides):
                continue
            for side in sides:
                steps = [course.windows[number].step for number in side if course.windows[number].beside(boundary)]
                plain = [step for step in steps if not scope.prepared.steps[step].aside]
                found += [step for step in steps if named.get(step) == key] or plain or steps
    return list(dict.fromkeys(found))
