"""Reader of submissions that are workbooks: a sheet for what is stated once, and a sheet for each list.

The sheet `Submission` has a row for each key: the keys on the way in the column `Entry`, the value in `Value`. Every
other sheet is a list, with a column for each key and a row for each entry. Rows below an entry continue its lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import NoneType
from typing import TypeAlias, get_args

from msgspec import Struct

from fairdeal.validator.audit.submissions import workbook_cells
from fairdeal.validator.audit.submissions.workbook_cells import EMPTY_LIST
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.rulebook.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics, quote
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SheetCell, SourcePosition
from fairdeal.validator.text.source import Source

MAIN_SHEET = "Submission"
"""Sheet of what is stated once."""
GUIDE_SHEET, CHOICES_SHEET = "Instructions", "Choices"
IGNORED_SHEETS = frozenset({GUIDE_SHEET, CHOICES_SHEET, "Notes"})
"""Sheets that state nothing; notes are the casino's own."""
ENTRY, VALUE = "Entry", "Value"
"""Headings of the columns that are read of the main sheet."""
USE, ABOUT = "Use", "About"
"""Headings of the first column of a list, with yes or no, and of explanations, which are not read."""
STEP = " / "
"""Sign between the keys on the way to a value."""

KeyPath: TypeAlias = tuple[str, ...]


def name_sheet(path: KeyPath) -> str:
    """Return the name of the sheet of a list."""
    return " ".join(path).replace("-", " ").capitalize()


@cache
def list_sheets() -> Mapping[str, KeyPath]:
    """Return the lists of a submission by the names of their sheets."""
    return {name_sheet(path): path for path in _list_lists(place_from_annotation(Submission), ())}


def _list_lists(place: SubmissionPlace, here: KeyPath) -> Iterator[KeyPath]:
    for name in () if place.fields is None else place.fields.model_fields:
        key = to_key(name)
        inner = place.get_child(key)
        assert inner is not None
        item = inner.get_item()
        if item is not None and item.fields is not None:
            yield (*here, key)
        elif item is None:
            yield from _list_lists(inner, (*here, key))


def load_workbook_submission(source: Source, problems: list[Diagnostic] | None = None) -> PositionedDocument:
    """Return the data of a submission that is a workbook, with the cell of each value.

    Problems of its cells are added to `problems` if that is given.

    Raises:
        InputError: If it is no workbook, or no submission, or has cells that cannot be read.
    """
    sheets = workbook_cells.read_sheets(source, IGNORED_SHEETS)
    main = next((sheet for sheet in sheets if sheet.name == MAIN_SHEET), None)
    if main is None or (main.rows and _find_columns(main) is None):
        message = f"this workbook has no sheet {quote(MAIN_SHEET)} with the headings {ENTRY} and {VALUE}"
        help_ = "`fairdeal new GAME -o xlsx:FILE` writes a workbook to fill in"
        raise InputError((Diagnostic(code="no-submission", message=message, file=source.name, help=help_),))
    reader = _WorkbookReader(source.name)
    for sheet in (main, *(sheet for sheet in sheets if sheet is not main)):
        reader.read_sheet(sheet)
    return reader.build(problems)


def _find_columns(sheet: workbook_cells.RawSheet) -> tuple[int, int] | None:
    """Return the columns of entries and values of the main sheet; None if a heading is missing."""
    headings = {cell.text: column for column, cell in sheet.rows[0].items()}
    return (headings[ENTRY], headings[VALUE]) if {ENTRY, VALUE} <= headings.keys() else None


_BAR = " | "
"""Text between the cells of a line."""


class _Node(Struct):
    """Key of a submission, or entry of a list, as a workbook states it."""

    position: SourcePosition | None = None
    """Place of its cell; None for a key that only leads to others."""
    value: Data = None
    """Value of a cell; None if it is blank."""
    children: dict[str, _Node] | None = None
    """Content of a mapping; None for other values."""
    items: list[_Node] | None = None
    """Entries of a list of mappings; None for other values."""
    is_empty_list: bool = False
    """True if the workbook states that the list is empty."""

    def open_child(self, key: str) -> _Node:
        """Return the node of a key, which is added if there is none."""
        if self.children is None:
            self.children = {}
        return self.children.setdefault(key, _Node())

    def open_path(self, path: KeyPath) -> _Node:
        """Return the node at the end of a path of keys."""
        node = self
        for key in path:
            node = node.open_child(key)
        return node

    @property
    def is_blank(self) -> bool:
        """True if nothing is stated."""
        if self.items is not None:
            return not self.items and not self.is_empty_list
        return self.value is None and all(child.is_blank for child in (self.children or {}).values())

    def find_position(self) -> SourcePosition | None:
        """Return its place, or that of the first node in it."""
        inner = (*(self.children or {}).values(), *(self.items or ()))
        places = (self.position, *(node.find_position() for node in inner))
        return next((place for place in places if place is not None), None)


