"""Phases of a course judged: each begins only when those before it are over."""

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
    """Boundaries of a course, in each round or at each seat."""
    course, key = scope.prepared.courses[check.course], structure_of(check)
    grain, boundaries = course.course.per, check.boundaries(course.course)
    rounds = scope.round_of(grain)
    lapses: dict[int, Lapse] = {}
    for lapse in taken(scope, check.course).lapses:
        if lapse.owner == key:
            lapses.setdefault(lapse.group, lapse)
    broken = np.zeros(scope.length(grain), bool)
    broken[list(lapses)] = True
    asked = _asked(scope, check, course, key, boundaries)
    recorded = steps_recorded(scope, asked)[rounds]
    lacking, untold = _lacking(scope, check, course)
    untold |= left_open_at(scope, check.course, key, boundaries)
    missing = _surely_missing(scope, check, course, asked)
    marks = judged_from(
        broken | lacking,
        scope.truth(course.course.when, grain),
        broken | missing | (recorded & (lacking | ~untold)),
        _arose(scope, check, course, key, boundaries),
    )

    def tell(item: int) -> Told:
        return (
            _out_of_place(scope, check, course, lapses[item])
            if item in lapses
            else _missing(scope, check, course, item)
        )

    def gap(item: int) -> Told:
        round_ = int(rounds[item])
        return Told(
            where=item_place(scope, grain, item),
            expected=f"in this order: {'; '.join(map(scope.prepared.game.phase_title, course.course.phases))}",
            observed=NO_EVENTS if not recorded[item] else IN_DOUBT if scope.batch.complete[round_] else BREAKS_OFF,
        )

    return Judged(marks=marks, round=rounds, tell=tell, gap=gap)


def _surely_missing(scope: Scope, check: PhaseCheck, course: PreparedCourse, asked: Sequence[str]) -> Flags:
    """Return where a step did not come that must, though the log does not record all that is asked, bool[n].

    A step that never came is missing, whatever else is not recorded. One that came too late did so in whatever order
    cards were dealt.
    """
    grain = course.course.per
    rounds = scope.round_of(grain)
    owner = scope.batch.events.round if grain == "round" else scope.batch.events.seat
    found = np.zeros(scope.length(grain), bool)
    but_for_the_order = steps_recorded(scope, asked, ordered=False)[rounds]
    for step in check.at_least_one:
        came = np.zeros(len(found) + 1, bool)  # the last stands for no seat
        came[owner[events_perhaps_of(scope, step)]] = True
        lacking = _lacks(scope, check, course, step)[0]
        found |= lacking & steps_recorded(scope, [step])[rounds] & (~came[:-1] | but_for_the_order)
    return found


def _out_of_place(scope: Scope, check: PhaseCheck, course: PreparedCourse, lapse: Lapse) -> Told:
    named = course.narrow[lapse.boundary]
    step = next((one for one in lapse.steps if named.get(one) == lapse.owner), lapse.steps[0])
    title, other = scope.prepared.steps[step].title, scope.prepared.steps[lapse.others[0]].title
    side = "after" if lapse.late else "before"
    return Told(
        where=item_place(scope, "event", lapse.event),
        expected=f"{title} only {_its_time(scope, course, check, step, lapse, other)}",
        observed=f"{at_event(scope, title, lapse.event)}, {side} {at_event(scope, other, lapse.other)}",
    )


def _its_time(scope: Scope, course: PreparedCourse, check: PhaseCheck, step: str, lapse: Lapse, other: str) -> str:
    """When a step may come, as seen from where it came: before what, after what, or either. What it came on the wrong
    side of, `other`, is named too, and alone where the phase next to it did not come at all."""
    titles = [scope.prepared.game.phase_title(one) for one in course.course.phases]
    missed = lapse.boundary - 1 if lapse.late else lapse.boundary  # the nearest of its phases
    windows = course.course.windows(step)
    at = next(number for number, window in enumerate(windows) if window.low <= missed <= window.high)
    ends, begins = (at, at + 1) if lapse.late else (at - 1, at)
    before = [windows[ends].high + 1] if ends >= 0 else []
    after = [windows[begins].low - 1] if begins < len(windows) else []
    if before and after and titles[before[0]] == titles[after[0]]:
        return f"before or after this, not in the midst of it: {titles[before[0]]}"
    if before and after:
        return f"before {titles[before[0]]} or after {titles[after[0]]}"
    (beside,), side = before or after, "before" if before else "after"
    if not _came(scope, check, lapse.group, beside):
        return f"{side} {other}"
    return f"{side} {titles[beside]}" + ("" if titles[beside] == other else f", and so {side} {other}")


def _came(scope: Scope, check: PhaseCheck, group: int, phase_: int) -> bool:
    """Whether something stands in a phase and can stand in no other."""
    course = taken(scope, check.course)
    events = course.events[course.owner == group]
    return bool(((course.low[events] == phase_) & (course.high[events] == phase_)).any())


def _missing(scope: Scope, check: PhaseCheck, course: PreparedCourse, item: int) -> Told:
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


def _lacking(scope: Scope, check: PhaseCheck, course: PreparedCourse) -> tuple[Flags, Flags]:
    """bool[rounds or seats] both: where a step did not come that must, and where the log leaves it open."""
    lacking, open_ = np.zeros((2, scope.length(course.course.per)), bool)
    for step in check.at_least_one:
        lacks, may_lack = _lacks(scope, check, course, step)
        lacking |= lacks
        open_ |= may_lack
    return lacking, open_


def _lacks(scope: Scope, check: PhaseCheck, course: PreparedCourse, step: str) -> tuple[Flags, Flags]:
    """Return where one step did not come that must, and where the log leaves it open, bool[n] both."""
    per, due = course.course.per, course.due(step)
    absent = ~came_before(scope, check.course, step, due, perhaps=True)
    goes_on = absent & breaks_off(scope, per)
    if goes_on.any():
        goes_on &= ~begun(scope, check.course, due)
    return absent & ~goes_on, goes_on | ~came_before(scope, check.course, step, due, perhaps=False)


def _arose(scope: Scope, check: PhaseCheck, course: PreparedCourse, key: bytes, boundaries: Sequence[int]) -> Flags:
    """bool[rounds or seats]: whether anything came, or may have, that could have been out of place at the boundaries,
    or had to come."""
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


def _asked(scope: Scope, check: PhaseCheck, course: PreparedCourse, key: bytes, boundaries: Sequence[int]) -> list[str]:
    """The steps that the log must record for a requirement to be proven: those next to its boundaries. Of steps that it
    does not name, asides do not count where others stand beside them."""
    found: list[str] = [*check.at_least_one]
    for boundary in boundaries:
        named = course.narrow[boundary]
        for sides in course.sides(boundary, key):
            if not all(sides):
                continue
            for side in sides:
                steps = [course.windows[number].step for number in side if course.windows[number].beside(boundary)]
                plain = [one for one in steps if not scope.prepared.steps[one].aside]
                found += [one for one in steps if named.get(one) == key] or plain or steps
    return list(dict.fromkeys(found))
