"""Check of a draft while it is written: findings by the field they concern, what is still to do, and the layout."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import deepcopy
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.cli.desk.desk_state import Desk, DraftForm
from fairdeal.cli.desk.drafts.draft_edits import read_draft
from fairdeal.cli.desk.drafts.draft_fields import FieldGroup
from fairdeal.validator.audit.run.submission_check import check_submissions, file_submission
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.reports.html.layout_drawing import LayoutDrawing, draw_layout
from fairdeal.validator.results.findings import Finding, Status, Verdict
from fairdeal.validator.results.results import InputFile, RequirementResult
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, format_pointer
from fairdeal.validator.text.source import decode_source

MOST_LISTED = 200
"""Limit of the findings of one draft that are shown."""

_MOST_LEVELS = 4
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
    """Check a draft. Values that cannot be read are left out, so that the findings of the others still appear.

    Args:
        groups: the form; its fields receive the messages.
    """
    names = _list_names(groups)
    tree: PositionedDocument | None = None
    left_out: tuple[DataPath, ...] = ()
    unreadable: list[FieldMessage] = []
    try:
        tree = read_draft(name, text)
        filed, about = file_submission(decode_source(name, text.encode()), desk.rulebook)
    except InputError as error:
        unreadable = [_describe_problem(problem, tree, names) for problem in error.diagnostics]
        rest = None if tree is None else _leave_out_unreadable(desk, tree, error)
        if rest is None:
            return _build_outcome(None, unreadable, (), None)
        filed, about, left_out = rest
    is_checked_later = bool(filed.submission.stated_odds)
    if is_checked_later:  # counting the deals of a game may take minutes
        filed = replace(filed, submission=filed.submission.model_copy(update={"stated_odds": None}))
    with desk.evaluation:
        results = check_submissions(desk.rulebook, [(filed, about)], program="", generated="")
    verdict = None if unreadable else results.verdict
    messages = [_describe_finding(finding, names) for finding in results.findings if not _is_within(finding, left_out)]
    if is_checked_later:
        field = _find_field(("stated-odds",), names)
        messages.append(FieldMessage(status=Status.NOT_EVIDENCED.value, text=_ODDS_LATER, field=field))
        verdict = Verdict.INCONCLUSIVE if verdict is Verdict.COMPLIANT else verdict
    messages.sort(key=lambda message: (message.status != Status.FAIL, names.get(message.field, len(names))))
    layout = draw_layout(results.layouts[0], {}) if results.layouts else None
    return _build_outcome(verdict, [*unreadable, *messages][:MOST_LISTED], results.requirements, layout)


def _leave_out_unreadable(
    desk: Desk, tree: PositionedDocument, error: InputError
) -> tuple[FiledSubmission, InputFile, tuple[DataPath, ...]] | None:
    """Return a submission without the values that cannot be read, and their paths; None if nothing else can be read.

    Where an entry is useless without its value, the whole list or mapping around it is left out.
    """
    problems = [_find_path(problem, tree) for problem in error.diagnostics]
    for levels in range(_MOST_LEVELS):
        left_out = tuple(sorted({_cut_path(path, levels) for path in problems}, key=len, reverse=True))
        if () in left_out:
            return None
        data: Any = deepcopy(tree.data)
        for path in left_out:  # the innermost first
            outer = data
            for step in path[:-1]:
                outer = outer[step]
            outer.pop(path[-1], None)
        try:
            source = decode_source(tree.source_name, json.dumps(data, default=str).encode())
            return *file_submission(source, desk.rulebook), left_out
        except InputError:
            continue
    return None


def _cut_path(path: DataPath, levels: int) -> DataPath:
    """Return the path of what is left out: some levels further up, and never a single entry of a list."""
    path = path[: max(len(path) - levels, 0)]
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return path


def _is_within(finding: Finding, left_out: Iterable[DataPath]) -> bool:
    """Return whether a finding is about a value that was left out."""
    pointer = f"{finding.where.pointer or ''}/"
    return any(pointer.startswith(f"{format_pointer(path)}/") for path in left_out)


def _build_outcome(
    verdict: Verdict | None,
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
        verdict=None if verdict is None else verdict.value,
        messages=tuple(messages),
        by_field=by_field,
        satisfied=sum(result.status is Status.PASS for result in results),
        judged=sum(result.status not in idle for result in results),
        layout=layout,
    )


def _list_names(groups: Sequence[FieldGroup]) -> Mapping[str, int]:
    """Return the names of all inputs and groups of a form, with their order."""
    names: list[str] = []

    def add(group: FieldGroup) -> None:
        names.extend([group.name] if group.path else [])
        names.extend(control.name for control in group.controls)
        for inner in group.groups:
            add(inner)

    for group in groups:
        add(group)
    return {name: number for number, name in enumerate(names)}


def _find_field(path: DataPath, names: Container[str]) -> str:
    """Return the name of the field at a path, or of the nearest group around it."""
    for length in range(len(path), 0, -1):
        name = format_pointer(path[:length])
        if name in names:
            return name
    return ""


def _describe_finding(finding: Finding, names: Container[str]) -> FieldMessage:
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


def _find_path(problem: Diagnostic, tree: PositionedDocument) -> DataPath:
    """Return the path of the value that a problem is about; that of the file if it is about no value."""
    found: DataPath = ()
    for path, position in tree.positions.items():
        places = ((position.line, position.column), (position.key_line, position.key_column))
        if (problem.line, problem.column) in places:
            found = path
    return found


def _describe_problem(problem: Diagnostic, tree: PositionedDocument | None, names: Mapping[str, int]) -> FieldMessage:
    """Describe a value that cannot be read, at its field."""
    field = "" if tree is None else _find_field(_find_path(problem, tree), names)
    text = problem.message
    missing = _MISSING_KEY.search(problem.message)
    if missing is not None and f"{field}/{missing[1]}" in names:
        field = f"{field}/{missing[1]}"
        text = f"{missing[1].replace('-', ' ')} is needed here"
    text = text if field or problem.line is None else f"line {problem.line}: {text}"
    hints = [hint for hint in (problem.expected and f"expected: {problem.expected}", problem.help) if hint]
    return FieldMessage(status="error", text=text, observed="; ".join(hints), field=field)
