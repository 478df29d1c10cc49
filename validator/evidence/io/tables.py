"""Tables as headings and rows of text: CSV, worksheets, JSON objects, and parts of a file with a record each.

A workbook is read row by row. Its parts are bounded before any is unpacked, because a small file may hold a large one.
In the JSON Pointer of a column, `*` is each entry of a list: `/players/*/bets/*/stake`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice, pairwise
from typing import Any, BinaryIO, NamedTuple, TypeAlias
from zipfile import BadZipFile, ZipFile

import msgspec

from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, quote

LONGEST_RECORD = 1 << 20
"""Most bytes of a record."""
RECORD_TOO_LONG = f"the record is longer than {LONGEST_RECORD >> 20} MiB"
_PIECE = 1 << 16
"""Most bytes of a line that are read at a time."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class RecordPart(NamedTuple):
    """Part of a file that holds one record, or text that is none."""

    line: int
    """Number of its first line."""
    text: bytes
    reason: str = ""
    """Reason why the part cannot be read; empty if it may be a record."""


class LinePiece(NamedTuple):
    """Line, or piece of a long one."""

    line: int
    """Number of the line, from 1."""
    text: bytes
    starts_line: bool


def read_pieces(stream: BinaryIO) -> Iterator[LinePiece]:
    """Yield the lines of a file with their ends. No piece ends between a backslash and the next byte."""
    line, starts_line = 1, True
    while text := stream.readline(_PIECE):
        if text.endswith(b"\\"):
            text += stream.read(1)
        if line == 1 and starts_line:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        yield LinePiece(line, text, starts_line)
        starts_line = text.endswith(b"\n")
        line += starts_line


_DEEPEST = 32
"""Most braces and brackets within each other."""
_MARKS = re.compile(rb'\\.|["{}]', re.DOTALL)
_BETWEEN = b"[], \t\r\n"
_STARTS_RECORD = re.compile(rb'\{\s*"|\{\s*$')


def split_objects(stream: BinaryIO) -> Iterator[RecordPart]:
    """Yield the JSON objects of a file, and what is left of broken ones.

    Memory holds one object that is not too long. After a broken object, reading goes on at the next line that begins
    another.
    """
    splitter = _Splitter()
    for piece in read_pieces(stream):
        if piece.starts_line:
            yield from splitter.start_line(piece.text)
        yield from splitter.add(piece.line, piece.text)
    if splitter.depth:
        yield from splitter.refuse("the record ends too early")


class _Splitter:
    """State of a file that is split into objects."""

    __slots__ = ("_after_blank", "_in_text", "_parts", "_size", "_skipping", "_start", "depth")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.depth = 0
        """Number of open objects."""
        self._start = 1
        self._in_text = False
        self._after_blank = True
        self._skipping = False
        """True if the rest of an object that cannot be read is passed over."""

    def start_line(self, line: bytes) -> Iterator[RecordPart]:
        """Yield a broken object if a line begins another."""
        self._in_text = False
        if line.startswith(b"{") and _STARTS_RECORD.match(line) and (self._after_blank or line.rstrip() != b"{"):
            if self.depth:
                yield from self.refuse("the record ends too early")
            self._skipping = False
        self._after_blank = not line.strip()

    def add(self, line: int, piece: bytes) -> Iterator[RecordPart]:
        """Yield the objects that end in a piece of a line."""
        if self._skipping:
            return
        at = 0
        for mark in _MARKS.finditer(piece):
            match mark[0]:
                case b'"' if self.depth:
                    self._in_text = not self._in_text
                case b"{" if not self._in_text:
                    if self.depth == 0:
                        yield from self._reject_rest(line, piece[at : mark.start()])
                        at, self._start = mark.start(), line
                    self.depth += 1
                case b"}" if self.depth and not self._in_text:
                    self.depth -= 1
                    if self.depth == 0:
                        self._parts.append(piece[at : mark.end()])
                        at = mark.end()
                        yield RecordPart(self._start, b"".join(self._parts))
                        self._clear()
            if self.depth > _DEEPEST:
                break
        if self.depth == 0:
            yield from self._reject_rest(line, piece[at:])
            return
        self._parts.append(piece[at:])
        self._size += len(piece) - at
        if self._size > LONGEST_RECORD:
            yield from self.refuse(RECORD_TOO_LONG)
            self._skipping = True
        elif self.depth > _DEEPEST:
            yield from self.refuse(f"the record has more than {_DEEPEST} objects within each other")
            self._skipping = True

    def refuse(self, reason: str) -> Iterator[RecordPart]:
        """Yield the open object as a part that cannot be read."""
        yield RecordPart(self._start, b"", reason)
        self._clear()

    def _reject_rest(self, line: int, rest: bytes) -> Iterator[RecordPart]:
        if rest.strip(_BETWEEN):
            yield RecordPart(line, b"", 'expected a JSON object, such as {"round": ...}')

    def _clear(self) -> None:
        self._parts.clear()
        self._size = self.depth = 0
        self._in_text = False


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


