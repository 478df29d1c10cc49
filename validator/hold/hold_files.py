"""Files of `hold`: the drop sheet of a casino that it reads, and files of statistics that it writes.

Win to drop varies more from day to day than hold does, because a player may buy chips and leave with them. So each day
is compared with the other days of its table alone, and nothing is tested.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from io import TextIOWrapper
from math import sqrt
from typing import BinaryIO

import msgspec
from msgspec import Struct

from fairdeal.validator.reports.json_format import encode_json
from fairdeal.validator.reports.statistics_report import drop_lines, statistics_lines
from fairdeal.validator.results import game_statistics
from fairdeal.validator.results.findings import ResultRecord
from fairdeal.validator.results.game_statistics import DropResult, Grouping, Statistics
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, guard_formulas, limit_diagnostics, sanitize
from fairdeal.validator.text.plain_values import parse_money, written_in
from fairdeal.validator.text.source import Source

COLUMNS = ("table", "day", "drop", "win")
"""Columns that a sheet must have; `casino` may be added."""
MOST_ROWS = 100_000
_LEAST_DAYS = 3
"""Number of days of a table from which the spread of its win can be estimated."""
_HELP = "write a CSV with the columns table, day (2026-03-31), drop and win, in units of the currency"

_Place = tuple[str | None, str, str]
"""Casino, table and day."""


class DropRow(Struct, frozen=True, kw_only=True):
    """Drop and win of a table on a day, in minor units."""

    casino: str | None
    table: str
    day: str
    drop: int
    win: int


def read_drop_sheet(source: Source, currency: str | None) -> list[DropRow]:
    """Read a drop sheet with amounts in a currency. Raises InputError if a row cannot be read."""
    problems: list[Diagnostic] = []
    rows: dict[_Place, DropRow] = {}
    reader = csv.DictReader(source.text.splitlines(keepends=True), strict=True)
    try:
        headings = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        problems += [_refuse(source, 1, f"it has no column `{name}`") for name in COLUMNS if name not in headings]
        reader.fieldnames = headings
        for cells in () if problems else reader:
            try:
                with written_in(currency):
                    row = _read_row(cells)
                place = (row.casino, row.table, row.day)
                if place in rows:
                    raise ValueError(f"table {row.table} is listed twice on {row.day}")
            except ValueError as error:
                problems.append(_refuse(source, reader.line_num, str(error)))
            else:
                rows[place] = row
            if len(rows) + len(problems) > MOST_ROWS:
                problems.append(_refuse(source, reader.line_num, f"it has more than {MOST_ROWS:,} rows"))
                break
    except csv.Error as error:
        problems.append(_refuse(source, reader.line_num, f"it cannot be read as CSV: {error}"))
    if problems or not rows:
        raise InputError(limit_diagnostics(problems or [_refuse(source, 1, "it has no rows")]))
    return [*rows.values()]


def _refuse(source: Source, line: int, message: str) -> Diagnostic:
    return Diagnostic(code="not-a-drop-sheet", message=message, file=source.name, line=line, help=_HELP)


def _read_row(cells: Mapping[str, str | None]) -> DropRow:
    texts = {name: (cells.get(name) or "").strip() for name in (*COLUMNS, "casino")}
    if not texts["table"]:
        raise ValueError("the table is not named")
    return DropRow(
        casino=texts["casino"] or None,
        table=texts["table"],
        day=date.fromisoformat(texts["day"]).isoformat(),
        drop=parse_money(texts["drop"]),
        win=_parse_win(texts["win"]),
    )


def _parse_win(text: str) -> int:
    """Return a win, which may be a loss: `-5.00`, `-$5.00` or `(5.00)`."""
    if text.startswith("(") and text.endswith(")"):
        return -parse_money(text[1:-1].strip())
    return -parse_money(text[1:].lstrip()) if text[:1] in ("-", "\u2212") else parse_money(text)


def compare_drops(rows: Iterable[DropRow], statistics: Statistics) -> tuple[DropResult, ...]:
    """Return win to drop of each table on each day, its deviation, and the win in the logs.

    The variance of a day's win is taken as proportional to its drop, as for bets that do not depend on each other.

    Args:
        rows: rows of the sheet.
        statistics: statistics of the logs.
    """
    by_table: dict[tuple[str | None, str], list[DropRow]] = defaultdict(list)
    for row in rows:
        by_table[row.casino, row.table].append(row)
    logged = _list_logged_wins(statistics)
    found = []
    for (casino, table), days in sorted(by_table.items(), key=lambda entry: (entry[0][0] or "", entry[0][1])):
        drop, win = sum(row.drop for row in days), sum(row.win for row in days)
        share = win / drop if drop else None
        residuals = [row.win - (share or 0.0) * row.drop for row in days]
        squares = sum(residual**2 / row.drop for residual, row in zip(residuals, days, strict=True) if row.drop)
        spread = sqrt(squares / (len(days) - 1)) if len(days) >= _LEAST_DAYS else 0.0
        for row, residual in sorted(zip(days, residuals, strict=True), key=lambda entry: entry[0].day):
            scale = spread * sqrt(row.drop * (1 - row.drop / drop)) if drop else 0.0
            found.append(
                DropResult(
                    casino=casino,
                    table=table,
                    day=row.day,
                    drop=row.drop,
                    win=row.win,
                    win_to_drop=row.win / row.drop if row.drop else None,
                    of_table=share,
                    off=round(residual / scale, 4) if scale else None,
                    logged_win=_find_logged_win(logged, row),
                )
            )
    return tuple(found)


def _list_logged_wins(statistics: Statistics) -> Mapping[tuple[str, str], Mapping[str | None, int]]:
    """Return the wins in the logs by table and day, then by casino: what the house took less what it paid, and rake."""
    wins = Counter[_Place]()
    for hold in statistics.hold:
        if hold.by is Grouping.DAY and hold.table is not None and hold.day is not None:
            wins[hold.casino, hold.table, hold.day] += hold.win
    for rake in statistics.rake:
        if rake.by is Grouping.DAY and rake.table is not None and rake.day is not None:
            wins[rake.casino, rake.table, rake.day] += rake.raked
    by_table: dict[tuple[str, str], dict[str | None, int]] = defaultdict(dict)
    for (casino, table, day), win in wins.items():
        by_table[table, day][casino] = win
    return by_table


def _find_logged_win(logged: Mapping[tuple[str, str], Mapping[str | None, int]], row: DropRow) -> int | None:
    """Return the win of a row in the logs; None if they have none, or several casinos may be meant."""
    wins = logged.get((row.table, row.day), {})
    if row.casino is not None:
        return wins.get(row.casino)
    return next(iter(wins.values())) if len(wins) == 1 else None


HOLD_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(game_statistics.HoldResult))
"""Columns of the CSV: the keys of a hold."""


class StatisticsReport(ResultRecord, frozen=True, kw_only=True):
    """Statistics of hand logs with their inputs."""

    program: str
    """Name and version of the program."""
    inputs: tuple[InputFile, ...]
    """Hand logs and submissions that were read."""
    currency: str | None
    """Currency of all amounts, or several with commas; None if none is stated."""
    statistics: game_statistics.Statistics
    """Hold, hands, cards and rake."""
    drop_sheet: game_statistics.DropSheet | None = None
    """Win to drop by the drop sheet; None if none was given."""

    @property
    def drops(self) -> tuple[game_statistics.DropResult, ...]:
        """Return the rows of the drop sheet."""
        return () if self.drop_sheet is None else self.drop_sheet.rows


StatisticsWriter = Callable[[StatisticsReport, BinaryIO], None]


def write_statistics_json(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write everything as a JSON object."""
    stream.write(msgspec.json.format(encode_json(report), indent=2) + b"\n")


