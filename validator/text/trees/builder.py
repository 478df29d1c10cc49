"""Builder of positioned trees within bounds. All loaders use it, and none is recursive."""

from __future__ import annotations

from typing import NoReturn

from msgspec import Struct

from validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError
from validator.text.trees.tree import Data, Path, Position, Tree, span
from validator.text.visible import quoted

MAX_DEPTH = 64
"""Maximum depth of nested lists and mappings."""

MAX_NODES = 200_000
"""Maximum number of values in a file."""


class _Frame(Struct):
    """An open list or mapping."""

    path: Path
    """Its path."""
    container: list[Data] | dict[str, Data]
    """Its content so far."""
    key: str | None = None
    """Key of the next value of a mapping."""
    key_line: int | None = None
    """Line of the key, from 1."""
    key_column: int | None = None
    """Column of the key, from 1."""


class TreeBuilder:
    """Builder that takes keys and values in the order of the file, and returns the tree or raises every problem.

    `complain` notes a problem and continues; `refuse` ends the load.
    """

    def __init__(self, source_name: str, lines: tuple[str, ...]) -> None:
        self._source_name = source_name
        self._lines = lines
        self._positions: dict[Path, Position] = {}
        self._problems: list[Diagnostic] = []
        self._stack: list[_Frame] = []
        self._data: Data = None

    @property
    def expects_key(self) -> bool:
        """True if the innermost open container is a mapping that needs a key next."""
        return bool(self._stack) and isinstance(self._stack[-1].container, dict) and self._stack[-1].key is None

    def key(self, text: str, line: int, column: int) -> None:
        """Take the key of the next entry of the open mapping."""
        frame = self._stack[-1]
        if text in frame.container:
            first = self._positions[(*frame.path, text)]
            self.complain(
                "duplicate-key",
                f"{quoted(text)} is given twice in the same mapping",
                line,
                column,
                text=text,
                help_=f"it is first given at line {first.key_line}, column {first.key_column}: keep one",
            )
        frame.key, frame.key_line, frame.key_column = text, line, column

    def scalar(self, value: Data, line: int, column: int) -> None:
        """Take a value that is neither a list nor a mapping."""
        self._add_value(value, line, column)

    def open(self, container: list[Data] | dict[str, Data], line: int, column: int) -> None:
        """Open an empty list or mapping; what follows goes into it until `close`."""
        if self.expects_key:
            help_ = "use text for the key"
            self.refuse("key-not-text", "a list or mapping cannot be a key", line, column, help_=help_)
        if len(self._stack) >= MAX_DEPTH:
            self.refuse("too-deep", f"more than {MAX_DEPTH} lists and mappings inside each other", line, column)
        self._stack.append(_Frame(self._add_value(container, line, column), container))

    def close(self) -> None:
        """End the innermost list or mapping."""
        self._stack.pop()

    def complain(
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
                length=span(source_line, column, text),
                source_line=source_line,
                help=help_,
            )
        )
        if len(self._problems) >= MAX_PROBLEMS:
            self._raise_problems()

    def refuse(
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
        self.complain(code, message, line, column, text=text, help_=help_)
        self._raise_problems()

    def finish(self) -> Tree:
        """Return the tree. Raises InputError with every noted problem."""
        if self._problems:
            self._raise_problems()
        return Tree(data=self._data, source_name=self._source_name, lines=self._lines, positions=self._positions)

    def _raise_problems(self) -> NoReturn:
        raise InputError(tuple(self._problems))

    def _add_value(self, value: Data, line: int, column: int) -> Path:
        if len(self._positions) >= MAX_NODES:
            self.refuse(
                "too-many-values",
                f"more than {MAX_NODES:,} values in one file",
                line,
                column,
                help_="split it into several files",
            )
        if not self._stack:
            self._data = value
            self._positions[()] = Position(line, column)
            return ()
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            path = (*frame.path, len(frame.container))
            frame.container.append(value)
            self._positions[path] = Position(line, column)
            return path
        assert frame.key is not None, "a mapping's value follows its key"
        path = (*frame.path, frame.key)
        frame.container[frame.key] = value
        frame.key = None
        self._positions[path] = Position(line, column, frame.key_line, frame.key_column)
        return path
