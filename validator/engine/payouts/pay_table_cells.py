"""Pay tables as arrays: strengths or values are divided into cells, and every cell has its rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.ladders import Ladder, find_spans
from validator.engine.compiled.printed_tables import Worth

NO_CELL = 255
"""Cell of an unknown strength or value."""
_CELLS = 256
_ANY = 2**62


def assign_value_cells(values: Ints, known: Flags, floors: Sequence[int]) -> Codes:
    """Assign each value to a cell: the number of the ascending floors it reaches, minus 1.

    The first floor is below all values.
    """
    cells = np.searchsorted(np.array(floors, np.int64), values, side="right") - 1
    return np.where(known, cells, NO_CELL).astype(np.uint8)


def assign_hand_cells(ranking: HandOrder, strengths: Ints32, ends: Set[int]) -> tuple[Codes, tuple[int, ...]]:
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


class CellRates(Struct, frozen=True, kw_only=True):
    """Rates of a pay table by cell: arrays of 256 entries; cells without a row pay nothing."""

    row_names: dict[int, str]
    """Row of each cell."""
    is_listed: Flags
    """True if the cell has a row."""
    pays_something: Flags
    """True if that row pays more than nothing."""
    is_by_stake: Flags
    """True if that row pays by the stake."""
    stake: Ints
    """Pay per unit staked, in parts."""
    meter: Ints
    """Share of the meter's reading, in parts."""
    money: Ints
    """Pay in minor units, in parts."""
    denominator: int
    """Number of parts in a unit."""

    @property
    def is_by_stake_only(self) -> bool:
        """Return whether all rows pay by the stake."""
        return not self.meter.any() and not self.money.any()

    @property
    def largest_rate(self) -> int:
        """Return the highest factor of an amount."""
        return max(int(self.stake.max()), int(self.meter.max()))


def compute_rates(rows: Mapping[str, Worth], ladder: Ladder, floors: Sequence[int], per: int) -> CellRates:
    """Compute the rates of a table over cells given by their lowest values.

    Rows with names that the ladder does not have pay nothing. Of overlapping rows the first one counts.

    Args:
        per: the denominator, a multiple of every row's denominator.
    """
    spans = find_spans(ladder, list(rows))
    rates = CellRates(
        row_names={},
        is_listed=np.zeros(_CELLS, bool),
        pays_something=np.zeros(_CELLS, bool),
        is_by_stake=np.zeros(_CELLS, bool),
        stake=np.zeros(_CELLS, np.int64),
        meter=np.zeros(_CELLS, np.int64),
        money=np.zeros(_CELLS, np.int64),
        denominator=per,
    )
    for cell, floor in enumerate(floors):
        name = next((name for name, (low, high) in spans.items() if low <= floor < high), None)
        if name is not None:
            unit, worth = rows[name]
            rates.row_names[cell] = name
            rates.is_listed[cell], rates.pays_something[cell], rates.is_by_stake[cell] = (
                True,
                worth > 0,
                unit == "stake",
            )
            getattr(rates, unit)[cell] = min(int(worth * per), _ANY)
    return rates
