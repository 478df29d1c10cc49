"""Check of all submission and attestation requirements of a regulation on one submission and its related ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.audit import granted_waivers
from fairdeal.validator.audit.submissions import posted_odds
from fairdeal.validator.audit.wording.terms import suggest_remedy
from fairdeal.validator.engine.core.house_terms import SubmissionView
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER, collect_stated_values
from fairdeal.validator.language.submission_conditions import (
    NOT_STATED,
    Answer,
    AnswerReason,
    MissingItem,
    describe_place,
    find_last_path_key,
    format_value,
    quote_key,
)
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.results.findings import Evidence, EvidencePlace, Finding, Status, worst_status
from fairdeal.validator.rules.check_model import AlikeCheck
from fairdeal.validator.rules.regulation import (
    SELF_DECLARED_ODDS,
    Regulation,
    SelfDeclaredRequirement,
    line_title,
)
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES, currency_context
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument, format_pointer

if TYPE_CHECKING:
    from fairdeal.validator.odds.hand_counts import ReportProgress


_OTHER_TABLES = None
"""Placeholder for every table that no submission names."""

TableName = str | None
"""Name of a table, or `_OTHER_TABLES`."""


class SubmissionsByDay(Struct):
    """Submissions for one table by the day on which they took effect."""

    days: list[date] = field(default_factory=list)
    """Days, ascending."""
    numbers: list[list[int]] = field(default_factory=list)
    """Numbers of the submissions that took effect on each day."""

    def add(self, day: date, number: int) -> None:
        """Add a submission that took effect no earlier than those before."""
        if not self.days or self.days[-1] != day:
            self.days.append(day)
            self.numbers.append([])
        self.numbers[-1].append(number)


class RelatedSubmissions:
    """Submissions of a run, which finds the related ones of a submission. Their numbers follow the order given."""

    __slots__ = ("_by_licensee", "_statements", "submissions")

    def __init__(self, submissions: Sequence[Submission] = ()) -> None:
        self.submissions = submissions
        self._statements: dict[int, Mapping[str, Any]] = {}
        self._by_licensee: dict[tuple[str, str], dict[TableName, SubmissionsByDay]] = {}
        by_day = sorted(range(len(submissions)), key=lambda number: (submissions[number].effective, number))
        for number in by_day:
            submission = submissions[number]
            tables = self._by_licensee.setdefault(_licensee_key(submission), defaultdict(SubmissionsByDay))
            covered: Iterable[TableName] = submission.tables or (_OTHER_TABLES,)
            for table in covered:
                tables[table].add(submission.effective, number)

    def find_replaced(self, submission: Submission) -> tuple[Submission, ...]:
        """Return the submissions in force at any table of a submission on the day before it takes effect."""
        tables = self._by_licensee.get(_licensee_key(submission), {})
        asked: Iterable[TableName] = submission.tables or chain(tables, (_OTHER_TABLES,))
        return tuple(self.submissions[number] for number in self._find_in_force(tables, asked, submission, bisect_left))

    def find_concurrent(self, submission: Submission) -> tuple[Submission, ...]:
        """Return the submissions that are in force at other tables when a submission takes effect."""
        return tuple(self.submissions[number] for number in self._elsewhere(submission))

    def iter_concurrent_statements(self, submission: Submission) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the names and statements of concurrent submissions, from a cache."""
        for number in self._elsewhere(submission):
            other = self.submissions[number]
            if number not in self._statements:
                self._statements[number] = collect_stated_values(other)
            yield other.submission, self._statements[number]

    def _elsewhere(self, submission: Submission) -> list[int]:
        if not submission.tables:
            return []
        tables, own = self._by_licensee.get(_licensee_key(submission), {}), frozenset(submission.tables)
        elsewhere = [table for table in tables if table not in own]
        return self._find_in_force(tables, [*elsewhere, _OTHER_TABLES], submission, bisect_right)

    def _find_in_force(
        self,
        tables: dict[TableName, SubmissionsByDay],
        wanted: Iterable[TableName],
        submission: Submission,
        bisect: Callable[[list[date], date], int],
    ) -> list[int]:
        """Return the numbers of the submissions in force at some tables on a day."""
        numbers_found: set[int] = set()
        anywhere = _last_start(tables.get(_OTHER_TABLES), submission.effective, bisect)
        for table in dict.fromkeys(wanted):
            last = anywhere if table is _OTHER_TABLES else _last_start(tables.get(table), submission.effective, bisect)
            latest = max((day for day, _ in (last, anywhere) if day is not None), default=None)
            numbers_found.update(number for day, numbers in (last, anywhere) if day == latest for number in numbers)
        return [number for number in sorted(numbers_found) if self.submissions[number] is not submission]


