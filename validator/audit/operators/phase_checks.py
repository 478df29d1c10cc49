"""Checks of phases of a course and of obligations, within a round."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import Flags, has_any
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.sessions.event_log import build_event_log
from fairdeal.validator.audit.sessions.obligations import NOTHING_PENDING, build_automaton
from fairdeal.validator.audit.sessions.ordered_rounds import describe_due_steps, describe_missing_steps, describe_step
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledCourse
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.evidence_text import format_step_at_event
from fairdeal.validator.engine.timeline import course_alignment
from fairdeal.validator.engine.timeline.step_events import are_steps_recorded
from fairdeal.validator.rules.procedure_model import NeededCheck
from fairdeal.validator.rules.requirement_model import PhaseCheck


def check_phase(scope: EvaluationContext, check: PhaseCheck) -> status_codes.CheckResult:
    """Check the boundaries of a course, in each round or at each seat."""
    course, key = scope.compiled_game.courses[check.course], check.identity
    grain = course.course.per
    rounds = scope.rounds_of(grain)
    lapses: dict[int, course_alignment.OrderViolation] = {}
    for lapse in course_alignment.align_course(scope, check.course).violations:
        if lapse.owner == key:
            lapses.setdefault(lapse.group, lapse)
    broken = np.zeros(scope.count_items(grain), bool)
    broken[list(lapses)] = True
    recorded = are_steps_recorded(scope, scope.compiled_game.boundary_checks[key].steps_to_record)[rounds]
    statuses = status_codes.combine_order_status(
        broken,
        scope.evaluate(course.course.when, grain),
        broken | (recorded & ~course_alignment.is_ambiguous_at(scope, check.course, key)),
        _has_phase_events(scope, check),
    )

    def describe_failure(item: int) -> status_codes.FindingDetails:
        return _describe_out_of_place(scope, check, course, lapses[item])

    def describe_gap(item: int) -> status_codes.FindingDetails:
        round_ = int(rounds[item])
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, item),
            expected=f"in this order: {'; '.join(map(scope.compiled_game.game.describe_phase, course.course.phases))}",
            observed=status_codes.NO_EVENTS
            if not recorded[item]
            else status_codes.IN_DOUBT
            if scope.batch.complete[round_]
            else status_codes.BREAKS_OFF,
        )

    return status_codes.CheckResult(
        status_codes=statuses, round=rounds, describe_failure=describe_failure, describe_gap=describe_gap
    )


def _describe_out_of_place(
    scope: EvaluationContext, check: PhaseCheck, course: CompiledCourse, lapse: course_alignment.OrderViolation
) -> status_codes.FindingDetails:
    named = course.adjacent_owners[lapse.boundary]
    step = next((step for step in lapse.steps if named.get(step) == lapse.owner), lapse.steps[0])
    title, other = scope.compiled_game.steps[step].title, scope.compiled_game.steps[lapse.other_steps[0]].title
    side = "after" if lapse.is_late else "before"
    return status_codes.FindingDetails(
        where=status_codes.build_item_place(scope, "event", lapse.event),
        expected=f"{title} only {_describe_allowed_time(scope, course, check, step, lapse, other)}",
        observed=f"{format_step_at_event(scope, title, lapse.event)}, {side} "
        f"{format_step_at_event(scope, other, lapse.other_event)}",
    )


def _describe_allowed_time(
    scope: EvaluationContext,
    course: CompiledCourse,
    check: PhaseCheck,
    step: str,
    lapse: course_alignment.OrderViolation,
    other: str,
) -> str:
    """Describe when a step may come: before a phase, after a phase, or either.

    The text also names `other`, which the step came on the wrong side of. It names only `other` if the adjacent phase
    did not come at all.
    """
    titles = [scope.compiled_game.game.describe_phase(name) for name in course.course.phases]
    missed = lapse.boundary - 1 if lapse.is_late else lapse.boundary  # the nearest of its phases
    windows = course.course.list_windows(step)
    at = next(number for number, window in enumerate(windows) if window.low <= missed <= window.high)
    ends, begins = (at, at + 1) if lapse.is_late else (at - 1, at)
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


def _is_only_in(scope: EvaluationContext, check: PhaseCheck, group: int, phase_: int) -> bool:
    """Return whether an event is in a phase and can be in no other."""
    course = course_alignment.align_course(scope, check.course)
    events = course.events[course.owner == group]
    return bool(has_any((course.first_phase[events] == phase_) & (course.last_phase[events] == phase_)))


def _has_phase_events(scope: EvaluationContext, check: PhaseCheck) -> Flags:
    """Return whether an event came, or may have come, that could be out of place at the boundaries or was required.

    Returns:
        bool[rounds or seats].
    """
    separated = scope.compiled_game.boundary_checks[check.identity].separated_sets
    distinct, codes = course_alignment.find_windows_with_events(scope, check.course)
    found = [any(came & before and came & after for before, after in separated) for came in distinct.tolist()]
    return np.array(found, bool).take(codes)


def check_obligation_in_round(scope: EvaluationContext, check: NeededCheck) -> status_codes.CheckResult:
    """Check an obligation within each round, with nothing pending at the start of the round."""
    prepared, automaton, event_log = scope.compiled_game, build_automaton(check), build_event_log(scope, [check])
    transitions = [
        automaton.advance(sequence, NOTHING_PENDING, deck=None, in_play=None) for sequence in event_log.sequences
    ]
    starts, events = event_log.starts(), scope.batch.events
    statuses = np.array([transition.status_code for transition in transitions], np.uint8)[event_log.sequence_index]
    applies = scope.evaluate(check.when, "round")
    statuses = np.where(
        (statuses == status_codes.FAIL) & (applies == kleene.UNKNOWN), np.uint8(status_codes.NOT_EVIDENCED), statuses
    )
    statuses[applies == kleene.NO] = status_codes.NOT_APPLICABLE

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        transition = transitions[event_log.sequence_index[round_]]
        numbers = event_log.numbers[starts[round_] :]
        event_met = automaton.find_waiting_step(
            event_log.sequences[event_log.sequence_index[round_]], transition.failed_token
        )
        event = int(events.offsets[round_]) + int(numbers[transition.failed_token]) - 1
        missing_steps = automaton.steps[transition.failed_state - 1 :]
        return status_codes.FindingDetails(
            where=status_codes.build_place(scope, round_, seat=int(events.seat[event]), event=event),
            expected=describe_due_steps(prepared, missing_steps, (event_met,)),
            observed=f"{describe_step(prepared, event_met)} "
            f"{describe_missing_steps(missing_steps)}, needed since event "
            f"{int(numbers[transition.started_by])}",
        )

    def describe_gap(round_: int) -> status_codes.FindingDetails:
        is_unrecorded = bool(event_log.sequences[event_log.sequence_index[round_]].unrecorded)
        return status_codes.FindingDetails(
            where=status_codes.build_place(scope, round_),
            expected=describe_due_steps(prepared, automaton.steps, automaton.waiting_steps),
            observed=status_codes.NO_EVENTS
            if is_unrecorded
            else "the evidence does not show whether it was needed, or done",
        )

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=describe_gap,
    )
