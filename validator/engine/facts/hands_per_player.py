"""Hands of one player: how many a player holds, and over how many positions they extend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.intervals import UNBOUNDED, exact_bounds


@cached_fact
def count_hands_so_far(scope: EvaluationContext) -> Bounds:
    """Return how many hands the player of each seat holds up to this seat, as bounds; 0 if the seat has no hand.

    A hand without a player's name may belong to anybody.
    """
    least, most = _bound_count(scope, _count_hands)
    seats, (is_certain, possible) = scope.batch.seats, _find_seats_with_hand(scope)
    unnamed = seats.player.codes == ABSENT
    if not (unnamed & possible).any():
        return least, most

    def so_far(chosen: Flags) -> Ints:
        total = np.concatenate([[0], np.cumsum(chosen)])
        return total[1:] - total[seats.offsets[:-1]][seats.round]

    most = np.where(unnamed, so_far(possible), most + so_far(unnamed & possible))
    return np.where(unnamed, is_certain.astype(np.int64), least), np.where(possible, most, 0)


@cached_fact
def measure_hand_span(scope: EvaluationContext) -> Bounds:
    """Return the number of positions from the player's lowest to highest hand, both included, for each seat, as bounds.

    The result is 0 if the seat has no hand.
    """
    return _bound_count(scope, _measure_span)


def _bound_count(scope: EvaluationContext, count: Callable[[EvaluationContext, Flags], Ints]) -> Bounds:
    """Return bounds of a count over the hands of each seat's player.

    The lower bound counts the seats that surely have a hand, the upper bound those that may. The player must be named,
    unless the seat surely has no hand.
    """
    is_certain, possible = _find_seats_with_hand(scope)
    recorded = (scope.batch.seats.player.codes != ABSENT) | ~possible
    low = count(scope, is_certain)
    if recorded.all() and (is_certain == possible).all():
        return exact_bounds(low)
    return np.where(recorded, low, -UNBOUNDED), np.where(recorded, count(scope, possible), UNBOUNDED)


def _find_seats_with_hand(scope: EvaluationContext) -> tuple[Flags, Flags]:
    """Return which seats surely have a hand, and which may: those with a stake or with cards."""
    dealt = scope.dealt_hands("player").count
    is_certain = dealt > 0
    is_certain[scope.batch.stakes.seat] = True
    unfinished = ~scope.batch.complete[scope.batch.seats.round]
    return is_certain, is_certain | (dealt == ABSENT) | unfinished


def _count_hands(scope: EvaluationContext, holding: Flags) -> Ints:
    seats = scope.batch.seats
    player, owner = seats.player.codes, seats.round
    count = holding.astype(np.int64)
    most = int(np.diff(seats.offsets).max(initial=0))
    for back in range(1, most):
        same = (player[back:] == player[:-back]) & (owner[back:] == owner[:-back])
        count[back:] += same & holding[back:] & holding[:-back]
    return count


def _measure_span(scope: EvaluationContext, holding: Flags) -> Ints:
    seats = scope.batch.seats
    names = len(seats.player.names) + 1
    _, owner = np.unique(seats.round.astype(np.int64) * names + seats.player.codes + 1, return_inverse=True)
    number = seats.number.astype(np.int64)
    players = int(owner.max(initial=-1)) + 1
    lowest, highest = np.full(players, np.iinfo(np.int64).max), np.zeros(players, np.int64)
    np.minimum.at(lowest, owner[holding], number[holding])
    np.maximum.at(highest, owner[holding], number[holding])
    return np.where(holding, (highest - lowest + 1)[owner], 0)
