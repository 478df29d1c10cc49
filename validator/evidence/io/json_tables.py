"""JSON objects as tables: a column for each JSON Pointer, and a row for each entry of the lists that a map names.

In a pointer, `*` is each entry of a list: `/players/*/bets/*/stake`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import islice, pairwise
from typing import Any, BinaryIO

import msgspec

from fairdeal.validator.evidence.io.record_parts import split_objects
from fairdeal.validator.evidence.io.tables import Rows, build_table_problem
from fairdeal.validator.text.diagnostics import InputError, quote

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
