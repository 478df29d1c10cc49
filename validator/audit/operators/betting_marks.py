"""Adjustment of failures of betting rules where the bet is uncertain or the event is out of order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Ints, Statuses
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED
from validator.engine.betting.actions_recorded import found_elsewhere
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope
from validator.engine.timeline.course import found_as_grave, misplaced
from validator.language.conditions import Condition, Quantity
from validator.operators.betting import OF_THE_BET, STILL_IN
from validator.rules.core.visitor import walk
from validator.rules.model.requirement import RoundCheck


def as_the_bet_is_sure(scope: Scope, check: RoundCheck, statuses: Statuses, items: Ints) -> Statuses:
    """Replace failures by NOT_EVIDENCED where the size of the bet is not known."""
    failed = np.flatnonzero(statuses == FAIL)
    if not len(failed):
        return statuses
    replay = betting_of(scope)
    unsure = replay.states.unsure.take(replay.at.take(items.take(failed)))
    if not unsure.any() or not any(operand in OF_THE_BET for operand in _of_betting(scope, check.when, check.must)):
        return statuses
    statuses = statuses.copy()
    statuses[failed.compress(unsure)] = NOT_EVIDENCED
    return statuses


def _of_betting(scope: Scope, *conditions: Condition | None) -> Iterator[object]:
    """Yield the operands of conditions that refer to the betting, in facts too."""
    for condition in conditions:
        for _, operand in () if condition is None else walk(condition, ()):
            if isinstance(operand, Condition | Quantity):
                if operand.meaning.of_betting:
                    yield operand.operand
                yield from _of_betting(
                    scope, *(scope.prepared.game.facts[name] for name in operand.meaning.facts(operand.operand))
                )


def unless_found_elsewhere(scope: Scope, check: RoundCheck, statuses: Statuses, items: Ints) -> Statuses:
    """Drop betting failures that are already reported as an event out of order.

    A failure becomes NOT_APPLICABLE if its event is out of place in the course of the betting. The same applies if
    another course reports the event at the same severity or a higher one.
    """
    failed = np.flatnonzero(statuses == FAIL)
    if not len(failed) or not misplaced(scope).take(items.take(failed)).any():
        return statuses
    if not any(asked != STILL_IN for asked in _of_betting(scope, check.must)):
        return statuses
    requirements = scope.prepared.regulation.requirements
    severity = next(operand.severity for operand in requirements if operand.check.operand is check)
    elsewhere = found_as_grave(scope, severity).copy()
    elsewhere[found_elsewhere(scope)] = True
    statuses = statuses.copy()
    statuses[failed.compress(elsewhere.take(items.take(failed)))] = NOT_APPLICABLE
    return statuses
