"""Positioned data of a YAML, JSON or TOML file: every value and key with its line and column, and a bounded builder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

from msgspec import Struct, field

from fairdeal.validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError, quote

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | Decimal | bool | None"
"""Content of a file. A number with a point or an exponent is a Decimal; there are no floats."""

DataPath: TypeAlias = tuple[str | int, ...]
"""Path from the root to a value: mapping keys and list indices. The root is `()`."""

LEFT_OUT_KEYS = frozenset({"all", "check", "fact", "from", "in", "number", "of", "rule", "submitted", "value"})
"""Keys of models whose content a file writes in their place: the path of the content may contain them or not."""
OPERATORS_WITH_MAIN_PART = frozenset(
    ("count", "difference", "distinct", "every", "largest", "passed-over", "remainder", "some", "times", "total")
)
"""Operators next to which a file writes all keys of the operand but one: a path may lead into them for such a key."""

_QUOTED = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"?|'[^']*(?:''[^']*)*'?""")
_BARE = re.compile(r"[^\s,\[\]{}:]+(?::(?=\S)[^\s,\[\]{}:]*)*")
_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class SourcePosition(Struct, frozen=True, gc=False):
    """Position of a value and, in a mapping, of its key. All numbers count from 1."""

    line: int
    """Line of the value."""
    column: int
    """Column of the value."""
    key_line: int | None = None
    """Line of the key; None outside mappings."""
    key_column: int | None = None
    """Column of the key; None outside mappings."""


class SheetCell(NamedTuple):
    """Cell of a workbook."""

    sheet: str
    """Name of the sheet."""
    cell: str
    """Column and row, such as `C4`."""

    def __str__(self) -> str:
        return f"sheet {self.sheet}, cell {self.cell}"


class PositionedDocument(Struct, frozen=True, kw_only=True):
    """A file as plain data, with the position of each part."""

    data: Data
    """The data."""
    source_name: str
    """Name of the input."""
    lines: Sequence[str]
    """Lines of the file without their breaks."""
    positions: Mapping[DataPath, SourcePosition]
    """Position of every value, including the root."""
    origins: Mapping[DataPath, str] = field(default_factory=dict)
    """Origin of parts that are not in the file in this form, in a few words."""
    cells: Mapping[tuple[int, int], SheetCell] = field(default_factory=dict)
    """Cell at each line and column of a workbook, whose rows are the lines; empty for other files."""

    def get_position(self, path: DataPath) -> SourcePosition:
        """Return the position of the value at a path, or of its nearest existing ancestor."""
        return self.positions[self.find_nearest(path)]

    def find_nearest(self, path: DataPath) -> DataPath:
        """Return a path if it has a value, otherwise its nearest existing ancestor.

        A path may contain keys that the file leaves out (`LEFT_OUT_KEYS`) and does not have at this place. It may also
        lead into an operator for a key that the file writes next to it (`OPERATORS_WITH_MAIN_PART`).
        """
        if path not in self.positions:
            written: DataPath = ()
            for part in path:
                if (*written, part) in self.positions:
                    written = (*written, part)
                elif part not in LEFT_OUT_KEYS:
                    is_next = written[-1:] and written[-1] in OPERATORS_WITH_MAIN_PART
                    written = (*written[:-1], part) if is_next else (*written, part)
            path = written
        while path not in self.positions:
            path = path[:-1]
        return path

    def find_name(self, path: DataPath, name: str) -> DataPath:
        """Return the place of a name at or below a path, as a value or a key; the path if the name is not there."""
        here = self.find_nearest(path)
        parts = (part for part in self.positions if part[: len(here)] == here)
        return next((part for part in parts if name in (self.get_value(part), *part[-1:])), path)

    def get_origin(self, path: DataPath) -> str | None:
        """Return the origin of a part that is not in the file in this form; None for others."""
        path = self.find_nearest(path)
        around = (path[:length] for length in range(len(path), -1, -1)) if self.origins else ()
        return next((self.origins[outer] for outer in around if outer in self.origins), None)

    def get_value(self, path: DataPath) -> Data:
        """Return the value at a path. Raises KeyError if there is none."""
        if path not in self.positions:
            raise KeyError(path)
        value = self.data
        for part in path:
            value = value[part]  # type: ignore[index]  # every step exists because the path has a position
        return value

    def resolve_pointer(self, pointer: str) -> DataPath:
        """Return the path of the value that a JSON Pointer names.

        Raises ValueError if the text is not a JSON Pointer, and KeyError if there is no such value.
        """
        path: DataPath = ()
        for token in _split_pointer(pointer):
            container = self.get_value(path)
            step = int(token) if isinstance(container, list) and _INDEX.fullmatch(token) else token
            path = (*path, step)
            if path not in self.positions:
                raise KeyError(pointer)
        return path

    def build_diagnostic(
        self,
        path: DataPath,
        code: str,
        message: str,
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002 - the field of Diagnostic it fills
        at_key: bool = False,
        severity: Literal["error", "warning"] = "error",
    ) -> Diagnostic:
        """Build a diagnostic at the value at a path, or at its key.

        If the path has no value, the diagnostic is at the key of the nearest ancestor.
        """
        existing = self.find_nearest(path)
        position = self.positions[existing]
        line, column, text = position.line, position.column, self.get_value(existing)
        is_found = existing[-1:] == path[-1:] or path[-1] in LEFT_OUT_KEYS
        if (at_key or not is_found) and position.key_line is not None and position.key_column is not None:
            line, column, text = position.key_line, position.key_column, existing[-1]
        # An empty value may follow the last line: `---` alone is an empty document.
        source_line = self.lines[line - 1] if line <= len(self.lines) else ""
        origin = self.get_origin(existing)
        return Diagnostic(
            code=code,
            message=message if origin is None else f"{message} ({origin})",
            file=self.source_name,
            line=line,
            column=column,
            length=measure_span(source_line, column, text),
            source_line=source_line,
            expected=expected,
            help=help,
            severity=severity,
            cell=str(self.cells[line, column]) if self.cells else None,
        )


