"""Expected stack of a seat at the end of a round, from what it put in, got back and won."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bounds, Ints
from validator.engine.betting.chip_movements import collect_chip_movement, sum_staked
from validator.engine.core.context import EvaluationContext
from validator.engine.core.intervals import UNBOUNDED, clip_to_unbounded
from validator.engine.pots.received import NOT_RECORDED, find_most_returnable, is_explained_by_play, sum_events_per_seat
from validator.engine.timeline.step_events import events_of_kinds
from validator.evidence.handlog.event_values import MEANS

_NOT_OF_THE_STACK = tuple(MEANS.index(means) for means in ("coupon", "cash", "words"))
"""Means of placing a wager without chips from the stack."""


def bound_chips_left(scope: EvaluationContext) -> Bounds:
    """Return the least and the most chips that each seat may have at the end of the round.

    Bounds are `UNBOUNDED` if the record sets none: it has no stacks at the start, it is truncated, or the game also
    settles wagers against the house. The stacks of a record without awards follow from the play, so that unrecorded
    chip movements do not explain them.

    Returns:
        int64[seats] each.
    """
    seats = scope.batch.seats
    put, start = sum_staked(scope, "this-seat"), seats.stack
    recorded = (start != ABSENT) & scope.batch.complete[seats.round]
    if scope.compiled_game.game.settlement.order:
        recorded &= False
    won, back = sum_events_per_seat(scope, "award"), sum_events_per_seat(scope, "return")
    won = np.where((won == NOT_RECORDED) & (seats.won != ABSENT), seats.won, won)
    least, most = (
        start - put,
        start - put + _sum_amounts(scope, "wager", means=_NOT_OF_THE_STACK) + _sum_amounts(scope, "pay"),
    )
    # An unrecorded return is between nothing and the most that may be returned.
    least = least + np.where(won == NOT_RECORDED, 0, won) + np.where(back == NOT_RECORDED, 0, back)
    most = (
        most
        + np.where(won == NOT_RECORDED, UNBOUNDED, won)
        + np.where(back == NOT_RECORDED, find_most_returnable(scope), back)
    )
    added, removed = collect_chip_movement(scope, "added"), collect_chip_movement(scope, "removed")
    unsaid = np.where(is_explained_by_play(scope), 0, UNBOUNDED)
    # Chips that are added or removed during a round may be kept separate until its end.
    most = most + np.where(added.is_recorded, added.during_play, unsaid)
    least = least - np.where(removed.is_recorded, removed.during_play, unsaid)
    return clip_to_unbounded(np.where(recorded, least, -UNBOUNDED)), clip_to_unbounded(
        np.where(recorded, most, UNBOUNDED)
    )


def _sum_amounts(scope: EvaluationContext, kind: str, *, means: tuple[int, ...] | None = None) -> Ints:
    """Return the sum of the amounts of all events of a kind at each seat.

    Args:
        means: count only events done in one of these means.
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    if means is not None:
        chosen = chosen[np.isin(events.means[chosen], means)]
    result = np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(result, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    return result
