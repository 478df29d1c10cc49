"""Pages of uploaded tables: a user points at the columns, sees what they give, and imports the table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import desk_state, table_columns
from fairdeal.cli.desk.desk_pages import find_run, get_desk, get_number, redirect, render, take_form
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.desk_store import Run, RunState, UploadKind, find_kind
from fairdeal.cli.import_command import convert_rounds, describe_row, find_bonuses, find_wagers
from fairdeal.validator.evidence.io.table_rows import TableMap, TableReader
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.plain_values import format_money, written_in
from fairdeal.validator.text.source import read_source

MOST_SHOWN = 12
"""Seats of the first rounds that are shown."""
MOST_PROBLEMS = 20
"""Limit of the problems that are shown."""
_OF_MAP = frozenset({"game", "seats"})


class TablePreview(Struct, frozen=True, kw_only=True):
    """First rounds of a table as a map reads them."""

    rounds: int = 0
    """Number of rounds that can be read."""
    rows: int = 0
    """Number of rows that were tried."""
    unreadable: int = 0
    """Number of rows that cannot be read."""
    is_whole: bool = True
    """True if the table has no more rows."""
    headings: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()
    """A line for each seat of the first rounds."""
    problems: Sequence[str] = ()
    """Problems of the map, or else of rows."""
    is_map_wrong: bool = False
    """True if nothing can be read with this map."""


def preview_table(rulebook: Rulebook, sample: table_columns.TableSample, name: str, text: str) -> TablePreview:
    """Return what the first rows of a table give.

    Args:
        name: name of the table.
        text: the map.
    """
    try:
        table_map = table_columns.parse_map(rulebook, name, text)
        wagers, bonuses = find_wagers(rulebook, table_map.game), find_bonuses(rulebook, table_map.game)
        reader = TableReader(table_map, sample.headings, name, wagers, bonuses)
    except InputError as error:
        problems = list(dict.fromkeys(problem.message for problem in error.diagnostics))
        return TablePreview(problems=problems[:MOST_PROBLEMS], is_map_wrong=True)
    records: list[dict[str, Any]] = []
    rounds = 0
    wrong = {}
    for part in convert_rounds(reader, iter(sample.rows)):
        batches, unreadable = part.decode(name, rulebook)
        rounds += sum(map(len, batches))
        wrong.update({(row.line, row.column, row.reason): row for row in unreadable})
        records += [json.loads(line) for line in part.lines[:MOST_SHOWN]]
    with written_in(table_map.currency):
        shown = [line for record in records for line in _list_lines(record)][:MOST_SHOWN]
    headings = list(dict.fromkeys(key for line in shown for key in line))
    rows = sorted(wrong.values(), key=lambda row: row.line)
    return TablePreview(
        rounds=rounds,
        rows=len(sample.rows),
        unreadable=len({row.line for row in rows}),
        is_whole=sample.is_whole,
        headings=[heading.replace("-", " ").capitalize() for heading in headings],
        lines=[[line.get(heading, "") for heading in headings] for line in shown],
        problems=[f"Line {row.line}: {describe_row(row, name).message}" for row in rows[:MOST_PROBLEMS]],
    )


def _list_lines(record: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield a line for each seat of a round, with what the round states at its first seat."""
    of_round = {key: _write(value) for key, value in record.items() if key not in _OF_MAP}
    for seat in record["seats"] or [{}]:
        stakes = "; ".join(_describe_stake(stake) for stake in seat.get("wagers", ()))
        paid = (bonus for bonus in seat.get("bonuses", ()) if "paid" in bonus)
        bonuses = "; ".join(f"{bonus['bonus']} {format_money(bonus['paid'])}" for bonus in paid)
        stated = {key: _write_of_seat(key, value) for key, value in seat.items() if key not in ("wagers", "bonuses")}
        yield {**of_round, **stated, "wagers": stakes, **({"bonuses": bonuses} if bonuses else {})}


def _write(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {part}" for key, part in value.items())
    return str(value)


def _write_of_seat(key: str, value: Any) -> str:
    return format_money(value) if key in ("stack", "stack-after", "won") else str(value)


def _describe_stake(stake: Mapping[str, Any]) -> str:
    amounts = [f"{key} {format_money(stake[key])}" for key in ("paid", "taken") if key in stake]
    selection = f" on {stake['selection']}" if "selection" in stake else ""
    return ", ".join([f"{stake['wager']}{selection} {format_money(stake['amount'])}", *amounts])


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
    folder = desk.settings.find_run_folder(run.run) / desk_state.EVIDENCE
    command = run.imports[number - 1]
    name = desk_state.find_map(command)
    if name is None:
        return None
    return UploadedTable(run=run, number=number, path=folder / command[-1], map_path=folder / name)


def show_table(request: Request) -> Response:
    """Show the form of the columns of a table, with guesses or the map of an earlier table with the same headings."""
    desk, table = get_desk(request), find_table(request)
    asked = request.query_params
    sample = table_columns.read_sample(table.path, asked.get("sheet") or None)
    known = None if "game" in asked else _find_map(desk, table, sample)
    game = asked.get("game", "") if known is None else known.game
    game = game or _find_submitted_game(desk, table.path.parent)
    rows = asked.get("rows", "") if asked.get("rows") in table_columns.ROW_KINDS else "seat"
    form = None
    if known is not None:
        form = table_columns.show_map(sample, known, _find_rules(desk, known.game))
    elif game:
        form = table_columns.guess_columns(sample, game, _find_rules(desk, game), rows)
    return _show(request, table, sample, form)


def _find_rules(desk: Desk, game: str) -> Game:
    rules = desk.rulebook.regulation(game).game if game in desk.rulebook.documents else None
    if rules is None:
        raise HTTPException(400, "choose a game")
    return rules


def _find_map(desk: Desk, table: UploadedTable, sample: table_columns.TableSample) -> TableMap | None:
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
            known = table_columns.parse_map(desk.rulebook, path.name, path.read_text("utf-8"))
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


def _read_form(
    request: Request, table: UploadedTable, form: FormData
) -> tuple[table_columns.TableSample, table_columns.ColumnForm]:
    desk, game = get_desk(request), str(form.get("game", ""))
    sample = table_columns.read_sample(table.path, str(form.get("sheet", "")) or None)
    return sample, table_columns.read_columns(sample, game, _find_rules(desk, game), form)


def try_table(request: Request, form: FormData) -> Response:
    """Answer with the preview of a form that is not saved."""
    table = find_table(request)
    return _show(request, table, *_read_form(request, table, form), sheet=str(form.get("sheet", "")))


def _show(
    request: Request,
    table: UploadedTable,
    sample: table_columns.TableSample,
    form: table_columns.ColumnForm | None,
    *,
    sheet: str = "",
    status: int = 200,
) -> Response:
    desk = get_desk(request)
    regulations = [regulation for regulation in desk.rulebook.all() if regulation.game is not None]
    values: dict[str, Any] = {"table": table, "sample": sample, "form": form, "row_kinds": table_columns.ROW_KINDS}
    values["games"] = [(regulation.id, regulation.document.title) for regulation in regulations]
    values["sheet"] = sheet or request.query_params.get("sheet", "")
    if form is not None:
        with desk.evaluation:
            values["preview"] = preview_table(desk.rulebook, sample, table.path.name, form.write_map())
        values["keys"] = table_columns.list_keys(_find_rules(desk, form.game), form.rows, sample.headings)
        values["time_forms"] = table_columns.list_time_forms(form.format)
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