def measure_span(line: str, column: int, text: object = None) -> int:
    """Return the number of characters to underline from a column of a line.

    This is all of `text` if exactly that is there; otherwise the quoted text, word or number that begins there;
    otherwise 1.
    """
    if text and isinstance(text, str) and line.startswith(text, column - 1):
        return len(text)
    token = _QUOTED.match(line, column - 1) or _BARE.match(line, column - 1)
    return max(1, token.end() - token.start()) if token else 1


def format_pointer(path: DataPath) -> str:
    """Return a path as a JSON Pointer (RFC 6901): `/pay-tables/0/rows`; the root is the empty string."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def parse_pointer(text: str) -> DataPath:
    """Return the path of a JSON Pointer, with numbers as list indices.

    If a mapping may have numbers as keys, use `Tree.find`, which distinguishes them. Raises ValueError if the text is
    not a JSON Pointer.
    """
    return tuple(int(token) if _INDEX.fullmatch(token) else token for token in _split_pointer(text))


def _split_pointer(text: str) -> list[str]:
    if (text and not text.startswith("/")) or _BAD_ESCAPE.search(text):
        raise ValueError(f"not a JSON Pointer: {text!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]


MAX_WHOLE_DIGITS = 19
"""Maximum number of digits of a whole number: enough for any amount in minor units."""

MAX_DECIMAL_DIGITS = 15
"""Maximum number of digits of a number with a point.

