"""Sums over the hands of other players, for every seat."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.engine.core.context import Scope
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.conditions import Condition


class Others(Struct, frozen=True, kw_only=True):
    """Seats that fulfil a condition, for sums over the seats of other players."""

    offsets: Ints
    """First seat of each round, and the number of all seats, int64[rounds + 1]."""
    round: Ints32
    """Round of each seat, int32[seats]."""
    player: Ints
    """First seat of the same player in the round if the log names the player, else the seat itself, int64[seats]."""
    chosen: Flags
    """Seats that fulfil the condition, bool[seats]."""
    unsure: Flags
    """Seats for which the condition is unknown, bool[seats]."""

    def total(self, values: Ints) -> Ints:
        """Return the sum of the values of all seats of other players in the round, for each seat.

        Returns:
            int64[seats].
        """
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
        in_round = running[self.offsets[1:]] - running[self.offsets[:-1]]
        own = np.zeros(len(values), np.int64)
        np.add.at(own, self.player, values)
        return in_round[self.round] - own[self.player]


def others_where(scope: Scope, condition: Condition) -> Others:
    """Find the seats of other players that fulfil a condition.

    If the log names both players, other players are those with another name; else all other seats count.
    """

    def look() -> Others:
        seats, holds = scope.batch.seats, scope.truth(condition, "seat")
        player = np.arange(len(seats.round))
        named = np.flatnonzero(seats.player.codes != ABSENT)
        keys = np.stack([seats.round[named], seats.player.codes[named]])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        player[named] = named[first][inverse.reshape(-1)]
        return Others(
            offsets=seats.offsets,
            round=seats.round,
            player=player,
            chosen=holds == YES,
            unsure=holds == UNKNOWN,
        )

    return scope.once(("others", condition.identity), look)
