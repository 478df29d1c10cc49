"""Evaluation of the sessions of a document, a few tables at a time, from rows spooled until the last log is read.

With contradicted rounds there are several spools: one without these rounds, and one with each version of them. A round
with one record is evaluated as if the contradicted rounds were missing, unless it fails whichever record is true. Each
version of a contradicted round is evaluated among the rounds around it. So a contradiction makes no compliant round
fail, and hides no violation.

Requirements on a round and its previous rounds need many columns of every seat. They are evaluated over runs of rounds:
they depend on nothing before the opening of the table, nor before a missing round. All other requirements need few
columns. They are evaluated over whole sessions, because they may depend on rounds long ago. For a table with many
rounds, days are evaluated together up to an opening: nothing depends on rounds before an opening.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import Flags, Identities, Ints, find_distinct
from fairdeal.validator.audit.operators import session_evaluation
from fairdeal.validator.audit.operators.session_evaluation import MAX_VERSIONS
from fairdeal.validator.audit.sessions.ordered_rounds import GAPS_LISTED, build_sessions, order_rounds
from fairdeal.validator.audit.sessions.play_order import PlayOrder
from fairdeal.validator.audit.sessions.session_rows import SessionRows
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.evidence.columns.log_draft import convert_to_utc
from fairdeal.validator.results.results import TableSession
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.source import TempSpool

ROUNDS_IN_MEMORY = 5_000
"""Number of rounds that are kept in memory."""
ROUNDS_PER_PARTITION = 100_000
"""Number of rounds in a partition: of several tables, of one, or of some days of a long table up to an opening."""

_MICROSECONDS_PER_DAY = 86_400_000_000
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
    return convert_to_utc(rows.time, rows.offset) // _MICROSECONDS_PER_DAY


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


_Evaluator = Callable[..., Iterator[session_evaluation.SessionVerdict]]
"""Function that evaluates sessions as `evaluate_sessions`, with its last arguments bound."""

ROUNDS_PER_RUN = 20_000
"""Number of rounds of a run, if the table opens or rounds are missing that often."""


def evaluate_by_tables(
    prepared: CompiledGame,
    spool: RowSpool,
    *,
    version: int = 0,
    certain: session_evaluation.CertainFailures | None = None,
) -> Iterator[tuple[Iterable[TableSession], Iterable[session_evaluation.SessionVerdict]]]:
    """Yield sessions with the verdicts on their rounds, for every few tables or every run.

    The order is that of casinos, tables and play. Each item must be consumed before the next.

    Args:
        version: as in `evaluate_sessions`.
        certain: as in `evaluate_sessions`.
    """
    evaluate = partial(session_evaluation.evaluate_sessions, version=version, certain=certain)
    rest: Partition | None = None
    parts: list[TableSession] = []
    for partition in spool.partition_by_tables():
        if rest is not None:
            rest.extend(partition)
        complete, rest = (
            _split_at_last_opening(spool, rest or partition) if partition.continues else (rest or partition, None)
        )
        if complete is None:
            continue
        for sessions, verdicts in _evaluate_partition(prepared, spool, complete, evaluate):
            if parts or rest is not None:  # parts of one session
                parts += sessions
                yield (), verdicts
            else:
                yield sessions, verdicts
        if parts and rest is None:
            yield (_join_sessions(parts),), ()
            parts = []


def _split_at_last_opening(spool: RowSpool, partition: Partition) -> tuple[Partition | None, Partition]:
    """Split a partition of one table that continues in the next partition.

    Returns:
        The rounds before the last opening of the table, None if it did not open; and the other rounds.
    """
    order = order_rounds([_select_columns(rows, (), seats=False) for rows in partition]).order
    opens = np.flatnonzero(order.opening & (order.gap == 0))
    if not opens.any():
        return None, partition
    place, done = _places_in_play(order), 0

    def choose(rows: SessionRows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        return [np.flatnonzero(here < opens[-1]), np.flatnonzero(here >= opens[-1])]

    complete, rest = spool.split(partition, choose, 2)
    return complete, rest


def _join_sessions(parts: Sequence[TableSession]) -> TableSession:
    """Join the parts of a session, each of which begins with an opening of the table."""
    gaps = tuple(gap for part in parts for gap in part.gaps)
    return replace(
        parts[0],
        last=parts[-1].last,
        ends=parts[-1].ends,
        rounds=sum(part.rounds for part in parts),
        openings=sum(part.openings for part in parts),
        gaps=gaps[:GAPS_LISTED],
        gaps_found=sum(part.gaps_found for part in parts),
    )


def _evaluate_partition(
    prepared: CompiledGame, spool: RowSpool, partition: Partition, evaluate: _Evaluator
) -> Iterator[tuple[Iterable[TableSession], Iterable[session_evaluation.SessionVerdict]]]:
    requirements = session_evaluation.select_session_requirements(prepared.regulation)
    if partition.rounds <= ROUNDS_PER_RUN:
        rounds = order_rounds(list(partition))
        yield build_sessions(prepared.regulation.id, rounds), evaluate(prepared, rounds)
        return
    in_pairs = [
        requirement
        for requirement in requirements
        if requirement.check.operator == "succession" and requirement.check.operand.deck is None
    ]
    others = [requirement for requirement in requirements if requirement not in in_pairs]
    rounds = order_rounds([_select_columns(rows, others, seats=False) for rows in partition])
    yield build_sessions(prepared.regulation.id, rounds), evaluate(prepared, rounds, others)
    if in_pairs:
        order = rounds.order
        del rounds
        yield from (
            ((), verdicts) for verdicts in _evaluate_runs(prepared, spool, partition, in_pairs, order, evaluate)
        )


def _select_columns(rows: SessionRows, requirements: Sequence[Requirement], *, seats: bool) -> SessionRows:
    return rows.restrict({requirement.requirement for requirement in requirements}, seats=seats)


def _places_in_play(order: PlayOrder) -> Ints:
    """Return the place in the order of play of each round as it was given.

    Returns:
        int64[rounds].
    """
    place = np.empty(len(order), np.int64)
    place[order.rows] = np.arange(len(order))
    return place


def _starts_of_runs(order: PlayOrder) -> Ints:
    """Return the places at which runs begin: rounds that do not depend on earlier ones.

    Returns:
        int64[runs].
    """
    independent = np.flatnonzero(order.first | order.opening | (order.gap != 0))
    starts = [0]
    while starts[-1] + ROUNDS_PER_RUN < len(order):
        within = np.searchsorted(independent, [starts[-1], starts[-1] + ROUNDS_PER_RUN], side="right")
        after = within[1] - 1 if within[1] > within[0] else within[1]
        if after >= len(independent):
            break
        starts.append(int(independent[after]))
    return np.array(starts, np.int64)


def _evaluate_runs(
    prepared: CompiledGame,
    spool: RowSpool,
    partition: Partition,
    requirements: Sequence[Requirement],
    order: PlayOrder,
    evaluate: _Evaluator,
) -> Iterator[Iterable[session_evaluation.SessionVerdict]]:
    place, starts, done = _places_in_play(order), _starts_of_runs(order), 0

    def choose(rows: SessionRows) -> list[Ints]:
        nonlocal done
        here = place[done : done + len(rows)]
        done += len(rows)
        # The last round of a run is also in the next run, as its previous round.
        run, run_after = (np.searchsorted(starts, at, side="right") - 1 for at in (here, here + 1))
        chosen = [np.zeros(0, np.int64)] * len(starts)
        for number in find_distinct(np.concatenate([run, run_after])).tolist():
            chosen[number] = np.flatnonzero((run == number) | (run_after == number))
        return chosen

    for run, rows in enumerate(spool.split(partition, choose, len(starts))):
        previous = 1 if run else 0
        order_of_run = order.cut(
            int(starts[run]) - previous, int(starts[run + 1]) if run + 1 < len(starts) else len(order)
        )
        rounds = order_rounds([_select_columns(part, requirements, seats=True) for part in rows], order_of_run)
        yield evaluate(prepared, rounds, requirements, before=previous)
