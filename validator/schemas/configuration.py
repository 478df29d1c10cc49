"""The configuration file: TOML with the position of every value, and defaults for the options of a run."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field

from fairdeal.validator.reports.renderers import RENDERERS
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.text.closed_model import ClosedModel, Day
from fairdeal.validator.text.closed_model import Prose as Place
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import MAX_DEPTH, Data, DataPath, PositionedDocument, SourcePosition
from fairdeal.validator.text.source import Source, locate, split_lines

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_BLANK = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_QUOTED = re.compile(
    r'''"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"{3,5}'''
    r"""|'''[^']*(?:'(?!'')[^']*)*'{3,5}"""
    r"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*\'""",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")


def load_toml(source: Source) -> PositionedDocument:
    """Return the tree of a TOML file. Days and times become text, fractions Decimals.

    Raises InputError if it is not TOML, or if it is nested more deeply than any file that a person writes.
    """
    text = source.text.replace("\r\n", "\n")
    try:
        data = tomllib.loads(text, parse_float=_parse_fraction)
    except ValueError as error:
        raise _build_syntax_error(source, text, str(error)) from error
    except RecursionError as error:
        raise _build_depth_error(source.name) from error
    scan = _Scan(text, source.name)
    scan.document()
    return PositionedDocument(
        data=_to_plain_data(data), source_name=source.name, lines=tuple(split_lines(text)), positions=scan.positions()
    )


def _parse_fraction(text: str) -> Decimal | str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def _to_plain_data(value: Any) -> Data:
    if isinstance(value, dict):
        return {key: _to_plain_data(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_to_plain_data(part) for part in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    plain: Data = value
    return plain


def _build_syntax_error(source: Source, text: str, parser_message: str) -> InputError:
    place = _PLACE.search(parser_message)
    line, column = (int(place[1]), int(place[2])) if place and place[1] else locate(text, len(text.rstrip()))
    reason = _PLACE.sub("", parser_message)
    return InputError(
        (
            Diagnostic(
                code="not-toml",
                message=f"this is not TOML: {reason[:1].lower()}{reason[1:]}",
                file=source.name,
                line=line,
                column=column,
                source_line=split_lines(text)[line - 1],
            ),
        )
    )


def _build_depth_error(name: str) -> InputError:
    message = f"more than {MAX_DEPTH} lists and tables inside each other"
    return InputError((Diagnostic(code="too-deep", message=message, file=name),))


class _Scan:
    """Scanner for the positions of keys and values in valid TOML."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._starts: dict[DataPath, tuple[int, int | None]] = {(): (0, None)}
        """Index where each value begins and, in a table, where its key begins."""
        self._tables: dict[DataPath, int] = {}
        """Number of tables in each list of tables so far."""

    def positions(self) -> dict[DataPath, SourcePosition]:
        """Return line and column of everything that was found."""
        starts = [0, *(index + 1 for index, char in enumerate(self._text) if char == "\n")]

        def place(index: int) -> tuple[int, int]:
            line = bisect_right(starts, index)
            return line, index - starts[line - 1] + 1

        return {
            path: SourcePosition(*place(value), *((None, None) if key is None else place(key)))
            for path, (value, key) in self._starts.items()
        }

    def document(self) -> None:
        """Scan the whole text."""
        table: DataPath = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text.startswith("[[", self._at):
                table = self._header(2)
            elif self._text.startswith("[", self._at):
                table = self._header(1)
            else:
                self._entry(table, 0)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
        return self._at

    def _header(self, brackets: int) -> DataPath:
        start = self._at
        self._at += brackets
        keys = self._keys()
        self._skip(_SPACE)
        self._at += brackets
        path: DataPath = ()
        for number, (key, index) in enumerate(keys, 1):
            path = (*path, key)
            self._starts.setdefault(path, (start, index))
            if number == len(keys) and brackets == 2:
                self._tables[path] = self._tables.get(path, 0) + 1
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
                self._starts.setdefault(path, (start, None))
        return path

    def _entry(self, table: DataPath, depth: int) -> None:
        """Scan a key and its value."""
        path = table
        for key, index in self._keys():
            path = (*path, key)
            self._starts.setdefault(path, (index, index))
        self._skip(_SPACE)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._starts[path] = (self._at, self._starts[path][1])
        self._value(path, depth)

    def _keys(self) -> list[tuple[str, int]]:
        """Return the parts of a dotted key, and where each begins."""
        parts: list[tuple[str, int]] = []
        while True:
            start = self._skip(_SPACE)
            quoted = self._text[start] in "\"'"
            end = self._skip(_QUOTED if quoted else _BARE_KEY)
            written = self._text[start:end]
            parts.append((next(iter(tomllib.loads(f"{written}=0"))) if quoted else written, start))
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return parts
            self._at += 1

    def _value(self, path: DataPath, depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise _build_depth_error(self._name)
        opening = self._text[self._at]
        if opening in "\"'":
            self._skip(_QUOTED)
        elif opening == "[":
            self._at += 1
            number = 0
            while self._text[self._skip(_BLANK)] != "]":
                self._starts[*path, number] = (self._at, None)
                self._value((*path, number), depth + 1)
                number += 1
                self._comma()
            self._at += 1
        elif opening == "{":
            self._at += 1
            while self._text[self._skip(_BLANK)] != "}":
                self._entry(path, depth + 1)
                self._comma()
            self._at += 1
        else:
            self._skip(_BARE_VALUE)

    def _comma(self) -> None:
        if self._text[self._skip(_BLANK)] == ",":
            self._at += 1


_OUTPUT_FORM = f"^({'|'.join(RENDERERS)})(:.+)?$"
_FAIL_ON_FORM = f"^({'|'.join(('new', *(severity.value for severity in Severity)))})$"

Places = Annotated[list[Place], MaxLen(1000)] | Place
"""A path or a list of paths."""
OutputText = Annotated[str, Field(json_schema_extra={"pattern": _OUTPUT_FORM})]
"""An output: a format, or a format and a file."""
CountingText = Annotated[str, Field(json_schema_extra={"pattern": _FAIL_ON_FORM})]
"""A condition on findings for the exit code."""


class RunConfiguration(ClosedModel):
    """Defaults for the options of a run, used if neither the command line nor the environment sets them. It is
    `fairdeal.toml`, or the table `[tool.fairdeal]` of `pyproject.toml`. Paths are relative to the file."""

    rules: Place | None = None
    """A rules folder instead of the shipped one."""
    profile: Place | None = None
    """A profile that chooses among readings: its name, or a file."""
    texts: Place | None = None
    """A folder with the texts of regulations, from which clauses are quoted."""
    submission: Places = []
    """Submissions that rounds are judged by: files, folders or patterns."""
    waivers: Places = []
    """The regulator's files of waivers."""
    baseline: Place | None = None
    """Earlier results; findings are marked as new, known or gone relative to them."""
    as_of: Day | None = None
    """Apply the law of this day."""
    timezone: Place | None = None
    """The time zone of local times, by its IANA name."""
    day_starts: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] | None = None
    """The time of day at which a gaming day starts, such as `06:00`."""
    currency: Place | None = None
    """The currency of all amounts, as a code of ISO 4217."""
    output: Annotated[list[OutputText], MinLen(1), MaxLen(100)] | OutputText | None = None
    """Output of results: a format, or a format and a file in the folder of the configuration or below."""
    fail_on: Annotated[list[CountingText], MaxLen(100)] | CountingText | None = None
    """Findings that count for the exit code: `new` since the baseline, or of at least a severity."""
    allow_unproven: bool | None = None
    """Exit with 0 if nothing failed, even if not everything was proven."""
    failures_only: bool | None = None
    """Write violations alone in text, concise, Markdown and CSV."""
    quiet: bool | None = None
    """Print only errors and requested output."""
    jobs: Annotated[int, Ge(1), Le(64)] | None = None
    """Number of processes for an audit."""
    statistics: bool | None = None
    """Compute statistics of hold, hands and cards from logs."""
    level: Annotated[float, Ge(0.5), Le(0.9999)] | None = None
    """Probability that chance alone leaves one of them inside its interval."""
