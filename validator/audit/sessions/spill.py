"""Rows put by until the last log is read, and taken again by tables: beyond a bound on disk, so that memory does not
grow with the logs."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from validator.arrays import Indices, Ints
from validator.audit.sessions.session_rows import Rows
from validator.text.scratch import Scratch

IN_MEMORY = 20_000
"""Rounds that are kept in memory."""
A_FEW_TABLES = 100_000
"""Rounds of tables that are judged together; of a table that has more, those of this table."""

Table = tuple[str | None, str | None]
"""A casino and a table."""


class Pile:
    """Rows in the order in which they were put there, on disk beyond a bound."""

    __slots__ = ("_at", "_kept", "_scratch", "rounds")

    def __init__(self, scratch: Callable[[], Scratch]) -> None:
        self._scratch = scratch
        self._kept: list[Rows] = []
        self._at: list[tuple[int, int]] = []
        self.rounds = 0

    def put(self, rows: Rows, *, keep: bool) -> None:
        """Put rows on the pile, to be kept in memory or not; once some are not, no more are."""
        self.rounds += len(rows)
        if keep and not self._at:
            self._kept.append(rows)
            return
        data = pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
        self._at.append((self._scratch().append(data), len(data)))

    def __iter__(self) -> Iterator[Rows]:
        yield from self._kept
        for start, size in self._at:
            yield pickle.loads(self._scratch().read(start, size))


class Shelf:
    """Rows of one document."""

    __slots__ = ("_all", "_scratch", "_tables")

    def __init__(self) -> None:
        self._scratch: Scratch | None = None
        self._all = Pile(self.scratch)
        self._tables: defaultdict[Table, int] = defaultdict(int)

    def scratch(self) -> Scratch:
        """The temporary file of all piles, made when it is needed."""
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch

    def put(self, rows: Rows) -> None:
        """Put rows by."""
        self._all.put(rows, keep=self._all.rounds + len(rows) <= IN_MEMORY)
        tables, codes = _tables(rows)
        for table, count in zip(tables, np.bincount(codes, minlength=len(tables)).tolist(), strict=True):
            self._tables[table] += count

    def by_tables(self) -> Iterator[Pile]:
        """All rows, those of a few tables at a time, in the order of casinos and tables. To be asked for once, when no
        more come."""
        pile_of, piles = self._plan()
        if piles == 1:
            yield self._all
            return
        yield from self.parted(self._all, lambda rows: _told_apart(rows, pile_of), piles)

    def parted(self, pile: Pile, part: Callable[[Rows], Sequence[Ints]], parts: int) -> list[Pile]:
        """A pile parted into several: `part` says of rows which of them, int64 in ascending order, go to each."""
        found = [Pile(self.scratch) for _ in range(parts)]
        for rows in pile:
            for one, places in zip(found, part(rows), strict=True):
                if len(places):
                    one.put(rows.at(places), keep=False)
        return found

    def close(self) -> None:
        """Give the room on disk back."""
        if self._scratch is not None:
            self._scratch.close()

    def _plan(self) -> tuple[dict[Table, int], int]:
        """Which pile each table goes to, and how many there are."""
        pile_of: dict[Table, int] = {}
        pile = held = 0
        for table in sorted(self._tables, key=lambda names: [(name is not None, name or "") for name in names]):
            if held and held + self._tables[table] > A_FEW_TABLES:
                pile, held = pile + 1, 0
            pile_of[table] = pile
            held += self._tables[table]
        return pile_of, pile + 1


def _tables(rows: Rows) -> tuple[list[Table], Indices]:
    """The tables that rows are of, and intp[rounds], which of them each is of."""
    width = len(rows.table.names) + 1
    keys = (rows.casino.codes.astype(np.int64) + 1) * width + rows.table.codes + 1
    distinct, codes = np.unique(keys, return_inverse=True)
    casinos, tables = (*rows.casino.names, None), (*rows.table.names, None)
    return [(casinos[key // width - 1], tables[key % width - 1]) for key in distinct.tolist()], codes.reshape(-1)


def _told_apart(rows: Rows, pile_of: dict[Table, int]) -> list[Ints]:
    tables, codes = _tables(rows)
    pile = np.array([pile_of[table] for table in tables], np.int64)[codes]
    order = np.argsort(pile, kind="stable")
    ends = np.searchsorted(pile[order], np.arange(max(pile_of.values()) + 2))
    return [order[start:end] for start, end in pairwise(ends.tolist())]
