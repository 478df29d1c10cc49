"""Logs split into parts and blocks, and the check of each block. Any process on any machine can check a part."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import reduce
from itertools import chain, groupby
from typing import TYPE_CHECKING, Protocol

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import Flags
from fairdeal.validator.audit import duplicate_rounds
from fairdeal.validator.audit.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.operators import session_evaluation
from fairdeal.validator.audit.operators.round_requirements import RoundsVerdict, check_context, merge_verdicts
from fairdeal.validator.audit.round_explanation import explain_first_failures
from fairdeal.validator.audit.run import run_summary
from fairdeal.validator.audit.sessions.carried_results import CarriedRows, build_carried_rows
from fairdeal.validator.audit.sessions.session_rows import SessionRows
from fairdeal.validator.audit.status_codes import build_place, find_missing_evidence, rank_places
from fairdeal.validator.audit.submissions_in_force import AuditContext, BatchSlice, RoundCounter
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.outcome_values import state_carried_results
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.columns.round_batch import UNDATED as NO_DAY
from fairdeal.validator.evidence.columns.round_batch import Batch, select_rounds
from fairdeal.validator.evidence.hand_log import HandLog, SmallLogs
from fairdeal.validator.evidence.io.log_formats import open_again
from fairdeal.validator.results.findings import Cause
from fairdeal.validator.results.results import Explanation, Quarantined, make_place_key
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import build_open_error

if TYPE_CHECKING:
    import pyarrow as pa

    from fairdeal.validator.evidence.jsonl.line_blocks import HeldLines
    from fairdeal.validator.evidence.poker.phh_blocks import PhhHands


def count_tables(batch: Batch) -> run_summary.TableCounts:
    """Count the rounds of a batch at each table, with the first and last day."""
    casinos, tables = len(batch.casino.names) + 1, len(batch.table.names) + 1
    key = (batch.casino.codes.astype(np.int64) + 1) * tables + batch.table.codes + 1
    keys, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    assert casinos * tables < 1 << 62
    first, last = (
        np.full(len(keys), run_summary.DAY_NOT_KNOWN, np.int64),
        np.full(len(keys), -run_summary.DAY_NOT_KNOWN, np.int64),
    )
    np.minimum.at(first, inverse, np.where(batch.dated == NO_DAY, first[inverse], batch.day))
    np.maximum.at(last, inverse, np.where(batch.dated == NO_DAY, last[inverse], batch.day))
    return tuple(
        (
            None if place < tables else batch.casino.names[place // tables - 1],
            batch.table.names[place % tables - 1],
            rounds,
            begins,
            ends,
        )
        for place, rounds, begins, ends in zip(
            keys.tolist(), counts.tolist(), first.tolist(), last.tolist(), strict=True
        )
    )


_EPOCH = date(1970, 1, 1)


class Block(Protocol):
    """Part of a log that can be decoded on its own, in another process too."""

    @property
    def size(self) -> int:
        """Number of bytes of the log that the block covers."""
        ...

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rounds as batches, with the quarantined records."""
        ...

    def identity(self) -> str | None:
        """Return a text that distinguishes the content from every other part of its log.

        Returns:
            None if no cache can use it.
        """
        ...


class GameVerdict(Struct, frozen=True, kw_only=True):
    """Results of the rounds of one game in a block."""

    document: str
    """Id of the document of the game."""
    rounds: int
    """Number of rounds."""
    tables: run_summary.TableCounts
    """Tables at which the rounds were played."""
    missing_evidence: dict[Cause, run_summary.MissingEvidence]
    """Rounds that lack evidence, by cause."""
    verdicts: list[RoundsVerdict]
    """Result of every requirement, with findings marked that a waiver lifts."""
    explanations: list[Explanation]
    """Explanations of first failures."""
    rows: list[SessionRows]
    """Summaries of the rounds for requirements on sessions, if the game has any."""


class LogEnd(Struct, frozen=True, kw_only=True):
    """End of a log: it was read completely, or could not be read."""

    name: str
    """Name of the log."""
    sha256: str = ""
    """SHA-256 of its bytes (hex), if it was read to its end."""
    refused: tuple[Diagnostic, ...] = ()
    """Reasons why the log cannot be read, or not to its end."""


