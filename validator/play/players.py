"""The hands of one player: how many a player holds, and over how many positions they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.play.scope import Scope

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def hands_so_far(scope: Scope) -> tuple[Ints, Flags]:
    """Per seat: how many hands its player holds up to this seat, and whether the log names the player."""
    return scope.once(("hands-so-far",), lambda: _hands_so_far(scope))


def _hands_so_far(scope: Scope) -> tuple[Ints, Flags]:
    seats = scope.batch.seats
    player, owner = seats.player.codes, seats.round
    count = np.ones(len(player), np.int64)
    most = int(np.diff(seats.offsets).max(initial=0))
    for back in range(1, most):
        count[back:] += (player[back:] == player[:-back]) & (owner[back:] == owner[:-back])
    return count, player != ABSENT


def span_of_hands(scope: Scope) -> tuple[Ints, Flags]:
    """Per seat: how many positions there are from its player's lowest seat to the highest, both counted, and
    whether the log names the player."""
    return scope.once(("span",), lambda: _span_of_hands(scope))


def _span_of_hands(scope: Scope) -> tuple[Ints, Flags]:
    seats = scope.batch.seats
    names = len(seats.player.names) + 1
    _, one = np.unique(seats.round.astype(np.int64) * names + seats.player.codes + 1, return_inverse=True)
    number = seats.number.astype(np.int64)
    players = int(one.max(initial=-1)) + 1
    lowest, highest = np.full(players, np.iinfo(np.int64).max), np.zeros(players, np.int64)
    np.minimum.at(lowest, one, number)
    np.maximum.at(highest, one, number)
    return (highest - lowest + 1)[one], seats.player.codes != ABSENT
