"""Correction of the indents of lines that YAML cannot read, if only one indent can be meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import Source, decode_source
from fairdeal.validator.text.yaml_document import load_yaml

MOST_LINES = 20
"""Limit of the lines of a file that are moved."""
_INDENT = re.compile(r"[ \t]*")
_ENTRY = re.compile(r"[ ]*(- +)?(?=\S)")
_SYNTAX = "syntax"


class MovedLine(Struct, frozen=True, kw_only=True):
    """Line whose indent is corrected."""

    line: int
    """Line, from 1."""
    before: str
    """The line before."""
    after: str
    """The line after."""


def fix_indents(source: Source, count_unknown: Callable[[PositionedDocument], int]) -> tuple[Source, list[MovedLine]]:
    """Return a YAML file with the indents of lines that cannot be read corrected, and these lines.

    A line moves to the indent of a line above it. Nothing is changed if several indents make the file readable with
    the fewest unknown keys.

    Args:
        source: The file.
        count_unknown: Function that counts the keys and words that a submission does not have.
    """
    moved: list[MovedLine] = []
    current = source
    for _ in range(MOST_LINES):
        line = _find_unreadable(current)
        if line is None:
            return current, moved
        better = _move_lines(current, line, count_unknown)
        if better is None:
            return source, []
        current, change = better
        moved.append(change)
    return (source, []) if _find_unreadable(current) is not None else (current, moved)


def _find_unreadable(source: Source) -> int | None:
    """Return the line, from 1, at which YAML cannot be read; None if it can."""
    try:
        load_yaml(source, [])
    except InputError as error:
        syntax = [problem for problem in error.diagnostics if problem.code == _SYNTAX]
        return syntax[0].line if syntax else None
    return None


def _move_lines(
    source: Source, problem: int, count_unknown: Callable[[PositionedDocument], int]
) -> tuple[Source, MovedLine] | None:
    """Return the file with the line of a problem, or the line before it, at the only indent that can be meant."""
    for at in (problem - 1, problem - 2):
        tries = list(_list_moves(source, at)) if 0 < at < len(source.split_text()) else []
        measured = [(_measure(changed, problem, last, count_unknown), changed, line) for changed, line, last in tries]
        best = min((unknown for unknown, _, _ in measured if unknown is not None), default=None)
        chosen = [(changed, line) for unknown, changed, line in measured if unknown == best and best is not None]
        if len(chosen) == 1:
            return chosen[0]
        if chosen:
            return None
    return None


def _measure(source: Source, problem: int, last: int, count_unknown: Callable[[PositionedDocument], int]) -> int | None:
    """Return the unknown keys down to the last line that moved; None if the problem is still there."""
    line = _find_unreadable(source)
    if line is not None and line <= problem:
        return None
    start = "".join(source.text.splitlines(keepends=True)[: max(last, problem)])
    try:
        return count_unknown(load_yaml(decode_source(source.name, start.encode()), []))
    except InputError:
        return None


def _list_moves(source: Source, at: int) -> Iterator[tuple[Source, MovedLine, int]]:
    """Yield the file with a line, and the deeper lines below it, at each other indent of the lines above.

    The number is that of the last line that moved.
    """
    lines = source.text.splitlines(keepends=True)
    old = _measure_indent(lines[at])
    last = at + 1
    while last < len(lines) and (not lines[last].strip() or _measure_indent(lines[last]) > old):
        last += 1
    for indent in sorted(_list_indents(lines[:at]) - ({old} if "\t" not in _find_blanks(lines[at]) else set())):
        moved = [_indent(line, max(0, _measure_indent(line) + indent - old)) for line in lines[at:last]]
        text = "".join((*lines[:at], *moved, *lines[last:]))
        bom = source.data[:3] if source.data.startswith(b"\xef\xbb\xbf") else b""
        change = MovedLine(line=at + 1, before=lines[at].rstrip("\r\n"), after=moved[0].rstrip("\r\n"))
        yield decode_source(source.name, bom + text.encode()), change, last


def _list_indents(lines: list[str]) -> set[int]:
    """Return the columns at which lines above begin, and at which the entries of their lists begin."""
    indents = {0}
    for line in lines[-50:]:
        if line.strip() and not line.lstrip().startswith("#"):
            entry = _ENTRY.match(line)
            indents |= {_measure_indent(line), *(() if entry is None else (entry.end(),))}
    return indents


def _find_blanks(line: str) -> str:
    match = _INDENT.match(line)
    return "" if match is None else match[0]


def _measure_indent(line: str) -> int:
    return len(_find_blanks(line).expandtabs(2))


def _indent(line: str, width: int) -> str:
    return f"{' ' * width}{line[len(_find_blanks(line)) :]}" if line.strip() else line
