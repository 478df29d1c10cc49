"""Check of blocks of a hand log, each independent of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Protocol

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Flags, Identities
from validator.audit.applicability.beside import RoundCounter
from validator.audit.applicability.duplicate_rounds import RecordDigests, digest_records, drop_repetitions, hash_rounds
from validator.audit.applicability.submissions_in_force import AuditContext, BatchSlice
from validator.audit.applicability.waivers import ApplicableWaivers
from validator.audit.explain.first_failures import explain_first_failures
from validator.audit.operators.round_requirements import RoundsVerdict, check_context, merge_verdicts
from validator.audit.outcome.currency import collect_round_currencies, quarantine_other_currencies
from validator.audit.outcome.subject import TableCounts
from validator.audit.run.tables import count_tables
from validator.audit.session_requirements.summarise_rounds import build_session_rows, select_session_requirements
from validator.audit.sessions.session_rows import SessionRows
from validator.audit.statuses.open_causes import find_missing_evidence
from validator.audit.statuses.open_requirements import MissingEvidence
from validator.audit.statuses.status_codes import build_place, rank_places
from validator.engine.core.context import EvaluationContext
from validator.evidence.assembly.assemble import DecodedBlock
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.select import select_rounds
from validator.results.place_order import make_place_key
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
    tables: TableCounts
    """Tables at which the rounds were played."""
    missing_evidence: dict[Cause, MissingEvidence]
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
    round_hashes: Identities = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Hash of each round."""
    record_digests: tuple[RecordDigests, ...] = ()
    """Digests of the records that the audit compares; then nothing is checked."""
    counter: RoundCounter | None = None
    """Counter of the rounds, if the caller requested one."""
    ends: tuple[LogEnd, ...] = ()
    """Ends of the logs that end with the block."""


def check_rounds(context: AuditContext, batches: Iterable[Batch]) -> tuple[list[GameVerdict], RoundCounter | None]:
    """Check batches under the submissions in force for them, and count rounds if requested.

    A failure of a requirement is explained unless this process explained an earlier failure of it.
    """
    counts = None if context.counter_class is None else context.counter_class()
    return [_check_batch(context, batch, counts) for batch in batches], counts


def _check_batch(context: AuditContext, batch: Batch, counts: RoundCounter | None) -> GameVerdict:
    as_of = None if context.as_of is None else (context.as_of - _EPOCH).days
    verdicts_by_part: list[list[RoundsVerdict]] = []
    rows: list[SessionRows] = []
    explained: list[Explanation] = []
    lacks: list[dict[Cause, MissingEvidence]] = []
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
        if select_session_requirements(scope.compiled_game.regulation.requirements):
            rows.append(build_session_rows(scope, batch_slice.waivers, as_of=as_of))
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


def _find_missing_evidence(scope: EvaluationContext) -> dict[Cause, MissingEvidence]:
    missing = find_missing_evidence(scope.batch, submitted=scope.configuration is not None).items()
    return {
        cause: MissingEvidence(
            rounds=int(np.count_nonzero(is_missing)), first=build_place(scope, _first_place(scope, is_missing))
        )
        for cause, is_missing in missing
        if is_missing.any()
    }


def _first_place(scope: EvaluationContext, chosen: Flags) -> int:
    """Return the first of the chosen rounds in the order of places."""
    rounds = np.flatnonzero(chosen)
    return int(rounds[np.argmin(rank_places(scope)[rounds])])


def _merge_missing_evidence(lacks: Sequence[Mapping[Cause, MissingEvidence]]) -> dict[Cause, MissingEvidence]:
    """Merge the missing evidence of rounds that were checked separately."""
    merged: dict[Cause, MissingEvidence] = {}
    for cause in Cause:
        of_cause = [each[cause] for each in lacks if cause in each]
        if of_cause:
            first = min((lack.first for lack in of_cause), key=make_place_key)
            merged[cause] = MissingEvidence(rounds=sum(lack.rounds for lack in of_cause), first=first)
    return merged


def _mark_waived(verdict: RoundsVerdict, permits: ApplicableWaivers) -> RoundsVerdict:
    """Return a verdict whose findings name the waivers granted and claimed."""
    if not verdict.findings:
        return verdict
    return replace(verdict, findings=tuple(map(permits.mark_finding, verdict.findings)))


def check_block(context: AuditContext, block: Block) -> BlockVerdict:
    """Decode and check a block."""
    decoded = drop_repetitions(
        quarantine_other_currencies(block.decode(context.games), context.currency), context.duplicates
    )
    games, counts = check_rounds(context, decoded.batches) if context.rounds_to_digest is None else ([], None)
    return BlockVerdict(
        games=games,
        quarantined=decoded.quarantined,
        read=decoded.read,
        size=block.size,
        logs=decoded.logs,
        currencies=collect_round_currencies(decoded),
        round_hashes=hash_rounds(decoded.batches),
        record_digests=()
        if context.rounds_to_digest is None
        else digest_records(decoded.batches, context.rounds_to_digest),
        counter=counts,
    )
