"""Pages of uploaded tables: a user points at the columns, sees what they give, and imports the table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import run_queue
from fairdeal.cli.desk.audit_pages import find_run
from fairdeal.cli.desk.desk_pages import get_desk, get_number, redirect, render, take_form
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.desk_store import Run, RunState
from fairdeal.cli.desk.tables.table_columns import (
    ROW_KINDS,
    ColumnForm,
    TableSample,
    guess_columns,
    list_keys,
    list_time_forms,
    parse_map,
    read_columns,
    read_sample,
    show_map,
)
from fairdeal.cli.desk.tables.table_preview import preview_table
from fairdeal.cli.desk.uploads import UploadKind, find_kind
from fairdeal.validator.evidence.io.table_map import TableMap
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.source import read_source

MOST_EARLIER = 200
"""Limit of the earlier runs that are searched for a map."""


class UploadedTable(Struct, frozen=True, kw_only=True):
    """Table among the files of a run."""

    run: Run
    number: int
    """Number among the imports of the run, from 1."""
    path: Path
    map_path: Path
    """File of its map, once the columns are known."""


def find_table(request: Request) -> UploadedTable:
    """Return the table that a path names. Raises HTTPException if there is none that waits for its columns."""
    run, number = find_run(request), get_number(request, "table")
    if run.state is not RunState.UNMAPPED or not 0 < number <= len(run.imports):
        raise HTTPException(404, "this run has no table that waits for its columns")
    table = _open_table(get_desk(request), run, number)
    if table is None:
        raise HTTPException(404, "hand histories need no columns")
    return table


def _open_table(desk: Desk, run: Run, number: int) -> UploadedTable | None:
    """Return a table of a run; None for hand histories."""
    folder = desk.settings.find_run_folder(run.run) / run_queue.EVIDENCE
    command = run.imports[number - 1]
    name = run_queue.find_map(command)
    if name is None:
        return None
    return UploadedTable(run=run, number=number, path=folder / command[-1], map_path=folder / name)


def show_table(request: Request) -> Response:
    """Show the form of the columns of a table, with guesses or the map of an earlier table with the same headings."""
    desk, table = get_desk(request), find_table(request)
    asked = request.query_params
    sample = read_sample(table.path, asked.get("sheet") or None)
    known = None if "game" in asked else _find_map(desk, table, sample)
    game = asked.get("game", "") if known is None else known.game
    game = game or _find_submitted_game(desk, table.path.parent)
    rows = asked.get("rows", "") if asked.get("rows") in ROW_KINDS else "seat"
    form = None
    if known is not None:
        form = show_map(sample, known, _find_rules(desk, known.game))
    elif game:
        form = guess_columns(sample, game, _find_rules(desk, game), rows)
    return _show(request, table, sample, form)


def _find_rules(desk: Desk, game: str) -> Game:
    rules = desk.rulebook.regulation(game).game if game in desk.rulebook.documents else None
    if rules is None:
        raise HTTPException(400, "choose a game")
    return rules


def _find_map(desk: Desk, table: UploadedTable, sample: TableSample) -> TableMap | None:
    """Return the map of this table, an uploaded one, or the last one of a table with the same headings."""
    uploaded = [path for path in table.path.parent.iterdir() if find_kind(path) is UploadKind.MAP]
    earlier = (
        path
        for run in desk.store.list_runs()[:MOST_EARLIER]
        for number in range(1, len(run.imports) + 1)
        if (other := _open_table(desk, run, number)) is not None and (path := other.map_path).is_file()
    )
    own = [table.map_path] if table.map_path.is_file() else []
    for path in (*own, *uploaded, *earlier):
        with suppress(InputError):
            known = parse_map(desk.rulebook, path.name, path.read_text("utf-8"))
            if {*known.columns, *known.ignored} == {*filter(None, sample.headings)}:
                return known
    return None


def _find_submitted_game(desk: Desk, folder: Path) -> str:
    """Return the game of the submission among the files; empty without one."""
    for path in sorted(folder.iterdir()):
        if find_kind(path) is UploadKind.SUBMISSION:
            with suppress(InputError):
                data = load_document(read_source(str(path))).data
                if isinstance(data, dict) and data.get("document") in desk.rulebook.documents:
                    return str(data["document"])
    return ""


def _read_form(request: Request, table: UploadedTable, form: FormData) -> tuple[TableSample, ColumnForm]:
    desk, game = get_desk(request), str(form.get("game", ""))
    sample = read_sample(table.path, str(form.get("sheet", "")) or None)
    return sample, read_columns(sample, game, _find_rules(desk, game), form)


def try_table(request: Request, form: FormData) -> Response:
    """Answer with the preview of a form that is not saved."""
    table = find_table(request)
    return _show(request, table, *_read_form(request, table, form), sheet=str(form.get("sheet", "")))


def _show(
    request: Request,
    table: UploadedTable,
    sample: TableSample,
    form: ColumnForm | None,
    *,
    sheet: str = "",
    status: int = 200,
) -> Response:
    desk = get_desk(request)
    regulations = [regulation for regulation in desk.rulebook.all() if regulation.game is not None]
    values: dict[str, Any] = {"table": table, "sample": sample, "form": form, "row_kinds": ROW_KINDS}
    values["games"] = [(regulation.id, regulation.document.title) for regulation in regulations]
    values["sheet"] = sheet or request.query_params.get("sheet", "")
    if form is not None:
        with desk.evaluation:
            values["preview"] = preview_table(desk.rulebook, sample, table.path.name, form.write_map())
        values["keys"] = list_keys(_find_rules(desk, form.game), form.rows, sample.headings)
        values["time_forms"] = list_time_forms(form.format)
    return render(request, "table.html.j2", status=status, **values)


def import_table(request: Request, form: FormData) -> Response:
    """Save the map of a table; once all tables have one, queue the import and the evaluation."""
    desk, table = get_desk(request), find_table(request)
    sample, columns = _read_form(request, table, form)
    text = columns.write_map()
    sheet = str(form.get("sheet", ""))
    with desk.evaluation:
        has_rounds = preview_table(desk.rulebook, sample, table.path.name, text).rounds > 0
    if not has_rounds:
        return _show(request, table, sample, columns, sheet=sheet, status=422)
    table.map_path.write_text(text, "utf-8")
    imports = _choose_sheet(table, sheet) if sheet in sample.sheets else table.run.imports
    others = [_open_table(desk, table.run, number) for number in range(1, len(table.run.imports) + 1)]
    waiting = [other.number for other in others if other is not None and not other.map_path.is_file()]
    is_first = desk.store.set_imports(table.run.run, imports, waits=bool(waiting))
    if waiting:
        return redirect(f"/runs/{table.run.run}/tables/{waiting[0]}")
    if is_first:
        desk.queue.add(table.run.run)
    return redirect(f"/runs/{table.run.run}")


def _choose_sheet(table: UploadedTable, sheet: str) -> Sequence[Sequence[str]]:
    """Return the imports of a run with the worksheet of a table."""
    imports = [list(command) for command in table.run.imports]
    command = [word for word in imports[table.number - 1] if not word.startswith("--sheet=")]
    imports[table.number - 1] = [command[0], f"--sheet={sheet}", *command[1:]]
    return imports


_POST = ["POST"]
ROUTES = (
    Route("/runs/{run:int}/tables/{table:int}", show_table),
    Route("/runs/{run:int}/tables/{table:int}/import", take_form(import_table), methods=_POST),
    Route("/try/runs/{run:int}/tables/{table:int}", take_form(try_table), methods=_POST),
)
"""Routes of these pages."""
