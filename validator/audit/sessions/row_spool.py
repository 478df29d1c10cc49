"""Spool of session rows until the last log is read, partitioned by tables, on disk beyond a bound.

With contradicted rounds there are several spools: one without these rounds, and one with each version of them. A round
with one record is evaluated as if the contradicted rounds were missing, unless it fails whichever record is true. Each
version of a contradicted round is evaluated among the rounds around it. So a contradiction makes no compliant round
fail, and hides no violation.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Flags, Identities, Ints, find_distinct
from fairdeal.validator.audit.sessions.session_rows import SessionRows
from fairdeal.validator.text.temp_spool import TempSpool

ROUNDS_IN_MEMORY = 20_000
"""Number of rounds that are kept in memory."""
ROUNDS_PER_PARTITION = 100_000
"""Number of rounds in a partition: of several tables, of one, or of some days of a long table up to an opening."""

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


class _TableDays(Struct, frozen=True):
    """Rounds of each day of each table, ascending by table and day. Tables are known by hashes, which bounds memory."""

    table: Identities
    """Hash of the casino and the table."""
    day: Ints
    """Days since 1970-01-01 UTC."""
    rounds: Ints
    """Number of rounds."""
    opens: Flags
    """True if the table opens on that day."""

    def __len__(self) -> int:
        return len(self.day)


class _PartitionPlan(Struct, frozen=True):
    """First table and day of each partition, ascending."""

    table: Identities
    day: Ints
    continues: list[bool]
    """True for each partition whose table continues in the next one."""

    def assign(self, rows: SessionRows) -> list[Ints]:
        """Return the indices of the rows of each partition."""
        table, day = _hash_tables(rows), _find_days(rows)
        partition = np.zeros(len(rows), np.int64)
        for first_table, first_day in zip(self.table[1:], self.day[1:], strict=True):
            partition += (table > first_table) | ((table == first_table) & (day >= first_day))
        order = np.argsort(partition, kind="stable")
        ends = np.searchsorted(partition[order], np.arange(len(self.continues) + 1))
        return [order[start:end] for start, end in pairwise(ends.tolist())]


class RowSpool:
    """Spool of the rows of one document."""

    __slots__ = ("_all", "_compact_days", "_days", "_scratch")

    def __init__(self) -> None:
        self._scratch: TempSpool | None = None
        self._all = Partition(self.scratch)
        self._days: list[_TableDays] = []
        self._compact_days = 0

    def scratch(self) -> TempSpool:
        """Return the temporary file of all partitions, created on first use."""
        if self._scratch is None:
            self._scratch = TempSpool()
        return self._scratch

    def add(self, rows: SessionRows) -> None:
        """Add rows."""
        self._all.append(rows, keep=self._all.rounds + len(rows) <= ROUNDS_IN_MEMORY)
        self._days.append(_count_days(rows))
        if sum(map(len, self._days)) > 2 * self._compact_days:
            self._days = [_merge_days(self._days)]
            self._compact_days = len(self._days[0])

    def partition_by_tables(self) -> Iterator[Partition]:
        """Yield all rows, a few tables at a time.

        A long table is split into several partitions of some days each. Call this once, after the last rows were added.
        """
        plan = self._plan()
        if len(plan.continues) == 1:
            yield self._all
            return
        partitions = self.split(self._all, plan.assign, len(plan.continues))
        for partition, more in zip(partitions, plan.continues, strict=True):
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
                    target.append(rows.select(places).drop_unused_names(), keep=False)
        return partitions

    def close(self) -> None:
        """Free the space on disk."""
        if self._scratch is not None:
            self._scratch.close()

    def _plan(self) -> _PartitionPlan:
        """Return the partitions: as many whole tables as fit in each, or some days of a long table."""
        days = _merge_days(self._days)
        is_first = np.diff(days.table, prepend=~days.table[:1]) != 0
        starts = np.append(np.flatnonzero(is_first), len(days))
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(days.rounds)])
        firsts, continues, table = [0], list[bool](), 0
        while table < len(starts) - 1:
            # All tables that fit together; at least one.
            end = int(np.searchsorted(before[starts], before[starts[table]] + ROUNDS_PER_PARTITION, side="right")) - 1
            if end <= table:
                end, parts = table + 1, _split_at_openings(days, before, int(starts[table]), int(starts[table + 1]))
                firsts += parts
                continues += [True] * len(parts)
            firsts.append(int(starts[end]))
            continues.append(False)
            table = end
        places = np.array(firsts[:-1], np.int64)
        return _PartitionPlan(days.table[places], days.day[places], continues or [False])


def _split_at_openings(days: _TableDays, before: Ints, start: int, end: int) -> list[int]:
    """Return the days, between two indices, on which a further part of a long table begins, with an opening.

    Args:
        days: all days.
        before: number of rounds before each day.
        start: first day of the table.
        end: day after its last one.
    """
    openings = [*(np.flatnonzero(days.opens[start + 1 : end]) + start + 1).tolist(), end]
    parts = list[int]()
    for opening, following in pairwise(openings):
        if before[following] - before[parts[-1] if parts else start] > ROUNDS_PER_PARTITION:
            parts.append(opening)
    return parts


def _hash_tables(rows: SessionRows) -> Identities:
    """Return a hash of the casino and the table of each row, uint64[rounds]."""
    width = len(rows.table.names) + 1
    keys = (rows.casino.codes.astype(np.int64) + 1) * width + rows.table.codes + 1
    distinct = find_distinct(keys)
    casinos, tables = (None, *rows.casino.names), (None, *rows.table.names)
    texts = [repr((casinos[key // width], tables[key % width])).encode() for key in distinct.tolist()]
    hashes = b"".join([blake2b(text, digest_size=8).digest() for text in texts])
    return np.frombuffer(hashes, "<u8").astype(np.uint64)[np.searchsorted(distinct, keys)]


def _find_days(rows: SessionRows) -> Ints:
    """Return the day of each row, int64[rounds]."""
    return (rows.time - _MICROSECONDS_PER_MINUTE * rows.offset.astype(np.int64)) // _MICROSECONDS_PER_DAY


def _count_days(rows: SessionRows) -> _TableDays:
    return _merge_days(
        [_TableDays(_hash_tables(rows), _find_days(rows), np.ones(len(rows), np.int64), rows.number == 1)]
    )


def _merge_days(parts: Sequence[_TableDays]) -> _TableDays:
    """Merge days, so that each day of a table occurs once."""
    table, day, rounds, opens = (
        np.concatenate([getattr(part, name) for part in parts]) for name in _TableDays.__struct_fields__
    )
    order = np.lexsort((day, table))
    table, day, rounds, opens = table[order], day[order], rounds[order], opens[order]
    is_first = np.ones(len(day), bool)
    is_first[1:] = (table[1:] != table[:-1]) | (day[1:] != day[:-1])
    starts = np.flatnonzero(is_first)
    if not len(starts):
        return _TableDays(table, day, rounds, opens)
    return _TableDays(
        table[starts], day[starts], np.add.reduceat(rounds, starts), np.logical_or.reduceat(opens, starts)
    )


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
