"""Expected stack of a seat at the end of a round, from what it put in, got back and won."""

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
"""Means of placing a wager without chips from the stack."""


def chips_left(scope: Scope) -> Bounds:
    """Return the least and the most chips that each seat may have at the end of the round.

    Bounds are `UNBOUNDED` if the record sets none: it has no stacks at the start, it is truncated, or the game also
    settles wagers against the house. The stacks of a record without awards follow from the play, so that unrecorded
    chip movements do not explain them.

    Returns:
        int64[seats] each.
    """
    seats = scope.batch.seats
    put, start = staked(scope, "this-seat"), seats.stack
    recorded = (start != ABSENT) & scope.batch.complete[seats.round]
    if scope.prepared.game.settlement.order:
        recorded &= False
    won, back = amounts_of(scope, "award"), amounts_of(scope, "return")
    won = np.where((won == UNTOLD) & (seats.won != ABSENT), seats.won, won)
    least, most = (
        start - put,
        start - put + _sum_amounts(scope, "wager", means=_NOT_OF_THE_STACK) + _sum_amounts(scope, "pay"),
    )
    # An unrecorded return is between nothing and the most that may be returned.
    least = least + np.where(won == UNTOLD, 0, won) + np.where(back == UNTOLD, 0, back)
    most = most + np.where(won == UNTOLD, FAR, won) + np.where(back == UNTOLD, may_go_back(scope), back)
    added, removed = moved(scope, "added"), moved(scope, "removed")
    unsaid = np.where(stacks_are_of_play(scope), 0, FAR)
    # Chips that are added or removed during a round may be kept separate until its end.
    most = most + np.where(added.recorded, added.during, unsaid)
    least = least - np.where(removed.recorded, removed.during, unsaid)
    return within(np.where(recorded, least, -FAR)), within(np.where(recorded, most, FAR))


def _sum_amounts(scope: Scope, kind: str, *, means: tuple[int, ...] | None = None) -> Ints:
    """Return the sum of the amounts of all events of a kind at each seat.

    Args:
        means: count only events done in one of these means.
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    if means is not None:
        chosen = chosen[np.isin(events.means[chosen], means)]
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    return result
