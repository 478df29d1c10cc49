"""Betting that is left open when something comes that must wait for its end: told once in a turn."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.engine.betting.replay import Play
from validator.engine.core.context import Scope
from validator.engine.timeline.step_events import events_of
from validator.engine.turns.turns import turns_of


def left_open(scope: Scope, play: Play) -> Flags:
    """bool[events]: where somebody still owes an act. Who was passed over and owes no chips is told of by the act that
    came ahead of the turn. Of the steps that wait for the end of the betting only one event in a turn is such: the
    first of the step that the game lists first of those that come in it. Where a waiver lifts requirements, that may be
    one of those which would tell it, so that every event counts, and whoever was passed over."""
    steps = scope.prepared.betting.complete_at
    found: Flags = play.due != ABSENT
    if scope.waived:
        return found
    found &= ~play.states.skipped.take(play.at)
    turns = turns_of(scope)
    known = found & turns.known
    waiting = [chosen.compress(known.take(chosen)) for chosen in (events_of(scope, step) for step in steps)]
    if not any(len(chosen) for chosen in waiting):
        return found
    told = np.zeros(len(found), bool)  # by the first event of each turn
    tells = []
    for chosen in waiting:
        began, first = np.unique(turns.began.take(chosen), return_index=True)
        new = ~told.take(began)
        told[began] = True
        tells.append(chosen.take(first.compress(new)))
    found[np.concatenate(waiting)] = False
    found[np.concatenate(tells)] = True
    return found