def write_statistics_text(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write tables of hold, then of hands and cards, then of the drop sheet, as text."""
    stream.write("\n".join([*statistics_lines(report.statistics), *drop_lines(report.drops), ""]).encode())


def write_statistics_csv(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write a line for each hold, with amounts in minor units."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(HOLD_COLUMNS)
        for hold in report.statistics.hold:
            lines.writerow([_cell(value) for value in msgspec.structs.astuple(hold)])
    finally:
        text.detach()  # or the stream would be closed with it


def _cell(value: object) -> object:
    if isinstance(value, str):
        return guard_formulas(sanitize(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " to ".join(map(str, value)) if isinstance(value, tuple) else value


def write_statistics_html(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write an HTML page in the style of reports, without a script."""
    from fairdeal.validator.reports.html.html_pages import LISTED, build_environment  # noqa: PLC0415 - other forms need no templates

    page = build_environment().get_template("hold.html.j2")
    stream.write(
        page.render(
            statistics=report.statistics,
            drops=report.drops,
            inputs=report.inputs,
            currency=report.currency,
            program=report.program,
            listed=LISTED,
        ).encode()
    )


STATISTICS_WRITERS: Mapping[str, StatisticsWriter] = {
    "text": write_statistics_text,
    "json": write_statistics_json,
    "csv": write_statistics_csv,
    "html": write_statistics_html,
}
