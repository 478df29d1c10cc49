"""What the hands of other players come to, for every seat."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.engine.core.context import Scope
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.conditions import Condition


class Others(Struct, frozen=True, kw_only=True):
    """The seats that fulfil a condition, as `chosen`, bool[seats], and those where that is unknown, as `unsure`.

    `player` is int64[seats]: the first seat of the player in the round where the log names one, else the seat.
    """

    offsets: Ints
    round: Ints32
    player: Ints
    chosen: Flags
    unsure: Flags

    def total(self, values: Ints) -> Ints:
        """int64[seats]: values of seats added up over all seats of other players in the round."""
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
        in_round = running[self.offsets[1:]] - running[self.offsets[:-1]]
        own = np.zeros(len(values), np.int64)
        np.add.at(own, self.player, values)
        return in_round[self.round] - own[self.player]


def others_where(scope: Scope, condition: Condition) -> Others:
    """The seats of other players that fulfil a condition. Where the log names both players, others are those of
    another name, else all other seats."""

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
