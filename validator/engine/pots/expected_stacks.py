"""The chips that a seat should have when the round is over, as what was put in, came back and was won tells."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bounds, Ints
from validator.engine.betting.chip_movements import moved, staked
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR, within
from validator.engine.pots.received import UNTOLD, amounts_of, may_go_back, stacks_are_of_play
from validator.engine.timeline.step_events import events_of_kinds
from validator.evidence.handlog.event_values import MEANS

_NOT_OF_THE_STACK = tuple(MEANS.index(means) for means in ("coupon", "cash", "words"))
"""What wagers may be placed in without chips leaving the stack."""


def chips_left(scope: Scope) -> Bounds:
    """Return the least and the most chips that each seat may have when the round is over, int64[seats] both.

    Bounds are `FAR` out where the record sets none: it does not count chips at the start, stops before the end, or the
    house settles wagers of the game besides. A record without awards has its stacks from the play, so that chips that
    come or go without a word do not explain them.
    """
    seats = scope.batch.seats
    put, start = staked(scope, "this-seat"), seats.stack
    recorded = (start != ABSENT) & scope.batch.complete[seats.round]
    if scope.prepared.game.settlement.order:
        recorded &= False
    won, back = amounts_of(scope, "award"), amounts_of(scope, "return")
    won = np.where((won == UNTOLD) & (seats.won != ABSENT), seats.won, won)
    least, most = start - put, start - put + _amounts(scope, "wager", means=_NOT_OF_THE_STACK) + _amounts(scope, "pay")
    # Of what is not told to have come back there may be nothing, or all that may go back.
    least = least + np.where(won == UNTOLD, 0, won) + np.where(back == UNTOLD, 0, back)
    most = most + np.where(won == UNTOLD, FAR, won) + np.where(back == UNTOLD, may_go_back(scope), back)
    added, removed = moved(scope, "added"), moved(scope, "removed")
    unsaid = np.where(stacks_are_of_play(scope), 0, FAR)
    # Chips that come or go in the middle of a round may be kept apart until it is over.
    most = most + np.where(added.recorded, added.during, unsaid)
    least = least - np.where(removed.recorded, removed.during, unsaid)
    return within(np.where(recorded, least, -FAR)), within(np.where(recorded, most, FAR))


def _amounts(scope: Scope, kind: str, *, means: tuple[int, ...] | None = None) -> Ints:
    """int64[seats]: the amounts of all events of a kind at each seat; with `means`, of those done in one of them."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    if means is not None:
        chosen = chosen[np.isin(events.means[chosen], means)]
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    return result
