"""Rounds with one fault in them, kept in stock: dealt again and again until the fault fits."""

from __future__ import annotations

import numpy as np

from validator.arrays import Ints
from validator.evidence.columns.batch import Batch
from validator.simulate.draws import stream
from validator.simulate.gather import pick
from validator.simulate.house import House
from validator.simulate.planting import Planting
from validator.simulate.playing import play_broken

POOL = 512
"""Rounds that are tried at once."""
PATIENCE = 40
"""Rounds that are tried for each round that is asked for: so seldom a fault may fit and still be planted as often
as it should."""
FEWEST_POOLS = 8
"""Pools that are tried, if need be, however little is asked for."""
LONGEST_SEARCH = 64
"""Pools that are tried for the first round that the fault fits; if none turns up, none will be looked for."""


class Supply:
    """Rounds that break one requirement, as many as are asked for or can be found with reasonable patience.

    What it gives depends on the seed, the fault and what was asked for before, on nothing else.
    """

    def __init__(self, house: House, planting: Planting, seed: int) -> None:
        self.planting = planting
        self._house = house
        self._key = (seed, 1, *planting.requirement.encode())
        self._pools = 0
        self._stock: list[Batch] = []
        self._found = False

    def take(self, wanted: int) -> Batch | None:
        """At most `wanted` rounds, none of them given before; None where there is none."""
        tried = 0
        while self._in_stock() < wanted and self._worth_trying(tried, wanted):
            self._try()
            tried += 1
        if not self._stock:
            return None
        whole = self._stock[0] if len(self._stock) == 1 else pick(self._stock, np.arange(self._in_stock()))
        given = min(wanted, len(whole))
        self._stock = [pick([whole], np.arange(given, len(whole)))] if given < len(whole) else []
        return pick([whole], np.arange(given))

    def _in_stock(self) -> int:
        return sum(len(batch) for batch in self._stock)

    def _worth_trying(self, tried: int, wanted: int) -> bool:
        if not self._found:
            return self._pools < LONGEST_SEARCH
        return tried < FEWEST_POOLS or tried * POOL < PATIENCE * wanted

    def _try(self) -> None:
        rng = stream(*self._key, self._pools)
        self._pools += 1
        batch, broken = play_broken(self._house, self.planting, POOL, rng)
        good: Ints = np.flatnonzero(broken)
        if len(good):
            self._found = True
            self._stock.append(pick([batch], good))
