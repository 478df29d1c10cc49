"""Drafts as workbooks: a workbook is opened as the YAML that states the same, and a draft is saved as a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from io import BytesIO
from typing import Any

from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.drafts.draft_check import build_draft_form
from fairdeal.cli.desk.drafts.draft_edits import read_draft
from fairdeal.validator.audit.submissions.submission_workbook import load_workbook_submission
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms.form_entries import SubmissionForm, build_field, state_form
from fairdeal.validator.forms.submission_form import build_game_schema
from fairdeal.validator.forms.workbook_form import write_workbook
from fairdeal.validator.forms.yaml_edits import write_form
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import Data
from fairdeal.validator.text.source import Source


def read_workbook(name: str, content: bytes) -> str:
    """Return the YAML of a submission that is a workbook. Raises InputError for cells that cannot be read."""
    data = _load(name, content)
    fields = tuple(build_field(key, _to_plain(value)) for key, value in data.items())
    return write_form(SubmissionForm(header=(f"From the workbook {name}.",), fields=fields))


def _load(name: str, content: bytes) -> dict[str, Data]:
    source = Source(name=name, data=content, text="", sha256=sha256(content).hexdigest())
    data = load_workbook_submission(source).data
    return data if isinstance(data, dict) else {}


def _to_plain(value: Data, key: str = "") -> Any:
    """Return a value as YAML writes it, without blanks; amounts have two decimals, unless they are whole."""
    match value:
        case dict():
            parts = {inner: _to_plain(part, inner) for inner, part in value.items()}
            return {inner: part for inner, part in parts.items() if part not in (None, {})}
        case list():
            return [_to_plain(part) for part in value]
        case Decimal():
            return f"{value:.2f}" if key in find_money_keys() and value == round(value, 2) else str(value)
        case _:
            return value


def write_draft_workbook(desk: Desk, name: str, text: str) -> bytes:
    """Return a draft as a workbook, with the entries that its form offers.

    Raises:
        InputError: if the draft cannot be read, or a workbook cannot state the same.
    """
    data = read_draft(name, text).data
    with desk.evaluation:
        found = build_draft_form(desk, data)
    if found is None or not isinstance(data, dict):
        raise _refuse(name, "the `document` of this draft is no document of the rulebook")
    _require_flat_lists(name, data)
    stream = BytesIO()
    schema = build_game_schema(desk.rulebook, str(data["document"]))
    write_workbook(state_form(found.form, data), schema, stream)
    content = stream.getvalue()
    stated, wanted = _normalize(_load(name, content)), _normalize(data)
    if stated != wanted:
        wrong = [key for key in {**wanted, **stated} if stated.get(key) != wanted.get(key)]
        raise _refuse(name, f"a workbook cannot state {', '.join(f'`{key}`' for key in wrong)} as this draft does")
    return content


def _refuse(name: str, message: str) -> InputError:
    help_ = "correct the draft first, or download it as YAML"
    return InputError((Diagnostic(code="no-workbook", message=message, file=name, help=help_),))


def _require_flat_lists(name: str, value: Data) -> None:
    """Raise InputError for a list with entries of several kinds, which no sheet has."""
    parts = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    if isinstance(value, list) and len({isinstance(part, dict) and bool(part) for part in parts}) > 1:
        raise _refuse(name, "a list has entries of several kinds, which no sheet has")
    for part in parts:
        _require_flat_lists(name, part)


def _normalize(value: Data) -> Any:
    """Return a value in the form in which cells state it: numbers in texts count as numbers, blanks as nothing."""
    match value:
        case Mapping():
            parts = {key: _normalize(part) for key, part in value.items()}
            return {key: part for key, part in parts.items() if part is not None} or None
        case list():
            return [_normalize(part) for part in value]
        case None | bool():
            return value
        case _:
            text = str(value).strip()
            try:
                number = Decimal(text)
            except InvalidOperation:
                return text or None
            return number.normalize() if number.is_finite() else text
