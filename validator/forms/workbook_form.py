"""Workbook output: a form as sheets with drop-downs, amounts in the currency's format, and clauses next to the entries.

The same form gives the same bytes with the same version of zlib.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, BinaryIO

import xlsxwriter
from msgspec import Struct

from fairdeal.validator.audit.submissions import submission_workbook
from fairdeal.validator.audit.submissions.submission_workbook import MAIN_SHEET, USE
from fairdeal.validator.audit.submissions.workbook_cells import EMPTY_LIST, join_list, name_column
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.forms import form_entries
from fairdeal.validator.forms.submission_form import Schema
from fairdeal.validator.rulebook.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.plain_values import count_decimals

MEANING, CLAUSES = "What to write", "Clauses"
"""Headings of the columns of the main sheet that are not read."""
_ROWS_OFFERED = 500
"""Rows of a list with drop-downs."""
_MOST_COMBINED = 4
"""Words of which lists are offered with all their combinations."""
_PROMPT_TITLE, _PROMPT = 32, 255
"""Characters of the title and text that a spreadsheet shows at a chosen cell."""
_FIRST_DAY = date(1900, 3, 1)
"""First day that all spreadsheets count in the same way."""
_CREATED = datetime(2000, 1, 1)
"""Time of the workbook in its properties: the same form gives the same bytes."""
_WIDTHS = {"money": 16, "day": 12, "number": 9, "truth": 8, "text": 22}
_GUIDE_WIDTH, _PROSE_WIDTH = 96, 64
"""Characters of the columns of explanations."""
_LINE_HEIGHT = 15
"""Points of a line of text."""
_GUIDE = (
    f"The sheet {MAIN_SHEET} has what is stated once; each other sheet is a list. Fill in the coloured cells."
    " What stays blank is not stated.",
    f"Lists have a row for each entry. Write yes under {USE} for entries that belong to the submission, and no for the"
    " others, which are then grey. Add rows at the end for further entries.",
    "Rows without yes or no belong to the entry above them, such as the further rows of a pay table.",
    f"Several values in a cell are separated by commas. {EMPTY_LIST} states that there are none.",
    "Amounts are in units of the currency. Cells with formulas are not read.",
    "`fairdeal check FILE.xlsx` reports what is missing or not lawful, with sheet and cell.",
)


class _Input(Struct, frozen=True, kw_only=True):
    """Cell, or column of cells, to fill in."""

    path: submission_workbook.KeyPath
    """Keys that lead to it; in a list, those from the entry."""
    kind: str
    """Kind of its values: `money`, `day`, `number`, `truth` or `text`."""
    choices: tuple[str, ...] = ()
    """Values of its drop-down."""
    is_closed: bool = False
    """True if there are no other values."""
    meaning: str = ""
    """Its meaning."""


def write_workbook(form: form_entries.SubmissionForm, schema: Schema, stream: BinaryIO) -> None:
    """Write a form as a workbook.

    Args:
        form: The form.
        schema: JSON Schema of submissions for the game, for the drop-downs.
        stream: The workbook; it must be able to seek.
    """
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(stream, options) as book:
        book.set_properties({"title": sanitize(form.header[0]), "created": _CREATED})
        _WorkbookWriter(book, form, schema).write()


class _WorkbookWriter:
    def __init__(self, book: Any, form: form_entries.SubmissionForm, schema: Schema) -> None:
        currency = next((field.value for field in form.fields if field.key == "currency"), None)
        decimals = count_decimals(currency)
        amount = f"#,##0{'.' if decimals else ''}{'0' * decimals}"
        is_code = isinstance(currency, str) and currency.isalpha()
        formats = {
            "money": f"[${currency}] {amount}" if is_code else amount,
            "day": "yyyy-mm-dd",
            "number": "0",
            "truth": "@",
            "text": "@",
        }
        self._book, self._form, self._schema = book, form, schema
        wrapped = {"text_wrap": True, "valign": "top"}
        self._heading = book.add_format({"bold": True, "bottom": 1, "bg_color": "#DCE6F1", **wrapped})
        self._prose = book.add_format(wrapped)
        self._grey = book.add_format({"font_color": "#A6A6A6", "bg_color": "#F2F2F2"})
        self._inputs = {
            kind: book.add_format({"num_format": number, "bg_color": "#FFF9E5", "border": 1, "border_color": "#D9D9D9"})
            for kind, number in formats.items()
        }
        for look in self._inputs.values():
            look.set_align("top")
            look.set_text_wrap()
        self._lists: dict[tuple[str, ...], str] = {}

    def write(self) -> None:
        """Write all sheets."""
        guide, main = (self._book.add_worksheet(name) for name in (submission_workbook.GUIDE_SHEET, MAIN_SHEET))
        lists = list(_list_fields(self._form.fields, ()))
        self._write_guide(guide, lists)
        self._write_main(main)
        for path, field in lists:
            self._write_list(self._book.add_worksheet(submission_workbook.name_sheet(path)), path, field)
        for sheet in self._book.worksheets():
            sheet.set_landscape()
            sheet.fit_to_pages(1, 0)
        choices = self._book.add_worksheet(submission_workbook.CHOICES_SHEET)
        for column, values in enumerate(self._lists):
            for row, value in enumerate(values):
                choices.write_string(row, column, value)
        choices.hide()
        main.activate() if not self._form.is_blank else guide.activate()

    def _write_guide(self, sheet: Any, lists: list[tuple[submission_workbook.KeyPath, form_entries.FormField]]) -> None:
        """Write the explanations of the workbook and of its lists."""
        sheet.set_column(0, 0, _GUIDE_WIDTH, self._prose)
        others = ", ".join(self._form.other_keys)
        lines: list[tuple[str, Any]] = [(line, self._prose) for line in (*self._form.header, "", *_GUIDE)]
        if others:
            text = f"These entries may be stated as well; the rules do not refer to them: {others}."
            lines.append((text, self._prose))
        for path, field in lists:
            lines += [("", self._prose), (f"Sheet {submission_workbook.name_sheet(path)}", self._heading)]
            keys = (f"{key.key}: {key.meaning}{_add_permitted(key.permitted)}" for key in field.entry_keys)
            lines += [(line, self._prose) for line in (*field.comments, *_list_clauses(field), *keys)]
        for row, (line, look) in enumerate(lines):
            sheet.write_string(row, 0, sanitize(line), look)
            _set_height(sheet, row, _count_lines([line], _GUIDE_WIDTH))

    def _write_main(self, sheet: Any) -> None:
        """Write what is stated once."""
        for column, (name, width) in enumerate(
            (
                (submission_workbook.ENTRY, 26),
                (submission_workbook.VALUE, 30),
                (MEANING, _PROSE_WIDTH),
                (CLAUSES, _PROSE_WIDTH),
            )
        ):
            sheet.set_column(column, column, width)
            sheet.write_string(0, column, name, self._heading)
        sheet.freeze_panes(1, 2)
        for row, (path, field) in enumerate(_list_rows(self._form.fields, ()), 1):
            about = [*field.comments, *_describe_permitted(field.permitted)]
            sheet.write_string(row, 0, submission_workbook.STEP.join(path), self._prose)
            place = _find_place(place_from_annotation(Submission), path)
            if field.items is not None or _is_mapping_list(place):
                about.append(f"Entries are on the sheet {submission_workbook.name_sheet(path)}.")
                if field.value == [] or (field.items == () and not self._form.is_blank):
                    sheet.write_string(row, 1, EMPTY_LIST, self._inputs["text"])
            elif field.fields is None:
                cell = self._build_input(path, path, place, " ".join(about))
                self._write_value(sheet, row, 1, cell, field.value if field.is_chosen else None)
                self._offer(sheet, (row, 1, row, 1), cell)
            clauses = _list_clauses(field)
            sheet.write_string(row, 2, _join_lines(about), self._prose)
            sheet.write_string(row, 3, _join_lines(clauses), self._prose)
            _set_height(sheet, row, max(_count_lines(lines, _PROSE_WIDTH) for lines in (about, clauses)))

    def _write_list(self, sheet: Any, path: submission_workbook.KeyPath, field: form_entries.FormField) -> None:
        """Write a list: a row for each entry, and further rows for the lists in it."""
        place = _find_place(place_from_annotation(Submission), path)
        item = None if place is None else place.get_item()
        assert item is not None
        items = form_entries.build_field(field.key, field.value).items or () if field.items is None else field.items
        meanings = {key.key: f"{key.meaning}{_add_permitted(key.permitted)}" for key in field.entry_keys}
        keys = {*meanings, *(inner.key for entry in items for inner in entry.fields)}
        inputs = [
            self._build_input(column, (*path, _ITEM, *column), _find_place(item, column), meanings.get(column[0], ""))
            for column in _list_columns(item, ())
            if column[0] in keys
        ]
        use = _Input(path=(USE,), kind="truth", choices=("yes", "no"), is_closed=True, meaning=_USE_MEANING)
        for number, cell in enumerate((use, *inputs)):
            sheet.set_column(number, number, _WIDTHS[cell.kind])
            sheet.write_string(0, number, submission_workbook.STEP.join(cell.path), self._heading)
            self._offer(sheet, (1, number, _ROWS_OFFERED, number), cell)
        last = len(inputs) + 1
        sheet.set_column(last, last, _PROSE_WIDTH)
        sheet.write_string(0, last, submission_workbook.ABOUT, self._heading)
        sheet.freeze_panes(1, 2)
        sheet.conditional_format(
            *(1, 0, _ROWS_OFFERED, last),
            {"type": "formula", "criteria": '=LOOKUP(2,1/($A$2:$A2<>""),$A$2:$A2)="no"', "format": self._grey},
        )
        row = 1
        for entry in items:
            self._write_value(sheet, row, 0, use, entry.is_chosen)
            sheet.write_string(row, last, _join_lines(entry.comments), self._prose)
            _set_height(sheet, row, _count_lines(entry.comments, _PROSE_WIDTH))
            height = 1
            for number, cell in enumerate(inputs, 1):
                values = _list_values(entry, cell.path)
                height = max(height, len(values))
                for offset, value in enumerate(values):
                    self._write_value(sheet, row + offset, number, cell, value)
            row += height

    def _build_input(
        self,
        path: submission_workbook.KeyPath,
        keys: submission_workbook.KeyPath,
        place: SubmissionPlace | None,
        meaning: str,
    ) -> _Input:
        """Return a cell to fill in; `keys` lead to it from the submission."""
        kinds = frozenset[str]() if place is None else place.kinds
        node = _find_schema(self._schema, self._schema, keys)
        choices, is_closed = _list_choices(node, self._schema)
        kind = "text"
        if "list" not in kinds and keys[-1] in find_money_keys():
            kind = "money"
        elif "day" in kinds:
            kind = "day"
        elif kinds == {"number"}:
            kind = "number"
        elif kinds == {"yes or no"}:
            kind = "truth"
        if "list" in kinds:
            sizes = range(1, len(choices) + 1) if is_closed and len(choices) <= _MOST_COMBINED else ()
            choices = (*(join_list(some) for size in sizes for some in combinations(choices, size)),)
            choices, is_closed = ((*choices, EMPTY_LIST), False) if choices else ((), False)
        return _Input(path=path, kind=kind, choices=choices, is_closed=is_closed, meaning=meaning)

    def _offer(self, sheet: Any, cells: tuple[int, int, int, int], cell: _Input) -> None:
        """Add a drop-down, a check of amounts and days, and the explanation that a chosen cell shows."""
        rule: dict[str, Any] = {"validate": "any"}
        if cell.choices:
            rule = {"validate": "list", "source": self._list_source(cell.choices)}
            rule |= {"error_type": "stop"} if cell.is_closed else {"show_error": False}
        elif cell.kind in ("money", "number"):
            rule = {"validate": "decimal", "criteria": ">=", "value": 0, "error_type": "warning"}
        elif cell.kind == "day":
            rule = {"validate": "date", "criteria": ">=", "value": _FIRST_DAY, "error_type": "warning"}
        if cell.meaning:
            rule["input_title"] = submission_workbook.STEP.join(cell.path)[:_PROMPT_TITLE]
            rule["input_message"] = sanitize(cell.meaning)[:_PROMPT]
        if rule != {"validate": "any"}:
            sheet.data_validation(*cells, rule)

    def _list_source(self, choices: tuple[str, ...]) -> str:
        """Return the cells of the choices; equal choices have the same cells."""
        if choices not in self._lists:
            column = name_column(len(self._lists) + 1)
            self._lists[choices] = f"={submission_workbook.CHOICES_SHEET}!${column}$1:${column}${len(choices)}"
        return self._lists[choices]

    def _write_value(self, sheet: Any, row: int, column: int, cell: _Input, value: Any) -> None:
        look = self._inputs[cell.kind]
        day = _parse_day(value) if cell.kind == "day" else None
        number = _parse_number(value) if cell.kind in ("money", "number") else None
        if value is None:
            sheet.write_blank(row, column, None, look)
        elif day is not None:
            sheet.write_datetime(row, column, day, look)
        elif number is not None:
            sheet.write_number(row, column, number, look)
        else:
            sheet.write_string(row, column, _format_text(value), look)


def _join_lines(lines: Iterable[str]) -> str:
    return "\n".join(map(sanitize, lines))


def _count_lines(paragraphs: Iterable[str], width: int) -> int:
    """Return the lines that paragraphs take in a column, with a reserve for words that do not fit."""
    return sum(-(-len(paragraph) // (width - 4)) or 1 for paragraph in paragraphs)


def _set_height(sheet: Any, row: int, lines: int) -> None:
    """Set the height of a row: not all spreadsheet programs fit it to wrapped texts."""
    if lines > 1:
        sheet.set_row(row, lines * _LINE_HEIGHT)


_ITEM = "*"
_USE_MEANING = "yes if the entry belongs to the submission, otherwise no."


def _list_fields(
    fields: Iterable[form_entries.FormField], here: submission_workbook.KeyPath
) -> Iterator[tuple[submission_workbook.KeyPath, form_entries.FormField]]:
    """Yield the lists of mappings of a form with their paths."""
    for path, field in _list_rows(fields, here):
        if field.items is not None or _is_mapping_list(_find_place(place_from_annotation(Submission), path)):
            yield path, field


def _list_rows(
    fields: Iterable[form_entries.FormField], here: submission_workbook.KeyPath
) -> Iterator[tuple[submission_workbook.KeyPath, form_entries.FormField]]:
    """Yield every key of a form with its path; not the keys of entries of lists."""
    for field in fields:
        yield (*here, field.key), field
        yield from _list_rows(field.fields or (), (*here, field.key))


def _list_columns(place: SubmissionPlace, here: submission_workbook.KeyPath) -> Iterator[submission_workbook.KeyPath]:
    """Yield the keys of the entries of a list, with those of mappings and lists in them."""
    for name in () if place.fields is None else place.fields.model_fields:
        key = to_key(name)
        inner = place.get_child(key)
        assert inner is not None
        item = inner.get_item()
        parts = list(_list_columns(item or inner, (*here, key)))
        yield from parts or [(*here, key)]


def _list_values(entry: form_entries.FormEntry, path: submission_workbook.KeyPath) -> list[Any]:
    """Return the values of an entry in a column: several for a list in the entry."""
    field = next((field for field in entry.fields if field.key == path[0]), None)
    if field is None:
        return []
    if field.items is not None:
        return [value for item in field.items for value in _list_values(item, path[1:]) or [None]]
    if field.fields is not None:
        return _list_values(form_entries.FormEntry(fields=field.fields), path[1:])
    return [field.value] if len(path) == 1 else []


def _find_place(place: SubmissionPlace, path: submission_workbook.KeyPath) -> SubmissionPlace | None:
    """Return the values that the end of a path may have, through lists of mappings."""
    inner: SubmissionPlace | None = place
    for key in path:
        item = None if inner is None else inner.get_item()
        inner = None if inner is None else (item or inner).get_child(key)
    return inner


def _is_mapping_list(place: SubmissionPlace | None) -> bool:
    item = None if place is None else place.get_item()
    return item is not None and item.fields is not None


def _find_schema(node: Schema, schema: Schema, keys: submission_workbook.KeyPath) -> Schema:
    """Return the schema at a place; an empty one if there is none."""
    node = _resolve(node, schema)
    if not keys:
        return node
    if "items" in node:  # an inner list has no step of its own
        return _find_schema(node["items"], schema, keys[1:] if keys[0] == _ITEM else keys)
    inner = node.get("properties", {}).get(keys[0], node.get("additionalProperties"))
    return _find_schema(inner, schema, keys[1:]) if isinstance(inner, dict) else {}


def _resolve(node: Schema, schema: Schema) -> Schema:
    """Return a schema without references, and without the alternative that there is no value."""
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    structured = [option for option in options if {"$ref", "properties", "items"} & option.keys()]
    if len(options) == 1 or structured:
        return _resolve((structured or options)[0], schema)
    return node


def _list_choices(node: Schema, schema: Schema) -> tuple[tuple[str, ...], bool]:
    """Return the values that a schema names, and whether there are no others."""
    if "items" in node:
        return _list_choices(_resolve(node["items"], schema), schema)
    if node.get("type") == "boolean":
        return ("yes", "no"), True
    if "enum" in node:
        return tuple(_format_text(value) for value in node["enum"] if value is not None), True
    parts = [_list_choices(option, schema) for option in node.get("anyOf", ()) if option.get("type") != "null"]
    return tuple(value for values, _ in parts for value in values), bool(parts) and all(closed for _, closed in parts)


def _list_clauses(field: form_entries.FormField) -> list[str]:
    return [form_entries.format_requirement(requirement) for requirement in field.requirements]


def _add_permitted(permitted: form_entries.PermittedValues | None) -> str:
    return "".join(f" {sentence}" for sentence in _describe_permitted(permitted))


def _describe_permitted(permitted: form_entries.PermittedValues | None) -> tuple[str, ...]:
    """Return a sentence on the values that a cell may have; none if there are many."""
    if permitted is None:
        return ()
    values = ", ".join(map(_format_text, permitted.values))
    sentences: Mapping[str, str] = {
        "only": f"The rules allow only {values}.",
        "one": f"One of: {values}.",
        "several": f"One or several, with commas between them, of: {values}.",
        "known": f"Values known to the rules: {values}.",
        "truth": f"yes or no; the rules test {values}." if values else "yes or no.",
        "list": "Separate several with commas.",
    }
    return (sentences[permitted.kind],)


def _format_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return join_list(value) if isinstance(value, list) else str(value)


def _parse_day(value: Any) -> datetime | None:
    """Return a day that spreadsheets can count."""
    try:
        day = datetime.fromisoformat(value) if isinstance(value, str) and len(value) == len("2026-01-31") else None
    except ValueError:
        return None
    return day if day is not None and day.date() >= _FIRST_DAY else None


def _parse_number(value: Any) -> float | None:
    """Return a value as a number; None if it is none, or has more digits than a cell keeps."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    is_exact = number.is_finite() and len(number.as_tuple().digits) <= 15
    return float(number) if is_exact else None
