"""Spool of session rows until the last log is read, partitioned by tables, on disk beyond a bound.

With contradicted rounds there are several spools: one without these rounds, and one with each version of them. A round
with one record is evaluated as if the contradicted rounds were missing, unless it fails whichever record is true. Each
version of a contradicted round is evaluated among the rounds around it. So a contradiction makes no compliant round
fail, and hides no violation.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from fairdeal.validator.arrays import Indices, Ints, find_distinct
from fairdeal.validator.audit.sessions.session_rows import SessionRows
from fairdeal.validator.text.temp_spool import TempSpool

ROUNDS_IN_MEMORY = 20_000
"""Number of rounds that are kept in memory."""
ROUNDS_PER_PARTITION = 100_000
"""Number of rounds in a partition: of several tables, of one, or of some days of a long table up to an opening."""

CasinoTable = tuple[str | None, str | None]
"""Casino and table."""
TableDay = tuple[CasinoTable, int]
"""Table, and a day in days since 1970-01-01 UTC."""
_MICROSECONDS_PER_MINUTE, _MICROSECONDS_PER_DAY = 60_000_000, 86_400_000_000
"""Lengths in microseconds."""


class Partition:
    """Rows in the order in which they were added, on disk beyond a bound."""

    __slots__ = ("_at", "_kept", "_scratch", "continues", "rounds")

    def __init__(self, scratch: Callable[[], TempSpool]) -> None:
        self._scratch = scratch
        self._kept: list[SessionRows] = []
        self._at: list[tuple[int, int]] = []
        self.rounds = 0
        self.continues = False
        """True if the next partition has later rounds of the same table."""

    def append(self, rows: SessionRows, *, keep: bool) -> None:
        """Append rows, in memory or on disk. Once rows are on disk, all later rows are."""
        self.rounds += len(rows)
        if keep and not self._at:
            self._kept.append(rows)
            return
        data = pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
        self._at.append((self._scratch().append(data), len(data)))

    def extend(self, other: Partition) -> None:
        """Append the rows of another partition of the same spool, which are all on disk."""
        self._at += other._at
        self.rounds += other.rounds

    def __iter__(self) -> Iterator[SessionRows]:
        yield from self._kept
        for start, size in self._at:
            yield pickle.loads(self._scratch().read(start, size))


class RowSpool:
    """Spool of the rows of one document."""

    __slots__ = ("_all", "_days", "_opened", "_scratch")

    def __init__(self) -> None:
        self._scratch: TempSpool | None = None
        self._all = Partition(self.scratch)
        self._days: defaultdict[TableDay, int] = defaultdict(int)
        self._opened: set[TableDay] = set()

    def scratch(self) -> TempSpool:
        """Return the temporary file of all partitions, created on first use."""
        if self._scratch is None:
            self._scratch = TempSpool()
        return self._scratch

    def add(self, rows: SessionRows) -> None:
        """Add rows."""
        self._all.append(rows, keep=self._all.rounds + len(rows) <= ROUNDS_IN_MEMORY)
        days, codes = _find_days(rows)
        for day, count in zip(days, np.bincount(codes, minlength=len(days)).tolist(), strict=True):
            self._days[day] += count
        self._opened.update(days[code] for code in find_distinct(codes[rows.number == 1]).tolist())

    def partition_by_tables(self) -> Iterator[Partition]:
        """Yield all rows, a few tables at a time, in the order of casinos and tables.

        A long table is split into several partitions of some days each. Call this once, after the last rows were added.
        """
        partition_of, continues = self._plan()
        if len(continues) == 1:
            yield self._all
            return
        partitions = self.split(self._all, lambda rows: _assign_partitions(rows, partition_of), len(continues))
        for partition, more in zip(partitions, continues, strict=True):
            partition.continues = more
            yield partition

    def split(self, partition: Partition, part: Callable[[SessionRows], Sequence[Ints]], parts: int) -> list[Partition]:
        """Split a partition into several.

        Args:
            part: returns the indices of rows for each new partition, int64, ascending.
            parts: number of new partitions.
        """
        partitions = [Partition(self.scratch) for _ in range(parts)]
        for rows in partition:
            for target, places in zip(partitions, part(rows), strict=True):
                if len(places):
                    target.append(rows.select(places), keep=False)
        return partitions

    def close(self) -> None:
        """Free the space on disk."""
        if self._scratch is not None:
            self._scratch.close()

    def _plan(self) -> tuple[dict[TableDay, int], list[bool]]:
        """Return the partition of each day of each table, and whether each partition's table continues in the next."""
        partition_of: dict[TableDay, int] = {}
        continues, rounds_held = [False], 0
        for _, days_of_table in groupby(sorted(self._days, key=_day_sort_key), key=lambda day: day[0]):
            days = list(days_of_table)
            rounds = sum(self._days[day] for day in days)
            parts = [days]
            if rounds > ROUNDS_PER_PARTITION:
                parts = _split_at_openings(days, self._opened)
            for number, part in enumerate(parts):
                rounds_in_part = sum(self._days[day] for day in part)
                if rounds_held and rounds_held + (rounds_in_part if number else rounds) > ROUNDS_PER_PARTITION:
                    continues[-1] = number > 0
                    continues.append(False)
                    rounds_held = 0
                partition_of.update(dict.fromkeys(part, len(continues) - 1))
                rounds_held += rounds_in_part
            if len(parts) > 1:
                rounds_held = max(rounds_held, ROUNDS_PER_PARTITION)  # the next table starts another partition
        return partition_of, continues