_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_MOST_DIGITS = 40
Report = Callable[[int, str], None]
"""Function that is given the line of an object that cannot be read, and the reason."""


def list_lists(pointers: Sequence[str]) -> list[str]:
    """Return the lists whose entries are rows, the outer one first.

    Raises ValueError if they are not within each other.
    """
    lists = sorted({part for pointer in pointers for part in _list_outer(pointer)})
    for outer, inner in pairwise(lists):
        if not inner.startswith(f"{outer}/"):
            raise ValueError(f"{quote(outer)} and {quote(inner)} are not within each other")
    return lists


def _list_outer(pointer: str) -> list[str]:
    """Return the lists around a value."""
    parts = pointer.split("/")
    return ["/".join(parts[: at + 1]) for at, part in enumerate(parts) if part == "*"]


def read_json_rows(
    stream: BinaryIO, name: str, headings: Sequence[str], ignored: Sequence[str], report: Report
) -> Rows:
    """Yield the rows of JSON objects.

    Args:
        stream: the file.
        name: name of the file in messages.
        headings: pointers, in the order of the cells.
        ignored: pointers that are not used, with all that is below them.
        report: called for each object that cannot be read.

    Raises:
        InputError: If the file has a value that no pointer names, or lists are not within each other.
    """
    try:
        flattener = _Flattener(list_lists([*headings, *ignored]))
    except ValueError as error:
        raise InputError((build_table_problem(name, 1, str(error)),)) from error
    known = set(headings)
    for line, value in _read_objects(stream, report):
        for cells in flattener.flatten(value):
            for pointer in cells.keys() - known:
                if not any(pointer == path or pointer.startswith(f"{path}/") for path in ignored):
                    message = f"the map does not name the value {quote(pointer)}"
                    raise InputError((build_table_problem(name, line, message, "map it, or list it under `ignored`"),))
            yield line, [cells.get(pointer, "") for pointer in headings]


def sample_json(stream: BinaryIO, name: str, count: int) -> tuple[list[str], list[list[str]]]:
    """Return the pointers of the first objects, in their order, and the cells of as many rows.

    The entries of the lists that are nested most deeply are rows.

    Raises:
        InputError: If there is no object.
    """
    reasons: list[str] = []
    objects = [value for _, value in islice(_read_objects(stream, lambda _, reason: reasons.append(reason)), count)]
    lists: dict[str, None] = {}
    for value in objects:
        _find_lists(value, "", lists)
    deepest = max(lists, key=lambda path: path.count("*"), default="")
    flattener = _Flattener(_list_outer(deepest))
    rows = [cells for value in objects for cells in flattener.flatten(value)]
    if not rows:
        raise InputError((build_table_problem(name, 1, reasons[0] if reasons else "there is no JSON object"),))
    headings = [*dict.fromkeys(pointer for cells in rows for pointer in cells)]
    return headings, [[cells.get(pointer, "") for pointer in headings] for cells in rows[:count]]


def _read_objects(stream: BinaryIO, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    for part in split_objects(stream):
        try:
            if part.reason:
                report(part.line, part.reason)
            else:
                yield part.line, _DECODER.decode(part.text)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
            report(part.line, f"this is not JSON: {error}")


def _find_lists(value: object, pointer: str, lists: dict[str, None]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _find_lists(part, f"{pointer}/{_escape(key)}", lists)
    elif isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        lists[f"{pointer}/*"] = None
        for entry in value:
            _find_lists(entry, f"{pointer}/*", lists)


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


class _Flattener:
    """Flattener of objects by the lists whose entries are rows."""

    def __init__(self, lists: Sequence[str]) -> None:
        self._lists = frozenset(lists)

    def flatten(self, value: object, pointer: str = "") -> Iterator[dict[str, str]]:
        """Yield the rows of a value: its cells by pointer, those around a list in each of its rows."""
        cells: dict[str, str] = {}
        entries: list[tuple[str, list[Any]]] = []
        self._collect(value, pointer, cells, entries)
        rows = [row for path, listed in entries for entry in listed for row in self.flatten(entry, path)]
        for row in rows or [{}]:
            yield {**cells, **row}

    def _collect(
        self, value: object, pointer: str, cells: dict[str, str], entries: list[tuple[str, list[Any]]]
    ) -> None:
        match value:
            case dict():
                for key, part in value.items():
                    self._collect(part, f"{pointer}/{_escape(key)}", cells, entries)
            case list() if f"{pointer}/*" in self._lists:
                entries.append((f"{pointer}/*", value))
            case list():
                cells[pointer] = " ".join(_write(entry) for entry in value)
            case None:
                pass
            case _:
                cells[pointer] = _write(value)


def _write(value: object) -> str:
    """Return a value as the text of a cell."""
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal() if abs(value.adjusted()) < _MOST_DIGITS:
            return format(value, "f")
        case dict() | list():
            return "(nested)"
        case _:
            return str(value)
