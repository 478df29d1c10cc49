"""Seats that declare that they have won."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags
from validator.engine.payouts.settlement import settle_as_a_house
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.rounds import OWN, Rounds, scope_of

_ALWAYS = 1000


def claim(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with the wins that seats declare: of those that would be paid if they did, most do."""
    for name in house.claimable:
        row = house.names.index(name)
        placed = rounds.amount[row, OWN] > 0
        line = settle_as_a_house(scope_of(house, _claimed(rounds, row, placed, placed)))[name]
        wins = np.zeros(len(placed), np.bool_)
        wins[line.seat[(line.due_paid[0] > 0) & ~line.tip & line.settled]] = True
        declared = wins & happens(rng, len(placed), house.simulation.chances.claims.get(name, _ALWAYS))
        rounds = _claimed(rounds, row, placed, declared)
    return rounds


def _claimed(rounds: Rounds, row: int, placed: Flags, declared: Flags) -> Rounds:
    claimed = rounds.claimed.copy()
    claimed[row] = np.where(placed, declared, ABSENT)
    return replace(rounds, claimed=claimed)
