"""Rows put by until the last log is read, and taken again by tables: beyond a bound on disk, so that memory does not
grow with the logs."""

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
"""Rounds that are kept in memory."""
A_FEW_TABLES = 100_000
"""Rounds that are judged together: those of several tables, or of one; of a table that has more, those of some days up
to an opening."""

Table = tuple[str | None, str | None]
"""A casino and a table."""
Day = tuple[Table, int]
"""A table, and a day of it since 1970-01-01 of UTC."""
_A_MINUTE, _A_DAY = 60_000_000, 86_400_000_000
"""In microseconds."""


class Pile:
    """Rows in the order in which they were put there, on disk beyond a bound. `goes_on` says that the next pile has
    later rounds of the same table."""

    __slots__ = ("_at", "_kept", "_scratch", "goes_on", "rounds")

    def __init__(self, scratch: Callable[[], Scratch]) -> None:
        self._scratch = scratch
        self._kept: list[Rows] = []
        self._at: list[tuple[int, int]] = []
        self.rounds = 0
        self.goes_on = False

    def put(self, rows: Rows, *, keep: bool) -> None:
        """Put rows on the pile, to be kept in memory or not; once some are not, no more are."""
        self.rounds += len(rows)
        if keep and not self._at:
            self._kept.append(rows)
            return
        data = pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
        self._at.append((self._scratch().append(data), len(data)))

    def add(self, other: Pile) -> None:
        """Put the rows of a pile of the same shelf on this one, of which none is kept in memory."""
        self._at += other._at
        self.rounds += other.rounds

    def __iter__(self) -> Iterator[Rows]:
        yield from self._kept
        for start, size in self._at:
            yield pickle.loads(self._scratch().read(start, size))


class Shelf:
    """Rows of one document."""

    __slots__ = ("_all", "_days", "_opened", "_scratch")

    def __init__(self) -> None:
        self._scratch: Scratch | None = None
        self._all = Pile(self.scratch)
        self._days: defaultdict[Day, int] = defaultdict(int)
        self._opened: set[Day] = set()

    def scratch(self) -> Scratch:
        """The temporary file of all piles, made when it is needed."""
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch

    def put(self, rows: Rows) -> None:
        """Put rows by."""
        self._all.put(rows, keep=self._all.rounds + len(rows) <= IN_MEMORY)
        days, codes = _days(rows)
        for day, count in zip(days, np.bincount(codes, minlength=len(days)).tolist(), strict=True):
            self._days[day] += count
        self._opened.update(days[code] for code in distinct(codes[rows.number == 1]).tolist())

    def by_tables(self) -> Iterator[Pile]:
        """All rows, those of a few tables at a time, in the order of casinos and tables; those of a long table some
        days at a time, in their order. To be asked for once, when no more come."""
        pile_of, goes_on = self._plan()
        if len(goes_on) == 1:
            yield self._all
            return
        piles = self.parted(self._all, lambda rows: _told_apart(rows, pile_of), len(goes_on))
        for pile, more in zip(piles, goes_on, strict=True):
            pile.goes_on = more
            yield pile

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

    def _plan(self) -> tuple[dict[Day, int], list[bool]]:
        """Which pile each day of each table goes to, and of each pile whether its table goes on in the next."""
        pile_of: dict[Day, int] = {}
        goes_on, held = [False], 0
        for _, some in groupby(sorted(self._days, key=_in_order), key=lambda day: day[0]):
            days = list(some)
            rounds = sum(self._days[day] for day in days)
            parts = [days]
            if rounds > A_FEW_TABLES:
                parts = _from_openings(days, self._opened)
            for number, part in enumerate(parts):
                more = sum(self._days[day] for day in part)
                if held and held + (more if number else rounds) > A_FEW_TABLES:
                    goes_on[-1] = number > 0
                    goes_on.append(False)
                    held = 0
                pile_of.update(dict.fromkeys(part, len(goes_on) - 1))
                held += more
            if len(parts) > 1:
                held = max(held, A_FEW_TABLES)  # what comes next begins another pile
        return pile_of, goes_on


def _from_openings(days: Sequence[Day], opened: Container[Day]) -> list[list[Day]]:
    """Days of a table in stretches that each begin with one on which it opened."""
    parts = [[days[0]]]
    for day in days[1:]:
        if day in opened:
            parts.append([])
        parts[-1].append(day)
    return parts


def _in_order(day: Day) -> tuple[list[tuple[bool, str]], int]:
    table, number = day
    return [(name is not None, name or "") for name in table], number


def _days(rows: Rows) -> tuple[list[Day], Indices]:
    """The tables and days that rows are of, and intp[rounds], which of them each is of."""
    day = (rows.time - _A_MINUTE * rows.offset.astype(np.int64)) // _A_DAY
    first = int(day.min(initial=0))
    width, days = len(rows.table.names) + 1, int(day.max(initial=0)) - first + 1
    keys = ((rows.casino.codes.astype(np.int64) + 1) * width + rows.table.codes + 1) * days + day - first
    distinct_keys, codes = np.unique(keys, return_inverse=True)
    casinos, tables = (*rows.casino.names, None), (*rows.table.names, None)
    found: list[Day] = []
    for key in distinct_keys.tolist():
        table, at = divmod(key, days)
        found.append(((casinos[table // width - 1], tables[table % width - 1]), at + first))
    return found, codes.reshape(-1)


def _told_apart(rows: Rows, pile_of: dict[Day, int]) -> list[Ints]:
    days, codes = _days(rows)
    pile = np.array([pile_of[day] for day in days], np.int64)[codes]
    order = np.argsort(pile, kind="stable")
    ends = np.searchsorted(pile[order], np.arange(max(pile_of.values()) + 2))
    return [order[start:end] for start, end in pairwise(ends.tolist())]
