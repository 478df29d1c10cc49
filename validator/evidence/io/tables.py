"""Tables as headings and rows of text: delimited text such as CSV, and worksheets of a workbook.

A workbook is read row by row. Its parts are bounded before any is unpacked, because a small file may hold a large one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from typing import Any, BinaryIO, TypeAlias
from zipfile import BadZipFile, ZipFile

from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, quote

WORKBOOK_SUFFIXES = (".xlsx", ".xlsm")
"""Endings of the names of workbooks."""
MOST_COLUMNS = 1_000
"""Limit of the columns of a table."""
MOST_SHEET_BYTES = 2_000_000_000
"""Limit of the bytes that a part of a workbook may unpack to; worksheets are streamed."""
MOST_SHARED_BYTES = 64_000_000
"""Limit of the bytes of all parts of a workbook that are not worksheets; they are in memory as a whole."""
MOST_PARTS = 2_000
"""Limit of the parts of a workbook."""
_DELIMITERS = ",;\t|"
_DIGITS = 15
"""Digits that a number of a workbook has; further ones are those of its binary form."""

Rows: TypeAlias = Iterator[tuple[int, list[str]]]
"""Rows with the line on which each ends."""


def open_table(lines: Iterable[str], name: str) -> tuple[list[str], Rows]:
    """Return the headings of a table of delimited text, and its rows.

    Raises:
        InputError: If it has no headings, or two columns have the same one.
    """
    rest = iter(lines)
    first = next(rest, "")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        headings = next(csv.reader([first], delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise InputError((build_table_problem(name, 1, f"the headings cannot be read as CSV: {error}"),)) from error
    return _check_headings(headings, name), _read_delimited(rest, delimiter, name)


def _read_delimited(lines: Iterator[str], delimiter: str, name: str) -> Rows:
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield rows.line_num + 1, row
    except csv.Error as error:
        problem = build_table_problem(name, rows.line_num + 1, f"it cannot be read as CSV: {error}")
        raise InputError((problem,)) from error


def open_worksheet(stream: BinaryIO, name: str, sheet: str | None) -> tuple[list[str], Rows]:
    """Return the headings of a worksheet, and its rows. Cells with formulas have the values that were saved.

    Args:
        stream: the workbook; it must be able to seek.
        name: name of the file in messages.
        sheet: the worksheet; by default the first.

    Raises:
        InputError: If it is no workbook, is too large, has no such sheet or no headings.
    """
    with _report_broken_workbook(name):
        book = _load_workbook(stream, name)
        names = [worksheet.title for worksheet in book.worksheets]
        if (sheet is not None and sheet not in names) or not names:
            near = find_similar(sheet or "", names)
            help_ = f"did you mean {quote(near)}?" if near else f"its sheets are {', '.join(map(quote, names))}"
            raise InputError((build_table_problem(name, 1, f"there is no sheet {quote(sheet or '')}", help_),))
        rows = _read_sheet(book[sheet or names[0]].iter_rows(values_only=True), name)
        headings = next(rows, (1, []))[1]
    return _check_headings(headings, name), rows


def list_worksheets(stream: BinaryIO, name: str) -> list[str]:
    """Return the names of the worksheets of a workbook. Raises InputError if it cannot be read."""
    with _report_broken_workbook(name):
        return [worksheet.title for worksheet in _load_workbook(stream, name).worksheets]


def _load_workbook(stream: BinaryIO, name: str) -> Any:
    from openpyxl import load_workbook  # noqa: PLC0415 - only workbooks need it

    _check_parts(stream, name)
    return load_workbook(stream, read_only=True, data_only=True, keep_links=False)


@contextmanager
def _report_broken_workbook(name: str) -> Iterator[None]:
    """Raise InputError for what openpyxl raises."""
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415 - only workbooks need it

    try:
        yield
    except (BadZipFile, InvalidFileException, KeyError, ValueError, TypeError, SyntaxError, OSError) as error:
        raise InputError((_build_workbook_problem(name, error),)) from error


def _check_parts(stream: BinaryIO, name: str) -> None:
    with ZipFile(stream) as archive:
        parts = archive.infolist()
    sheets = [part.file_size for part in parts if part.filename.startswith("xl/worksheets/")]
    others = sum(part.file_size for part in parts) - sum(sheets)
    if max(sheets, default=0) > MOST_SHEET_BYTES or others > MOST_SHARED_BYTES or len(parts) > MOST_PARTS:
        message = "the workbook unpacks to more than is read"
        raise InputError((build_table_problem(name, 1, message, "save it as CSV UTF-8, or split it"),))


def _read_sheet(rows: Iterable[Sequence[object]], name: str) -> Rows:
    with _report_broken_workbook(name):
        for number, row in enumerate(rows, 1):
            cells = [_write_cell(cell) for cell in row[: MOST_COLUMNS + 1]]
            if number == 1 or any(cell.strip() for cell in cells):
                yield number, cells


def _write_cell(value: object) -> str:
    """Return a cell as the text that a table would have: whole numbers without decimals, times in ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)


def _build_workbook_problem(name: str, error: Exception) -> Diagnostic:
    message = f"it cannot be read as a workbook: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    return build_table_problem(name, 1, message, "open it and save it again as .xlsx, or as CSV UTF-8")


def _check_headings(headings: Iterable[str], name: str) -> list[str]:
    """Return the headings without blanks around them.

    Raises:
        InputError: If there are none, too many, or two are the same.
    """
    stripped = [heading.strip() for heading in headings]
    while stripped and not stripped[-1]:
        stripped.pop()
    if not stripped or len(stripped) > MOST_COLUMNS:
        message = f"expected from 1 to {MOST_COLUMNS:,} headings in the first line"
        raise InputError((build_table_problem(name, 1, message),))
    repeated = {heading for heading in stripped if stripped.count(heading) > 1}
    if repeated:
        shown = ", ".join(map(quote, sorted(repeated)))
        raise InputError((build_table_problem(name, 1, f"several columns have the heading {shown}"),))
    return stripped


def build_table_problem(name: str, line: int, message: str, help_: str | None = None) -> Diagnostic:
    """Build the diagnostic of a table that cannot be read.

    Args:
        name: name of the file.
        line: line of the table, from 1.
        message: what is wrong.
        help_: what to do about it.
    """
    return Diagnostic(code="not-a-table", message=message, file=name, line=line, help=help_)
