"""Counts of rounds by dealer, shift, month and table, to which violations are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.evidence.columns.batch import MOMENT, UNDATED, Batch
from fairdeal.validator.evidence.columns.relations import code_context
from fairdeal.validator.hold.stake_counts import find_distinct_rows
from fairdeal.validator.results.game_statistics import RateUnit

_QUARTER = 15 * 60 * 1_000_000
"""Microseconds of a quarter of an hour."""
_QUARTERS_OF_AN_HOUR = 4
MOST_GROUPS = 60_000
"""Limit of the groups of rounds. The rounds of further ones are counted together, and nothing is tested then."""
OTHERS = "…"
"""Casino and name of these rounds."""


class RoundGroup(NamedTuple):
    """Rounds of a game with one dealer, in one shift, in one month or at one table of a casino."""

    by: RateUnit
    document: str
    casino: str | None
    stratum: tuple[str | None, ...]
    """Table and shift at which the rounds are compared with others, by `STRATA`."""
    name: str
    """Name of the dealer, shift or table, or the month."""


STRATA: Mapping[RateUnit, tuple[RateUnit, ...]] = {
    RateUnit.DEALER: (RateUnit.TABLE, RateUnit.SHIFT),
    RateUnit.SHIFT: (RateUnit.TABLE,),
    RateUnit.MONTH: (RateUnit.TABLE,),
    RateUnit.TABLE: (),
}
"""Units in which rounds are compared: a dealer with the others at the same table in the same shift."""


class RoundSums(Struct, kw_only=True):
    """Number of rounds, and the time in which they were played."""

    rounds: int = 0
    timed: int = 0
    """Number of rounds at a table whose time of day is known."""
    quarters: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Quarters of an hour in which these rounds began, in order, int64[n]."""

    @property
    def pace(self) -> float | None:
        """Rounds an hour while the table was in play; None if no time of day is known."""
        return _QUARTERS_OF_AN_HOUR * self.timed / len(self.quarters) if self.timed else None

    def add(self, other: RoundSums) -> None:
        """Add other rounds."""
        self.rounds += other.rounds
        self.timed += other.timed
        if other.timed:
            self.quarters = np.union1d(self.quarters, other.quarters)


def add_rounds(sums: dict[RoundGroup, RoundSums], group: RoundGroup, more: RoundSums) -> None:
    """Add rounds to those of their group."""
    if group not in sums and len(sums) >= MOST_GROUPS:
        group, more = RoundGroup(group.by, group.document, OTHERS, (), OTHERS), RoundSums(rounds=more.rounds)
    sums.setdefault(group, RoundSums()).add(more)


def count_rounds(batch: Batch) -> Iterator[tuple[RoundGroup, RoundSums]]:
    """Yield the rounds of a batch by unit and name; rounds that do not state a name are left out."""
    named = {by: _list_names(batch, by) for by in RateUnit}
    for by in RateUnit:
        names, strata = named[by][0], [named[unit][0] for unit in STRATA[by]]
        within = [named[unit][1] for unit in STRATA[by]]
        rows, at = find_distinct_rows(batch.casino.codes, named[by][1], *within)
        counts = np.bincount(at, minlength=len(rows)).tolist()
        for number, (casino, code, *codes) in enumerate(rows.tolist()):
            if code < 0:
                continue
            sums = RoundSums(rounds=counts[number])
            if by is RateUnit.TABLE:
                times = batch.time[(at == number) & (batch.dated == MOMENT)]
                sums.timed, sums.quarters = len(times), np.unique(times // _QUARTER)
            stratum = tuple([_find_name(*pair) for pair in zip(strata, codes, strict=True)])
            yield RoundGroup(by, batch.game, _find_name(batch.casino.names, casino), stratum, names[code]), sums


def _find_name(names: Sequence[str], code: int) -> str | None:
    return None if code < 0 else names[code]


def _list_names(batch: Batch, by: RateUnit) -> tuple[Sequence[str], Ints]:
    """Return the names of a unit, and the index of the name of each round, int64[rounds]; negative for none."""
    match by:
        case RateUnit.TABLE:
            return batch.table.names, batch.table.codes.astype(np.int64)
        case RateUnit.MONTH:
            months, code = np.unique(batch.day.astype("datetime64[D]").astype("datetime64[M]"), return_inverse=True)
            return months.astype(str).tolist(), np.where(batch.dated == UNDATED, ABSENT, code)
        case _:
            return code_context(batch.context, by)
