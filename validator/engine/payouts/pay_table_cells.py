"""Pay tables as arrays: what is looked up is cut into cells, and every cell has its rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.ladders import Ladder, spans_of
from validator.engine.compiled.printed_tables import Worth

OFF = 255
"""The cell of what is not known."""
_CELLS = 256
_ANY = 2**62


def cells_of_values(values: Ints, known: Flags, floors: Sequence[int]) -> Codes:
    """The cell of each value: how many of the ascending floors it reaches, less one. The first floor is below all
    values."""
    cells = np.searchsorted(np.array(floors, np.int64), values, side="right") - 1
    return np.where(known, cells, OFF).astype(np.uint8)


def cells_of_hands(ranking: HandOrder, strengths: Ints32, ends: Set[int]) -> tuple[Codes, tuple[int, ...]]:
    """The cell of each strength, and the lowest strength of each cell, so that no cell holds an end within it.

    Where all ends are those of categories, so are the cells, which is the fast way.
    """
    spans = [ranking.span(category) for category in ranking.categories]
    if ends <= {end for span in spans for end in span}:
        return ranking.category(strengths), tuple(low for low, _ in spans)
    floors = tuple(sorted({spans[0][0], *ends}))
    cells = np.searchsorted(np.array(floors, np.int32), strengths, side="right") - 1
    return cells.astype(np.uint8), floors  # what is below the first floor is not known: -1 becomes OFF


class Rates(Struct, frozen=True, kw_only=True):
    """What a pay table pays for each cell: arrays of 256 entries, of which those without a cell pay nothing.

    Paid beyond the stake are `stake / per` for each unit staked, `meter / per` of what the meter reads, and
    `money / per` minor units. `listed` says which cells have a row, `above` which of those pay more than nothing,
    `by_stake` which of them go by the stake; `names`, by cell, the row.
    """

    names: dict[int, str]
    listed: Flags
    above: Flags
    by_stake: Flags
    stake: Ints
    meter: Ints
    money: Ints
    per: int

    @property
    def plain(self) -> bool:
        """Whether all that is paid goes by the stake."""
        return not self.meter.any() and not self.money.any()

    @property
    def largest(self) -> int:
        """The highest rate that anything is multiplied by."""
        return max(int(self.stake.max()), int(self.meter.max()))


def rates_of(rows: Mapping[str, Worth], ladder: Ladder, floors: Sequence[int], per: int) -> Rates:
    """The rates of a table over cells given by their lowest values. Rows of names that the ladder does not know pay
    nothing; of rows that overlap the first counts. `per` is a multiple of every row's denominator."""
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
