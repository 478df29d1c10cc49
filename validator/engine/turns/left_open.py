"""Betting that is left open when something comes that must wait for its end: told once in a turn."""

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
    """bool[events]: acts out of their places in the betting, and what comes while somebody still owes an act though it
    waits for the end of the betting, so that a requirement on the order of seats need not tell the same lapse again.
    None of it where a waiver lifts requirements, which may be those that would tell it."""
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
    """bool[events]: where somebody still owes an act. Who was passed over and owes no chips is told of by the act that
    came ahead of the turn. Of the steps that wait for the end of the betting only one event in a turn is such: the
    first of the step that the game lists first of those that come in it, and no card that is found out of place in a
    course. Where a waiver lifts requirements, that may be one of those which would tell it, so that every event counts,
    and whoever was passed over."""
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
    recorded = np.zeros(len(result), bool)  # by the first event of each turn
    tells = []
    for chosen in waiting:
        began, first = np.unique(turns.began.take(chosen), return_index=True)
        new = ~recorded.take(began)
        recorded[began] = True
        tells.append(chosen.take(first.compress(new)))
    result[np.concatenate(waiting)] = False
    result[np.concatenate(tells)] = True
    return result
