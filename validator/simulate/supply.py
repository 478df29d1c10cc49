"""Rounds with a fault in each: played by the pool, of which those are kept that the fault fits."""

from __future__ import annotations

from validator.simulate.faults.planting import Planting
from validator.simulate.stages import play_broken
from validator.simulate.table.chance import stream
from validator.simulate.table.house import House
from validator.simulate.table.records import Round

POOL = 512
"""Rounds that are tried at once at the most; at first a few will do, and ever more as long as too few fit."""
FIRST_POOL = 16
PATIENCE = 40
"""Rounds that are tried for each round that is asked for: so seldom a fault may fit and still be planted as often
as it should."""
FEWEST_TRIED = 4096
"""Rounds that are tried, if need be, however little is asked for."""
LONGEST_SEARCH = 16
"""Pools that are tried for the first round that the fault fits; if none turns up, none will be looked for."""


class Supply:
    """Rounds that break one requirement, as many as are asked for or can be found with reasonable patience.

    What it gives depends on the seed, the fault and what was asked for before, on nothing else.
    """

    def __init__(self, house: House, planting: Planting, seed: int) -> None:
        self.planting = planting
        self._house = house
        self._key = (seed, 1, planting.requirement)
        self._pools = 0
        self._stock: list[Round] = []
        self._found = False

    def take(self, wanted: int) -> list[Round]:
        """At most `wanted` rounds, none of them given before."""
        tried = 0
        while len(self._stock) < wanted and self._worth_trying(tried, wanted):
            tried += self._try()
        given, self._stock = self._stock[:wanted], self._stock[wanted:]
        return given

    def _worth_trying(self, tried: int, wanted: int) -> bool:
        if not self._found:
            return self._pools < LONGEST_SEARCH
        return tried < max(FEWEST_TRIED, PATIENCE * wanted)

    def _try(self) -> int:
        """Try a pool; returns how many rounds it has."""
        count = min(FIRST_POOL << self._pools, POOL)
        good = play_broken(self._house, self.planting, count, stream(*self._key, self._pools))
        self._pools += 1
        self._found |= bool(good)
        for one in good:
            one.planted = (self.planting.requirement,)
        self._stock += good
        return count
