"""Sums over the hands of other players, for every seat."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.conditions import Condition


class OtherPlayers(Struct, frozen=True, kw_only=True):
    """Seats that fulfil a condition, for sums over the seats of other players."""

    offsets: Ints
    """First seat of each round, and the number of all seats, int64[rounds + 1]."""
    round: Ints32
    """Round of each seat, int32[seats]."""
    first_seat_of_player: Ints
    """First seat of the same player in the round if the log names the player, else the seat itself, int64[seats]."""
    fulfils: Flags
    """Seats that fulfil the condition, bool[seats]."""
    is_uncertain: Flags
    """Seats for which the condition is unknown, bool[seats]."""

    def sum_over_others(self, values: Ints) -> Ints:
        """Return the sum of the values of all seats of other players in the round, for each seat.

        Returns:
            int64[seats].
        """
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
        in_round = running[self.offsets[1:]] - running[self.offsets[:-1]]
        own = np.zeros(len(values), np.int64)
        np.add.at(own, self.first_seat_of_player, values)
        return in_round[self.round] - own[self.first_seat_of_player]


def find_other_players(scope: EvaluationContext, condition: Condition) -> OtherPlayers:
    """Find the seats of other players that fulfil a condition.

    If the log names both players, other players are those with another name; else all other seats count.
    """

    def look() -> OtherPlayers:
        seats, holds = scope.batch.seats, scope.evaluate(condition, "seat")
        player = np.arange(len(seats.round))
        named = np.flatnonzero(seats.player.codes != ABSENT)
        keys = np.stack([seats.round[named], seats.player.codes[named]])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        player[named] = named[first][inverse.reshape(-1)]
        return OtherPlayers(
            offsets=seats.offsets,
            round=seats.round,
            first_seat_of_player=player,
            fulfils=holds == YES,
            is_uncertain=holds == UNKNOWN,
        )

    return scope.compute_once(("others", condition.identity), look)
