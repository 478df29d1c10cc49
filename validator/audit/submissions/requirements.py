"""All submission and attestation requirements of a regulation held against one submission."""

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

_STATUS = {
    NO: Status.FAIL,
    UNKNOWN: Status.NOT_EVIDENCED,
    YES: Status.PASS,
}


ALONE = Neighbours()
"""No other submissions."""


class Filed(Struct, frozen=True, kw_only=True):
    """A submission with the file it was read from, for the places of its findings."""

    submission: Submission
    tree: Tree


class SubmissionVerdict(Struct, frozen=True, kw_only=True):
    """How one requirement came out for a submission, and a finding for every place that made it so.

    `note` says what a pass rests on, where that is somebody's word; `lacks` tells of each finding the item that a list
    does not have, where that is what is wrong.
    """

    requirement: str
    status: Status
    findings: tuple[Finding, ...]
    note: str | None = None
    lacks: tuple[Sought | None, ...] = ()


class Docket(Struct, frozen=True, kw_only=True):
    """A submission that is judged: what it states (with what each submission states that it replaces, or by itself
    where there is none), what those state that stand beside it, by their names, where that is asked for, and what is
    permitted to it."""

    filed: Filed
    views: tuple[View, ...]
    replaced: tuple[Submission, ...]
    beside: tuple[tuple[str, View], ...]
    permits: Permits


def judge_submission(
    regulation: Regulation,
    filed: Filed,
    *,
    others: Neighbours = ALONE,
    grants: Sequence[Grant] = (),
    as_of: date | None = None,
    tell: Tell = lambda _: None,
) -> list[SubmissionVerdict]:
    """Every submission and attestation requirement held against a submission, by the law of `as_of` or,
    without it, of the day the submission is to take effect.

    `others` are the submissions of the run, of this licensee or not; `grants` the regulator's waivers. One that is for
    some tables lifts nothing of a submission that is for others as well. Where odds are stated, they are held against
    those of the game, and `tell` hears how far that has come.
    """
    submission = filed.submission
    day = as_of or submission.effective
    view = View(data=stated(submission), regulation=regulation, day=day)
    replaced = others.replaced_by(submission)
    compared = any(one.check.operator == "alike" for one in regulation.requirements)
    docket = Docket(
        filed=filed,
        views=tuple(replace(view, data=stated(submission, earlier=one)) for one in replaced) or (view,),
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
            _judge(docket, requirement)
            for requirement in regulation.requirements
            if requirement.evidence in (Evidence.SUBMISSION, Evidence.ATTESTATION)
        ]
    if submission.stated_odds:
        verdicts.append(_verdict(docket, OWN_WORD, *stated_odds_outcome(regulation, submission, tell)))
    return verdicts


def _judge(docket: Docket, requirement: Requirement) -> SubmissionVerdict:
    view = docket.views[0]
    regulation, day = view.regulation, view.day
    if not regulation.in_force(requirement, day):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_IN_FORCE, findings=())
    if requirement.check.operator == "attested":
        return _attested(docket, requirement)
    status, reasons = _outcome(docket, requirement)
    return _verdict(docket, requirement, status, reasons)


def _outcome(docket: Docket, requirement: Requirement) -> tuple[Status, tuple[Reason, ...]]:
    """The weightiest outcome against the submissions that are replaced, and every reason for it once."""
    match requirement.check.operator:
        case "alike":
            outcomes = [_of_answer(alike(docket.views[0], requirement.check.operand, docket.beside))]
        case "unchanged":
            outcomes = [
                _of_answer(unchanged(view, requirement.check.operand, one.submission))
                for view, one in zip(docket.views, docket.replaced, strict=False)
            ]
        case _:
            outcomes = [_stated_outcome(view, docket.filed, requirement) for view in docket.views]
    status = worst(status for status, _ in outcomes)
    return status, tuple(dict.fromkeys(reason for one, reasons in outcomes if one is status for reason in reasons))


def _of_answer(found: Answer) -> tuple[Status, tuple[Reason, ...]]:
    if found.value == YES and found.idle:
        return Status.NOT_APPLICABLE, ()
    return _STATUS[found.value], () if found.value == YES else found.reasons


def _stated_outcome(view: View, filed: Filed, requirement: Requirement) -> tuple[Status, tuple[Reason, ...]]:
    check = requirement.check.operand
    applies = YES if check.when is None else check.when.answer(view).value
    if applies == NO:
        return Status.NOT_APPLICABLE, ()
    if requirement.check.operator == "pay-tables":
        assert view.regulation.game is not None
        found = pay_tables_answer(view.regulation, view.regulation.game, filed.submission, check)
    elif requirement.check.operator == "publications":
        found = publications_answer(filed.submission, check)
    elif requirement.check.operator == "signs":
        found = signs_answer(view.regulation.game, filed.submission, check)
    else:
        found = check.must.answer(view)
    if applies == UNKNOWN and found.value == NO:
        found = Answer(value=UNKNOWN, reasons=found.reasons)
    return _of_answer(found)


