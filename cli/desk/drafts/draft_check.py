"""Check of a draft while it is written: findings by the field they concern, what is still to do, and the layout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.cli.desk.desk_state import Desk, DraftForm
from fairdeal.cli.desk.drafts.draft_edits import read_draft
from fairdeal.cli.desk.drafts.draft_fields import FieldGroup
from fairdeal.validator.audit.run.submission_check import check_submissions, file_submission
from fairdeal.validator.reports.html.layout_drawing import LayoutDrawing, draw_layout
from fairdeal.validator.results.findings import Finding, Status
from fairdeal.validator.results.results import RequirementResult, Verdict
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, format_pointer
from fairdeal.validator.text.source import decode_source

MOST_LISTED = 200
"""Limit of the findings of one draft that are shown."""

_ODDS_LATER = "Stated odds are compared with those of the game when you check the saved draft, not while you type."
_MISSING_KEY = re.compile("needs the key `([^`]+)`")


class FieldMessage(Struct, frozen=True, kw_only=True):
    """Message on a field."""

    status: str
    """Status of the finding; `error` for a value that cannot be read."""
    text: str
    """Rule of the finding, or the problem of a value that cannot be read."""
    observed: str = ""
    remedy: str = ""
    requirement: str = ""
    """Id of the requirement; empty for a value that cannot be read."""
    clauses: tuple[str, ...] = ()
    field: str = ""
    """Name of the input or group that the message is shown at; empty for the whole draft."""


class DraftOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of the check of a draft."""

    verdict: str | None
    """Verdict; None if the draft cannot be read."""
    messages: tuple[FieldMessage, ...]
    """Messages, violations first."""
    by_field: Mapping[str, Sequence[FieldMessage]]
    """Messages by the name of their input or group."""
    satisfied: int
    """Number of requirements that are satisfied."""
    judged: int
    """Number of requirements that apply."""
    layout: LayoutDrawing | None

    def list_tasks(self) -> list[FieldMessage]:
        """Return the messages without repetitions: one for each text."""
        return list({message.text: message for message in reversed(self.messages)}.values())[::-1]


def find_day(data: Data) -> date:
    """Return the day on which a draft takes effect; today if it states none."""
    stated = data.get("effective") if isinstance(data, dict) else None
    try:
        return date.fromisoformat(str(stated))
    except ValueError:
        return date.today()


def build_draft_form(desk: Desk, data: Data) -> DraftForm | None:
    """Return the form for the document of a draft; None if the rulebook has no such document."""
    document = data.get("document") if isinstance(data, dict) else None
    return desk.find_form(str(document), find_day(data)) if document in desk.rulebook.documents else None


def check_draft(desk: Desk, name: str, text: str, groups: Sequence[FieldGroup]) -> DraftOutcome:
    """Check a draft.

    Args:
        groups: the form; its fields receive the messages.
    """
    names = _list_names(groups)
    tree: PositionedDocument | None = None
    try:
        tree = read_draft(name, text)
        filed, about = file_submission(decode_source(name, text.encode()), desk.rulebook)
    except InputError as error:
        messages = [_describe_problem(problem, tree, names) for problem in error.diagnostics]
        return _build_outcome(None, messages, (), None)
    is_checked_later = bool(filed.submission.stated_odds)
    if is_checked_later:  # counting the deals of a game may take minutes
        filed = replace(filed, submission=filed.submission.model_copy(update={"stated_odds": None}))
    with desk.evaluation:
        results = check_submissions(desk.rulebook, [(filed, about)], program="", generated="")
    messages = [_describe_finding(finding, names) for finding in results.findings[:MOST_LISTED]]
    verdict = results.verdict
    if is_checked_later:
        field = _find_field(("stated-odds",), names)
        messages.append(FieldMessage(status=Status.NOT_EVIDENCED.value, text=_ODDS_LATER, field=field))
        verdict = Verdict.INCONCLUSIVE if verdict is Verdict.COMPLIANT else verdict
    layout = draw_layout(results.layouts[0], {}) if results.layouts else None
    return _build_outcome(verdict.value, messages, results.requirements, layout)


def _build_outcome(
    verdict: str | None,
    messages: Sequence[FieldMessage],
    requirements: Iterable[RequirementResult],
    layout: LayoutDrawing | None,
) -> DraftOutcome:
    by_field: dict[str, list[FieldMessage]] = {}
    for message in messages:
        by_field.setdefault(message.field, []).append(message)
    results = list(requirements)
    idle = (Status.NOT_APPLICABLE, Status.NOT_IN_FORCE)
    return DraftOutcome(
        verdict=verdict,
        messages=tuple(messages),
        by_field=by_field,
        satisfied=sum(result.status is Status.PASS for result in results),
        judged=sum(result.status not in idle for result in results),
        layout=layout,
    )


def _list_names(groups: Sequence[FieldGroup]) -> frozenset[str]:
    """Return the names of all inputs and groups of a form."""
    names = {control.name for group in groups for control in group.iter_controls()}
    waiting = list(groups)
    while waiting:
        group = waiting.pop()
        if group.path:
            names.add(group.name)
        waiting += group.groups
    return frozenset(names)


def _find_field(path: DataPath, names: frozenset[str]) -> str:
    """Return the name of the field at a path, or of the nearest group around it."""
    for length in range(len(path), 0, -1):
        name = format_pointer(path[:length])
        if name in names:
            return name
    return ""


def _describe_finding(finding: Finding, names: frozenset[str]) -> FieldMessage:
    pointer = finding.where.pointer or ""
    path = tuple(int(part) if part.isdigit() else part for part in _split_pointer(pointer))
    return FieldMessage(
        status=finding.status.value,
        text=finding.message,
        observed=finding.observed,
        remedy=finding.remedy or "" if finding.status is Status.FAIL else "",
        requirement=finding.requirement,
        clauses=finding.clauses,
        field=_find_field(path, names),
    )


def _split_pointer(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _describe_problem(problem: Diagnostic, tree: PositionedDocument | None, names: frozenset[str]) -> FieldMessage:
    """Describe a value that cannot be read, at the field with its line and column."""
    field = ""
    for path, position in () if tree is None else tree.positions.items():
        places = ((position.line, position.column), (position.key_line, position.key_column))
        if (problem.line, problem.column) in places:
            field = _find_field(path, names) or field
    missing = _MISSING_KEY.search(problem.message)
    if missing is not None and f"{field}/{missing[1]}" in names:
        field = f"{field}/{missing[1]}"
    text = problem.message if field or problem.line is None else f"line {problem.line}: {problem.message}"
    hints = [hint for hint in (problem.expected and f"expected: {problem.expected}", problem.help) if hint]
    return FieldMessage(status="error", text=text, observed="; ".join(hints), field=field)
