"""Hand logs audited: rounds judged under the submissions given, which are checked too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Identities
from validator.audit.applicability.beside import Counts
from validator.audit.applicability.duplicate_rounds import (
    Noted,
    Seen,
    SetAside,
    noted_in,
    rounds_known_by,
    set_aside,
    sifted,
)
from validator.audit.applicability.submissions_in_force import Court
from validator.audit.applicability.waivers import Grant
from validator.audit.operators.round_requirements import RoundsVerdict
from validator.audit.outcome.collect import Gathering
from validator.audit.outcome.currency import agreed, currencies_in, currency_of, only_in
from validator.audit.run.block_audit import Part, judge_rounds
from validator.audit.run.processes import Judges
from validator.audit.run.submission_check import JUDGED, add_submissions
from validator.audit.session_requirements.by_tables import judged_by_tables
from validator.audit.session_requirements.judge import SessionVerdict
from validator.audit.sessions.spill import Shelf
from validator.audit.statuses.status_codes import STATUSES
from validator.audit.submissions.requirements import Filed
from validator.evidence.assembly.assemble import Decoded
from validator.evidence.phh.terms import Variants
from validator.evidence.readers.open_log import HandLog
from validator.results.results import HAND_LOG, InputFile, Results
from validator.results.statuses import Evidence
from validator.rules.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    from validator.evidence.phh.blocks import Hands, HandsOfLogs

ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})
"""What hand logs are judged on."""

NOT_TO_ITS_END = "none: the log could not be read to its end"
"""What stands for the hash of such a log."""


_SMALL_LOGS_BYTES = 1 << 19
"""Bytes of small logs that are judged together."""


def _unheard(_: int) -> None:
    """Progress that nobody is told of."""


def _several(logs: Iterator[tuple[HandLog, Hands]]) -> Iterator[list[tuple[HandLog, Hands]]]:
    """Small logs, so many at a time that it is worth while to judge them."""
    some: list[tuple[HandLog, Hands]] = []
    size = 0
    for log, hands in logs:
        some.append((log, hands))
        size += hands.size
        if size >= _SMALL_LOGS_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


class _AtHand(Struct, frozen=True, kw_only=True):
    """Rounds that were given at hand."""

    decoded: Decoded
    name: str
    sha256: str


class Audit:
    """An audit in progress: add logs in the order they are to be reported, then ask for the results.

    `currency` is the one that rounds and submissions must be in, where they say; without it, that of the submissions,
    or of the first round that says. `counts` makes what is counted of rounds beside, and where it does not `judge` they
    are held against nothing. Raises InputError where the document of a submission cannot be loaded, or where it is in
    another currency than those before.
    """

    __slots__ = (
        "_court", "_currency", "_documents", "_gathering", "_jobs", "_logs", "_names", "_rulebook", "_seen", "_shelves",
        "_submissions", "_waivers", "counts",
    )  # fmt: skip

    def __init__(
        self,
        rulebook: Rulebook,
        submissions: Sequence[tuple[Filed, InputFile]],
        *,
        as_of: date | None = None,
        waivers: Iterable[tuple[Sequence[Grant], InputFile]] = (),
        currency: str | None = None,
        counts: Callable[[], Counts] | None = None,
        judge: bool = True,
    ) -> None:
        filed = [one for one, _ in submissions]
        self._currency = currency_of(filed, currency)
        self._rulebook = rulebook
        self._submissions = tuple(submissions)
        self._waivers = tuple(waivers)
        self._court = Court(
            rulebook=rulebook,
            submissions=[one.submission for one in filed],
            as_of=as_of,
            grants=[grant for grants, _ in self._waivers for grant in grants],
            currency=self._currency,
            counts=counts,
            judges=judge,
        )
        self._jobs = 1
        self._begin()

    def _begin(self) -> None:
        """Gather from the beginning: what submissions come to, and no log."""
        self._logs: list[HandLog | _AtHand] = []
        self._names: set[str] = set()
        self._documents = {one.submission.document for one, _ in self._submissions}
        self._seen = Seen()
        self._shelves: dict[str, Shelf] = {}
        self.counts = None if self._court.counts is None else self._court.counts()
        self._gathering = Gathering(regulations={}, kinds=ROUNDS | JUDGED if self._submissions else ROUNDS)
        self._gathering.add_waivers(self._waivers)
        add_submissions(self._gathering, self._rulebook, self._submissions, self._court.as_of, self._court.grants)

    @property
    def games(self) -> Collection[str]:
        """The games whose rounds can be judged."""
        return self._court.games

    def variants(self) -> Variants:
        """The variants of poker hand histories whose rounds can be judged. Raises InputError where a regulation cannot
        be loaded or two games claim one."""
        return self._court.variants()

    def add_log(self, log: HandLog, *, jobs: int = 1, progress: Callable[[int], object] = lambda _: None) -> None:
        """Audit a log with up to `jobs` processes; `progress` is told of bytes done with.

        Raises InputError where the file cannot be read, or not to its end; what was read before counts.
        """
        with self._judges(jobs) as judges:
            self._add_log(log, judges, progress)

    def _add_log(self, log: HandLog, judges: Judges, progress: Callable[[int], object]) -> None:
        self._once(log)
        self._logs.append(log)
        read = quarantined = 0
        try:
            for verdict in judges.judged(log.blocks()):
                self._currency = agreed(self._currency, verdict.currencies, log.name)
                read += verdict.read
                quarantined += self._gathering.add_quarantined(verdict.quarantined)
                self._add(verdict.parts, verdict.counts, verdict.known_by)
                progress(verdict.size)
        except InputError:
            if read:
                self._input(log.name, NOT_TO_ITS_END, read, quarantined)
            raise
        self._input(log.name, log.sha256(), read, quarantined)

    def add_logs(
        self,
        logs: Iterable[HandLog],
        *,
        jobs: int = 1,
        progress: Callable[[str], AbstractContextManager[Callable[[int], object]]] = lambda _: nullcontext(_unheard),
        refused: Callable[[InputError], object],
    ) -> None:
        """Audit logs one after the other, as `add_log` does, by the same processes; those that hold few hands together.

        `progress` is asked for each of the others by its name, `refused` is told of each that cannot be read.
        """
        read = ((log, log.whole()) for log in logs)
        with self._judges(jobs) as judges:
            for together, some in groupby(read, key=lambda pair: pair[1] is not None):
                if together:
                    self._add_small(((log, hands) for log, hands in some if hands is not None), judges, refused)
                    continue
                for log, _ in some:
                    try:
                        with progress(log.name) as advance:
                            self._add_log(log, judges, advance)
                    except InputError as error:
                        refused(error)

    def _add_small(
        self, logs: Iterator[tuple[HandLog, Hands]], judges: Judges, refused: Callable[[InputError], object]
    ) -> None:
        from validator.evidence.phh.blocks import HandsOfLogs  # noqa: PLC0415 - most logs are none

        waiting: deque[list[HandLog]] = deque()

        def blocks() -> Iterator[HandsOfLogs]:
            for some in _several(self._unnamed(logs, refused)):
                waiting.append([log for log, _ in some])
                self._logs += [log for log, _ in some]
                yield HandsOfLogs(hands=tuple(hands for _, hands in some))

        for verdict in judges.judged(blocks()):
            self._gathering.add_quarantined(verdict.quarantined)
            self._add(verdict.parts, verdict.counts, verdict.known_by)
            for log, (read, quarantined) in zip(waiting.popleft(), verdict.logs, strict=True):
                aside = self._court.set_aside.get(log.name)
                self._input(log.name, log.sha256(), read, quarantined + (0 if aside is None else aside.contradicted))

    def _judges(self, jobs: int) -> Judges:
        self._jobs = max(self._jobs, jobs)
        return Judges(self._court, jobs=jobs)

    def _once(self, log: HandLog) -> None:
        """Make sure that a log was not added before. Raises InputError."""
        if log.name in self._names:
            raise InputError((Diagnostic(code="named-twice", message="this log is named twice", file=log.name),))
        self._names.add(log.name)
        log.keep()

    def _unnamed(
        self, logs: Iterator[tuple[HandLog, Hands]], refused: Callable[[InputError], object]
    ) -> Iterator[tuple[HandLog, Hands]]:
        for log, hands in logs:
            try:
                self._once(log)
            except InputError as error:
                refused(error)
            else:
                yield log, hands

    def add_decoded(self, decoded: Decoded, *, name: str, sha256: str) -> None:
        """Audit rounds at hand. Raises InputError where they are in several currencies."""
        self._logs.append(_AtHand(decoded=decoded, name=name, sha256=sha256))
        counting = sifted(only_in(decoded, self._court.currency), self._court.set_aside)
        self._currency = agreed(self._currency, currencies_in(counting), name)
        self._add(*judge_rounds(self._court, counting.batches), rounds_known_by(counting.batches))
        self._input(name, sha256, decoded.read, self._gathering.add_quarantined(counting.quarantined))

    def results(self, *, program: str, generated: str) -> Results:
        """Everything found, ask for it once. `generated` is the time the results bear; nothing here reads a clock.

        Where logs hold several records of a round they are read again. Raises InputError where one cannot be, or is
        not what it was.
        """
        wanted = self._seen.more_than_once()
        given = self._logs
        if len(wanted):
            self._without(self._second_look(wanted))
        for one in given:
            if isinstance(one, HandLog):
                one.close()
        for document, shelf in sorted(self._shelves.items()):
            for sessions, verdicts in judged_by_tables(self._court.prepared(document), shelf):
                self._gathering.sessions.extend(sessions)
                self._add_verdicts(document, verdicts)
            shelf.close()
        used = tuple(sorted(self._documents))
        self._gathering.regulations = {document: self._rulebook.regulation(document) for document in used}
        return self._gathering.results(
            program=program,
            generated=generated,
            as_of=self._court.as_of,
            rulebook=self._rulebook,
            currency=self._currency,
        )

    def _second_look(self, wanted: Identities) -> Mapping[str, SetAside]:
        """The records that do not count, of rounds that may be recorded more than once."""
        noted: list[Noted] = []
        with Judges(replace(self._court, wanted=wanted), jobs=self._jobs) as looking:
            for one in self._logs:
                if isinstance(one, _AtHand):
                    noted += noted_in(one.decoded.batches, wanted)
                    continue
                with suppress(InputError):  # which the first look met with as well
                    for verdict in looking.judged(one.again().blocks()):
                        noted += verdict.noted
        return set_aside(noted)

    def _without(self, aside: Mapping[str, SetAside]) -> None:
        """Audit all logs once more, without records that do not count."""
        if not aside:
            return
        given, before, documents = self._logs, self._gathering.inputs, self._documents
        self._gathering.findings.close()
        for shelf in self._shelves.values():
            shelf.close()
        self._court = replace(self._court, set_aside=aside, explained=set())
        self._begin()
        self._documents |= documents
        for at_hand, some in groupby(given, key=lambda one: isinstance(one, _AtHand)):
            if at_hand:
                self._add_at_hand(some)
            else:
                logs = (log.again() for log in some if isinstance(log, HandLog))
                self.add_logs(logs, jobs=self._jobs, refused=lambda _: None)
        for was, found in zip(before, self._gathering.inputs, strict=True):
            if (was.file, was.sha256, was.read) != (found.file, found.sha256, found.read):
                message = "the log changed while it was read"
                raise InputError((Diagnostic(code="changed", message=message, file=was.file),))

    def _add_at_hand(self, given: Iterable[HandLog | _AtHand]) -> None:
        for one in given:
            if isinstance(one, _AtHand):
                self.add_decoded(one.decoded, name=one.name, sha256=one.sha256)

    def _input(self, name: str, sha256: str, read: int, quarantined: int) -> None:
        aside = self._court.set_aside.get(name)
        repeated, contradicted = (0, 0) if aside is None else (aside.repeated, aside.contradicted)
        about = InputFile(
            file=name,
            sha256=sha256,
            kind=HAND_LOG,
            read=read,
            checked=read - quarantined - repeated,
            quarantined=quarantined,
            repeated=repeated,
            contradicted=contradicted,
        )
        self._gathering.inputs.append(about)

    def _add(self, parts: Iterable[Part], counts: Counts | None, known_by: Identities) -> None:
        self._seen.add(known_by)
        if self.counts is not None and counts is not None:
            self.counts.add(counts)
        for part in parts:
            self._documents.add(part.document)
            for rows in part.rows:
                self._shelves.setdefault(part.document, Shelf()).put(rows)
            self._gathering.add_part(
                part.document, rounds=part.rounds, tables=part.tables, lacks=part.lacks, explained=part.explained
            )
            self._add_verdicts(part.document, part.verdicts)

    def _add_verdicts(self, document: str, verdicts: Iterable[RoundsVerdict | SessionVerdict]) -> None:
        for verdict in verdicts:
            self._gathering.add_rounds(
                document,
                verdict.requirement,
                totals=dict(zip(STATUSES, verdict.counts, strict=True)),
                findings=verdict.findings,
                gap=verdict.gap,
            )
