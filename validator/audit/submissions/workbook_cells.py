"""Sheets of a workbook as rows of bounded cells, and cells as values of a submission.

A workbook is unpacked in memory. Its parts are bounded before any is read, because a small file may hold a large one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO
from types import MappingProxyType
from typing import Any
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.rulebook.submission_places import SubmissionPlace
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, quote
from fairdeal.validator.text.positioned_document import MAX_WHOLE_DIGITS, Data, SheetCell, parse_number
from fairdeal.validator.text.source import Source

MOST_UNPACKED = 32 << 20
"""Limit of the bytes that all parts of a workbook unpack to."""
MOST_PARTS = 500
"""Limit of the parts of a workbook."""
MOST_SHEETS = 50
"""Limit of the sheets of a workbook."""
MOST_ROWS = 5_000
"""Limit of the rows of a sheet."""
MOST_COLUMNS = 60
"""Limit of the columns of a sheet."""
_MOST_CELLS = 1_000_000
"""Limit of the cells of a sheet, with those that have only a format."""
_LAST_ROW = 1_048_576
"""Last row that a spreadsheet can have."""
EMPTY_LIST = "(none)"
"""Content of a cell that states an empty list."""
TRUTHS: Mapping[str, bool] = MappingProxyType({"yes": True, "no": False, "true": True, "false": False})
"""Words for truth values, in small letters."""
_DIGITS = 15
"""Digits that a number of a workbook has; further ones are those of its binary form."""
_SEPARATORS = ("\n", ";", ",")
"""Separators of the entries of a list in a cell; the first that occurs separates them, and the others are text."""
_DECLARATION = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_SAVE_AGAIN = "open it in a spreadsheet program and save it again as .xlsx"


class RawCell(Struct, frozen=True, kw_only=True):
    """Cell of a sheet that has content."""

    column: int
    """Column, from 1."""
    value: Any
    """Text, number, truth value, day or time."""
    is_formula: bool = False
    """True if the content is computed."""
    is_error: bool = False
    """True if the spreadsheet program reports an error there."""
    is_share: bool = False
    """True if a number is shown as a percentage."""

    @property
    def text(self) -> str:
        """Content as a reader sees it, without blanks around it."""
        return _format_cell(self.value).strip()


class RawSheet(Struct, frozen=True, kw_only=True):
    """Sheet of a workbook."""

    name: str
    """Name of the sheet."""
    is_hidden: bool
    """True if a reader does not see the sheet."""
    rows: Sequence[Mapping[int, RawCell]]
    """Cells with content of each row, from the first row on, by their columns."""


def read_sheets(source: Source, ignored: frozenset[str]) -> list[RawSheet]:
    """Return the sheets of a workbook, without those that have an ignored name.

    Raises:
        InputError: If it is no workbook, or larger than a submission can be.
    """
    from openpyxl import load_workbook  # noqa: PLC0415 - only workbooks need it
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415

    try:
        _check_parts(source)
        book = load_workbook(BytesIO(source.data), read_only=True, keep_links=False)
        if len(book.worksheets) > MOST_SHEETS:
            raise _refuse(
                source.name, f"the workbook has more than {MOST_SHEETS} sheets", "delete those without entries"
            )
        return [
            RawSheet(name=sheet.title, is_hidden=sheet.sheet_state != "visible", rows=list(_read_rows(sheet, source)))
            for sheet in book.worksheets
            if sheet.title not in ignored
        ]
    except (
        *(BadZipFile, zlib.error, InvalidFileException, KeyError, ValueError, TypeError, SyntaxError, OSError),
        *(AttributeError, IndexError, EOFError, NotImplementedError, OverflowError, RuntimeError),
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _refuse(source.name, f"it cannot be read as a workbook: {reason}", _SAVE_AGAIN) from error


def _check_parts(source: Source) -> None:
    """Raise InputError for a workbook that unpacks to too much, or whose parts declare entities."""
    with ZipFile(BytesIO(source.data)) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > MOST_UNPACKED or len(parts) > MOST_PARTS:
            raise _refuse(source.name, "the workbook unpacks to more than a submission can be", "write a new one")
        for part in parts:
            if part.filename.endswith((".xml", ".rels")) and _DECLARATION.search(archive.read(part)):
                raise _refuse(source.name, f"{part.filename} declares a document type", _SAVE_AGAIN)


def _refuse(name: str, message: str, help_: str) -> InputError:
    return InputError((Diagnostic(code="not-a-workbook", message=message, file=name, help=help_),))


def _read_rows(sheet: Any, source: Source) -> Iterator[Mapping[int, RawCell]]:
    """Yield the cells with content of each row, up to the last row that has any."""
    sheet.reset_dimensions()
    blank_rows = count = 0
    for number, row in enumerate(sheet.iter_rows(max_row=_LAST_ROW), 1):
        count += len(row)
        if count > _MOST_CELLS:
            raise _refuse(source.name, f"the sheet {sheet.title} has too many cells", "delete what is not part of it")
        cells = {cell.column: cell for cell in map(_read_cell, row) if cell is not None}
        if not cells:
            blank_rows += 1
            continue
        if number > MOST_ROWS or max(cells) > MOST_COLUMNS:
            where = SheetCell(sheet.title, f"{name_column(max(cells))}{number}")
            message = f"{where} is beyond the {MOST_ROWS:,} rows and {MOST_COLUMNS} columns of a submission"
            raise _refuse(source.name, message, "delete what is not part of the submission")
        yield from ({} for _ in range(blank_rows))
        blank_rows = 0
        yield cells


def _read_cell(cell: Any) -> RawCell | None:
    if cell.value is None or (isinstance(cell.value, str) and not cell.value.strip()):
        return None
    return RawCell(
        column=cell.column,
        value=cell.value,
        is_formula=cell.data_type == "f",
        is_error=cell.data_type == "e",
        is_share="%" in (cell.number_format or ""),
    )


def name_column(column: int) -> str:
    """Return the letters of a column that is counted from 1."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _format_cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)


