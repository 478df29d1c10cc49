"""Blocks of a hand log judged, each by itself."""

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
    """A part of a log that can be decoded on its own, in another process too."""

    @property
    def size(self) -> int:
        """Bytes of the log it stands for."""
        ...

    def decode(self, known_games: Collection[str]) -> Decoded:
        """Its rounds as batches, and what was set aside."""
        ...

    def identity(self) -> str | None:
        """What tells its content from that of any other part of its log; None where there is no use in knowing it."""
        ...


class GameVerdict(Struct, frozen=True, kw_only=True):
    """What became of the rounds of one game: how many, the tables they were played at and what some of them lack; how
    every requirement came out, what a waiver lifts being marked, and the first failures explained; and the rounds as
    the sessions they belong to see them, where something is asked of sessions."""

    document: str
    rounds: int
    tables: Tables
    lacks: dict[Cause, Lack]
    verdicts: list[RoundsVerdict]
    explained: list[Explanation]
    rows: list[Rows]


class LogEnd(Struct, frozen=True, kw_only=True):
    """That a log is read to its end: the SHA-256 (hex) of its bytes. Or why it cannot be read, or not to its end."""

    name: str
    sha256: str = ""
    refused: tuple[Diagnostic, ...] = ()


class BlockVerdict(Struct, frozen=True, kw_only=True):
    """What became of one block: its rounds judged game by game, its records set aside, records and bytes it holds, the
    currencies its rounds are said to be in; and the records read of each log, where it holds several. `known_by` are
    numbers for its rounds, uint64[rounds]; `noted` the records that were asked for, where nothing is judged; `counts`
    what is counted of its rounds beside; `ends` are of the logs that end with it."""

    games: list[GameVerdict] = []
    quarantined: tuple[Quarantined, ...] = ()
    read: int = 0
    size: int = 0
    logs: tuple[int, ...] = ()
    currencies: frozenset[str] = frozenset()
    known_by: Identities = field(default_factory=lambda: np.zeros(0, np.uint64))
    noted: tuple[Noted, ...] = ()
    counts: Counts | None = None
    ends: tuple[LogEnd, ...] = ()


def judge_rounds(court: Court, batches: Iterable[Batch]) -> tuple[list[GameVerdict], Counts | None]:
    """Judge batches under the submissions in force for them, and count what is counted in addition. Of each requirement
    a failure is explained if none that precedes it in the order of places came to this process before."""
    counts = None if court.counts is None else court.counts()
    return [_judge(court, batch, counts) for batch in batches], counts


def _judge(court: Court, batch: Batch, counts: Counts | None) -> GameVerdict:
    as_of = None if court.as_of is None else (court.as_of - _EPOCH).days
    judged: list[list[RoundsVerdict]] = []
    rows: list[Rows] = []
    explained: list[Explanation] = []
    lacks: list[dict[Cause, Lack]] = []
    for assigned in court.assign(batch):
        scope = assigned.scope()
        if counts is not None:
            counted = _to_be_counted(court, assigned)
            if counted is assigned:
                counts.count(scope)
            elif len(counted.batch):
                counts.count(counted.scope())
        if not court.judges:
            continue
        judged.append([_marked(verdict, assigned.permits) for verdict in judge_scope(scope, as_of=as_of)])
        lacks.append(_lacks(scope))
        told = explanations(scope, judged[-1], court.explained, court.configured)
        court.explained.update((name, place_key(one.where)) for one in told for name in one.requirements)
        explained += told
        # Rows are held until the last log is read: where nothing spans rounds, memory must not grow with their number.
        if spanning(scope.prepared.regulation.requirements):
            rows.append(rows_of(scope, assigned.permits, as_of=as_of))
    verdicts = judged[0] if len(judged) == 1 else [together(verdicts) for verdicts in zip(*judged, strict=True)]
    return GameVerdict(
        document=batch.game,
        rounds=len(batch),
        tables=tables_in(_without_contradicted(batch, beyond=1)),
        lacks=_first_of_all(lacks),
        verdicts=verdicts,
        explained=explained,
        rows=rows,
    )


def _to_be_counted(court: Court, assigned: Assigned) -> Assigned:
    """Return the rounds of which the logs hold a single version, under all that the house has chosen.

    What a house has chosen is known by its number alone where counts are written.
    """
    house = assigned.configuration
    if house is not None and house.number is not None and not assigned.in_its_currency:
        whole = replace(court.configuration(house.number), permitted_tables=house.permitted_tables)
        assigned = replace(assigned, configuration=whole)
    batch = _without_contradicted(assigned.batch)
    return assigned if batch is assigned.batch else replace(assigned, batch=batch)


def _without_contradicted(batch: Batch, *, beyond: int = 0) -> Batch:
    """Return the rounds of a batch with a single version, and the first `beyond` versions of the others."""
    return batch if batch.versions is None else select(batch, batch.versions.number <= beyond)


def _lacks(scope: Scope) -> dict[Cause, Lack]:
    found = lacking(scope.batch, submitted=scope.configuration is not None).items()
    return {
        cause: Lack(rounds=int(np.count_nonzero(there)), first=place_of(scope, _first_place(scope, there)))
        for cause, there in found
        if there.any()
    }


def _first_place(scope: Scope, chosen: Flags) -> int:
    """Return the first of the chosen rounds in the order of places."""
    rounds = np.flatnonzero(chosen)
    return int(rounds[np.argmin(place_ranks(scope)[rounds])])


def _first_of_all(lacks: Sequence[Mapping[Cause, Lack]]) -> dict[Cause, Lack]:
    """What rounds that were judged apart lack together."""
    found: dict[Cause, Lack] = {}
    for cause in Cause:
        those = [each[cause] for each in lacks if cause in each]
        if those:
            first = min((one.first for one in those), key=place_key)
            found[cause] = Lack(rounds=sum(one.rounds for one in those), first=first)
    return found


def _marked(verdict: RoundsVerdict, permits: Permits) -> RoundsVerdict:
    """A verdict with its findings marked that a waiver lifts, or that the casino says one does."""
    if not verdict.findings:
        return verdict
    return replace(verdict, findings=tuple(map(permits.marked, verdict.findings)))


def judge_block(court: Court, block: Block) -> BlockVerdict:
    """A block decoded and judged."""
    decoded = sifted(only_in(block.decode(court.games), court.currency), court.recorded_again)
    games, counts = judge_rounds(court, decoded.batches) if court.wanted is None else ([], None)
    return BlockVerdict(
        games=games,
        quarantined=decoded.quarantined,
        read=decoded.read,
        size=block.size,
        logs=decoded.logs,
        currencies=currencies_in(decoded),
        known_by=rounds_known_by(decoded.batches),
        noted=() if court.wanted is None else noted_in(decoded.batches, court.wanted),
        counts=counts,
    )
