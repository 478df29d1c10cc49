"""Positioned data: the content of a YAML, JSON or TOML file, with line and column of every value and key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field

from validator.text.diagnostics import Diagnostic

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | Decimal | bool | None"
"""Content of a file. A number with a point or an exponent is a Decimal; there are no floats."""

Path: TypeAlias = tuple[str | int, ...]
"""Path from the root to a value: mapping keys and list indices. The root is `()`."""

_QUOTED = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"?|'[^']*(?:''[^']*)*'?""")
_BARE = re.compile(r"[^\s,\[\]{}:]+(?::(?=\S)[^\s,\[\]{}:]*)*")
_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Position(NamedTuple):
    """Position of a value and, in a mapping, of its key. All numbers count from 1."""

    line: int
    """Line of the value."""
    column: int
    """Column of the value."""
    key_line: int | None = None
    """Line of the key; None outside mappings."""
    key_column: int | None = None
    """Column of the key; None outside mappings."""


class Tree(Struct, frozen=True, kw_only=True):
    """A file as plain data, with the position of each part."""

    data: Data
    """The data."""
    source_name: str
    """Name of the input."""
    lines: Sequence[str]
    """Lines of the file without their breaks."""
    positions: Mapping[Path, Position]
    """Position of every value, including the root."""
    origins: Mapping[Path, str] = field(default_factory=dict)
    """Origin of parts that are not in the file in this form, in a few words."""

    def at(self, path: Path) -> Position:
        """Return the position of the value at a path, or of its nearest existing ancestor."""
        return self.positions[self.nearest(path)]

    def nearest(self, path: Path) -> Path:
        """Return a path if it has a value, otherwise its nearest existing ancestor."""
        while path not in self.positions:
            path = path[:-1]
        return path

    def origin(self, path: Path) -> str | None:
        """Return the origin of a part that is not in the file in this form; None for others."""
        around = (path[:length] for length in range(len(path), -1, -1)) if self.origins else ()
        return next((self.origins[outer] for outer in around if outer in self.origins), None)

    def value(self, path: Path) -> Data:
        """Return the value at a path. Raises KeyError if there is none."""
        if path not in self.positions:
            raise KeyError(path)
        value = self.data
        for part in path:
            value = value[part]  # type: ignore[index]  # every step exists because the path has a position
        return value

    def find(self, pointer: str) -> Path:
        """Return the path of the value that a JSON Pointer names.

        Raises ValueError if the text is not a JSON Pointer, and KeyError if there is no such value.
        """
        path: Path = ()
        for token in _split_pointer(pointer):
            container = self.value(path)
            step = int(token) if isinstance(container, list) and _INDEX.fullmatch(token) else token
            path = (*path, step)
            if path not in self.positions:
                raise KeyError(pointer)
        return path

    def diagnostic(
        self,
        path: Path,
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
        existing = self.nearest(path)
        position = self.positions[existing]
        line, column, text = position.line, position.column, self.value(existing)
        if (at_key or existing != path) and position.key_line is not None and position.key_column is not None:
            line, column, text = position.key_line, position.key_column, existing[-1]
        # An empty value may follow the last line: `---` alone is an empty document.
        source_line = self.lines[line - 1] if line <= len(self.lines) else ""
        origin = self.origin(path)
        return Diagnostic(
            code=code,
            message=message if origin is None else f"{message} ({origin})",
            file=self.source_name,
            line=line,
            column=column,
            length=span(source_line, column, text),
            source_line=source_line,
            expected=expected,
            help=help,
            severity=severity,
        )


def span(line: str, column: int, text: object = None) -> int:
    """Return the number of characters to underline from a column of a line.

    This is all of `text` if exactly that is there; otherwise the quoted text, word or number that begins there;
    otherwise 1.
    """
    if text and isinstance(text, str) and line.startswith(text, column - 1):
        return len(text)
    token = _QUOTED.match(line, column - 1) or _BARE.match(line, column - 1)
    return max(1, token.end() - token.start()) if token else 1


def pointer(path: Path) -> str:
    """Return a path as a JSON Pointer (RFC 6901): `/pay-tables/0/rows`; the root is the empty string."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def parse_pointer(text: str) -> Path:
    """Return the path of a JSON Pointer, with numbers as list indices.

    If a mapping may have numbers as keys, use `Tree.find`, which distinguishes them. Raises ValueError if the text is
    not a JSON Pointer.
    """
    return tuple(int(token) if _INDEX.fullmatch(token) else token for token in _split_pointer(text))


def _split_pointer(text: str) -> list[str]:
    if (text and not text.startswith("/")) or _BAD_ESCAPE.search(text):
        raise ValueError(f"not a JSON Pointer: {text!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]
