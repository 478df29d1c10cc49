"""Merge of checked parts in the order of their logs. The result is independent of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import Identities
from fairdeal.validator.audit.duplicate_rounds import RecordDigests, RoundHashStore, find_duplicates
from fairdeal.validator.audit.operators.partitioned_evaluation import VersionedSpools, evaluate_by_tables
from fairdeal.validator.audit.operators.round_requirements import RoundsVerdict
from fairdeal.validator.audit.operators.session_evaluation import CertainFailures, SessionVerdict
from fairdeal.validator.audit.run import submission_check
from fairdeal.validator.audit.run.audit_plan import AuditPlan, Partial
from fairdeal.validator.audit.run.log_parts import BlockVerdict, CheckedPart, LogEnd
from fairdeal.validator.audit.run.results_builder import ResultsBuilder
from fairdeal.validator.audit.run.run_summary import collect_submission_currencies
from fairdeal.validator.audit.sessions.carried_results import CarriedRows, find_carried_states
from fairdeal.validator.audit.status_codes import STATUSES
from fairdeal.validator.audit.submissions_in_force import RoundCounter
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.results.results import InputFile, InputKind, Results
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.source import build_changed_error, reports_change

ROUND_EVIDENCE = frozenset({Evidence.ROUND, Evidence.SESSION})
"""Kinds of evidence in hand logs."""

HASH_OF_INCOMPLETE_LOG = "none: the log could not be read to its end"
"""Placeholder for the hash of a log that could not be read to its end."""

PartChecker = Callable[[AuditPlan], Iterator[CheckedPart]]
"""Function that checks all parts under a plan and returns them in order."""

OnUnreadable = Callable[[InputError], object]
"""Callback for a log that cannot be read, or not to its end."""


def ignore(*_: object) -> None:
    """Ignore a notification."""


def build_results(
    plan: AuditPlan,
    check_parts: PartChecker,
    *,
    program: str,
    generated: str,
    refused: OnUnreadable,
    progress: Callable[[str, int], object] = ignore,
    counted: Callable[[RoundCounter], object] = ignore,
    report_progress: Callable[[str], object] = ignore,
) -> Results:
    """Check all parts under a plan and build the results.

    If results are carried from round to round, the parts are checked again when all rounds are known. If rounds are
    recorded more than once, the parts are checked again: to compare the records of those rounds, and then
    with the knowledge which records repeat or contradict each other.

    Args:
        check_parts: checks the parts under a plan.
        generated: time of the results; this function reads no clock.
        refused: callback for logs that cannot be read.
        progress: callback with the name of a log and the number of bytes checked.
        counted: callback with the counter of rounds, if the plan has one.
        `report_progress`: callback with messages on the progress of other long work.

    Raises:
        InputError: If a document cannot be loaded, or if a log changed between two passes.
    """
    context = plan.audit_context
    submitted = submission_check.evaluate_submissions(
        plan.rulebook, plan.submissions, context.as_of, context.grants, report_progress
    )
    merger = AuditMerger(plan, refused, submissions=submitted)
    for checked_part in check_parts(plan):
        merger.add(checked_part)
        progress(checked_part.part.name, sum(verdict.size for verdict in checked_part.verdicts))
    if merger.carried_rows:
        ends_before = merger.ends
        plan = plan.with_carried(find_carried_states(merger.carried_rows, context.get_game))
        merger = merger.restart(plan)
        for checked_part in check_parts(plan):
            merger.add(checked_part)
        _verify_unchanged(ends_before, merger.ends)
    wanted = merger.duplicate_round_ids()
    if len(wanted):
        digests, ends = list[RecordDigests](), list[LogEnd]()
        for checked_part in check_parts(plan.with_rounds_to_digest(wanted)):
            digests += (record for verdict in checked_part.verdicts for record in verdict.record_digests)
            ends += _collect_ends(checked_part)
        _verify_unchanged(merger.ends, ends)
        duplicates = find_duplicates(digests)
        if duplicates:
            merger = merger.restart(plan.with_duplicates(duplicates))
            for checked_part in check_parts(merger.plan):
                merger.add(checked_part)
            _verify_unchanged(ends, merger.ends)
    if merger.counts is not None:
        counted(merger.counts)
    return merger.build_results(program=program, generated=generated)


def _collect_ends(checked_part: CheckedPart) -> list[LogEnd]:
    return [end for verdict in checked_part.verdicts for end in verdict.ends]


def _verify_unchanged(previous: Sequence[LogEnd], now: Sequence[LogEnd]) -> None:
    """Raise InputError unless logs ended as they did in the previous pass."""
    for old, new in zip_longest(previous, now):
        if old != new:
            raise build_changed_error((old or new).name)


def combine_partials(partials: Iterable[Partial]) -> Partial:
    """Combine partials into one.

    Their order and grouping do not matter, and a part that occurs several times counts once.

    Raises:
        ValueError: If there are none, or they belong to several plans.
    """
    given = list(partials)
    plans = {partial.plan.digest: partial.plan for partial in given}
    if len(plans) != 1:
        raise ValueError(
            "partials of one plan are required: these belong to several plans"
            if plans
            else "there are no partials to merge"
        )
    return Partial(given[0].plan, [part for partial in given for part in partial.parts])


def merge_partials(partials: Iterable[Partial], *, program: str, generated: str, refused: OnUnreadable) -> Results:
    """Build the results of partials, as `build_results`: those of all parts of all logs, in any order.

    If rounds are recorded more than once, parts that contain them are checked again here.

    Raises:
        ValueError: As `combine_partials`, and if a part is missing.
    """
    together = combine_partials(partials)

    def judge(plan: AuditPlan) -> Iterator[CheckedPart]:
        for part in together.parts:
            if plan is together.plan or not _must_recheck(part, plan):
                yield part
            else:
                yield replace(part, verdicts=plan.check_part(part.part))

    return build_results(together.plan, judge, program=program, generated=generated, refused=refused)


def _must_recheck(checked_part: CheckedPart, plan: AuditPlan) -> bool:
    """Return whether a part must be checked again under a plan that digests rounds or knows repeated records."""
    if plan.audit_context.rounds_to_digest is not None:
        return any(
            np.isin(verdict.round_hashes, plan.audit_context.rounds_to_digest).any()
            for verdict in checked_part.verdicts
        )
    if any(verdict.carried_rows for verdict in checked_part.verdicts):
        return True
    names = {checked_part.part.name, *(end.name for verdict in checked_part.verdicts for end in verdict.ends)}
    return not names.isdisjoint(plan.audit_context.duplicates)


class AuditMerger:
    """Audit in progress: parts are added in order, each log from its first part to its end."""

    def __init__(
        self,
        plan: AuditPlan,
        refused: OnUnreadable = ignore,
        *,
        submissions: Sequence[submission_check.CheckedSubmission],
    ) -> None:
        self.plan = plan
        self._submissions = submissions
        self._refused = refused
        self._currencies = set(
            collect_submission_currencies([filed for filed, _ in plan.submissions], plan.audit_context.currency)
        )
        self._documents = {filed.submission.document for filed, _ in plan.submissions}
        self._round_hashes = RoundHashStore()
        self._spools: dict[str, VersionedSpools] = {}
        self._versions = max(
            (int(records.version.max()) for records in plan.audit_context.duplicates.values()), default=0
        )
        self._builder = ResultsBuilder(
            regulations={},
            kinds=ROUND_EVIDENCE | submission_check.SUBMISSION_EVIDENCE if plan.submissions else ROUND_EVIDENCE,
        )
        self._builder.add_waivers(plan.waivers)
        submission_check.add_submissions(self._builder, plan.rulebook, submissions, plan.audit_context.grants)
        self.ends: list[LogEnd] = []
        """Ends of the logs, as their readers report them."""
        self.carried_rows: list[CarriedRows] = []
        """Rounds that are checked once their carried results are found."""
        self._next: tuple[int, str, int] | None = None
        self._is_over = False
        self._read = self._quarantined = 0
        self.counts = None if plan.audit_context.build_counter is None else plan.audit_context.build_counter()
        """Counter of all rounds, if the plan has one."""

    def restart(self, plan: AuditPlan) -> AuditMerger:
        """Return a merger for another plan, which starts with the first part."""
        self._builder.findings.close()
        self._builder.sessions.close()
        for spool in self._spools.values():
            spool.close()
        merger = AuditMerger(plan, submissions=self._submissions)
        merger._documents |= self._documents
        return merger

    def add(self, checked_part: CheckedPart) -> None:
        """Add the next part.

        Raises:
            ValueError: If another part should come before it.
            InputError: If a log changed while it was read.
        """
        self._require_next_part(checked_part)
        for end in _collect_ends(checked_part):
            self.ends.append(end)
            if reports_change(end.refused):
                raise InputError(end.refused)
        for verdict in checked_part.verdicts:
            if not self._is_over:
                self._add(verdict)

    def _require_next_part(self, checked_part: CheckedPart) -> None:
        """Raise ValueError if a part is missing or was added before."""
        part = checked_part.part
        if self._next is None:
            self._is_over, self._read, self._quarantined = False, 0, 0
        if part.place != (self._next or (part.log, part.name, 0)):
            raise ValueError(f"this is part {part.number} of {part.name}: another one should come before it")
        self._next = None if part.last else (part.log, part.name, part.number + 1)

    def _add(self, verdict: BlockVerdict) -> None:
        self._currencies |= verdict.currencies
        self.carried_rows += verdict.carried_rows
        self._read += verdict.read
        self._quarantined += self._builder.add_quarantined(verdict.quarantined)
        self._add_games(verdict)
        if self.counts is not None and verdict.counter is not None:
            self.counts.add(verdict.counter)
        if verdict.logs:
            of_log = Counter(record.file for record in verdict.quarantined)
            for end, read in zip(verdict.ends, verdict.logs, strict=True):
                self._end(end, read, of_log[end.name])
        else:
            for end in verdict.ends:
                self._end(end, self._read, self._quarantined)

    def _end(self, end: LogEnd, read: int, quarantined: int) -> None:
        if end.refused:
            self._is_over = True
            if read:
                self._add_input(end.name, HASH_OF_INCOMPLETE_LOG, read, quarantined)
            self._refused(InputError(end.refused))
        else:
            self._add_input(end.name, end.sha256, read, quarantined)

    def _add_input(self, name: str, sha256: str, read: int, quarantined: int) -> None:
        duplicates = self.plan.audit_context.duplicates.get(name)
        repeated, contradicted = (
            (0, 0) if duplicates is None else (duplicates.repeated_count, duplicates.contradicted_count)
        )
        input_file = InputFile(
            file=name,
            sha256=sha256,
            kind=InputKind.HAND_LOG,
            read=read,
            checked=read - quarantined - repeated,
            quarantined=quarantined,
            repeated=repeated,
            contradicted=contradicted,
        )
        self._builder.inputs.append(input_file)

    def _add_games(self, verdict: BlockVerdict) -> None:
        self._round_hashes.add(verdict.round_hashes)
        for game in verdict.games:
            self._documents.add(game.document)
            for rows in game.rows:
                self._spools.setdefault(game.document, VersionedSpools(self._versions)).add(rows)
            self._builder.add_part(
                game.document,
                rounds=game.rounds,
                tables=game.tables,
                lacks=game.missing_evidence,
                explained=game.explanations,
            )
            self._add_verdicts(game.document, game.verdicts)

    def _add_verdicts(self, document: str, verdicts: Iterable[RoundsVerdict | SessionVerdict]) -> None:
        for verdict in verdicts:
            self._builder.add_rounds(
                document,
                verdict.requirement,
                totals=dict(zip(STATUSES, verdict.counts, strict=True)),
                findings=verdict.findings,
                gap=verdict.gap,
            )

    def duplicate_round_ids(self) -> Identities:
        """Return hashes of rounds that may be recorded more than once.

        Returns:
            uint64[n], ascending.
        """
        return self._round_hashes.duplicate_round_ids()

    def build_results(self, *, program: str, generated: str) -> Results:
        """Build the results of all parts. Call it once. Raises ValueError if the last part of a log is missing."""
        if self._next is not None:
            raise ValueError(f"part {self._next[2]} of {self._next[1]} is missing")
        for document, versioned in sorted(self._spools.items()):
            certain = CertainFailures(versions=versioned.versions) if versioned.versions else None
            prepared = self.plan.audit_context.get_game(document)
            for version, spool in versioned.iter_spools():
                for sessions, verdicts in evaluate_by_tables(prepared, spool, version=version, certain=certain):
                    self._builder.sessions.add_run(sessions if version == 0 else ())
                    self._add_verdicts(document, verdicts)
            versioned.close()
        self._round_hashes.close()
        used = tuple(sorted(self._documents))
        self._builder.regulations = {document: self.plan.rulebook.regulation(document) for document in used}
        return self._builder.build(
            program=program,
            generated=generated,
            as_of=self.plan.audit_context.as_of,
            rulebook=self.plan.rulebook,
            currencies=self._currencies,
        )
