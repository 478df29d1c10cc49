"""Spool of session rows until the last log is read, partitioned by tables, on disk beyond a bound."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from validator.arrays import Indices, Ints, distinct
from validator.audit.sessions.session_rows import Rows
from validator.text.scratch import Scratch

IN_MEMORY = 20_000
"""Number of rounds that are kept in memory."""
A_FEW_TABLES = 100_000
"""Number of rounds in a partition: of several tables, of one, or of some days of a long table up to an opening."""

Table = tuple[str | None, str | None]
"""Casino and table."""
Day = tuple[Table, int]
"""Table, and a day in days since 1970-01-01 UTC."""
_MICROSECONDS_PER_MINUTE, _MICROSECONDS_PER_DAY = 60_000_000, 86_400_000_000
"""Lengths in microseconds."""


class Pile:
    """Rows in the order in which they were added, on disk beyond a bound."""

    __slots__ = ("_at", "_kept", "_scratch", "goes_on", "rounds")

    def __init__(self, scratch: Callable[[], Scratch]) -> None:
        self._scratch = scratch
        self._kept: list[Rows] = []
        self._at: list[tuple[int, int]] = []
        self.rounds = 0
        self.goes_on = False
        """True if the next partition has later rounds of the same table."""

    def put(self, rows: Rows, *, keep: bool) -> None:
        """Append rows, in memory or on disk. Once rows are on disk, all later rows are."""
        self.rounds += len(rows)
        if keep and not self._at:
            self._kept.append(rows)
            return
        data = pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
        self._at.append((self._scratch().append(data), len(data)))

    def add(self, other: Pile) -> None:
        """Append the rows of another partition of the same spool, which are all on disk."""
        self._at += other._at
        self.rounds += other.rounds

    def __iter__(self) -> Iterator[Rows]:
        yield from self._kept
        for start, size in self._at:
            yield pickle.loads(self._scratch().read(start, size))


class Shelf:
    """Spool of the rows of one document."""

    __slots__ = ("_all", "_days", "_opened", "_scratch")

    def __init__(self) -> None:
        self._scratch: Scratch | None = None
        self._all = Pile(self.scratch)
        self._days: defaultdict[Day, int] = defaultdict(int)
        self._opened: set[Day] = set()

    def scratch(self) -> Scratch:
        """Return the temporary file of all partitions, created on first use."""
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch

    def put(self, rows: Rows) -> None:
        """Add rows."""
        self._all.put(rows, keep=self._all.rounds + len(rows) <= IN_MEMORY)
        days, codes = _find_days(rows)
        for day, count in zip(days, np.bincount(codes, minlength=len(days)).tolist(), strict=True):
            self._days[day] += count
        self._opened.update(days[code] for code in distinct(codes[rows.number == 1]).tolist())

    def by_tables(self) -> Iterator[Pile]:
        """Yield all rows, a few tables at a time, in the order of casinos and tables.

        A long table is split into several partitions of some days each. Call this once, after the last rows were added.
        """
        partition_of, continues = self._plan()
        if len(continues) == 1:
            yield self._all
            return
        partitions = self.parted(self._all, lambda rows: _assign_partitions(rows, partition_of), len(continues))
        for partition, more in zip(partitions, continues, strict=True):
            partition.goes_on = more
            yield partition

    def parted(self, partition: Pile, part: Callable[[Rows], Sequence[Ints]], parts: int) -> list[Pile]:
        """Split a partition into several.

        Args:
            part: returns the indices of rows for each new partition, int64, ascending.
            parts: number of new partitions.
        """
        partitions = [Pile(self.scratch) for _ in range(parts)]
        for rows in partition:
            for target, places in zip(partitions, part(rows), strict=True):
                if len(places):
                    target.put(rows.at(places), keep=False)
        return partitions

    def close(self) -> None:
        """Free the space on disk."""
        if self._scratch is not None:
            self._scratch.close()

    def _plan(self) -> tuple[dict[Day, int], list[bool]]:
        """Return the partition of each day of each table, and whether each partition's table continues in the next."""
        partition_of: dict[Day, int] = {}
        continues, rounds_held = [False], 0
        for _, days_of_table in groupby(sorted(self._days, key=_day_sort_key), key=lambda day: day[0]):
            days = list(days_of_table)
            rounds = sum(self._days[day] for day in days)
            parts = [days]
            if rounds > A_FEW_TABLES:
                parts = _split_at_openings(days, self._opened)
            for number, part in enumerate(parts):
                rounds_in_part = sum(self._days[day] for day in part)
                if rounds_held and rounds_held + (rounds_in_part if number else rounds) > A_FEW_TABLES:
                    continues[-1] = number > 0
                    continues.append(False)
                    rounds_held = 0
                partition_of.update(dict.fromkeys(part, len(continues) - 1))
                rounds_held += rounds_in_part
            if len(parts) > 1:
                rounds_held = max(rounds_held, A_FEW_TABLES)  # the next table starts another partition
        return partition_of, continues


def _split_at_openings(days: Sequence[Day], opened: Container[Day]) -> list[list[Day]]:
    """Split the days of a table into parts that each begin with a day on which it opened."""
    parts = [[days[0]]]
    for day in days[1:]:
        if day in opened:
            parts.append([])
        parts[-1].append(day)
    return parts


def _day_sort_key(day: Day) -> tuple[list[tuple[bool, str]], int]:
    table, number = day
    return [(name is not None, name or "") for name in table], number


def _find_days(rows: Rows) -> tuple[list[Day], Indices]:
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
    result: list[Day] = []
    for key in distinct_keys.tolist():
        table, at = divmod(key, days)
        result.append(((casinos[table // width - 1], tables[table % width - 1]), at + first))
    return result, codes.reshape(-1)


def _assign_partitions(rows: Rows, partition_of: dict[Day, int]) -> list[Ints]:
    days, codes = _find_days(rows)
    partition = np.array([partition_of[day] for day in days], np.int64)[codes]
    order = np.argsort(partition, kind="stable")
    ends = np.searchsorted(partition[order], np.arange(max(partition_of.values()) + 2))
    return [order[start:end] for start, end in pairwise(ends.tolist())]