def _split_at_openings(days: Sequence[TableDay], opened: Container[TableDay]) -> list[list[TableDay]]:
    """Split the days of a table into parts that each begin with a day on which it opened."""
    parts = [[days[0]]]
    for day in days[1:]:
        if day in opened:
            parts.append([])
        parts[-1].append(day)
    return parts


def _day_sort_key(day: TableDay) -> tuple[list[tuple[bool, str]], int]:
    table, number = day
    return [(name is not None, name or "") for name in table], number


def _find_days(rows: SessionRows) -> tuple[list[TableDay], Indices]:
    """Return the distinct tables and days of rows, and the index of each row's table and day.

    Returns:
        The days; intp[rounds].
    """
    day = (rows.time - _MICROSECONDS_PER_MINUTE * rows.offset.astype(np.int64)) // _MICROSECONDS_PER_DAY
    first = int(day.min(initial=0))
    width, days = len(rows.table.names) + 1, int(day.max(initial=0)) - first + 1
    keys = ((rows.casino.codes.astype(np.int64) + 1) * width + rows.table.codes + 1) * days + day - first
    distinct_keys, codes = np.unique(keys, return_inverse=True)
    casinos, tables = (*rows.casino.names, None), (*rows.table.names, None)
    result: list[TableDay] = []
    for key in distinct_keys.tolist():
        table, at = divmod(key, days)
        result.append(((casinos[table // width - 1], tables[table % width - 1]), at + first))
    return result, codes.reshape(-1)


def _assign_partitions(rows: SessionRows, partition_of: dict[TableDay, int]) -> list[Ints]:
    days, codes = _find_days(rows)
    partition = np.array([partition_of[day] for day in days], np.int64)[codes]
    order = np.argsort(partition, kind="stable")
    ends = np.searchsorted(partition[order], np.arange(max(partition_of.values()) + 2))
    return [order[start:end] for start, end in pairwise(ends.tolist())]


MAX_VERSIONS = 8
"""Number of versions of a round that are evaluated separately; the last one includes all further versions."""


class VersionedSpools:
    """Spools of the rows of one document, one for each version."""

    __slots__ = ("_spools",)

    def __init__(self, versions: int) -> None:
        """Create spools for the versions; `versions` is the highest number of versions of any round, 0 without any."""
        self._spools: list[RowSpool | None] = [None] * (1 + min(versions, MAX_VERSIONS))

    def add(self, rows: SessionRows) -> None:
        """Add rows to the spool of each version that they are evaluated in."""
        for version in range(len(self._spools)):
            chosen = rows.select(np.flatnonzero(rows.find_rounds_of_version(version, most=MAX_VERSIONS)))
            if len(chosen):
                spool = self._spools[version] = self._spools[version] or RowSpool()
                spool.add(chosen)

    @property
    def versions(self) -> int:
        """Number of versions that are evaluated separately."""
        return len(self._spools) - 1

    def iter_spools(self) -> Iterator[tuple[int, RowSpool]]:
        """Yield the versions that have rows, with their spools; last version 0, with the rounds of a single version."""
        for version in (*range(1, len(self._spools)), 0):
            spool = self._spools[version]
            if spool is not None:
                yield version, spool

    def close(self) -> None:
        """Free the space on disk."""
        for _, spool in self.iter_spools():
            spool.close()