class BlockVerdict(Struct, frozen=True, kw_only=True):
    """Results of one block."""

    games: list[GameVerdict] = []
    """Results game by game."""
    quarantined: tuple[Quarantined, ...] = ()
    """Quarantined records."""
    read: int = 0
    """Number of records."""
    size: int = 0
    """Number of bytes."""
    logs: tuple[int, ...] = ()
    """Number of records read of each log, if the block holds several logs."""
    currencies: frozenset[str] = frozenset()
    """Currencies that the rounds name."""
    round_hashes: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Hash of each round."""
    record_digests: tuple[duplicate_rounds.RecordDigests, ...] = ()
    """Digests of the records that the audit compares; then nothing is checked."""
    carried_rows: tuple[CarriedRows, ...] = ()
    """Rounds of games with results that are carried; the audit checks them once it knows all of them."""
    counter: RoundCounter | None = None
    """Counter of the rounds, if the caller requested one."""
    ends: tuple[LogEnd, ...] = ()
    """Ends of the logs that end with the block."""


def check_rounds(context: AuditContext, batches: Iterable[Batch]) -> tuple[list[GameVerdict], RoundCounter | None]:
    """Check batches under the submissions in force for them, and count rounds if requested.

    A failure of a requirement is explained unless this process explained an earlier failure of it.
    """
    counts = None if context.build_counter is None else context.build_counter()
    return [_check_batch(context, batch, counts) for batch in batches], counts


def _check_batch(context: AuditContext, batch: Batch, counts: RoundCounter | None) -> GameVerdict:
    as_of = None if context.as_of is None else (context.as_of - _EPOCH).days
    verdicts_by_part: list[list[RoundsVerdict]] = []
    rows: list[SessionRows] = []
    explained: list[Explanation] = []
    lacks: list[dict[Cause, run_summary.MissingEvidence]] = []
    for batch_slice in context.split_by_submission(batch):
        scope = batch_slice.open_context()
        if counts is not None:
            countable = _select_countable(context, batch_slice)
            if countable is batch_slice:
                counts.count(scope)
            elif len(countable.batch):
                counts.count(countable.open_context())
        if not context.checks_requirements:
            continue
        verdicts_by_part.append(
            [_mark_waived(verdict, batch_slice.waivers) for verdict in check_context(scope, as_of=as_of)]
        )
        lacks.append(_find_missing_evidence(scope))
        explained_now = explain_first_failures(
            scope, verdicts_by_part[-1], context.explained_places, context.find_configuration
        )
        context.explained_places.update(
            (name, make_place_key(explanation.where))
            for explanation in explained_now
            for name in explanation.requirements
        )
        explained += explained_now
        # Rows stay until the last log is read; without requirements on sessions, memory must not grow with the rounds.
        if session_evaluation.select_session_requirements(scope.compiled_game.regulation):
            rows.append(session_evaluation.build_session_rows(scope, batch_slice.waivers, as_of=as_of))
    verdicts = (
        verdicts_by_part[0]
        if len(verdicts_by_part) == 1
        else [merge_verdicts(verdicts) for verdicts in zip(*verdicts_by_part, strict=True)]
    )
    return GameVerdict(
        document=batch.game,
        rounds=len(batch),
        tables=count_tables(_without_contradicted(batch, beyond=1)),
        missing_evidence=_merge_missing_evidence(lacks),
        verdicts=verdicts,
        explanations=explained,
        rows=rows,
    )


def _select_countable(context: AuditContext, batch_slice: BatchSlice) -> BatchSlice:
    """Return the rounds with a single version, under all choices of the house.

    Saved counts refer to a configuration by its number only, so the configuration must be complete.
    """
    configuration = batch_slice.configuration
    if configuration is not None and configuration.number is not None and not batch_slice.has_same_currency:
        whole = replace(
            context.get_configuration(configuration.number), permitted_tables=configuration.permitted_tables
        )
        batch_slice = replace(batch_slice, configuration=whole)
    batch = _without_contradicted(batch_slice.batch)
    return batch_slice if batch is batch_slice.batch else replace(batch_slice, batch=batch)


def _without_contradicted(batch: Batch, *, beyond: int = 0) -> Batch:
    """Return the rounds of a batch with a single version, and the first `beyond` versions of the others."""
    return batch if batch.versions is None else select_rounds(batch, batch.versions.number <= beyond)


def _find_missing_evidence(scope: EvaluationContext) -> dict[Cause, run_summary.MissingEvidence]:
    missing = find_missing_evidence(scope.batch, submitted=scope.configuration is not None).items()
    return {
        cause: run_summary.MissingEvidence(
            rounds=int(np.count_nonzero(is_missing)), first=build_place(scope, _first_place(scope, is_missing))
        )
        for cause, is_missing in missing
        if is_missing.any()
    }


def _first_place(scope: EvaluationContext, chosen: Flags) -> int:
    """Return the first of the chosen rounds in the order of places."""
    rounds = np.flatnonzero(chosen)
    return int(rounds[np.argmin(rank_places(scope)[rounds])])


def _merge_missing_evidence(
    lacks: Sequence[Mapping[Cause, run_summary.MissingEvidence]],
) -> dict[Cause, run_summary.MissingEvidence]:
    """Merge the missing evidence of rounds that were checked separately."""
    merged: dict[Cause, run_summary.MissingEvidence] = {}
    for cause in Cause:
        of_cause = [each[cause] for each in lacks if cause in each]
        if of_cause:
            merged[cause] = reduce(run_summary.MissingEvidence.add, of_cause)
    return merged


def _mark_waived(verdict: RoundsVerdict, permits: ApplicableWaivers) -> RoundsVerdict:
    """Return a verdict whose findings name the waivers granted and claimed."""
    if not verdict.findings:
        return verdict
    return replace(verdict, findings=tuple(map(permits.mark_finding, verdict.findings)))


def check_block(context: AuditContext, block: Block) -> BlockVerdict:
    """Decode and check a block."""
    decoded = duplicate_rounds.drop_repetitions(
        run_summary.quarantine_other_currencies(block.decode(context.games), context.currency), context.duplicates
    )
    batches, carried_rows = carry_results(context, decoded.batches)
    games, counts = check_rounds(context, batches) if context.rounds_to_digest is None else ([], None)
    return BlockVerdict(
        games=games,
        quarantined=decoded.quarantined,
        read=decoded.read,
        size=block.size,
        logs=decoded.logs,
        currencies=run_summary.collect_round_currencies(decoded),
        round_hashes=duplicate_rounds.hash_rounds(decoded.batches),
        record_digests=()
        if context.rounds_to_digest is None
        else duplicate_rounds.digest_records(decoded.batches, context.rounds_to_digest),
        carried_rows=carried_rows,
        counter=counts,
    )


def carry_results(context: AuditContext, batches: Sequence[Batch]) -> tuple[Sequence[Batch], tuple[CarriedRows, ...]]:
    """Return the batches that can be checked, and the rows of those for which carried results are still to be found."""
    ready, rows = list[Batch](), list[CarriedRows]()
    for batch in batches:
        game = context.get_game(batch.game)
        if not game.game.carried_outcomes:
            ready.append(batch)
        elif context.carried is None:
            rows.append(build_carried_rows(game, batch))
        else:
            ready.append(state_carried_results(game, batch, context.carried))
    return ready, tuple(rows)


HASH_OF_MEMORY_TABLE = "none: a table in memory"
"""Placeholder for the hash of rounds that are in no file."""
_SMALL_LOGS_BYTES = 1 << 20
"""Number of bytes of small logs that are checked together."""


class WholeLog(Struct, frozen=True, kw_only=True):
    """Log that one process reads, hashes and checks, block by block."""

    path: str
    size: int
    """Number of bytes."""

    def identity(self) -> str:
        """Return the SHA-256 (hex) of the bytes. Raises InputError if the log cannot be read."""
        try:
            with open_again(self.path) as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise build_open_error(self.path, error) from error


class LogPart(Struct, frozen=True, kw_only=True):
    """Part of a log. Parts are ordered by `log`, `name` and `number`."""

    log: int
    """Number of the log; for several small logs in one part, that of the first."""
    number: int
    """Number of the part within its log."""
    name: str
    """Name of the log."""
    block: Block | WholeLog | None = None
    """Data that the process reads: lines, rows, a whole log, or several small ones; None if there is nothing left to
    read."""
    last: bool = False
    """True if it is the last part of its log."""
    ends: tuple[LogEnd, ...] = ()
    """Ends of the logs known to end with the part."""

    @property
    def place(self) -> tuple[int, str, int]:
        """Key by which parts are ordered and identified."""
        return self.log, self.name, self.number


class CheckedPart(Struct, frozen=True, kw_only=True):
    """Part with its verdicts, block by block."""

    part: LogPart
    verdicts: tuple[BlockVerdict, ...]


class _OpenLog(Struct, frozen=True, kw_only=True):
    """Log that is open, with its number."""

    place: int
    log: HandLog
    size: int | None = None
    """Number of bytes, if the log is one part."""
    text: HeldLines | PhhHands | None = None
    """Complete content, if the log is small."""


class PartitionedLogs:
    """Logs of an audit in the order of their names, split into parts as often as needed.

    A log that workers can read, and that has at most `whole` bytes, is one part.
    """

    __slots__ = ("_logs", "_names", "_read", "_whole")

    def __init__(self, logs: Iterable[HandLog], *, whole: int = 0) -> None:
        self._logs = enumerate(sorted(logs, key=lambda log: log.name))
        self._whole = whole
        self._read: list[HandLog] = []
        self._names: dict[str, int] = {}

    def iter_parts(self) -> Iterator[LogPart]:
        """Yield all parts in order.

        Each log is opened when it is reached; for an unreadable log a part gives the reason.
        """
        reread = [(place, log.reopen()) for place, log in enumerate(self._read)]
        logs = self._open_logs(chain(reread, self._take_unread()))
        for small, group in groupby(logs, key=lambda open_log: open_log.text is not None):
            if small:
                yield from map(_build_small_logs_part, _group_small_logs(group))
                continue
            for open_log in group:
                yield from self._split(open_log)

    def close(self) -> None:
        """Delete the copies of logs that can be read only once."""
        for log in self._read:
            log.close()

    def _take_unread(self) -> Iterator[tuple[int, HandLog]]:
        for place, log in self._logs:
            self._read.append(log)
            if self._names.setdefault(log.name, place) == place:
                log.keep_copy()
            yield place, log

    def _open_logs(self, logs: Iterable[tuple[int, HandLog]]) -> Iterator[_OpenLog]:
        for place, log in logs:
            size = log.size() if self._whole else None
            if self._names[log.name] != place:
                yield _OpenLog(place=place, log=log)
            elif size is not None and size <= self._whole:
                yield _OpenLog(place=place, log=log, size=size)
            else:
                yield _OpenLog(place=place, log=log, text=log.read_small_log())

    def _split(self, open_log: _OpenLog) -> Iterator[LogPart]:
        if self._names[open_log.log.name] != open_log.place:
            message = "this log is named twice"
            yield _build_unreadable_part(
                open_log.log.name,
                open_log.place,
                0,
                Diagnostic(code="named-twice", message=message, file=open_log.log.name),
            )
        elif open_log.size is not None:
            yield LogPart(
                log=open_log.place,
                number=0,
                name=open_log.log.name,
                block=WholeLog(path=open_log.log.path, size=open_log.size),
                last=True,
            )
        else:
            yield from split_log(open_log.log, open_log.place)


def split_log(log: HandLog, place: int) -> Iterator[LogPart]:
    """Yield the parts of a log: its blocks, and its end."""
    number = 0
    try:
        for block in log.blocks():
            yield LogPart(log=place, number=number, name=log.name, block=block)
            number += 1
    except InputError as error:
        yield _build_unreadable_part(log.name, place, number, *error.diagnostics)
        return
    end = LogEnd(name=log.name, sha256=log.sha256())
    yield LogPart(log=place, number=number, name=log.name, last=True, ends=(end,))


def _build_unreadable_part(name: str, place: int, number: int, *diagnostics: Diagnostic) -> LogPart:
    return LogPart(log=place, number=number, name=name, last=True, ends=(LogEnd(name=name, refused=diagnostics),))


def _group_small_logs(logs: Iterable[_OpenLog]) -> Iterator[list[_OpenLog]]:
    """Group small logs until a group is large enough for one part."""
    group: list[_OpenLog] = []
    size = 0
    for open_log in logs:
        group.append(open_log)
        size += 0 if open_log.text is None else open_log.text.size
        if size >= _SMALL_LOGS_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _build_small_logs_part(group: Sequence[_OpenLog]) -> LogPart:
    return LogPart(
        log=group[0].place,
        number=0,
        name=group[0].log.name,
        block=SmallLogs(logs=tuple(open_log.text for open_log in group if open_log.text is not None)),
        last=True,
        ends=tuple(LogEnd(name=open_log.log.name, sha256=open_log.log.sha256()) for open_log in group),
    )


def build_table_part(table: pa.Table, *, name: str) -> LogPart:
    """Build a part from an Arrow table in the form of a Parquet log."""
    from fairdeal.validator.evidence.arrow.parquet_reader import HeldRows  # noqa: PLC0415 - pyarrow takes time to import

    block = HeldRows(name=name, table=table, part="the table", first_row=1, size=table.nbytes)
    return LogPart(
        log=0, number=0, name=name, block=block, last=True, ends=(LogEnd(name=name, sha256=HASH_OF_MEMORY_TABLE),)
    )
