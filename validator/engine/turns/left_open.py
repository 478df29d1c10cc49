"""Betting that is left open when an event comes that must wait for its end, reported once per turn."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.engine.betting.replay import BettingReplay, replay_betting
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.course import reported_out_of_order
from validator.engine.timeline.step_events import certain_events
from validator.engine.turns.turns import turn_spans
from validator.evidence.handlog.events import KIND_CODES


@cached_fact
def reported_by_betting(scope: EvaluationContext) -> Flags:
    """Return the events that the betting reports, so that the order of seats need not report them again.

    These are misplaced actions, and events that must wait for the end of the betting but come while a seat must act.
    The result is empty if a waiver lifts requirements, which may be the ones that would report them.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    if scope.compiled_game.game.betting is None or scope.waived_checks:
        return result
    play = replay_betting(scope)
    result[play.misplaced_events] = True
    for step in scope.compiled_game.betting.complete_at:
        chosen = certain_events(scope, step)
        result[chosen.compress((play.seat_to_act.take(chosen) != ABSENT) & turn_spans(scope).is_known.take(chosen))] = (
            True
        )
    return result


def is_betting_left_open(scope: EvaluationContext, play: BettingReplay) -> Flags:
    """Return the events at which a seat must still act.

    Skipped seats that owe no chips do not count: the action ahead of the turn reports them. Of the steps that wait for
    the end of the betting, only one event per turn counts: the first event of the step that the game lists first. A
    card that a course reports as out of order does not count. If a waiver lifts requirements, every event counts, and
    so does every skipped seat.

    Returns:
        bool[events].
    """
    steps = scope.compiled_game.betting.complete_at
    result: Flags = play.seat_to_act != ABSENT
    if scope.waived_checks:
        return result
    result &= ~play.snapshots.only_skipped_left.take(play.snapshot_index) & ~(
        reported_out_of_order(scope) & (scope.batch.events.kind == KIND_CODES["deal"])
    )
    turns = turn_spans(scope)
    known = result & turns.is_known
    waiting = [chosen.compress(known.take(chosen)) for chosen in (certain_events(scope, step) for step in steps)]
    if not any(len(chosen) for chosen in waiting):
        return result
    recorded = np.zeros(len(result), bool)  # indexed by the first event of each turn
    reporting = []
    for chosen in waiting:
        began, first = np.unique(turns.first_event.take(chosen), return_index=True)
        new = ~recorded.take(began)
        recorded[began] = True
        reporting.append(chosen.take(first.compress(new)))
    result[np.concatenate(waiting)] = False
    result[np.concatenate(reporting)] = True
    return result
