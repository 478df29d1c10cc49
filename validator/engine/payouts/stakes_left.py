"""Stakes that stay on the table when a round is over."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import Bounds
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.facts.stake_outcomes import sum_events
from fairdeal.validator.engine.payouts.line_settlement import SettledLine, settle_lines
from fairdeal.validator.engine.timeline.truncated_records import is_truncated
from fairdeal.validator.evidence.columns.recorded_events import is_recorded


@cached_fact
def bound_left_on(scope: EvaluationContext, name: str) -> Bounds:
    """Return bounds of what each seat leaves on a wager for the next round, without tips.

    It is the whole stake by a case that leaves it, less what was returned, and nothing by any other case. If the stake
    was settled in another way, or the log does not show how, it may be anything between.

    Returns:
        int64[seats], twice.
    """
    seats = scope.count_items("seat")
    low, high = np.zeros((2, seats), np.int64)
    if name in scope.compiled_game.game.staying_wagers:
        line = settle_lines(scope)[name]
        least, most = _bound_stakes_left(scope, line)
        own = ~line.tip
        np.add.at(low, line.seat[own], least[own])
        np.add.at(high, line.seat[own], most[own])
    stops = is_truncated(scope, "seat")
    return np.where(stops, 0, low), np.where(stops, UNBOUNDED, high)


def _bound_stakes_left(scope: EvaluationContext, line: SettledLine) -> Bounds:
    """Return bounds of what is left of each stake of a line, int64[stakes] each."""
    cases = scope.compiled_game.game.settlement.cases
    leaves = np.array([*(case.due.leaves_stake for case in cases), False], np.bool_)
    # A stake that was collected by mistake and returned is on the table again.
    back = np.maximum(sum_events(scope, "return") - sum_events(scope, "collect"), 0).take(line.stake)
    rest = line.amount - np.minimum(back, line.amount)
    is_known = line.is_settled & line.is_recorded() & line.matches_due().all(axis=0)
    shows_returns = is_recorded(scope.batch, "return")[scope.batch.seats.round[line.seat]]
    stays = leaves[line.case] & line.is_settled
    least = np.where(is_known & stays & shows_returns, rest, 0)
    return least, np.where(is_known, np.where(stays, rest, 0), line.amount)
