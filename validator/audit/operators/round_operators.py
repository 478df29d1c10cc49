"""Operators that check rounds, by name, and the operator `rule`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Ints, Statuses, find_true, has_any, is_one_of
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.operators import order_checks
from fairdeal.validator.audit.operators.dealing_checks import check_dealing, check_drawing
from fairdeal.validator.audit.operators.milestone_checks import check_milestone
from fairdeal.validator.audit.operators.obligation_checks import check_obligation_in_round
from fairdeal.validator.audit.operators.payment_checks import check_settlement
from fairdeal.validator.audit.operators.payout_limit_checks import check_aggregate_limit
from fairdeal.validator.audit.operators.pot_checks import check_pot_awards
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.betting.recorded_betting import misplaced_decisions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.derived_contexts import cache_descriptions, restrict
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN
from fairdeal.validator.engine.facts.stake_outcomes import placed_stakes
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.engine.timeline.reported_acts import reported_as_severe, reported_out_of_order
from fairdeal.validator.engine.timeline.step_events import ambiguous_events, are_steps_recorded, possible_events
from fairdeal.validator.language.grammar import Grain, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.poker_operators import DEPENDS_ON_BET, STILL_IN
from fairdeal.validator.operators.rule_renderer import (
    describe_condition,
    describe_missing_evidence,
    describe_unmet,
    find_unmet_parts,
    list_evidence,
    list_grounds,
)
from fairdeal.validator.rules.requirement_model import RoundCheck


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
        items = np.arange(len(statuses))
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
            expected=describe_unmet(evidence, check.must),
            observed=_describe_observed(evidence, check),
            balance=status_codes.find_balance(evidence, check.must),
        )

    def describe_gap(item: int) -> status_codes.FindingDetails:
        index = int(items[item])
        if index == ABSENT:
            return status_codes.FindingDetails(
                where=status_codes.build_place(scope, int(rounds[item])),
                expected=describe_condition(scope.compiled_game, check.must),
                observed=status_codes.NO_EVENTS,
            )
        gaps = describe_missing_evidence(ItemEvidence(scope, grain, index), check.must)
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, index),
            expected=describe_condition(scope.compiled_game, check.must),
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
    facts, unmet = list_evidence(item, check.must), find_unmet_parts(item, check.must)
    if check.of is not None and not any(item.game.find_grain(part) == "event" for part in unmet):
        title = item.game.steps[check.of].title
        if not any(fact.startswith(f"{title}: ") for fact in facts):
            facts.insert(0, title)
    elif check.each == "round" and check.when is not None:
        facts = list(dict.fromkeys([*list_grounds(item, check.when), *facts]))
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