class _Column(Struct, frozen=True, kw_only=True):
    """Column of a list."""

    column: int
    """Its number, from 1."""
    path: KeyPath
    """Keys from the entry, or from the entry of the inner list, to the value."""
    inner_list: KeyPath | None
    """Keys from the entry to the list in it; None for a value of the entry itself."""
    place: SubmissionPlace | None
    """Values that it may have; None for a key that entries do not have."""


class _WorkbookReader:
    """Collector of values, their cells and all problems."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._root = _Node(position=SourcePosition(1, 1))
        self._lines: list[str] = []
        self._cells: dict[tuple[int, int], SheetCell] = {}
        self._positions: dict[DataPath, SourcePosition] = {}
        self._problems: list[Diagnostic] = []
        self._sheet_name = ""
        self._first_line = 1
        self._starts: list[dict[int, int]] = []

    def read_sheet(self, sheet: workbook_cells.RawSheet) -> None:
        """Take what a sheet states."""
        lists = {name.casefold(): path for name, path in list_sheets().items()}
        path = lists.get(sheet.name.casefold())
        columns = _find_columns(sheet) if sheet.name == MAIN_SHEET and sheet.rows else None
        headings = sheet.rows[0] if sheet.rows else {}
        self._show(sheet, columns or [column for column, cell in headings.items() if cell.text != ABOUT])
        if not sheet.rows:
            return
        if sheet.is_hidden:
            self._report(0, 1, "hidden-sheet", "this sheet is hidden", "show it, or delete it")
        if columns is not None:
            self._read_main(sheet, *columns)
        elif path is not None:
            self._read_list(sheet, path)
        else:
            near = find_similar(sheet.name, list_sheets())
            known = ", ".join((MAIN_SHEET, *list_sheets()))
            help_ = f"did you mean {quote(near)}?" if near else f"delete it, or rename it: the sheets are {known}"
            self._report(0, 1, "unknown-sheet", f"{quote(sheet.name)} is no part of a submission", help_)

    def build(self, problems: list[Diagnostic] | None) -> PositionedDocument:
        """Return the data. Raises InputError with every problem, or adds them to `problems` if that is given."""
        data = self._resolve(self._root, place_from_annotation(Submission), ())
        if problems is not None:
            problems += self._problems
        elif self._problems:
            ordered = sorted(self._problems, key=lambda problem: (problem.line or 0, problem.column or 0))
            raise InputError(limit_diagnostics(ordered))
        return PositionedDocument(
            data=data,
            source_name=self._name,
            lines=self._lines,
            positions=self._positions,
            cells=self._cells,
        )

    def _resolve(self, node: _Node, place: SubmissionPlace | None, path: DataPath) -> Data:
        """Return the value of a node, and note the places of all values in it.

        A blank is no value where a submission may state none; elsewhere its key is left out.
        """
        position = node.find_position()
        assert position is not None, path
        self._positions[path] = position
        if node.items is not None:
            item = None if place is None else place.get_item()
            return [self._resolve(entry, item, (*path, at)) for at, entry in enumerate(node.items)]
        if node.children is None:
            return node.value
        values: dict[str, Data] = {}
        for key, child in node.children.items():
            inner = None if place is None else place.get_child(key)
            if child.is_blank and _may_be_null(place, key) and not _may_hold_blanks(child, inner):
                values[key] = None
                self._positions[*path, key] = child.find_position() or position
            elif not child.is_blank or (inner is not None and inner.fields is not None):
                values[key] = self._resolve(child, inner, (*path, key))
        return values

    def _show(self, sheet: workbook_cells.RawSheet, shown: Iterable[int]) -> None:
        """Add the rows of a sheet as lines that show some of its columns."""
        columns = sorted(shown) or [1]
        self._sheet_name, self._first_line, self._starts = sheet.name, len(self._lines) + 1, []
        for number, row in enumerate(sheet.rows or ({},), 1):
            starts: dict[int, int] = {}
            line = ""
            for column in columns:
                starts[column] = len(line) + 1
                self._cells[len(self._lines) + 1, starts[column]] = _name_cell(sheet.name, column, number)
                line += (row[column].text.replace("\n", " ") if column in row else "") + _BAR
            self._starts.append(starts)
            self._lines.append(line.removesuffix(_BAR))

    def _locate(self, row: int, column: int) -> tuple[int, int]:
        """Return the line and column of a cell; a cell that is not shown is added."""
        line, starts = self._first_line + row, self._starts[row]
        if column not in starts:
            starts[column] = len(self._lines[line - 1]) + len(_BAR) + 1
            self._lines[line - 1] += _BAR
            self._cells[line, starts[column]] = _name_cell(self._sheet_name, column, row + 1)
        return line, starts[column]

    def _report(self, row: int, column: int, code: str, message: str, help_: str | None = None) -> None:
        line, start = self._locate(row, column)
        source_line = self._lines[line - 1]
        end = source_line.find(_BAR, start - 1)
        self._problems.append(
            Diagnostic(
                code=code,
                message=message,
                file=self._name,
                line=line,
                column=start,
                length=max(1, (len(source_line) if end < 0 else end) - start + 1),
                source_line=source_line,
                help=help_,
                cell=str(self._cells[line, start]),
            )
        )

    def _read_cell(
        self, row: int, cell: workbook_cells.RawCell | None, place: SubmissionPlace | None, key: str
    ) -> Data:
        try:
            return None if cell is None else workbook_cells.read_value(cell, place, key)
        except workbook_cells.UnreadableCell as error:
            self._report(row, cell.column if cell else 1, "unreadable-cell", error.message, error.help)
            return None

    def _read_main(self, sheet: workbook_cells.RawSheet, entry_column: int, value_column: int) -> None:
        """Take the keys that are stated once."""
        rows: dict[KeyPath, int] = {}
        for row, cells in enumerate(sheet.rows[1:], 1):
            entry, cell = cells.get(entry_column), cells.get(value_column)
            if entry is None:
                if cell is not None:
                    self._report(row, value_column, "no-entry", "this value has no entry", "name its entry on its left")
                continue
            path = _split_heading(entry.text)
            if path in rows:
                message = f"{quote(entry.text)} is given twice: first in row {rows[path] + 1}"
                self._report(row, entry_column, "duplicate-key", message, "keep one")
                continue
            rows[path] = row
            node = self._root.open_path(path)
            node.position = SourcePosition(*self._locate(row, value_column), *self._locate(row, entry_column))
            place = _find_place(place_from_annotation(Submission), path)
            if place is not None and _is_mapping_list(place):
                node.items = []
                node.is_empty_list = cell is not None and cell.text.lower() == EMPTY_LIST
                if cell is not None and not node.is_empty_list:
                    help_ = f"state it on the sheet {name_sheet(path)}, or write {EMPTY_LIST} here"
                    self._report(row, value_column, "no-value-here", "this list has no value of its own", help_)
            elif cell is not None and (node.children is not None or (place is not None and "mapping" in place.kinds)):
                self._report(row, value_column, "no-value-here", "this entry has parts, and no value of its own")
            else:
                node.value = self._read_cell(row, cell, place, path[-1])

    def _read_list(self, sheet: workbook_cells.RawSheet, path: KeyPath) -> None:
        """Take the entries of a list."""
        place = _find_place(place_from_annotation(Submission), path)
        item = None if place is None else place.get_item()
        columns, use_column = self._read_headings(sheet, item)
        if use_column is None:
            self._report(0, 1, "no-heading", f"this sheet has no column {quote(USE)}", "`fairdeal new` writes one")
            return
        node = self._root.open_path(path)
        node.items = []
        node.position = SourcePosition(*self._locate(0, use_column), *self._locate(0, use_column))
        is_used: bool | None = None
        for row, cells in enumerate(sheet.rows[1:], 1):
            stated = [column for column in columns if column.column in cells]
            begins = use_column in cells or any(column.inner_list is None for column in stated)
            if begins:
                is_used = self._read_use(row, use_column, cells.get(use_column))
                if is_used:
                    node.items.append(self._read_entry(row, use_column, columns, cells))
            elif stated and is_used is None:
                self._report(row, stated[0].column, "no-entry", "this row continues no entry", "name its entry above")
            if is_used and node.items:
                self._read_inner(row, node.items[-1], columns, cells)
        if node.is_empty_list and node.items:
            message = f"the sheet {MAIN_SHEET} says that there are no such entries"
            self._report(0, use_column, "no-value-here", message, f"delete the {EMPTY_LIST} there, or the entries here")

    def _read_headings(
        self, sheet: workbook_cells.RawSheet, item: SubmissionPlace | None
    ) -> tuple[list[_Column], int | None]:
        """Return the columns of a list, and the column that says whether an entry is stated."""
        columns: list[_Column] = []
        use_column: int | None = None
        seen: dict[str, int] = {}
        for column, cell in sheet.rows[0].items():
            if cell.text in seen:
                self._report(0, column, "duplicate-key", f"{quote(cell.text)} is given twice", "keep one")
            seen[cell.text] = column
            if cell.text == USE:
                use_column = column
            elif cell.text != ABOUT:
                columns.append(_build_column(column, _split_heading(cell.text), item))
        for row, cells in enumerate(sheet.rows[1:], 1):
            for column in cells.keys() - sheet.rows[0].keys():
                help_ = "name the key in the first row, or delete the content"
                self._report(row, column, "no-heading", "the column of this cell has no heading", help_)
        return columns, use_column

    def _read_use(self, row: int, column: int, cell: workbook_cells.RawCell | None) -> bool:
        """Return whether an entry is stated."""
        if cell is not None and cell.text.lower() in workbook_cells.TRUTHS:
            return workbook_cells.TRUTHS[cell.text.lower()]
        help_ = "write yes if the entry belongs to the submission, otherwise no"
        self._report(row, column, "use-not-stated", f"{quote(USE)} says neither yes nor no", help_)
        return False

    def _read_entry(
        self, row: int, use_column: int, columns: list[_Column], cells: Mapping[int, workbook_cells.RawCell]
    ) -> _Node:
        """Return an entry of a list, without the lists in it."""
        entry = _Node(position=SourcePosition(*self._locate(row, use_column)), children={})
        for column in columns:
            if column.inner_list is None:
                node = entry.open_path(column.path)
                node.position = SourcePosition(*self._locate(row, column.column), *self._locate(0, column.column))
                node.value = self._read_cell(row, cells.get(column.column), column.place, column.path[-1])
        return entry

    def _read_inner(
        self, row: int, entry: _Node, columns: list[_Column], cells: Mapping[int, workbook_cells.RawCell]
    ) -> None:
        """Add what a row states to the lists in an entry."""
        for inner_list in dict.fromkeys(column.inner_list for column in columns if column.inner_list is not None):
            own = [column for column in columns if column.inner_list == inner_list]
            node = entry.open_path(inner_list)
            first = own[0].column
            if node.items is None:
                node.items = []
                node.position = SourcePosition(*self._locate(row, first), *self._locate(0, first))
            if not any(column.column in cells for column in own):
                continue
            item = _Node(position=SourcePosition(*self._locate(row, first)), children={})
            for column in own:
                child = item.open_path(column.path)
                child.position = SourcePosition(*self._locate(row, column.column), *self._locate(0, column.column))
                child.value = self._read_cell(row, cells.get(column.column), column.place, column.path[-1])
            node.items.append(item)


def _name_cell(sheet: str, column: int, row: int) -> SheetCell:
    return SheetCell(sheet, f"{workbook_cells.name_column(column)}{row}")


def _split_heading(text: str) -> KeyPath:
    return tuple(part.strip() for part in text.split(STEP.strip()))


def _find_place(place: SubmissionPlace | None, path: KeyPath) -> SubmissionPlace | None:
    """Return the values that the end of a path may have; None if submissions have no such key."""
    for key in path:
        place = None if place is None else place.get_child(key)
    return place


def _is_mapping_list(place: SubmissionPlace) -> bool:
    item = place.get_item()
    return item is not None and item.fields is not None


def _build_column(column: int, path: KeyPath, item: SubmissionPlace | None) -> _Column:
    """Return a column of a list; a list in its entries has columns of its own."""
    for length in range(1, len(path)):
        inner = _find_place(item, path[:length])
        if inner is not None and _is_mapping_list(inner):
            place = _find_place(inner.get_item(), path[length:])
            return _Column(column=column, path=path[length:], inner_list=path[:length], place=place)
    return _Column(column=column, path=path, inner_list=None, place=_find_place(item, path))


def _may_hold_blanks(node: _Node, place: SubmissionPlace | None) -> bool:
    """Return whether a node is a mapping whose keys may all be there without a value."""
    return node.children is not None and all(
        _may_be_null(place, key) and (child.children is None or _may_hold_blanks(child, _find_place(place, (key,))))
        for key, child in node.children.items()
    )


def _may_be_null(place: SubmissionPlace | None, key: str) -> bool:
    """Return whether a key may be there without a value."""
    if place is None or place.fields is None:
        return place is not None and place.values is not None
    annotations = {to_key(name): info.annotation for name, info in place.fields.model_fields.items()}
    return key in annotations and NoneType in get_args(annotations[key])
