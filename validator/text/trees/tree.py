"""Positioned data: what a YAML or JSON file holds, with the line and column of every value and key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field

from validator.text.diagnostics import Diagnostic

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | Decimal | bool | None"
"""What a file can hold. A number with a point or an exponent is a Decimal; there are no floats."""

Path: TypeAlias = tuple[str | int, ...]
"""The way from the root to a value: mapping keys and list indices. The root is `()`."""

_QUOTED = re.compile(r""""[^"\\]*(?:\\.[^"\\]*)*"?|'[^']*(?:''[^']*)*'?""")
_BARE = re.compile(r"[^\s,\[\]{}:]+(?::(?=\S)[^\s,\[\]{}:]*)*")
_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Position(NamedTuple):
    """Where a value stands and, for an entry of a mapping, where its key stands. All count from 1."""

    line: int
    column: int
    key_line: int | None = None
    key_column: int | None = None


class Tree(Struct, frozen=True, kw_only=True):
    """A file as plain data, and where each part of it stands.

    `lines` are the lines of the file without their breaks; `positions` has an entry for every value,
    the root included.
    """

    data: Data
    source_name: str
    lines: Sequence[str]
    positions: Mapping[Path, Position]
    origins: Mapping[Path, str] = field(default_factory=dict)
    """Parts that do not stand in the file as they are, and how they came about, in a few words."""

    def at(self, path: Path) -> Position:
        """The position of the value at `path`, or of its nearest ancestor that exists."""
        return self.positions[self.nearest(path)]

    def nearest(self, path: Path) -> Path:
        """`path` itself where something stands there, else its nearest ancestor."""
        while path not in self.positions:
            path = path[:-1]
        return path

    def origin(self, path: Path) -> str | None:
        """How what stands at `path` came about, where it does not stand in the file as it is."""
        around = (path[:length] for length in range(len(path), -1, -1)) if self.origins else ()
        return next((self.origins[one] for one in around if one in self.origins), None)

    def value(self, path: Path) -> Data:
        """The value at `path`. Raises KeyError where there is none."""
        if path not in self.positions:
            raise KeyError(path)
        value = self.data
        for part in path:
            value = value[part]  # type: ignore[index]  # positions vouch for every step
        return value

    def find(self, pointer: str) -> Path:
        """The path of the value a JSON Pointer names.

        Raises ValueError where the text is not a JSON Pointer, KeyError where nothing stands there.
        """
        path: Path = ()
        for token in _tokens(pointer):
            inside = self.value(path)
            step = int(token) if isinstance(inside, list) and _INDEX.fullmatch(token) else token
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
        """A diagnostic at the value at `path`, or at its key; at the nearest ancestor's key where nothing
        stands at `path`."""
        found = self.nearest(path)
        position = self.positions[found]
        line, column, text = position.line, position.column, self.value(found)
        if (at_key or found != path) and position.key_line is not None and position.key_column is not None:
            line, column, text = position.key_line, position.key_column, found[-1]
        # An empty value may stand behind the last line: `---` alone is a document that holds nothing.
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
    """Characters to underline from `column` of a line: all of `text` where just that stands there, else the
    quoted text, word or number that begins there, else 1."""
    if text and isinstance(text, str) and line.startswith(text, column - 1):
        return len(text)
    token = _QUOTED.match(line, column - 1) or _BARE.match(line, column - 1)
    return max(1, token.end() - token.start()) if token else 1


def pointer(path: Path) -> str:
    """The path as a JSON Pointer (RFC 6901): `/pay-tables/0/rows`; the root is the empty string."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def parse_pointer(text: str) -> Path:
    """The path a JSON Pointer spells, its numbers taken as list indices.

    Where a mapping may have numbers for keys, `Tree.find` knows which is meant. Raises ValueError where
    the text is not a JSON Pointer.
    """
    return tuple(int(token) if _INDEX.fullmatch(token) else token for token in _tokens(text))


def _tokens(text: str) -> list[str]:
    if (text and not text.startswith("/")) or _BAD_ESCAPE.search(text):
        raise ValueError(f"not a JSON Pointer: {text!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]
