"""Pay tables as arrays: strengths or values are divided into cells, and every cell has its rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.ladders import Ladder, spans_of
from validator.engine.compiled.printed_tables import Worth

OFF = 255
"""Cell of an unknown strength or value."""
_CELLS = 256
_ANY = 2**62


def cells_of_values(values: Ints, known: Flags, floors: Sequence[int]) -> Codes:
    """Assign each value to a cell: the number of the ascending floors it reaches, minus 1.

    The first floor is below all values.
    """
    cells = np.searchsorted(np.array(floors, np.int64), values, side="right") - 1
    return np.where(known, cells, OFF).astype(np.uint8)


def cells_of_hands(ranking: HandOrder, strengths: Ints32, ends: Set[int]) -> tuple[Codes, tuple[int, ...]]:
    """Assign each strength to a cell, and return the lowest strength of each cell.

    No cell contains a range end in its interior. If all ends are those of categories, the cells are the categories,
    which is faster.
    """
    spans = [ranking.span(category) for category in ranking.categories]
    if ends <= {end for span in spans for end in span}:
        return ranking.category(strengths), tuple(low for low, _ in spans)
    floors = tuple(sorted({spans[0][0], *ends}))
    cells = np.searchsorted(np.array(floors, np.int32), strengths, side="right") - 1
    return cells.astype(np.uint8), floors  # a strength below the first floor is unknown: -1 becomes NO_CELL


class Rates(Struct, frozen=True, kw_only=True):
    """Rates of a pay table by cell: arrays of 256 entries; cells without a row pay nothing."""

    names: dict[int, str]
    """Row of each cell."""
    listed: Flags
    """True if the cell has a row."""
    above: Flags
    """True if that row pays more than nothing."""
    by_stake: Flags
    """True if that row pays by the stake."""
    stake: Ints
    """Pay per unit staked, in parts."""
    meter: Ints
    """Share of the meter's reading, in parts."""
    money: Ints
    """Pay in minor units, in parts."""
    per: int
    """Number of parts in a unit."""

    @property
    def plain(self) -> bool:
        """Return whether all rows pay by the stake."""
        return not self.meter.any() and not self.money.any()

    @property
    def largest(self) -> int:
        """Return the highest factor of an amount."""
        return max(int(self.stake.max()), int(self.meter.max()))


def rates_of(rows: Mapping[str, Worth], ladder: Ladder, floors: Sequence[int], per: int) -> Rates:
    """Compute the rates of a table over cells given by their lowest values.

    Rows with names that the ladder does not have pay nothing. Of overlapping rows the first one counts.

    Args:
        per: the denominator, a multiple of every row's denominator.
    """
    spans = spans_of(ladder, list(rows))
    rates = Rates(
        names={},
        listed=np.zeros(_CELLS, bool),
        above=np.zeros(_CELLS, bool),
        by_stake=np.zeros(_CELLS, bool),
        stake=np.zeros(_CELLS, np.int64),
        meter=np.zeros(_CELLS, np.int64),
        money=np.zeros(_CELLS, np.int64),
        per=per,
    )
    for cell, floor in enumerate(floors):
        name = next((name for name, (low, high) in spans.items() if low <= floor < high), None)
        if name is not None:
            unit, worth = rows[name]
            rates.names[cell] = name
            rates.listed[cell], rates.above[cell], rates.by_stake[cell] = True, worth > 0, unit == "stake"
            getattr(rates, unit)[cell] = min(int(worth * per), _ANY)
    return rates