Up to 15 digits survive a binary float unchanged, so no library on the way can alter them.
"""

MAX_EXPONENT = 30

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BASED = re.compile(r"0(o[0-7]+|x[0-9a-fA-F]+)")
_DECIMAL = re.compile(r"[-+]?(?:(0|[1-9][0-9]*)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([-+]?[0-9]+))?")


def parse_number(text: str) -> int | Decimal | None:
    """Return the number that YAML 1.2 reads in a text; None if it is no number.

    Numbers with leading zeros are not recognised here. Raises ValueError, with a sentence for people, if the number has
    too many digits.
    """
    if _WHOLE.fullmatch(text) or _BASED.fullmatch(text):
        if len(text.removeprefix("0o").removeprefix("0x").lstrip("-+")) > MAX_WHOLE_DIGITS:
            raise ValueError(f"this number has more than {MAX_WHOLE_DIGITS} digits")
        return int(text, 0)
    parts = _DECIMAL.fullmatch(text)
    if parts is None:
        return None
    digits = "".join(part for part in parts.group(1, 2, 3) if part).lstrip("0")
    if len(digits) > MAX_DECIMAL_DIGITS or len(text) > 2 * (MAX_WHOLE_DIGITS + MAX_EXPONENT):
        raise ValueError(f"this number has a point or an exponent and more than {MAX_DECIMAL_DIGITS} digits")
    if parts.group(4) and (len(parts.group(4)) > 4 or abs(int(parts.group(4))) > MAX_EXPONENT):
        raise ValueError(f"the exponent of this number is beyond {MAX_EXPONENT}")
    return Decimal(text)


MAX_DEPTH = 64
"""Maximum depth of nested lists and mappings."""

MAX_NODES = 200_000
"""Maximum number of values in a file."""


class _Frame(Struct):
    """An open list or mapping."""

    path: DataPath
    """Its path."""
    container: Any
    """Its content so far."""
    is_mapping: bool
    """True for a mapping."""
    key: str = ""
    """Key of the last value of a mapping, or of the next one."""
    key_line: int | None = None
    """Line of the key, from 1."""
    key_column: int | None = None
    """Column of the key, from 1."""


class DocumentBuilder:
    """Builder that takes keys and values in the order of the file, and returns the tree or raises every problem.

    `complain` notes a problem and continues; `refuse` ends the load.
    """

    def __init__(self, source_name: str, lines: tuple[str, ...]) -> None:
        self._source_name = source_name
        self._lines = lines
        self._positions: dict[DataPath, SourcePosition] = {}
        self._problems: list[Diagnostic] = []
        self._stack: list[_Frame] = []
        self._data: Data = None
        self.expects_key = False
        """True if the innermost open container is a mapping that needs a key next."""

    def add_key(self, text: str, line: int, column: int) -> None:
        """Take the key of the next entry of the open mapping."""
        frame = self._stack[-1]
        if text in frame.container:
            first = self._positions[(*frame.path, text)]
            self.report(
                "duplicate-key",
                f"{quote(text)} is given twice in the same mapping",
                line,
                column,
                text=text,
                help_=f"it is first given at line {first.key_line}, column {first.key_column}: keep one",
            )
        frame.key, frame.key_line, frame.key_column = text, line, column
        self.expects_key = False

    def open_container(self, container: list[Data] | dict[str, Data], line: int, column: int) -> None:
        """Open an empty list or mapping; what follows goes into it until `close`."""
        if self.expects_key:
            help_ = "use text for the key"
            self.abort("key-not-text", "a list or mapping cannot be a key", line, column, help_=help_)
        if len(self._stack) >= MAX_DEPTH:
            self.abort("too-deep", f"more than {MAX_DEPTH} lists and mappings inside each other", line, column)
        is_mapping = isinstance(container, dict)
        self._stack.append(_Frame(self.add_value(container, line, column), container, is_mapping))
        self.expects_key = is_mapping

    def add_value(self, value: Data, line: int, column: int) -> DataPath:
        """Take a value, of a container only that it is there. Return its path."""
        if len(self._positions) >= MAX_NODES:
            self.abort(
                "too-many-values",
                f"more than {MAX_NODES:,} values in one file",
                line,
                column,
                help_="split it into several files",
            )
        if not self._stack:
            self._data = value
            self._positions[()] = SourcePosition(line, column)
            return ()
        frame = self._stack[-1]
        path: DataPath
        if frame.is_mapping:
            path = (*frame.path, frame.key)
            frame.container[frame.key] = value
            self._positions[path] = SourcePosition(line, column, frame.key_line, frame.key_column)
            self.expects_key = True
        else:
            path = (*frame.path, len(frame.container))
            frame.container.append(value)
            self._positions[path] = SourcePosition(line, column)
        return path

    def close_container(self) -> None:
        """End the innermost list or mapping."""
        self._stack.pop()
        self.expects_key = bool(self._stack) and self._stack[-1].is_mapping

    def report(
        self,
        code: str,
        message: str,
        line: int,
        column: int,
        *,
        text: str | None = None,
        help_: str | None = None,
    ) -> None:
        """Note a problem that does not prevent reading the rest, at the place of `text`.

        Raises InputError after twenty problems.
        """
        source_line = self._lines[line - 1]
        self._problems.append(
            Diagnostic(
                code=code,
                message=message,
                file=self._source_name,
                line=line,
                column=column,
                length=measure_span(source_line, column, text),
                source_line=source_line,
                help=help_,
            )
        )
        if len(self._problems) >= MAX_PROBLEMS:
            self._raise_problems()

    def abort(
        self,
        code: str,
        message: str,
        line: int,
        column: int,
        *,
        text: str | None = None,
        help_: str | None = None,
    ) -> NoReturn:
        """Note a problem that ends the load. Raises InputError with all problems."""
        self.report(code, message, line, column, text=text, help_=help_)
        self._raise_problems()

    def build(self, problems: list[Diagnostic] | None = None) -> PositionedDocument:
        """Return the tree. Raises InputError with every noted problem, or adds them to `problems` if that is given."""
        if problems is not None:
            problems += self._problems
        elif self._problems:
            self._raise_problems()
        return PositionedDocument(
            data=self._data, source_name=self._source_name, lines=self._lines, positions=self._positions
        )

    def _raise_problems(self) -> NoReturn:
        raise InputError(tuple(self._problems))
