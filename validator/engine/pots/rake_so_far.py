"""Rake up to every event: the amount taken, and the amount that may have been taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.pots.pot_shares import settled
from validator.engine.pots.rake import levels_of, measure_of
from validator.engine.turns.quantities import betting_number
from validator.evidence.handlog.events import KIND
from validator.language.operands import RakeNumber


@fact
def rake_so_far(scope: Scope, which: RakeNumber) -> tuple[Ints, Flags]:
    """Return an amount of the rake after each event, and whether it is known.

    Returns:
        int64[events], in minor units; bool[events].
    """
    return _sum_taken(scope) if which == "taken" else _bound_due(scope)


def _sum_taken(scope: Scope) -> tuple[Ints, Flags]:
    events = scope.batch.events
    amount = np.where(events.kind == KIND["rake"], np.maximum(events.amount, 0), 0)
    running = np.concatenate([[0], np.cumsum(amount)])
    return running[1:] - running[events.offsets[events.round]], np.ones(len(amount), bool)


def _bound_due(scope: Scope) -> tuple[Ints, Flags]:
    """Return the most that may be due: the levels reached by the chips put in so far.

    For each pot, these are the levels that all these chips would reach in that pot, limited to its final amount.
    """
    so_far, recorded = betting_number(scope, "pot")
    levels, measure, owner = levels_of(scope), measure_of(scope), scope.batch.events.round
    due = np.zeros(len(so_far), np.int64)
    if levels is None or measure is None:
        return due, np.zeros(len(so_far), bool)
    if measure.from_ == "total":
        return due + _sum_reached_levels(so_far, levels), recorded
    made = settled(scope)
    amount = made.pots.amount + (made.free.amount[made.pots.hand] if measure.without is None else 0)
    for number in range(int(made.pots.count.max(initial=0))):
        whole = np.zeros(len(scope.batch), np.int64)
        chosen = made.pots.number == number
        whole[made.pots.hand[chosen]] = amount[chosen]
        due += _sum_reached_levels(np.minimum(so_far, whole[owner]), levels)
    return due, recorded & made.known[owner]


def _sum_reached_levels(pot: Ints, levels: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the sum of the levels that pots have reached."""
    result = np.zeros(len(pot), np.int64)
    for level in levels:
        result += np.where(pot >= level["pot"], level["takes"], 0)
    return result