def _licensee_key(submission: Submission) -> tuple[str, str]:
    return submission.document, submission.licensee.name


def _last_start(
    starts: SubmissionsByDay | None, day: date, bisect: Callable[[list[date], date], int]
) -> tuple[date | None, list[int]]:
    """Return the last day early enough on which submissions took effect, and their numbers."""
    place = 0 if starts is None else bisect(starts.days, day)
    return (None, []) if starts is None or not place else (starts.days[place - 1], starts.numbers[place - 1])


def check_alike(view: SubmissionView, check: AlikeCheck, others: Sequence[tuple[str, SubmissionView]]) -> Answer:
    """Return whether a submission agrees with concurrent ones, each given with its name."""
    path = view.resolve_path(check.at)
    value = view.find_value(path)
    key, answers = find_last_path_key(check.at), list[Answer]()
    for name, other in others:
        theirs = other.find_value(other.resolve_path(check.at))
        if value is not None and theirs is not None:
            if value == theirs:
                answers.append(Answer(value=YES))
                continue
            reason = AnswerReason(
                path=path, expected=f"{format_value(theirs, key)}, as in {name}", observed=format_value(value, key)
            )
            answers.append(Answer(value=NO, reasons=(reason,)))
        else:
            observed = NOT_STATED if value is None else f"{format_value(value, key)}; {name} does not state it"
            reason = AnswerReason(path=path, expected=f"the same as in {name}", observed=observed)
            answers.append(Answer(value=UNKNOWN, reasons=(reason,)))
    return _combine_answers(answers)


def _combine_answers(answers: Sequence[Answer]) -> Answer:
    """Return the most severe answer; without answers there was nothing to compare."""
    value = min((answer.value for answer in answers), default=YES)
    reasons = tuple(reason for answer in answers if answer.value == value != YES for reason in answer.reasons)
    return Answer(value=value, reasons=reasons, is_vacuous=not answers)


_STATUS_OF_TRUTH = {
    NO: Status.FAIL,
    UNKNOWN: Status.NOT_EVIDENCED,
    YES: Status.PASS,
}


NO_OTHER_SUBMISSIONS = RelatedSubmissions()
"""No other submissions."""


class FiledSubmission(Struct, frozen=True, kw_only=True):
    """Submission with the file it was read from, which locates its findings."""

    submission: Submission
    tree: PositionedDocument


class SubmissionVerdict(Struct, frozen=True, kw_only=True):
    """Result of one requirement on a submission."""

    requirement: str
    """Name of the requirement."""
    status: Status
    findings: tuple[Finding, ...]
    """Finding for every place that determines the status."""
    note: str | None = None
    """Text on an attestation that a pass is based on."""
    missing_items: tuple[MissingItem | None, ...] = ()
    """List item that is missing, for each finding; None for other findings."""


class SubmissionContext(Struct, frozen=True, kw_only=True):
    """Submission that is checked, with everything it is compared with."""

    filed: FiledSubmission
    """Submission with its file."""
    views: tuple[SubmissionView, ...]
    """Statements of the submission, once for each submission that it replaces; one view if it replaces none."""
    replaced: tuple[Submission, ...]
    """Submissions that it replaces."""
    concurrent: tuple[tuple[str, SubmissionView], ...]
    """Names and statements of concurrent submissions, if a requirement compares them."""
    waivers: granted_waivers.ApplicableWaivers
    """Waivers that apply."""


