"""Check of all submission and attestation requirements of a regulation on one submission."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.applicability.waivers import Grant, Permits, permits_on
from validator.audit.submissions.pay_tables import pay_tables_answer, publications_answer
from validator.audit.submissions.signs import signs_answer
from validator.audit.submissions.stated_odds import stated_odds_outcome
from validator.audit.submissions.versions import Neighbours, alike, unchanged
from validator.engine.submission.answers import View
from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import EARLIER, stated
from validator.language.submission.answers import Answer, Reason, Sought
from validator.language.submission.wording import named, quoted
from validator.results.findings import Finding, Where
from validator.results.statuses import Evidence, Status, worst
from validator.rules.core.own_word import OWN_WORD, OwnWord
from validator.rules.core.regulation import Regulation
from validator.rules.core.remedies import remedy_of
from validator.rules.core.titles import title_of
from validator.rules.model.requirement import Requirement
from validator.text.trees.tree import Path, Tree, pointer
from validator.text.truth import NO, UNKNOWN, YES
from validator.text.values.money import amounts_in

if TYPE_CHECKING:
    from validator.odds.counting.counts import Tell

_STATUS_OF_TRUTH = {
    NO: Status.FAIL,
    UNKNOWN: Status.NOT_EVIDENCED,
    YES: Status.PASS,
}


ALONE = Neighbours()
"""No other submissions."""


class Filed(Struct, frozen=True, kw_only=True):
    """Submission with the file it was read from, which locates its findings."""

    submission: Submission
    tree: Tree


class SubmissionVerdict(Struct, frozen=True, kw_only=True):
    """Result of one requirement on a submission."""

    requirement: str
    """Name of the requirement."""
    status: Status
    findings: tuple[Finding, ...]
    """Finding for every place that determines the status."""
    note: str | None = None
    """Text on an attestation that a pass is based on."""
    lacks: tuple[Sought | None, ...] = ()
    """List item that is missing, for each finding; None for other findings."""


class Docket(Struct, frozen=True, kw_only=True):
    """Submission that is checked, with everything it is compared with."""

    filed: Filed
    """Submission with its file."""
    views: tuple[View, ...]
    """Statements of the submission, once for each submission that it replaces; one view if it replaces none."""
    replaced: tuple[Submission, ...]
    """Submissions that it replaces."""
    beside: tuple[tuple[str, View], ...]
    """Names and statements of concurrent submissions, if a requirement compares them."""
    permits: Permits
    """Waivers that apply."""


def judge_submission(
    regulation: Regulation,
    filed: Filed,
    *,
    others: Neighbours = ALONE,
    grants: Sequence[Grant] = (),
    as_of: date | None = None,
    tell: Tell = lambda _: None,
) -> list[SubmissionVerdict]:
    """Check every submission and attestation requirement on a submission.

    A waiver for some tables does not apply to a submission that covers other tables as well. Stated odds are checked
    against those of the game.

    Args:
        others: submissions of the run, of this licensee or others.
        grants: waivers that the regulator granted.
        as_of: day whose rules apply; by default the day on which the submission takes effect.
        `tell`: callback with messages on the progress of the computation of odds.
    """
    submission = filed.submission
    day = as_of or submission.effective
    view = View(data=stated(submission), regulation=regulation, day=day)
    replaced = others.replaced_by(submission)
    compared = any(requirement.check.operator == "alike" for requirement in regulation.requirements)
    context = Docket(
        filed=filed,
        views=tuple(replace(view, data=stated(submission, earlier=earlier)) for earlier in replaced) or (view,),
        replaced=replaced,
        beside=tuple((name, replace(view, data=data)) for name, data in others.stated_beside(submission))
        if compared
        else (),
        permits=permits_on(
            regulation,
            grants,
            licensee=submission.licensee.name,
            tables=submission.tables,
            day=day,
            submission=submission,
        ),
    )
    with amounts_in(submission.currency):
        verdicts = [
            _check_requirement(context, requirement)
            for requirement in regulation.requirements
            if requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        ]
    if submission.stated_odds:
        verdicts.append(_build_verdict(context, OWN_WORD, *stated_odds_outcome(regulation, submission, tell)))
    return verdicts


def _check_requirement(context: Docket, requirement: Requirement) -> SubmissionVerdict:
    view = context.views[0]
    regulation, day = view.regulation, view.day
    if not regulation.in_force(requirement, day):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_IN_FORCE, findings=())
    if requirement.check.operator == "attested":
        return _check_attestation(context, requirement)
    status, reasons = _combine_outcomes(context, requirement)
    return _build_verdict(context, requirement, status, reasons)


def _combine_outcomes(context: Docket, requirement: Requirement) -> tuple[Status, tuple[Reason, ...]]:
    """Return the most severe status against the replaced submissions, and every reason for it once."""
    match requirement.check.operator:
        case "alike":
            outcomes = [_status_of_answer(alike(context.views[0], requirement.check.operand, context.beside))]
        case "unchanged":
            outcomes = [
                _status_of_answer(unchanged(view, requirement.check.operand, earlier.submission))
                for view, earlier in zip(context.views, context.replaced, strict=False)
            ]
        case _:
            outcomes = [_check_statements(view, context.filed, requirement) for view in context.views]
    status = worst(status for status, _ in outcomes)
    return status, tuple(
        dict.fromkeys(reason for outcome_status, reasons in outcomes if outcome_status is status for reason in reasons)
    )


def _status_of_answer(answer: Answer) -> tuple[Status, tuple[Reason, ...]]:
    if answer.value == YES and answer.idle:
        return Status.NOT_APPLICABLE, ()
    return _STATUS_OF_TRUTH[answer.value], () if answer.value == YES else answer.reasons


def _check_statements(view: View, filed: Filed, requirement: Requirement) -> tuple[Status, tuple[Reason, ...]]:
    check = requirement.check.operand
    applies = YES if check.when is None else check.when.answer(view).value
    if applies == NO:
        return Status.NOT_APPLICABLE, ()
    if requirement.check.operator == "pay-tables":
        assert view.regulation.game is not None
        answer = pay_tables_answer(view.regulation, view.regulation.game, filed.submission, check)
    elif requirement.check.operator == "publications":
        answer = publications_answer(filed.submission, check)
    elif requirement.check.operator == "signs":
        answer = signs_answer(view.regulation.game, filed.submission, check)
    else:
        answer = check.must.answer(view)
    if applies == UNKNOWN and answer.value == NO:
        answer = Answer(value=UNKNOWN, reasons=answer.reasons)
    return _status_of_answer(answer)


def _check_attestation(context: Docket, requirement: Requirement) -> SubmissionVerdict:
    """Return whether a person has attested compliance by the relevant day.

    A reader must judge who the person is and whether the words are sufficient: results name the person.
    """
    attested, filed, view = requirement.check.operand, context.filed, context.views[0]
    if attested.when is not None and all(attested.when.answer(view).value == NO for view in context.views):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_APPLICABLE, findings=())
    regulation, day = view.regulation, view.day
    labels = {*requirement.clauses, *regulation.clause_ids(requirement.clauses)}
    attestations = [
        word for word in filed.submission.attestations or () if word.clause in labels and word.by is not None
    ]
    given = [(word.by, word.given) for word in attestations if word.given is not None and word.given <= day]
    if given:
        note = "; ".join(f"attested by {by} on {when.isoformat()}" for by, when in given)
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.PASS, findings=(), note=f"{note}.")
    observed = f"no attestation for clause {' or '.join(requirement.clauses)}"
    reason = Reason(
        path=("attestations",),
        expected=f"an attestation by the {attested.by}: {attested.statement}",
        observed=f"{observed} by {day.isoformat()}" if attestations else observed,
    )
    return _build_verdict(context, requirement, Status.NEEDS_ATTESTATION, (reason,))


def _build_verdict(
    context: Docket, requirement: Requirement | OwnWord, status: Status, reasons: Sequence[Reason]
) -> SubmissionVerdict:
    findings = tuple(_build_submission_finding(context, requirement, status, reason) for reason in reasons)
    lacks = tuple(reason.lacks for reason in reasons)
    return SubmissionVerdict(requirement=requirement.requirement, status=status, findings=findings, lacks=lacks)


def _build_submission_finding(
    context: Docket, requirement: Requirement | OwnWord, status: Status, reason: Reason
) -> Finding:
    regulation = context.views[0].regulation
    finding = Finding(
        requirement=regulation.full_id(requirement.requirement),
        clauses=regulation.clause_ids(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        broken=requirement.broken if status is Status.FAIL else None,
        expected=_describe_expected(context.views[0], requirement, reason),
        observed=reason.observed,
        where=replace(
            where_in(context.filed.tree, reason.path),
            casino=context.filed.submission.licensee.name,
            submission=context.filed.submission.submission,
        ),
        reading=tuple(regulation.full_id(name) for name in requirement.readings),
        remedy=remedy_of(regulation, requirement),
    )
    return context.permits.marked(finding)


def _describe_expected(view: View, requirement: Requirement | OwnWord, reason: Reason) -> str:
    """Describe the expected value at a place, preceded by the wager or bonus and the key."""
    path = _path_in_this(reason.path)
    of = [_title_of_line(view, reason.path)]
    numbers = [index for index, key in enumerate(path) if isinstance(key, int)]
    keys = path[numbers[-1] + 1 :] if numbers else path
    of_values = isinstance(requirement, Requirement) and requirement.check.operator in (
        "submitted",
        "alike",
        "unchanged",
    )
    if of_values and keys and len(numbers) < 2 and quoted(str(keys[-1])) not in reason.expected:
        of.append(named(".".join(map(str, keys))))
    return "".join((", ".join(filter(None, of)), ": " if any(of) else "", reason.expected))


def _title_of_line(view: View, path: Path) -> str:
    """Return the title of the wager or bonus of the list entry that contains a place.

    Empty if there is none, or if the place itself names it.
    """
    game = view.regulation.game
    entry = next((index for index, key in enumerate(path) if isinstance(key, int)), None)
    if game is None or entry is None:
        return ""
    for key in ("wager", "pays"):
        line = view.value((*path[: entry + 1], key))
        if path[entry + 1 :] != (key,) and (line in game.wagers or line in game.bonuses):
            return title_of(game, line)
    return ""


def where_in(tree: Tree, path: Path) -> Where:
    """Return the place of a path in a file, or of the key of its nearest ancestor if nothing is at the path.

    A place in the submission that this one replaces is translated to the same place in this one.
    """
    path = _path_in_this(path)
    nearest = tree.nearest(path)
    position = tree.positions[nearest]
    at_key = nearest != path and position.key_line is not None
    line = position.key_line if at_key else position.line
    column = position.key_column if at_key else position.column
    return Where(file=tree.source_name, line=line, column=column, pointer=pointer(path))


def _path_in_this(path: Path) -> Path:
    """Translate a path in the replaced submission to the same path in this one."""
    return path[1:] if path[:1] == (EARLIER,) else path
