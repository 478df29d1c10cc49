"""Adjustment of failures of betting rules where the bet is uncertain or the event is out of order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Ints, Statuses
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED
from validator.engine.betting.actions_recorded import misplaced_decisions
from validator.engine.betting.replay import replay_betting
from validator.engine.core.context import EvaluationContext
from validator.engine.timeline.course import reported_as_severe, reported_out_of_order
from validator.language.conditions import Condition, Quantity
from validator.operators.betting import DEPENDS_ON_BET, STILL_IN
from validator.rules.core.visitor import walk_models
from validator.rules.model.requirement import RoundCheck


def withhold_unsure_failures(scope: EvaluationContext, check: RoundCheck, statuses: Statuses, items: Ints) -> Statuses:
    """Replace failures by NOT_EVIDENCED where the size of the bet is not known."""
    failed = np.flatnonzero(statuses == FAIL)
    if not len(failed):
        return statuses
    replay = replay_betting(scope)
    unsure = replay.snapshots.is_turn_uncertain.take(replay.snapshot_index.take(items.take(failed)))
    if not unsure.any() or not any(operand in DEPENDS_ON_BET for operand in _of_betting(scope, check.when, check.must)):
        return statuses
    statuses = statuses.copy()
    statuses[failed.compress(unsure)] = NOT_EVIDENCED
    return statuses


def _of_betting(scope: EvaluationContext, *conditions: Condition | None) -> Iterator[object]:
    """Yield the operands of conditions that refer to the betting, in facts too."""
    for condition in conditions:
        for _, operand in () if condition is None else walk_models(condition, ()):
            if isinstance(operand, Condition | Quantity):
                if operand.meaning.depends_on_betting:
                    yield operand.operand
                yield from _of_betting(
                    scope,
                    *(scope.compiled_game.game.facts[name] for name in operand.meaning.list_facts(operand.operand)),
                )


def suppress_reported_order_violations(
    scope: EvaluationContext, check: RoundCheck, statuses: Statuses, items: Ints
) -> Statuses:
    """Drop betting failures that are already reported as an event out of order.

    A failure becomes NOT_APPLICABLE if its event is out of place in the course of the betting. The same applies if
    another course reports the event at the same severity or a higher one.
    """
    failed = np.flatnonzero(statuses == FAIL)
    if not len(failed) or not reported_out_of_order(scope).take(items.take(failed)).any():
        return statuses
    if not any(asked != STILL_IN for asked in _of_betting(scope, check.must)):
        return statuses
    requirements = scope.compiled_game.regulation.requirements
    severity = next(operand.severity for operand in requirements if operand.check.operand is check)
    elsewhere = reported_as_severe(scope, severity).copy()
    elsewhere[misplaced_decisions(scope)] = True
    statuses = statuses.copy()
    statuses[failed.compress(elsewhere.take(items.take(failed)))] = NOT_APPLICABLE
    return statuses