def evaluate_submission(
    regulation: Regulation,
    filed: FiledSubmission,
    *,
    others: RelatedSubmissions = NO_OTHER_SUBMISSIONS,
    grants: Sequence[granted_waivers.WaiverGrant] = (),
    as_of: date | None = None,
    report_progress: ReportProgress = lambda _: None,
) -> list[SubmissionVerdict]:
    """Check every submission and attestation requirement on a submission.

    A waiver for some tables does not apply to a submission that covers other tables as well. Stated odds are checked
    against those of the game.

    Args:
        others: submissions of the run, of this licensee or others.
        grants: waivers that the regulator granted.
        as_of: day whose rules apply; by default the day on which the submission takes effect.
        `report_progress`: callback with messages on the progress of the computation of odds.
    """
    submission = filed.submission
    day = as_of or submission.effective
    view = SubmissionView(data=collect_stated_values(submission), regulation=regulation, day=day)
    replaced = others.find_replaced(submission)
    compared = any(requirement.check.operator == "alike" for requirement in regulation.requirements)
    context = SubmissionContext(
        filed=filed,
        views=tuple(replace(view, data=collect_stated_values(submission, earlier=earlier)) for earlier in replaced)
        or (view,),
        replaced=replaced,
        concurrent=tuple(
            (name, replace(view, data=data)) for name, data in others.iter_concurrent_statements(submission)
        )
        if compared
        else (),
        waivers=granted_waivers.find_applicable_waivers(
            regulation,
            grants,
            licensee=submission.licensee.name,
            tables=submission.tables,
            day=day,
            submission=submission,
        ),
    )
    with currency_context(submission.currency):
        verdicts = [
            _check_requirement(context, requirement)
            for requirement in regulation.requirements
            if requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        ]
    if submission.stated_odds:
        verdicts.append(
            _build_verdict(
                context, SELF_DECLARED_ODDS, *posted_odds.check_stated_odds(regulation, submission, report_progress)
            )
        )
    return verdicts


def _check_requirement(context: SubmissionContext, requirement: Requirement) -> SubmissionVerdict:
    view = context.views[0]
    regulation, day = view.regulation, view.day
    if not regulation.is_in_force(requirement, day):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_IN_FORCE, findings=())
    if requirement.check.operator == "attested":
        return _check_attestation(context, requirement)
    status, reasons = _combine_outcomes(context, requirement)
    return _build_verdict(context, requirement, status, reasons)


def _combine_outcomes(context: SubmissionContext, requirement: Requirement) -> tuple[Status, tuple[AnswerReason, ...]]:
    """Return the most severe status against the replaced submissions, and every reason for it once."""
    match requirement.check.operator:
        case "alike":
            outcomes = [_status_of_answer(check_alike(context.views[0], requirement.check.operand, context.concurrent))]
        case _:
            outcomes = [_check_statements(view, context.filed, requirement) for view in context.views]
    status = worst_status(status for status, _ in outcomes)
    return status, tuple(
        dict.fromkeys(reason for outcome_status, reasons in outcomes if outcome_status is status for reason in reasons)
    )


def _status_of_answer(answer: Answer) -> tuple[Status, tuple[AnswerReason, ...]]:
    if answer.value == YES and answer.is_vacuous:
        return Status.NOT_APPLICABLE, ()
    return _STATUS_OF_TRUTH[answer.value], () if answer.value == YES else answer.reasons


def _check_statements(
    view: SubmissionView, filed: FiledSubmission, requirement: Requirement
) -> tuple[Status, tuple[AnswerReason, ...]]:
    check = requirement.check.operand
    applies = YES if check.when is None else SUBMISSION_OPERATORS.answer(check.when, view).value
    if applies == NO:
        return Status.NOT_APPLICABLE, ()
    if requirement.check.operator == "pay-tables":
        assert view.regulation.game is not None
        answer = posted_odds.check_pay_tables(view.regulation, view.regulation.game, filed.submission, check)
    elif requirement.check.operator == "publications":
        answer = posted_odds.check_publications(filed.submission, check)
    elif requirement.check.operator == "signs":
        answer = posted_odds.check_signs(view.regulation.game, filed.submission, check)
    else:
        answer = SUBMISSION_OPERATORS.answer(check.must, view)
    if applies == UNKNOWN and answer.value == NO:
        answer = Answer(value=UNKNOWN, reasons=answer.reasons)
    return _status_of_answer(answer)


def _check_attestation(context: SubmissionContext, requirement: Requirement) -> SubmissionVerdict:
    """Return whether a person has attested compliance by the relevant day.

    A reader must judge who the person is and whether the words are sufficient: results name the person.
    """
    attested, filed, view = requirement.check.operand, context.filed, context.views[0]
    if attested.when is not None and all(
        SUBMISSION_OPERATORS.answer(attested.when, view).value == NO for view in context.views
    ):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_APPLICABLE, findings=())
    regulation, day = view.regulation, view.day
    labels = {*requirement.clauses, *regulation.qualify_clauses(requirement.clauses)}
    attestations = [
        word for word in filed.submission.attestations or () if word.clause in labels and word.by is not None
    ]
    given = [(word.by, word.given) for word in attestations if word.given is not None and word.given <= day]
    if given:
        note = "; ".join(f"attested by {by} on {when.isoformat()}" for by, when in given)
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.PASS, findings=(), note=f"{note}.")
    observed = f"no attestation for clause {' or '.join(requirement.clauses)}"
    reason = AnswerReason(
        path=_find_unfinished(filed.submission, labels),
        expected=f"an attestation by the {attested.by}: {attested.statement}",
        observed=f"{observed} by {day.isoformat()}" if attestations else observed,
    )
    return _build_verdict(context, requirement, Status.NEEDS_ATTESTATION, (reason,))


