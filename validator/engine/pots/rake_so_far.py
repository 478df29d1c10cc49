"""Rake up to every event: the amount taken, and the amount that may have been taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.pots.pot_shares import settle_pots
from validator.engine.pots.rake import find_rake_rule, rake_levels
from validator.engine.turns.quantities import evaluate_replay_quantity
from validator.evidence.handlog.events import KIND_CODES
from validator.language.operands import RakeNumber


@cached_fact
def rake_so_far(scope: EvaluationContext, which: RakeNumber) -> tuple[Ints, Flags]:
    """Return an amount of the rake after each event, and whether it is known.

    Returns:
        int64[events], in minor units; bool[events].
    """
    return _sum_taken(scope) if which == "taken" else _bound_due(scope)


def _sum_taken(scope: EvaluationContext) -> tuple[Ints, Flags]:
    events = scope.batch.events
    amount = np.where(events.kind == KIND_CODES["rake"], np.maximum(events.amount, 0), 0)
    running = np.concatenate([[0], np.cumsum(amount)])
    return running[1:] - running[events.offsets[events.round]], np.ones(len(amount), bool)


def _bound_due(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return the most that may be due: the levels reached by the chips put in so far.

    For each pot, these are the levels that all these chips would reach in that pot, limited to its final amount.
    """
    so_far, recorded = evaluate_replay_quantity(scope, "pot")
    levels, measure, owner = rake_levels(scope), find_rake_rule(scope), scope.batch.events.round
    due = np.zeros(len(so_far), np.int64)
    if levels is None or measure is None:
        return due, np.zeros(len(so_far), bool)
    if measure.from_ == "total":
        return due + _sum_reached_levels(so_far, levels), recorded
    made = settle_pots(scope)
    amount = made.pots.amount + (made.uncalled_bets.amount[made.pots.round] if measure.without is None else 0)
    for number in range(int(made.pots.count.max(initial=0))):
        whole = np.zeros(len(scope.batch), np.int64)
        chosen = made.pots.number == number
        whole[made.pots.round[chosen]] = amount[chosen]
        due += _sum_reached_levels(np.minimum(so_far, whole[owner]), levels)
    return due, recorded & made.is_known[owner]


def _sum_reached_levels(pot: Ints, levels: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the sum of the levels that pots have reached."""
    result = np.zeros(len(pot), np.int64)
    for level in levels:
        result += np.where(pot >= level["pot"], level["takes"], 0)
    return result
