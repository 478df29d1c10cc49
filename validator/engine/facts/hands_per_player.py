"""The hands of one player: how many a player holds, and over how many positions they lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR, certain


@fact
def hands_so_far(scope: Scope) -> Bounds:
    """Per seat: how many hands its player holds up to this seat; none where the seat holds no hand. A hand whose player
    is not named may be of anybody."""
    least, most = _of_hands(scope, _counted)
    seats, (surely, perhaps) = scope.batch.seats, _holding(scope)
    unnamed = seats.player.codes == ABSENT
    if not (unnamed & perhaps).any():
        return least, most

    def so_far(chosen: Flags) -> Ints:
        total = np.concatenate([[0], np.cumsum(chosen)])
        return total[1:] - total[seats.offsets[:-1]][seats.round]

    most = np.where(unnamed, so_far(perhaps), most + so_far(unnamed & perhaps))
    return np.where(unnamed, surely.astype(np.int64), least), np.where(perhaps, most, 0)


@fact
def span_of_hands(scope: Scope) -> Bounds:
    """Per seat: how many positions there are from its player's lowest hand to the highest, both counted; none where
    the seat holds no hand."""
    return _of_hands(scope, _spanned)


def _of_hands(scope: Scope, count: Callable[[Scope, Flags], Ints]) -> Bounds:
    """What the hands of each seat's player come to, counted over the seats that surely hold one and over those that
    may. Whose a hand is must be known for that; that there is none is enough."""
    surely, perhaps = _holding(scope)
    recorded = (scope.batch.seats.player.codes != ABSENT) | ~perhaps
    low = count(scope, surely)
    if recorded.all() and (surely == perhaps).all():
        return certain(low)
    return np.where(recorded, low, -FAR), np.where(recorded, count(scope, perhaps), FAR)


def _holding(scope: Scope) -> tuple[Flags, Flags]:
    """bool[seats]: which seats hold a hand for sure, and which may: those with a stake or with cards."""
    dealt = scope.hands_at("player").count
    surely = dealt > 0
    surely[scope.batch.stakes.seat] = True
    unfinished = ~scope.batch.complete[scope.batch.seats.round]
    return surely, surely | (dealt == ABSENT) | unfinished


def _counted(scope: Scope, holding: Flags) -> Ints:
    seats = scope.batch.seats
    player, owner = seats.player.codes, seats.round
    count = holding.astype(np.int64)
    most = int(np.diff(seats.offsets).max(initial=0))
    for back in range(1, most):
        same = (player[back:] == player[:-back]) & (owner[back:] == owner[:-back])
        count[back:] += same & holding[back:] & holding[:-back]
    return count


def _spanned(scope: Scope, holding: Flags) -> Ints:
    seats = scope.batch.seats
    names = len(seats.player.names) + 1
    _, owner = np.unique(seats.round.astype(np.int64) * names + seats.player.codes + 1, return_inverse=True)
    number = seats.number.astype(np.int64)
    players = int(owner.max(initial=-1)) + 1
    lowest, highest = np.full(players, np.iinfo(np.int64).max), np.zeros(players, np.int64)
    np.minimum.at(lowest, owner[holding], number[holding])
    np.maximum.at(highest, owner[holding], number[holding])
    return np.where(holding, (highest - lowest + 1)[owner], 0)
