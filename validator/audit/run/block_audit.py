"""Check of blocks of a hand log, each independent of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Protocol

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Flags, Identities
from validator.audit.applicability.beside import Counts
from validator.audit.applicability.duplicate_rounds import Noted, noted_in, rounds_known_by, sifted
from validator.audit.applicability.submissions_in_force import Assigned, Court
from validator.audit.applicability.waivers import Permits
from validator.audit.explain.first_failures import explanations
from validator.audit.operators.round_requirements import RoundsVerdict, judge_scope, together
from validator.audit.outcome.currency import currencies_in, only_in
from validator.audit.outcome.subject import Tables
from validator.audit.run.tables import tables_in
from validator.audit.session_requirements.summarise_rounds import rows_of, spanning
from validator.audit.sessions.session_rows import Rows
from validator.audit.statuses.open_causes import lacking
from validator.audit.statuses.open_requirements import Lack
from validator.audit.statuses.status_codes import place_of, place_ranks
from validator.engine.core.context import Scope
from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select
from validator.results.place_order import place_key
from validator.results.results import Explanation, Quarantined
from validator.results.statuses import Cause
from validator.text.diagnostics import Diagnostic

_EPOCH = date(1970, 1, 1)


class Block(Protocol):
    """Part of a log that can be decoded on its own, in another process too."""

    @property
    def size(self) -> int:
        """Number of bytes of the log that the block covers."""
        ...

    def decode(self, known_games: Collection[str]) -> Decoded:
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
    tables: Tables
    """Tables at which the rounds were played."""
    lacks: dict[Cause, Lack]
    """Rounds that lack evidence, by cause."""
    verdicts: list[RoundsVerdict]
    """Result of every requirement, with findings marked that a waiver lifts."""
    explained: list[Explanation]
    """Explanations of first failures."""
    rows: list[Rows]
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
    known_by: Identities = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Hash of each round."""
    noted: tuple[Noted, ...] = ()
    """Digests of the records that the audit compares; then nothing is checked."""
    counts: Counts | None = None
    """Counter of the rounds, if the caller requested one."""
    ends: tuple[LogEnd, ...] = ()
    """Ends of the logs that end with the block."""


def judge_rounds(context: Court, batches: Iterable[Batch]) -> tuple[list[GameVerdict], Counts | None]:
    """Check batches under the submissions in force for them, and count rounds if requested.

    A failure of a requirement is explained unless this process explained an earlier failure of it.
    """
    counts = None if context.counts is None else context.counts()
    return [_check_batch(context, batch, counts) for batch in batches], counts


def _check_batch(context: Court, batch: Batch, counts: Counts | None) -> GameVerdict:
    as_of = None if context.as_of is None else (context.as_of - _EPOCH).days
    verdicts_by_part: list[list[RoundsVerdict]] = []
    rows: list[Rows] = []
    explained: list[Explanation] = []
    lacks: list[dict[Cause, Lack]] = []
    for batch_slice in context.assign(batch):
        scope = batch_slice.scope()
        if counts is not None:
            countable = _select_countable(context, batch_slice)
            if countable is batch_slice:
                counts.count(scope)
            elif len(countable.batch):
                counts.count(countable.scope())
        if not context.judges:
            continue
        verdicts_by_part.append(
            [_mark_waived(verdict, batch_slice.permits) for verdict in judge_scope(scope, as_of=as_of)]
        )
        lacks.append(_find_missing_evidence(scope))
        explained_now = explanations(scope, verdicts_by_part[-1], context.explained, context.configured)
        context.explained.update(
            (name, place_key(explanation.where)) for explanation in explained_now for name in explanation.requirements
        )
        explained += explained_now
        # Rows stay until the last log is read; without requirements on sessions, memory must not grow with the rounds.
        if spanning(scope.prepared.regulation.requirements):
            rows.append(rows_of(scope, batch_slice.permits, as_of=as_of))
    verdicts = (
        verdicts_by_part[0]
        if len(verdicts_by_part) == 1
        else [together(verdicts) for verdicts in zip(*verdicts_by_part, strict=True)]
    )
    return GameVerdict(
        document=batch.game,
        rounds=len(batch),
        tables=tables_in(_without_contradicted(batch, beyond=1)),
        lacks=_merge_missing_evidence(lacks),
        verdicts=verdicts,
        explained=explained,
        rows=rows,
    )


def _select_countable(context: Court, batch_slice: Assigned) -> Assigned:
    """Return the rounds with a single version, under all choices of the house.

    Saved counts refer to a configuration by its number only, so the configuration must be complete.
    """
    configuration = batch_slice.configuration
    if configuration is not None and configuration.number is not None and not batch_slice.in_its_currency:
        whole = replace(context.configuration(configuration.number), permitted_tables=configuration.permitted_tables)
        batch_slice = replace(batch_slice, configuration=whole)
    batch = _without_contradicted(batch_slice.batch)
    return batch_slice if batch is batch_slice.batch else replace(batch_slice, batch=batch)


def _without_contradicted(batch: Batch, *, beyond: int = 0) -> Batch:
    """Return the rounds of a batch with a single version, and the first `beyond` versions of the others."""
    return batch if batch.versions is None else select(batch, batch.versions.number <= beyond)


def _find_missing_evidence(scope: Scope) -> dict[Cause, Lack]:
    missing = lacking(scope.batch, submitted=scope.configuration is not None).items()
    return {
        cause: Lack(rounds=int(np.count_nonzero(is_missing)), first=place_of(scope, _first_place(scope, is_missing)))
        for cause, is_missing in missing
        if is_missing.any()
    }


def _first_place(scope: Scope, chosen: Flags) -> int:
    """Return the first of the chosen rounds in the order of places."""
    rounds = np.flatnonzero(chosen)
    return int(rounds[np.argmin(place_ranks(scope)[rounds])])


def _merge_missing_evidence(lacks: Sequence[Mapping[Cause, Lack]]) -> dict[Cause, Lack]:
    """Merge the missing evidence of rounds that were checked separately."""
    merged: dict[Cause, Lack] = {}
    for cause in Cause:
        of_cause = [each[cause] for each in lacks if cause in each]
        if of_cause:
            first = min((lack.first for lack in of_cause), key=place_key)
            merged[cause] = Lack(rounds=sum(lack.rounds for lack in of_cause), first=first)
    return merged


def _mark_waived(verdict: RoundsVerdict, permits: Permits) -> RoundsVerdict:
    """Return a verdict whose findings name the waivers granted and claimed."""
    if not verdict.findings:
        return verdict
    return replace(verdict, findings=tuple(map(permits.marked, verdict.findings)))


def judge_block(context: Court, block: Block) -> BlockVerdict:
    """Decode and check a block."""
    decoded = sifted(only_in(block.decode(context.games), context.currency), context.recorded_again)
    games, counts = judge_rounds(context, decoded.batches) if context.wanted is None else ([], None)
    return BlockVerdict(
        games=games,
        quarantined=decoded.quarantined,
        read=decoded.read,
        size=block.size,
        logs=decoded.logs,
        currencies=currencies_in(decoded),
        known_by=rounds_known_by(decoded.batches),
        noted=() if context.wanted is None else noted_in(decoded.batches, context.wanted),
        counts=counts,
    )
