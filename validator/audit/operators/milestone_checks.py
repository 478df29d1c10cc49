"""Checks of milestones: acts that come on the wrong side of one, and acts that must happen and did not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from fairdeal.validator.arrays import ABSENT, Flags, np
from fairdeal.validator.audit import status_codes
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.item_evidence import format_steps_at_events
from fairdeal.validator.engine.timeline import milestone_order
from fairdeal.validator.engine.timeline.step_events import are_steps_recorded
from fairdeal.validator.engine.timeline.truncated_records import is_truncated
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.rules.milestone_model import BoundedMilestone, MilestoneCheck


def check_milestone(scope: EvaluationContext, check: MilestoneCheck) -> status_codes.CheckResult:
    """Check that acts keep to their side of a milestone, in each round or at each seat."""
    grain, numbers = check.each, _find_numbers(scope.compiled_game, check.identity)
    rounds, misplaced = scope.rounds_of(grain), dict[int, list[milestone_order.MisplacedAct]]()
    for act in milestone_order.find_misplaced_acts(scope):
        if act.milestone in numbers:
            misplaced.setdefault(act.group, []).append(act)
    broken, missing, open_, has_acts = np.zeros((4, scope.count_items(grain)), bool)
    broken[list(misplaced)] = True
    for number, bounds in zip(numbers, check.milestones, strict=True):
        if bounds.must_happen:
            lacking, may_lack = _find_missing(scope, number)
            missing |= lacking
            open_ |= may_lack
            has_acts[:] = True
        open_ |= milestone_order.find_crossed(scope, number, include_possible=True)
        has_acts |= milestone_order.may_be_crossed(scope, number)
    recorded = reduce(and_, (_is_recorded(scope, bounds, grain) for bounds in check.milestones))
    statuses = status_codes.combine_order_status(
        broken | missing,
        scope.evaluate(check.when, grain),
        broken | missing | (recorded & ~open_),
        has_acts,
    )

    def describe_failure(item: int) -> status_codes.FindingDetails:
        if item in misplaced:
            return _describe_misplaced_act(scope, misplaced[item])
        return next(found for number in numbers if (found := _describe_missing_act(scope, number, item)) is not None)

    return status_codes.CheckResult(
        status_codes=statuses,
        round=rounds,
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            grain,
            expected="; ".join(map(scope.compiled_game.game.describe_milestone, check.milestones)),
            observed=lambda item: status_codes.explain_missing_record(
                scope, int(rounds[item]), is_recorded=bool(recorded[item])
            ),
        ),
    )


@cached_by_game
def _find_numbers(prepared: CompiledGame, key: bytes) -> tuple[int, ...]:
    """Return the numbers of the milestones of a check."""
    return tuple(number for number, milestone in enumerate(prepared.milestones) if milestone.key == key)


def _describe_misplaced_act(
    scope: EvaluationContext, misplaced: Sequence[milestone_order.MisplacedAct]
) -> status_codes.FindingDetails:
    bounds = scope.compiled_game.milestones[misplaced[0].milestone].bounds
    act, game, steps = misplaced[0], scope.compiled_game.game, scope.compiled_game.steps
    title, other = steps[act.act].title, steps[act.other_act].title
    time = f"before {other}" if act.is_late else f"after {other}"
    if bounds.again_after is not None and act.act in bounds.before:
        time = f"before {game.describe_acts(bounds.at.acts)}, or again when the round is over"
    more = f"; and {len(misplaced) - 1} more" if len(misplaced) > 1 else ""
    return status_codes.FindingDetails(
        where=status_codes.build_item_place(scope, "event", act.event),
        expected=f"{title} only {time}",
        observed=f"{format_steps_at_events(scope, title, act.event)}, {'after' if act.is_late else 'before'} "
        f"{format_steps_at_events(scope, other, act.other_event)}{more}",
    )


def _is_recorded(scope: EvaluationContext, bounds: BoundedMilestone, grain: Grain) -> Flags:
    """Return whether the log records all that shows on which side the acts of a milestone came.

    The acts of `again-after` matter only where an act came after the milestone. Of acts that share a first event, those
    of a usual round suffice.

    Returns:
        bool[n], for rounds or seats.
    """
    rounds, makers = scope.rounds_of(grain), bounds.at.acts
    if bounds.at.operator == "first":
        makers = tuple(act for act in makers if act in scope.compiled_game.game.acts) or makers
    result = are_steps_recorded(scope, (*makers, *bounds.bounded_acts))[rounds]
    if bounds.again_after is not None:
        at = milestone_order.find_extent(scope, bounds.at.acts, grain, include_possible=True, without="nothing")
        acts = milestone_order.find_extent(scope, tuple(bounds.before), grain, include_possible=True, without="nothing")
        result &= are_steps_recorded(scope, bounds.again_after.acts)[rounds] | (acts.last < at.first)[:-1]
    return result


def _find_missing(scope: EvaluationContext, number: int) -> tuple[Flags, Flags]:
    """Return where a required act surely did not happen, and where the log does not show whether it did.

    Returns:
        bool[rounds or seats], bool[rounds or seats].
    """
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    rounds = scope.rounds_of(grain)
    missing, open_ = np.zeros((2, len(rounds)), bool)
    for act in bounds.must_happen:
        lacking = _lacks_act(scope, number, act, include_possible=True)
        may_lack = _lacks_act(scope, number, act, include_possible=False)
        goes_on = is_truncated(scope, grain)
        if act not in bounds.after:
            goes_on &= ~milestone_order.find_extent(
                scope, bounds.at.acts, grain, include_possible=False, without="nothing"
            ).exists[:-1]
        recorded = are_steps_recorded(scope, [act])[rounds]
        missing |= lacking & ~goes_on & recorded
        open_ |= may_lack & ~(lacking & ~goes_on & recorded)
    return missing, open_


def _lacks_act(scope: EvaluationContext, number: int, act: str, *, include_possible: bool) -> Flags:
    """Return whether a required act did not happen, or not before the milestone.

    An act that is reported as out of place did happen.

    Args:
        include_possible: count events that may belong to the act.
    """
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    own = milestone_order.find_extent(scope, (act,), grain, include_possible=include_possible, without="nothing")
    if act in bounds.after or (act in bounds.before and bounds.again_after is None):
        return ~own.exists[:-1]
    without = milestone_order.find_left_out(scope, number)
    in_place = milestone_order.find_extent(scope, (act,), grain, include_possible=include_possible, without=without)
    at = milestone_order.find_extent(
        scope, bounds.at.acts, grain, include_possible=not include_possible, without=without
    )
    ends = at.first if bounds.at.operator == "first" else np.where(at.exists, at.last, milestone_order.NEVER)
    is_misplaced = (own.first != in_place.first) | (own.last != in_place.last)
    return (~own.exists | (~is_misplaced & (own.first > ends)))[:-1]


def _describe_missing_act(scope: EvaluationContext, number: int, item: int) -> status_codes.FindingDetails | None:
    """Describe the required act that did not happen; None if all did."""
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    steps, game, round_ = scope.compiled_game.steps, scope.compiled_game.game, int(scope.rounds_of(grain)[item])
    lacking = [act for act in bounds.must_happen if _lacks_act(scope, number, act, include_possible=True)[item]]
    if not lacking:
        return None
    absent = max(lacking, key=lambda act: bool(are_steps_recorded(scope, [act])[round_]))
    title, at = (
        steps[absent].title,
        milestone_order.find_extent(
            scope,
            bounds.at.acts,
            grain,
            include_possible=False,
            without=milestone_order.find_left_out(scope, number),
        ),
    )
    event = int(at.first[item] if bounds.at.operator == "first" else at.last[item])
    if absent in bounds.after or event in (milestone_order.NEVER, ABSENT):
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, item), expected=title, observed="it did not happen"
        )
    moment = game.describe_acts(bounds.at.acts)
    return status_codes.FindingDetails(
        where=status_codes.build_item_place(scope, "event", event),
        expected=f"{title} before {moment}",
        observed=f"it did not happen before {format_steps_at_events(scope, moment, event)}",
    )