def _find_unfinished(submission: Submission, labels: set[str]) -> DataPath:
    """Return the first place of an attestation for a clause at which something is missing, or that of all of them."""
    for index, attestation in enumerate(submission.attestations or ()):
        for key, value in (("by", attestation.by), ("given", attestation.given)):
            if attestation.clause in labels and value is None:
                return ("attestations", index, key)
    return ("attestations",)


def _build_verdict(
    context: SubmissionContext,
    requirement: Requirement | SelfDeclaredRequirement,
    status: Status,
    reasons: Sequence[AnswerReason],
) -> SubmissionVerdict:
    findings = tuple(_build_submission_finding(context, requirement, status, reason) for reason in reasons)
    lacks = tuple(reason.missing_item for reason in reasons)
    return SubmissionVerdict(requirement=requirement.requirement, status=status, findings=findings, missing_items=lacks)


def _build_submission_finding(
    context: SubmissionContext, requirement: Requirement | SelfDeclaredRequirement, status: Status, reason: AnswerReason
) -> Finding:
    regulation = context.views[0].regulation
    finding = Finding(
        requirement=regulation.qualify(requirement.requirement),
        clauses=regulation.qualify_clauses(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        broken=requirement.broken if status is Status.FAIL else None,
        expected=_describe_expected(context.views[0], requirement, reason),
        observed=reason.observed,
        where=replace(
            locate(context.filed.tree, reason.path),
            casino=context.filed.submission.licensee.name,
            submission=context.filed.submission.submission,
        ),
        reading=tuple(regulation.qualify(name) for name in requirement.readings),
        remedy=suggest_remedy(regulation, requirement),
    )
    return context.waivers.mark_finding(finding)


def _describe_expected(
    view: SubmissionView, requirement: Requirement | SelfDeclaredRequirement, reason: AnswerReason
) -> str:
    """Describe the expected value at a place, preceded by the wager or bonus and the key."""
    path = _path_in_this(reason.path)
    of = [_title_of_line(view, reason.path)]
    numbers = [index for index, key in enumerate(path) if isinstance(key, int)]
    keys = path[numbers[-1] + 1 :] if numbers else path
    of_values = isinstance(requirement, Requirement) and requirement.check.operator in ("submitted", "alike")
    if of_values and keys and len(numbers) < 2 and quote_key(str(keys[-1])) not in reason.expected:
        of.append(describe_place(".".join(map(str, keys))))
    return "".join((", ".join(filter(None, of)), ": " if any(of) else "", reason.expected))


def _title_of_line(view: SubmissionView, path: DataPath) -> str:
    """Return the title of the wager or bonus of the list entry that contains a place.

    Empty if there is none, or if the place itself names it.
    """
    game = view.regulation.game
    entry = next((index for index, key in enumerate(path) if isinstance(key, int)), None)
    if game is None or entry is None:
        return ""
    for key in ("wager", "pays"):
        line = view.find_value((*path[: entry + 1], key))
        if path[entry + 1 :] != (key,) and (line in game.wagers or line in game.bonuses):
            return line_title(game, line)
    return ""


def locate(tree: PositionedDocument, path: DataPath) -> EvidencePlace:
    """Return the place of a path in a file, or of the key of its nearest ancestor if nothing is at the path.

    A place in the submission that this one replaces is translated to the same place in this one.
    """
    path = _path_in_this(path)
    nearest = tree.find_nearest(path)
    position = tree.positions[nearest]
    at_key = nearest != path and position.key_line is not None
    line = position.key_line if at_key else position.line
    column = position.key_column if at_key else position.column
    if tree.cells and line is not None and column is not None:
        sheet, cell = tree.cells[line, column]
        return EvidencePlace(file=tree.source_name, sheet=sheet, cell=cell, pointer=format_pointer(path))
    return EvidencePlace(file=tree.source_name, line=line, column=column, pointer=format_pointer(path))


def _path_in_this(path: DataPath) -> DataPath:
    """Translate a path in the replaced submission to the same path in this one."""
    return path[1:] if path[:1] == (EARLIER,) else path