def _attested(docket: Docket, requirement: Requirement) -> SubmissionVerdict:
    """Whether somebody has given their word by the day that counts. Whose word it is, and that it says what is
    asked, a person must see to: results name who gave it."""
    attested, filed, view = requirement.check.operand, docket.filed, docket.views[0]
    if attested.when is not None and all(attested.when.answer(one).value == NO for one in docket.views):
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.NOT_APPLICABLE, findings=())
    regulation, day = view.regulation, view.day
    labels = {*requirement.clauses, *regulation.clause_ids(requirement.clauses)}
    words = [word for word in filed.submission.attestations or () if word.clause in labels and word.by is not None]
    given = [(word.by, word.given) for word in words if word.given is not None and word.given <= day]
    if given:
        note = "; ".join(f"attested by {by} on {when.isoformat()}" for by, when in given)
        return SubmissionVerdict(requirement=requirement.requirement, status=Status.PASS, findings=(), note=f"{note}.")
    observed = f"no attestation for clause {' or '.join(requirement.clauses)}"
    reason = Reason(
        path=("attestations",),
        expected=f"an attestation by the {attested.by}: {attested.statement}",
        observed=f"{observed} by {day.isoformat()}" if words else observed,
    )
    return _verdict(docket, requirement, Status.NEEDS_ATTESTATION, (reason,))


def _verdict(
    docket: Docket, requirement: Requirement | OwnWord, status: Status, reasons: Sequence[Reason]
) -> SubmissionVerdict:
    findings = tuple(_finding(docket, requirement, status, reason) for reason in reasons)
    lacks = tuple(reason.lacks for reason in reasons)
    return SubmissionVerdict(requirement=requirement.requirement, status=status, findings=findings, lacks=lacks)


def _finding(docket: Docket, requirement: Requirement | OwnWord, status: Status, reason: Reason) -> Finding:
    regulation = docket.views[0].regulation
    finding = Finding(
        requirement=regulation.full_id(requirement.requirement),
        clauses=regulation.clause_ids(requirement.clauses),
        document=regulation.id,
        status=status,
        severity=requirement.severity,
        message=requirement.message,
        expected=_expected(docket.views[0], requirement, reason),
        observed=reason.observed,
        where=replace(
            where_in(docket.filed.tree, reason.path),
            casino=docket.filed.submission.licensee.name,
            submission=docket.filed.submission.submission,
        ),
        reading=tuple(regulation.full_id(name) for name in requirement.readings),
        remedy=remedy_of(regulation, requirement),
    )
    return docket.permits.marked(finding)


def _expected(view: View, requirement: Requirement | OwnWord, reason: Reason) -> str:
    """What is expected at a place, after the wager or bonus and the value that it is expected of."""
    path = _in_this(reason.path)
    of = [_line(view, reason.path)]
    numbers = [at for at, key in enumerate(path) if isinstance(key, int)]
    keys = path[numbers[-1] + 1 :] if numbers else path
    of_values = isinstance(requirement, Requirement) and requirement.check.operator in (
        "submitted",
        "alike",
        "unchanged",
    )
    if of_values and keys and len(numbers) < 2 and quoted(str(keys[-1])) not in reason.expected:
        of.append(named(".".join(map(str, keys))))
    return "".join((", ".join(filter(None, of)), ": " if any(of) else "", reason.expected))


def _line(view: View, path: Path) -> str:
    """The wager or bonus of which an entry of a list is that a place lies in; empty where it is none, or the place is
    what names it."""
    game = view.regulation.game
    at = next((index for index, key in enumerate(path) if isinstance(key, int)), None)
    if game is None or at is None:
        return ""
    for key in ("wager", "pays"):
        line = view.value((*path[: at + 1], key))
        if path[at + 1 :] != (key,) and (line in game.wagers or line in game.bonuses):
            return title_of(game, line)
    return ""


def where_in(tree: Tree, path: Path) -> Where:
    """The place of a path in a file; of its nearest ancestor's key where nothing stands there.

    For a place in the submission that this one replaces it is the same place in this one.
    """
    path = _in_this(path)
    nearest = tree.nearest(path)
    position = tree.positions[nearest]
    at_key = nearest != path and position.key_line is not None
    line = position.key_line if at_key else position.line
    column = position.key_column if at_key else position.column
    return Where(file=tree.source_name, line=line, column=column, pointer=pointer(path))


def _in_this(path: Path) -> Path:
    """The same place in this submission as one in that which it replaces."""
    return path[1:] if path[:1] == (EARLIER,) else path
