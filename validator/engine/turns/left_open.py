"""Betting that is left open when an event comes that must wait for its end, reported once per turn."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.engine.betting.replay import Play, betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.course import misplaced
from validator.engine.timeline.step_events import events_of
from validator.engine.turns.turns import turns_of
from validator.evidence.handlog.events import KIND


@fact
def told_by_the_betting(scope: Scope) -> Flags:
    """Return the events that the betting reports, so that the order of seats need not report them again.

    These are misplaced actions, and events that must wait for the end of the betting but come while a seat must act.
    The result is empty if a waiver lifts requirements, which may be the ones that would report them.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.length("event"), bool)
    if scope.prepared.game.betting is None or scope.waived:
        return result
    play = betting_of(scope)
    result[play.moved] = True
    for step in scope.prepared.betting.complete_at:
        chosen = events_of(scope, step)
        result[chosen.compress((play.due.take(chosen) != ABSENT) & turns_of(scope).known.take(chosen))] = True
    return result


def left_open(scope: Scope, play: Play) -> Flags:
    """Return the events at which a seat must still act.

    Skipped seats that owe no chips do not count: the action ahead of the turn reports them. Of the steps that wait for
    the end of the betting, only one event per turn counts: the first event of the step that the game lists first. A
    card that a course reports as out of order does not count. If a waiver lifts requirements, every event counts, and
    so does every skipped seat.

    Returns:
        bool[events].
    """
    steps = scope.prepared.betting.complete_at
    result: Flags = play.due != ABSENT
    if scope.waived:
        return result
    result &= ~play.states.skipped.take(play.at) & ~(misplaced(scope) & (scope.batch.events.kind == KIND["deal"]))
    turns = turns_of(scope)
    known = result & turns.known
    waiting = [chosen.compress(known.take(chosen)) for chosen in (events_of(scope, step) for step in steps)]
    if not any(len(chosen) for chosen in waiting):
        return result
    recorded = np.zeros(len(result), bool)  # indexed by the first event of each turn
    reporting = []
    for chosen in waiting:
        began, first = np.unique(turns.began.take(chosen), return_index=True)
        new = ~recorded.take(began)
        recorded[began] = True
        reporting.append(chosen.take(first.compress(new)))
    result[np.concatenate(waiting)] = False
    result[np.concatenate(reporting)] = True
    return result
