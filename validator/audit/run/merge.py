"""Judged parts put together, in the order of their logs: what they come to does not hang on who judged them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from msgspec.structs import replace

from validator.arrays import Identities
from validator.audit.applicability.beside import Counts
from validator.audit.applicability.duplicate_rounds import Noted, Seen, recorded_again
from validator.audit.operators.round_requirements import RoundsVerdict
from validator.audit.outcome.collect import Gathering
from validator.audit.outcome.currency import currencies_of
from validator.audit.run.block_audit import BlockVerdict, LogEnd
from validator.audit.run.parts import JudgedPart
from validator.audit.run.plan import AuditPlan, Partial
from validator.audit.run.submission_check import JUDGED, JudgedSubmission, add_submissions, judge_submissions
from validator.audit.session_requirements.by_tables import judged_by_tables
from validator.audit.session_requirements.certain_failures import CertainFailures
from validator.audit.session_requirements.judge import SessionVerdict
from validator.audit.sessions.versions import Versioned
from validator.audit.statuses.status_codes import STATUSES
from validator.results.results import InputFile, InputKind, Results
from validator.results.statuses import Evidence
from validator.text.diagnostics import InputError
from validator.text.unchanged import changed, is_changed

ROUNDS = frozenset({Evidence.ROUND, Evidence.SESSION})
"""What hand logs are judged on."""

NOT_TO_ITS_END = "none: the log could not be read to its end"
"""What stands for the hash of such a log."""

Judge = Callable[[AuditPlan], Iterator[JudgedPart]]
"""Judges the same parts by a plan, and hands them back in order."""

Refused = Callable[[InputError], object]
"""Is told of a log that cannot be read, or not to its end."""


def unheard(*_: object) -> None:
    """What nobody is told of."""


def results_of(
    plan: AuditPlan,
    judge: Judge,
    *,
    program: str,
    generated: str,
    refused: Refused,
    progress: Callable[[str, int], object] = unheard,
    counted: Callable[[Counts], object] = unheard,
    tell: Callable[[str], object] = unheard,
) -> Results:
    """Everything that logs come to by a plan; `generated` is the time that results bear: nothing here reads a clock.

    Where rounds are recorded more than once the parts are judged again: for the records of those rounds, and knowing
    which of them repeat or contradict each other. `progress` is told of bytes done with, of which log; `counted` of
    what is counted beside, where the plan counts; `tell` hears how far other long work has come. Raises InputError
    where a document cannot be loaded, and where a log is not what it was.
    """
    court = plan.court
    submitted = judge_submissions(plan.rulebook, plan.submissions, court.as_of, court.grants, tell)
    merging = Merging(plan, refused, submissions=submitted)
    for one in judge(plan):
        merging.add(one)
        progress(one.part.name, sum(verdict.size for verdict in one.verdicts))
    wanted = merging.more_than_once()
    if len(wanted):
        notes, ends = list[Noted](), list[LogEnd]()
        for one in judge(plan.noting(wanted)):
            notes += (note for verdict in one.verdicts for note in verdict.noted)
            ends += _ends(one)
        _verify_unchanged(merging.ends, ends)
        again = recorded_again(notes)
        if again:
            merging = merging.again(plan.knowing(again))
            for one in judge(merging.plan):
                merging.add(one)
            _verify_unchanged(ends, merging.ends)
    if merging.counts is not None:
        counted(merging.counts)
    return merging.results(program=program, generated=generated)


def _ends(judged: JudgedPart) -> list[LogEnd]:
    return [end for verdict in judged.verdicts for end in verdict.ends]


def _verify_unchanged(before: Sequence[LogEnd], now: Sequence[LogEnd]) -> None:
    """Make sure that logs ended as they did when they were read before. Raises InputError."""
    for was, found in zip_longest(before, now):
        if was != found:
            raise changed((was or found).name)


def combine(partials: Iterable[Partial]) -> Partial:
    """Several partials as one. Their order does not matter, nor what is put together first; a part that is there
    several times counts once. Raises ValueError where there are none, or they are of several plans."""
    given = list(partials)
    plans = {one.plan.digest: one.plan for one in given}
    if len(plans) != 1:
        raise ValueError("partials of one plan are needed: these are of several" if plans else "there are no partials")
    return Partial(given[0].plan, [one for partial in given for one in partial.parts])


def merge(partials: Iterable[Partial], *, program: str, generated: str, refused: Refused) -> Results:
    """What partials come to, as `results_of`: those of all parts of all logs, in any order.

    Where rounds are recorded more than once, parts that hold them are judged again here. Raises ValueError as
    `combine`, and where a part is missing.
    """
    together = combine(partials)

    def judge(by: AuditPlan) -> Iterator[JudgedPart]:
        for one in together.parts:
            if by is together.plan or not _hangs_on(one, by):
                yield one
            else:
                yield replace(one, verdicts=by.verdicts(one.part))

    return results_of(together.plan, judge, program=program, generated=generated, refused=refused)


def _hangs_on(judged: JudgedPart, plan: AuditPlan) -> bool:
    """Return whether a plan that notes rounds, or knows which records repeat others, must judge a part again."""
    if plan.court.wanted is not None:
        return any(np.isin(verdict.known_by, plan.court.wanted).any() for verdict in judged.verdicts)
    names = {judged.part.name, *(end.name for verdict in judged.verdicts for end in verdict.ends)}
    return not names.isdisjoint(plan.court.recorded_again)


class Merging:
    """An audit in progress: parts are added in order, each log from its first part to its end."""

    def __init__(self, plan: AuditPlan, refused: Refused = unheard, *, submissions: Sequence[JudgedSubmission]) -> None:
        self.plan = plan
        self._submissions = submissions
        self._refused = refused
        self._currencies = set(currencies_of([one for one, _ in plan.submissions], plan.court.currency))
        self._documents = {one.submission.document for one, _ in plan.submissions}
        self._seen = Seen()
        self._shelves: dict[str, Versioned] = {}
        self._versions = max((int(one.version.max()) for one in plan.court.recorded_again.values()), default=0)
        self._gathering = Gathering(regulations={}, kinds=ROUNDS | JUDGED if plan.submissions else ROUNDS)
        self._gathering.add_waivers(plan.waivers)
        add_submissions(self._gathering, plan.rulebook, submissions, plan.court.grants)
        self.ends: list[LogEnd] = []
        """Ends of the logs, as their readers report them."""
        self._next: tuple[int, str, int] | None = None
        self._over = False
        self._read = self._quarantined = 0
        self.counts = None if plan.court.counts is None else plan.court.counts()
        """What is counted of all rounds beside their verdicts."""

    def again(self, plan: AuditPlan) -> Merging:
        """The same, to begin with the first part, by another plan."""
        self._gathering.findings.close()
        for shelf in self._shelves.values():
            shelf.close()
        other = Merging(plan, submissions=self._submissions)
        other._documents |= self._documents
        return other

    def add(self, judged: JudgedPart) -> None:
        """Add what comes next. Raises ValueError where that is missing, and another part is given; InputError if a log
        changed while it was read, as nothing that was found in it is sure."""
        self._come_to(judged)
        for end in _ends(judged):
            self.ends.append(end)
            if is_changed(end.refused):
                raise InputError(end.refused)
        for verdict in judged.verdicts:
            if not self._over:
                self._add(verdict)

    def _come_to(self, judged: JudgedPart) -> None:
        """Make sure that no part is missing, and none is there twice."""
        part = judged.part
        if self._next is None:
            self._over, self._read, self._quarantined = False, 0, 0
        if part.place != (self._next or (part.log, part.name, 0)):
            raise ValueError(f"this is part {part.number} of {part.name}: another one should come before it")
        self._next = None if part.last else (part.log, part.name, part.number + 1)

    def _add(self, verdict: BlockVerdict) -> None:
        self._currencies |= verdict.currencies
        self._read += verdict.read
        self._quarantined += self._gathering.add_quarantined(verdict.quarantined)
        self._add_games(verdict)
        if self.counts is not None and verdict.counts is not None:
            self.counts.add(verdict.counts)
        if verdict.logs:
            of_log = Counter(record.file for record in verdict.quarantined)
            for end, read in zip(verdict.ends, verdict.logs, strict=True):
                self._end(end, read, of_log[end.name])
        else:
            for end in verdict.ends:
                self._end(end, self._read, self._quarantined)

    def _end(self, end: LogEnd, read: int, quarantined: int) -> None:
        if end.refused:
            self._over = True
            if read:
                self._input(end.name, NOT_TO_ITS_END, read, quarantined)
            self._refused(InputError(end.refused))
        else:
            self._input(end.name, end.sha256, read, quarantined)

    def _input(self, name: str, sha256: str, read: int, quarantined: int) -> None:
        again = self.plan.court.recorded_again.get(name)
        repeated, contradicted = (0, 0) if again is None else (again.repeated, again.contradicted)
        about = InputFile(
            file=name,
            sha256=sha256,
            kind=InputKind.HAND_LOG,
            read=read,
            checked=read - quarantined - repeated,
            quarantined=quarantined,
            repeated=repeated,
            contradicted=contradicted,
        )
        self._gathering.inputs.append(about)

    def _add_games(self, verdict: BlockVerdict) -> None:
        self._seen.add(verdict.known_by)
        for game in verdict.games:
            self._documents.add(game.document)
            for rows in game.rows:
                self._shelves.setdefault(game.document, Versioned(self._versions)).put(rows)
            self._gathering.add_part(
                game.document, rounds=game.rounds, tables=game.tables, lacks=game.lacks, explained=game.explained
            )
            self._add_verdicts(game.document, game.verdicts)

    def _add_verdicts(self, document: str, verdicts: Iterable[RoundsVerdict | SessionVerdict]) -> None:
        for verdict in verdicts:
            self._gathering.add_rounds(
                document,
                verdict.requirement,
                totals=dict(zip(STATUSES, verdict.counts, strict=True)),
                findings=verdict.findings,
                gap=verdict.gap,
            )

    def more_than_once(self) -> Identities:
        """uint64[n], ascending: numbers of rounds that may be recorded more than once."""
        return self._seen.more_than_once()

    def results(self, *, program: str, generated: str) -> Results:
        """What all parts come to; to be asked for once. Raises ValueError where the last part of a log is missing."""
        if self._next is not None:
            raise ValueError(f"part {self._next[2]} of {self._next[1]} is missing")
        for document, versioned in sorted(self._shelves.items()):
            certain = CertainFailures(versions=versioned.versions) if versioned.versions else None
            prepared = self.plan.court.prepared(document)
            for version, shelf in versioned.shelves():
                for sessions, verdicts in judged_by_tables(prepared, shelf, version=version, certain=certain):
                    self._gathering.sessions.extend(sessions if version == 0 else ())
                    self._add_verdicts(document, verdicts)
            versioned.close()
        self._seen.close()
        used = tuple(sorted(self._documents))
        self._gathering.regulations = {document: self.plan.rulebook.regulation(document) for document in used}
        return self._gathering.results(
            program=program,
            generated=generated,
            as_of=self.plan.court.as_of,
            rulebook=self.plan.rulebook,
            currencies=self._currencies,
        )
