"""Pages of submissions: drafts as forms, as text and as workbooks, with findings while they are written."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from io import BytesIO
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import desk_state
from fairdeal.cli.desk.audit_pages import MAX_TEXT, list_options
from fairdeal.cli.desk.desk_pages import format_size, get_desk, get_number, redirect, render, render_problem, take_form
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.desk_store import Draft, OutdatedError, StoredFile, UploadKind, choose_file_name
from fairdeal.cli.desk.drafts.draft_check import build_draft_form, check_draft
from fairdeal.cli.desk.drafts.draft_edits import DraftChange, change_draft, read_draft
from fairdeal.cli.desk.drafts.draft_fields import FieldGroup, build_fields, is_day, read_changes
from fairdeal.validator.audit.submissions.submission_workbook import load_workbook_submission
from fairdeal.validator.evidence.io.named_files import SUBMISSIONS
from fairdeal.validator.evidence.submission_model import TO_BE_FILLED_IN
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms.form_entries import FormField, SubmissionForm, build_field, state_form, write_form
from fairdeal.validator.forms.submission_form import build_example_form, build_game_schema, find_compliant_submission
from fairdeal.validator.forms.workbook_form import write_workbook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import Data
from fairdeal.validator.text.source import MAX_BYTES, Source, decode_source


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


MAX_DRAFT = 1 << 20
"""Limit of the bytes of a draft."""


def show_submissions(request: Request) -> Response:
    """Show the drafts, and the forms to begin or open one."""
    desk = get_desk(request)
    games = [(document, desk.rulebook.regulation(document).document.title) for document in desk.rulebook.documents]
    return render(request, "submissions.html.j2", drafts=desk.store.list_drafts(), games=games, today=date.today())


def add_draft(request: Request, form: FormData) -> Response:
    """Add a draft for a game, blank or with an example, and lead to it."""
    desk = get_desk(request)
    document = str(form.get("game", ""))
    if document not in desk.rulebook.documents:
        raise HTTPException(400, "choose a game")
    name = f"{document}.yaml"
    if form.get("content") == "example":
        regulation = desk.rulebook.regulation(document)
        text = write_form(build_example_form(regulation, find_compliant_submission(regulation, desk.rulebook.folder)))
    else:
        text = _write_blank(document, desk.rulebook.regulation(document).document.title, form)
    return redirect(f"/submissions/{desk.store.add_draft(name, text)}")


def _write_blank(document: str, title: str, form: FormData) -> str:
    """Return the text of a draft that states only what its user entered."""
    stated = {key: str(form.get(key, "")).strip()[:MAX_TEXT] for key in ("licensee", "effective", "currency")}
    if not is_day(stated["effective"]):
        raise HTTPException(400, "write the first day as year-month-day, such as 2026-01-31")
    name = stated["licensee"] or TO_BE_FILLED_IN
    fields = (
        FormField(key="submission", value=f"{document}-1"),
        FormField(key="licensee", fields=(FormField(key="name", value=name),)),
        FormField(key="document", value=document),
        FormField(key="effective", value=stated["effective"]),
        FormField(key="currency", value=stated["currency"] or None),
    )
    return write_form(SubmissionForm(header=(f"Submission for {title}.",), fields=fields))


def open_draft(request: Request, form: FormData) -> Response:
    """Open a file as a draft, with its comments, and lead to it."""
    desk = get_desk(request)
    file = form.get("files")
    if not isinstance(file, UploadFile) or not file.filename:
        raise HTTPException(400, "choose a file")
    data = file.file.read(MAX_BYTES + 1)
    name = choose_file_name(file.filename, ())
    if not SUBMISSIONS.matches_name(name):
        raise HTTPException(400, "a submission is a .yaml, .json or .xlsx file")
    if len(data) > MAX_BYTES:
        raise HTTPException(413, f"a submission has at most {format_size(MAX_BYTES)}")
    if name.lower().endswith(".xlsx"):
        text, name = read_workbook(name, data), f"{name[: -len('.xlsx')]}.yaml"
    else:
        text = decode_source(name, data).text
    if len(text.encode()) > MAX_DRAFT:
        raise HTTPException(413, f"a draft has at most {format_size(MAX_DRAFT)}")
    return redirect(f"/submissions/{desk.store.add_draft(name, text)}")


def find_draft(request: Request) -> Draft:
    """Return the draft that a path names. Raises HTTPException if there is none."""
    draft = get_desk(request).store.find_draft(get_number(request, "draft"))
    if draft is None:
        raise HTTPException(404, "there is no such draft; it may have been removed")
    return draft


def build_groups(desk: Desk, name: str, text: str) -> tuple[FieldGroup, ...]:
    """Return the form of a draft; none if it cannot be read or its document is unknown."""
    try:
        data = read_draft(name, text).data
        with desk.evaluation:
            draft_form = build_draft_form(desk, data)
    except InputError:
        return ()
    return () if draft_form is None else build_fields(draft_form.form, draft_form.required, data)


def show_draft(request: Request) -> Response:
    """Show a draft as a form."""
    draft = find_draft(request)
    return _show_form(request, draft, draft.text)


def _show_form(request: Request, draft: Draft, text: str, *, problem: str = "", status: int = 200) -> Response:
    desk = get_desk(request)
    groups = build_groups(desk, draft.name, text)
    if not groups:
        return _show_text(request, draft, text, problem=problem, status=status)
    outcome = check_draft(desk, draft.name, text, groups)
    title = read_title(desk, draft.name, text)
    values: dict[str, Any] = {"draft": draft, "groups": groups, "outcome": outcome, "title": title}
    return render(request, "draft.html.j2", status=status, problem=problem, is_unsaved=text != draft.text, **values)


def read_title(desk: Desk, name: str, text: str) -> Mapping[str, str]:
    """Return the document of a draft and the title of its game."""
    data = read_draft(name, text).data
    assert isinstance(data, dict)
    regulation = desk.rulebook.regulation(str(data["document"]))
    game = regulation.document.title if regulation.game is None else regulation.game.title
    return {"document": regulation.id, "game": game}


def save_draft(request: Request, form: FormData) -> Response:
    """Save a filled-in form, add or remove an entry, and lead back to the form."""
    desk, draft = get_desk(request), find_draft(request)
    try:
        text, place = change_by_form(desk, draft, form)
    except InputError as error:
        problem = "\n\n".join(map(render_problem, error.diagnostics))
        return _show_form(request, draft, draft.text, problem=problem, status=422)
    return _save(request, draft, form, text, f"/submissions/{draft.draft}{place}")


def _save(request: Request, draft: Draft, form: FormData, text: str, address: str) -> Response:
    desk = get_desk(request)
    version = str(form.get("version", ""))
    if len(text.encode()) > MAX_DRAFT:
        raise HTTPException(413, f"a draft has at most {format_size(MAX_DRAFT)}")
    try:
        if not (version.isascii() and version.isdecimal() and len(version) < 10):
            raise OutdatedError
        if text != draft.text or int(version) != draft.version:
            desk.store.save_draft(draft.draft, text, int(version))
    except OutdatedError:
        message = "This draft was changed in another tab. What you entered is not saved; the text below has it."
        return render(request, "conflict.html.j2", status=409, draft=draft, text=text, problem=message)
    return redirect(address)


def change_by_form(desk: Desk, draft: Draft, form: FormData) -> tuple[str, str]:
    """Return the text of a draft after the changes of a form, and the anchor of the entry that was added.

    Raises:
        InputError: if the layout of the file permits no such change.
    """
    groups = build_groups(desk, draft.name, draft.text)
    changes = read_changes(groups, form)
    place = ""
    removed, added = str(form.get("remove", "")), str(form.get("add", ""))
    lists = {group.name: group for group in _iter_groups(groups)}
    if removed in lists and lists[removed].is_entry:
        changes = [change for change in changes if change.path[: len(lists[removed].path)] != lists[removed].path]
        changes.append(DraftChange(path=lists[removed].path, value=None))
    name, _, number = added.rpartition("#")
    if name in lists:
        group = lists[name]
        adds_all = number == "all" and group.may_add_all
        offers = [offer for at, offer in group.offers if adds_all or str(at) == number]
        for at, offer in enumerate(offers, len(group.groups)):
            changes.append(DraftChange(path=(*group.path, at), value=offer.values))
        place = f"#g:{group.name}/{len(group.groups)}" if offers else ""
    return change_draft(draft.name, draft.text, changes), place


def _iter_groups(groups: tuple[FieldGroup, ...]) -> list[FieldGroup]:
    found: list[FieldGroup] = []
    waiting = list(groups)
    while waiting:
        group = waiting.pop()
        found.append(group)
        waiting += group.groups
    return found


def try_draft(request: Request, form: FormData) -> Response:
    """Answer with the findings of a form that is not saved."""
    desk, draft = get_desk(request), find_draft(request)
    try:
        text, _ = change_by_form(desk, draft, form)
    except InputError:
        text = draft.text
    groups = build_groups(desk, draft.name, text)
    outcome = check_draft(desk, draft.name, text, groups)
    return render(request, "draft_trial.html.j2", draft=draft, groups=groups, outcome=outcome)


def show_draft_text(request: Request) -> Response:
    """Show a draft as text."""
    draft = find_draft(request)
    return _show_text(request, draft, draft.text)


def _show_text(request: Request, draft: Draft, text: str, *, problem: str = "", status: int = 200) -> Response:
    desk = get_desk(request)
    outcome = check_draft(desk, draft.name, text, ())
    has_form = bool(build_groups(desk, draft.name, text))
    return render(
        request,
        "draft_text.html.j2",
        status=status,
        draft=draft,
        text=text,
        outcome=outcome,
        problem=problem,
        has_form=has_form,
    )


def save_draft_text(request: Request, form: FormData) -> Response:
    """Save the text of a draft as it was typed."""
    draft = find_draft(request)
    return _save(request, draft, form, _read_text(form), f"/submissions/{draft.draft}/text")


def _read_text(form: FormData) -> str:
    """Return a typed text with the line breaks of a file."""
    text = str(form.get("text", "")).replace("\r\n", "\n")
    return text if text.endswith("\n") or not text else f"{text}\n"


def try_draft_text(request: Request, form: FormData) -> Response:
    """Answer with the findings of a text that is not saved."""
    draft = find_draft(request)
    outcome = check_draft(get_desk(request), draft.name, _read_text(form), ())
    return render(request, "draft_trial.html.j2", draft=draft, groups=(), outcome=outcome)


def send_draft(request: Request) -> Response:
    """Answer with a draft as a file."""
    draft = find_draft(request)
    return _send_file(draft.name, draft.text.encode(), "application/yaml")


def send_workbook(request: Request) -> Response:
    """Answer with a draft as a workbook."""
    draft = find_draft(request)
    content = write_draft_workbook(get_desk(request), draft.name, draft.text)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return _send_file(f"{draft.name.rpartition('.')[0]}.xlsx", content, kind)


def _send_file(name: str, content: bytes, kind: str) -> Response:
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "_")
    headers = {"content-disposition": f'attachment; filename="{ascii_name}"'}
    return Response(content, media_type=kind, headers=headers)


def remove_draft(request: Request) -> Response:
    """Remove a draft."""
    get_desk(request).store.remove_draft(find_draft(request).draft)
    return redirect("/submissions")


def start_check(request: Request) -> Response:
    """Queue the check of a draft, which keeps its results in the history."""
    desk, draft = get_desk(request), find_draft(request)
    number = desk.store.add_run()
    folder = desk.settings.find_run_folder(number) / desk_state.EVIDENCE
    try:
        folder.mkdir(parents=True)
        (folder / draft.name).write_text(draft.text, "utf-8", newline="")
        file = StoredFile(name=draft.name, kind=UploadKind.SUBMISSION, size=len(draft.text))
        command = desk_state.build_command([file], list_options(desk, FormData()))
        desk.store.set_command(number, draft.name, command)
    except BaseException:
        desk.store.remove_run(number)
        shutil.rmtree(folder.parent, ignore_errors=True)
        raise
    desk.queue.add(number)
    return redirect(f"/runs/{number}")


_POST = ["POST"]
ROUTES = (
    Route("/submissions", show_submissions),
    Route("/submissions/new", take_form(add_draft), methods=_POST),
    Route("/submissions/open", take_form(open_draft), methods=_POST),
    Route("/submissions/{draft:int}", show_draft),
    Route("/submissions/{draft:int}/save", take_form(save_draft), methods=_POST),
    Route("/submissions/{draft:int}/text", show_draft_text),
    Route("/submissions/{draft:int}/text/save", take_form(save_draft_text), methods=_POST),
    Route("/submissions/{draft:int}/file", send_draft),
    Route("/submissions/{draft:int}/workbook", send_workbook),
    Route("/submissions/{draft:int}/remove", remove_draft, methods=_POST),
    Route("/submissions/{draft:int}/check", start_check, methods=_POST),
    Route("/try/submissions/{draft:int}", take_form(try_draft), methods=_POST),
    Route("/try/submissions/{draft:int}/text", take_form(try_draft_text), methods=_POST),
)
"""Routes of these pages."""
