"""Rounds with a fault in each: played by the pool, of which those are kept that the fault fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.simulate.faults.planting import Planting
from validator.simulate.stages import play_broken
from validator.simulate.table.chance import stream
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.requisites import fits_some_round

POOL = 512
"""Rounds that are tried at once at the most; at first a few will do, and ever more as long as too few fit."""
FIRST_POOL = 16
PATIENCE = 40
"""Rounds that are tried for each round that is asked for: so seldom a fault may fit and still be planted as often
as it should."""
LONGEST_SEARCH = 2048
"""Rounds that are tried, if need be, however little is asked for; if the fault fitted none of them, none will be looked
for any more."""
_HOPE = 1 / 16
"""How often a fault is taken to fit at tables where it was not tried yet."""
_OFTEN = 100
"""In so many of a thousand deals it happens, at a table where it happens often, that cards are shown or miscounted."""


class _Tables(Struct):
    """Tables of a house: how many rounds were tried there, and how many of them the fault fitted, with one more of both
    that speak for trying."""

    house: House
    tried: float
    fitted: int = 1
    pools: int = 0


class Supply:
    """Rounds that break one requirement, as many as are asked for or can be found with reasonable patience.

    They are of ordinary tables or, where it hardly fits there, of eventful ones: wherever it fitted most often.
    What it gives depends on the seed, the fault and what was asked for before, on nothing else.
    """

    def __init__(self, house: House, planting: Planting, seed: int) -> None:
        self.planting = planting
        self._tables = [_Tables(house, 1), *(_Tables(one, 1 / _HOPE) for one in eventful(house))]
        self._key = (seed, 1, planting.requirement)
        self._tried = 0
        self._stock: list[Round] = []
        self._found = False
        self._fits_some = fits_some_round(house, planting)

    def take(self, wanted: int) -> list[Round]:
        """At most `wanted` rounds, none of them given before."""
        tried = 0
        while len(self._stock) < wanted and self._worth_trying(tried, wanted):
            tried += self._try()
        given, self._stock = self._stock[:wanted], self._stock[wanted:]
        return given

    def _worth_trying(self, tried: int, wanted: int) -> bool:
        if not self._found:
            return self._fits_some and self._tried < LONGEST_SEARCH
        return tried < max(LONGEST_SEARCH, PATIENCE * wanted)

    def _try(self) -> int:
        """Try a pool; returns how many rounds it has."""
        tables = max(self._tables, key=lambda one: one.fitted / one.tried)
        count = min(FIRST_POOL << tables.pools, POOL)
        good = play_broken(tables.house, self.planting, count, stream(*self._key, self._tried))
        self._tried += count
        self._found |= bool(good)
        tables.tried, tables.fitted, tables.pools = tables.tried + count, tables.fitted + len(good), tables.pools + 1
        for one in good:
            one.planted = (self.planting.requirement,)
        self._stock += good
        return count


def eventful(house: House) -> Iterator[House]:
    """The house, each time with one thing that seldom happens and now does so often: cards miscounted at a place, cards
    shown, mishaps, irregularities, rare hands."""
    simulation, chances = house.simulation, house.simulation.chances
    more: list[dict[str, Any]] = [
        {"chances": chances.model_copy(update={"miscounts": {**chances.miscounts, place: _OFTEN}})}
        for place, chance in chances.miscounts.items()
        if 0 < chance < _OFTEN
    ]
    if house.game.irregularities.exposures and 0 < chances.exposure < _OFTEN:
        more.append({"chances": chances.model_copy(update={"exposure": _OFTEN})})
    more += [
        {name: [one.model_copy(update={"chance": chance}) for one, chance in likely]}
        for name in ("mishaps", "irregularities")
        if (likely := _likely(getattr(simulation, name)))
    ]
    yield from (replace(house, simulation=simulation.model_copy(update=one)) for one in more)
    if likely := _likely(house.rare):
        yield replace(house, rare=tuple(replace(one, chance=chance) for one, chance in likely))


def _likely(seldom: Sequence[Any]) -> list[tuple[Any, int]]:
    """What seldom happens, with chances that are raised all alike until one or the other is sure to come up."""
    total = max(sum(one.chance for one in seldom), 1)
    return [(one, max(one.chance * 1000 // total, one.chance)) for one in seldom]
