"""Operators that check rounds, by name: the operator `rule`, milestones and obligations, and all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Statuses, are_all, find_true, has_any, is_one_of
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.operators import order_checks
from fairdeal.validator.audit.operators.dealing_checks import check_dealing, check_drawing
from fairdeal.validator.audit.operators.payment_checks import check_settlement
from fairdeal.validator.audit.operators.pot_checks import check_aggregate_limit, check_pot_awards
from fairdeal.validator.audit.sessions.obligations import NEED_NOT_SHOWN, NOTHING_PENDING, build_automaton
from fairdeal.validator.audit.sessions.session_rows import build_event_log
from fairdeal.validator.audit.wording.sentences import describe_due_steps, describe_missing_steps, name_moment
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.betting.recorded_betting import misplaced_decisions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.derived_contexts import cache_descriptions, restrict
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN
from fairdeal.validator.engine.facts.stake_outcomes import placed_stakes
from fairdeal.validator.engine.item_evidence import ItemEvidence, format_steps_at_events
from fairdeal.validator.engine.timeline import milestone_order
from fairdeal.validator.engine.timeline.excused_acts import is_truncated, reported_as_severe, reported_out_of_order
from fairdeal.validator.engine.timeline.step_events import ambiguous_events, are_steps_recorded, possible_events
from fairdeal.validator.language.grammar import Grain, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators import rule_renderer
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.poker_operators import DEPENDS_ON_BET, STILL_IN
from fairdeal.validator.rules.check_model import BoundedMilestone, MilestoneCheck, NeededCheck, RoundCheck


def check_milestone(scope: EvaluationContext, check: MilestoneCheck) -> status_codes.CheckResult:
    """Check that acts keep to their side of a milestone, in each round or at each seat."""
    grain, numbers = check.each, _find_numbers(scope.compiled_game, check.identity)
    rounds, misplaced = scope.rounds_of(grain), dict[int, list[milestone_order.MisplacedAct]]()
    order = milestone_order.find_regular_order(scope, numbers)
    if order is None:
        for act in milestone_order.find_misplaced_acts(scope):
            if act.milestone in numbers:
                misplaced.setdefault(act.group, []).append(act)
        statuses = _check_irregular_order(scope, check, numbers, misplaced)
    elif are_all(order.is_quiet):
        statuses = kleene.constant(status_codes.NOT_APPLICABLE, len(rounds))
    else:
        statuses = status_codes.combine_status(scope.evaluate(check.when, grain), order.holds)
        statuses = np.where(order.is_quiet, np.uint8(status_codes.NOT_APPLICABLE), statuses)

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
            expected=lambda: "; ".join(map(scope.compiled_game.game.describe_milestone, check.milestones)),
            observed=lambda item: status_codes.explain_missing_record(
                scope,
                int(rounds[item]),
                is_recorded=all(bool(_is_recorded(scope, bounds, grain)[item]) for bounds in check.milestones),
            ),
        ),
    )


def _check_irregular_order(
    scope: EvaluationContext, check: MilestoneCheck, numbers: Sequence[int], misplaced: Iterable[int]
) -> Statuses:
    """Return the status of each round or seat at milestones that the record may leave open.

    Args:
        misplaced: rounds or seats with events out of place.
    """
    length = scope.count_items(check.each)
    broken = np.zeros(length, bool)
    broken[list(misplaced)] = True
    open_ = reduce(or_, [milestone_order.may_be_crossed(scope, number) for number in numbers])
    has_acts = reduce(or_, [milestone_order.is_reached(scope, number) for number in numbers])
    for number, bounds in zip(numbers, check.milestones, strict=True):
        if bounds.must_happen:
            missing, may_lack = _find_missing(scope, number)
            broken |= missing
            open_ = open_ | may_lack
            has_acts = np.ones(length, bool)
    recorded = reduce(and_, [_is_recorded(scope, bounds, check.each) for bounds in check.milestones])
    return status_codes.combine_order_status(
        broken, scope.evaluate(check.when, check.each), broken | (recorded & ~open_), has_acts
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
        time = f"before {game.describe_moment(bounds.at)}, or again when the round is over"
    more = f"; and {len(misplaced) - 1} more" if len(misplaced) > 1 else ""
    return status_codes.FindingDetails(
        where=status_codes.build_item_place(scope, "event", act.event),
        expected=f"{title} only {time}",
        observed=f"{format_steps_at_events(scope, title, act.event)}, {'after' if act.is_late else 'before'} "
        f"{format_steps_at_events(scope, other, act.other_event)}{more}",
    )


def _is_recorded(scope: EvaluationContext, bounds: BoundedMilestone, grain: milestone_order.MilestoneGrain) -> Flags:
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
    is_certain = milestone_order.has_certain_order(scope, number)
    for act in bounds.must_happen:
        lacking = _lacks_act(scope, number, act, include_possible=True)
        may_lack = lacking if is_certain else _lacks_act(scope, number, act, include_possible=False)
        if not has_any(lacking | may_lack):
            continue
        goes_on = is_truncated(scope, grain)
        if act not in bounds.after:
            goes_on = (
                goes_on
                & ~milestone_order.find_extent(
                    scope, bounds.at.acts, grain, include_possible=False, without="nothing"
                ).exists[:-1]
            )
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
    moment = game.describe_moment(bounds.at)
    return status_codes.FindingDetails(
        where=status_codes.build_item_place(scope, "event", event),
        expected=f"{title} before {moment}",
        observed=f"it did not happen before {format_steps_at_events(scope, moment, event)}",
    )


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
            observed=f"{name_moment(prepared, event_met)} "
            f"{describe_missing_steps(missing_steps)}, needed since event "
            f"{int(numbers[transition.started_by])}",
        )

    def explain_gap(round_: int) -> str:
        is_unrecorded = bool(event_log.sequences[event_log.sequence_index[round_]].unrecorded)
        return status_codes.NO_EVENTS if is_unrecorded else NEED_NOT_SHOWN

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=lambda: describe_due_steps(prepared, automaton.steps, automaton.waiting_steps),
            observed=explain_gap,
        ),
    )


def withhold_unsure_failures(scope: EvaluationContext, check: RoundCheck, statuses: Statuses, items: Ints) -> Statuses:
    """Replace failures by NOT_EVIDENCED where the size of the bet is not known."""
    failed = find_true(statuses == status_codes.FAIL)
    if not len(failed):
        return statuses
    replay = replay_betting(scope)
    unsure = replay.snapshots.is_turn_uncertain.take(replay.snapshot_index.take(items.take(failed)))
    depends_on_bet = any(operand in DEPENDS_ON_BET for operand in _of_betting(scope, check.when, check.must))
    if not has_any(unsure) or not depends_on_bet:
        return statuses
    statuses = statuses.copy()
    statuses[failed.compress(unsure)] = status_codes.NOT_EVIDENCED
    return statuses


def _of_betting(scope: EvaluationContext, *conditions: Condition | None) -> Iterator[object]:
    """Yield the operands of conditions that refer to the betting, in facts too."""
    for condition in conditions:
        for operand in () if condition is None else iterate_models(condition):
            if isinstance(operand, Condition | Quantity):
                if OPERATORS.find(operand).depends_on_betting:
                    yield operand.operand
                yield from _of_betting(
                    scope,
                    *(
                        scope.compiled_game.game.facts[name]
                        for name in OPERATORS.find(operand).list_facts(operand.operand)
                    ),
                )


def suppress_reported_order_violations(
    scope: EvaluationContext, check: RoundCheck, statuses: Statuses, items: Ints
) -> Statuses:
    """Drop betting failures that are already reported as an event out of order.

    A failure becomes NOT_APPLICABLE if its event is out of place in the course of the betting. The same applies if
    another course reports the event at the same severity or a higher one.
    """
    failed = find_true(statuses == status_codes.FAIL)
    if not len(failed) or not has_any(reported_out_of_order(scope).take(items.take(failed))):
        return statuses
    if not any(asked != STILL_IN for asked in _of_betting(scope, check.must)):
        return statuses
    requirements = scope.compiled_game.regulation.requirements
    severity = next(operand.severity for operand in requirements if operand.check.operand is check)
    elsewhere = reported_as_severe(scope, severity).copy()
    elsewhere[misplaced_decisions(scope)] = True
    statuses = statuses.copy()
    statuses[failed.compress(elsewhere.take(items.take(failed)))] = status_codes.NOT_APPLICABLE
    return statuses


def check_rule(scope: EvaluationContext, check: RoundCheck) -> status_codes.CheckResult:
    """Check a condition on each round, seat, stake or event."""
    grain: Grain = check.each
    if check.of is None:
        statuses, rounds = _check_items(scope, check, grain), scope.rounds_of(grain)
        items = scope.compute_once(("items", grain), lambda: np.arange(scope.count_items(grain)))
    else:
        items = possible_events(scope, check.of)
        rounds = scope.rounds_of(grain).take(items)
        statuses = kleene.constant(status_codes.NOT_APPLICABLE, len(items))
        if len(items):
            # The context caches only results on these events: a cycle of references would outlive the batch.
            events = restrict(scope, grain, items, scope.compute_once(("among", check.of), dict))
            statuses = _check_items(events, check, grain)
            ambiguous = ambiguous_events(scope, check.of)
            if len(ambiguous):
                statuses = np.where(
                    (statuses == status_codes.FAIL) & is_one_of(items, ambiguous),
                    np.uint8(status_codes.NOT_EVIDENCED),
                    statuses,
                )
        unrecorded = find_true(~are_steps_recorded(scope, [check.of]))
        if len(unrecorded):
            items = np.concatenate([items, np.full(len(unrecorded), ABSENT)])
            unrecorded_marks = status_codes.combine_status(
                scope.evaluate_whole_round(check.when), kleene.constant(UNKNOWN, len(scope.batch))
            )
            statuses = np.concatenate([statuses, unrecorded_marks[unrecorded]])
            rounds = np.concatenate([rounds, unrecorded.astype(np.int32)])

        if scope.compiled_game.game.betting is not None and len(items):
            statuses = suppress_reported_order_violations(
                scope, check, withhold_unsure_failures(scope, check, statuses, items), items
            )

    if check.once:
        failed = find_true(statuses == status_codes.FAIL)  # items are in the order of their rounds
        repeated = failed[1:][rounds[failed[1:]] == rounds[failed[:-1]]]
        if len(repeated):
            statuses = statuses.copy()
            statuses[repeated] = status_codes.NOT_APPLICABLE

    recalled: EvaluationContext | None = None

    def describe_failure(item: int) -> status_codes.FindingDetails:
        nonlocal recalled
        recalled, index = recalled or cache_descriptions(scope), int(items[item])
        evidence = ItemEvidence(recalled, grain, index)
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, index),
            expected=rule_renderer.describe_unmet(evidence, check.must),
            observed=_describe_observed(evidence, check),
            balance=status_codes.find_balance(evidence, check.must),
        )

    def describe_gap(item: int) -> status_codes.FindingDetails:
        index = int(items[item])
        if index == ABSENT:
            return status_codes.FindingDetails(
                where=status_codes.build_place(scope, int(rounds[item])),
                expected=rule_renderer.describe_condition(scope.compiled_game, check.must),
                observed=status_codes.NO_EVENTS,
            )
        gaps = rule_renderer.describe_missing_evidence(ItemEvidence(scope, grain, index), check.must)
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, index),
            expected=rule_renderer.describe_condition(scope.compiled_game, check.must),
            observed=f"the evidence does not show whether this holds: {gaps}",
        )

    return status_codes.CheckResult(
        status_codes=statuses, round=rounds, describe_failure=describe_failure, describe_gap=describe_gap
    )


def _check_items(scope: EvaluationContext, check: RoundCheck, grain: Grain) -> Statuses:
    """Return the status of each item of a context.

    If `when` excludes most items, `must` is evaluated only for the others.

    Returns:
        uint8[n].
    """
    applies = scope.evaluate(check.when, grain)
    if grain == "stake":
        applies = np.where(placed_stakes(scope), applies, np.uint8(NO))
    applicable = find_true(applies != NO)
    if 2 * len(applicable) > len(applies):
        return status_codes.combine_status(applies, scope.evaluate(check.must, grain))
    statuses = kleene.constant(status_codes.NOT_APPLICABLE, len(applies))
    if len(applicable):
        holds = restrict(scope, grain, applicable).evaluate(check.must, grain)
        statuses[applicable] = status_codes.combine_status(applies.take(applicable), holds)
    return statuses


def _describe_observed(item: ItemEvidence, check: RoundCheck) -> str:
    """Describe the evidence on one item: the grounds or the event that the condition is about, then the violation."""
    facts, unmet = rule_renderer.list_evidence(item, check.must), rule_renderer.find_unmet_parts(item, check.must)
    if check.of is not None and not any(item.game.find_grain(part) == "event" for part in unmet):
        title = item.game.steps[check.of].title
        if not any(fact.startswith(f"{title}: ") for fact in facts):
            facts.insert(0, title)
    elif check.each == "round" and check.when is not None:
        facts = list(dict.fromkeys([*rule_renderer.list_grounds(item, check.when), *facts]))
    return "; ".join(facts)


ROUND_OPERATORS: dict[str, Callable[[EvaluationContext, Any], status_codes.CheckResult]] = {
    "rule": check_rule,
    "settled": check_settlement,
    "capped": check_aggregate_limit,
    "awarded": check_pot_awards,
    "sequence": order_checks.check_sequence,
    "order": check_milestone,
    "dealt": check_dealing,
    "same-order": order_checks.check_steps_in_same_order,
    "drawn-by": check_drawing,
    "in-turn": order_checks.check_table_order,
    "turns": order_checks.check_seat_rotation,
    "needed": check_obligation_in_round,
}
"""Operators that check rounds, by name."""
