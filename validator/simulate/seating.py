"""Who sits down: how many hands a round has, at which positions, and whose they are."""

from __future__ import annotations

import numpy as np

from validator.arrays import Ints, Ints16, Ints32
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.rounds import Rounds, seated


def take_seats(house: House, count: int, rng: np.random.Generator) -> Rounds:
    """`count` rounds with seats taken at random. Positions may stay empty between them."""
    least, most = house.seats
    hands = rng.integers(least, most, count, endpoint=True)
    positions = np.argsort(rng.integers(0, 2**62, (count, house.positions)), axis=1, kind="stable")
    taken = np.zeros((count, house.positions), np.bool_)
    np.put_along_axis(taken, positions, np.arange(house.positions) < hands[:, None], axis=1)
    number = np.nonzero(taken)[1].astype(np.int16) + np.int16(1)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(hands)])
    return seated(house, offsets, number, _players(house, offsets, number, rng))


def _players(house: House, offsets: Ints, number: Ints16, rng: np.random.Generator) -> Ints32:
    """Codes of the players: now and then one plays several seats next to each other, as many as the house
    allows."""
    allowed = max(house.submission.hands_per_player or 1, 1)
    another = happens(rng, len(number), house.simulation.chances.second_hand)
    another[offsets[:-1]] = False
    seat = np.arange(len(number))
    first = np.maximum.accumulate(np.where(another, 0, seat))
    first += (seat - first) // allowed * allowed
    return number[first].astype(np.int32) - 1