class UnreadableCell(Exception):
    """A cell has no value that a submission can state; the message says why and the help what to do."""

    def __init__(self, message: str, help_: str) -> None:
        super().__init__(message)
        self.message, self.help = message, help_


def read_value(cell: RawCell, place: SubmissionPlace | None, key: str) -> Data:
    """Return the value that a cell states.

    Args:
        cell: The cell.
        place: The values that its place may have; None for a key that submissions do not have.
        key: The key.

    Raises:
        UnreadableCell: If it states none.
    """
    if cell.is_formula:
        raise UnreadableCell("this is a formula, and only values are read", "write the value itself into the cell")
    if cell.is_error:
        raise UnreadableCell(f"the spreadsheet program reports {quote(cell.text)} here", "write a value into the cell")
    kinds = frozenset({"text"}) if place is None else place.kinds
    if "list" in kinds:
        return _read_list(cell)
    if "yes or no" in kinds and (isinstance(cell.value, bool) or cell.text.lower() in TRUTHS):
        return TRUTHS[cell.text.lower()]
    if "number" in kinds:
        return _read_number(cell, is_money=key in find_money_keys())
    if isinstance(cell.value, (datetime, date, time)):
        if "day" not in kinds or len(cell.text) != len("2026-01-31"):
            help_ = "choose the format Text for the cell, then write it again: odds as 2 to 1, days as 2026-01-31"
            raise UnreadableCell(f"the spreadsheet program made {quote(cell.text)} of this", help_)
        return cell.text
    if isinstance(cell.value, (int, float)) and not isinstance(cell.value, bool) and cell.is_share:
        return f"{(Decimal(cell.text) * 100).normalize():f}%"
    return cell.text


def _read_list(cell: RawCell) -> Data:
    """Return the entries of a list in a cell."""
    if cell.text.lower() == EMPTY_LIST:
        return []
    whole = _format_cell(cell.value)
    separator = next((sign for sign in _SEPARATORS if sign in whole), None)
    parts = (whole,) if separator is None else whole.split(separator)
    return [part.strip() for part in parts if part.strip()]


def join_list(values: Sequence[object]) -> str:
    """Return the text of a cell that states a list of texts."""
    texts = [str(value) for value in values]
    if not texts:
        return EMPTY_LIST
    used = next((at for at, sign in enumerate(_SEPARATORS) if any(sign in text for text in texts)), None)
    separator = _SEPARATORS[-1 if used is None else max(used - 1, 0)]
    joined = (separator if separator == "\n" else f"{separator} ").join(texts)
    return joined + separator if len(texts) == 1 and used is not None else joined


def _read_number(cell: RawCell, *, is_money: bool) -> Data:
    if isinstance(cell.value, bool):
        return cell.value
    if isinstance(cell.value, (datetime, date, time)):
        help_ = "choose the format Number for the cell, then write it again"
        raise UnreadableCell(f"the spreadsheet program made {quote(cell.text)} of this", help_)
    if isinstance(cell.value, str) and is_money:
        return cell.text  # amounts such as $5.00
    try:
        number = parse_number(cell.text)
    except ValueError as error:
        raise UnreadableCell(str(error), "write a smaller number") from error
    if number is None:
        return cell.text
    if abs(number) >= 10**MAX_WHOLE_DIGITS:
        raise UnreadableCell(f"this number has more than {MAX_WHOLE_DIGITS} digits", "write a smaller number")
    return int(number) if number == int(number) else number
