"""Messages for people: what is wrong, at which line and column, what was expected, what helps.

A `Diagnostic` is data; `render` lays it out as a compiler does, with the source line and a caret. The caller decides on
colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from validator.text.visible import visible

MAX_PROBLEMS = 20
"""Number of problems of one input that are shown; the others are counted."""

_WINDOW_WIDTH = 100
_BEFORE_CARET = 60
_TAB = 4
_MESSAGE_LIMIT = 2000
_WORD_LIMIT = 80

_BOLD, _RED, _YELLOW, _BLUE, _RESET = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A problem of an input, with its place."""

    code: str
    """Kind of the problem, such as `unknown-key`."""
    message: str
    """The problem in one sentence."""
    file: str | None = None
    """Name of the input."""
    line: int | None = None
    """Line, from 1."""
    column: int | None = None
    """Column in characters, from 1."""
    length: int = 1
    """Number of characters to underline."""
    source_line: str | None = None
    """The line of the file, without its line break."""
    expected: str | None = None
    """Expected content, if that helps."""
    help: str | None = None
    """Remedy, if one is known."""
    severity: Literal["error", "warning"] = "error"
    """"error" if the input is invalid, otherwise "warning"."""


class InputError(Exception):
    """An input cannot be read or breaks its schema; `diagnostics` has the reasons and is never empty."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n\n".join(render(diagnostic, color=False) for diagnostic in self.diagnostics)


class ResourceError(Exception):
    """The system does not provide enough resources: space for temporary files, memory, processes.

    Neither an input nor the program is at fault. `diagnostic` states what is missing and what to do.
    """

    def __init__(self, code: str, message: str, help_: str) -> None:
        self.diagnostic = Diagnostic(code=code, message=message, help=help_)
        super().__init__(code, message, help_)

    def __str__(self) -> str:
        return render(self.diagnostic, color=False)


def at_most(
    diagnostics: Iterable[Diagnostic], *, limit: int = MAX_PROBLEMS, unnamed: int = 0
) -> tuple[Diagnostic, ...]:
    """Return the first diagnostics and, if there are more, one that counts the others.

    Args:
        diagnostics: All diagnostics; if there are none, the result is empty.
        limit: Maximum number to return.
        unnamed: Number of further problems without a diagnostic, which are counted too.
    """
    all_diagnostics = tuple(diagnostics)
    more = max(0, len(all_diagnostics) - limit) + unnamed
    if not more or not all_diagnostics:
        return all_diagnostics
    noun = "problem" if more == 1 else "problems"
    return (
        *all_diagnostics[:limit],
        Diagnostic(code="more-problems", message=f"and {more:,} more {noun}", file=all_diagnostics[0].file),
    )


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that is most similar to a word; None if none is similar."""
    if len(word) > _WORD_LIMIT:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - only invalid input needs the import

    folded = {_normalize(candidate): candidate for candidate in sorted(candidates)}
    matches = get_close_matches(_normalize(word), list(folded), n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def _normalize(text: str) -> str:
    return text.casefold().replace("_", "-").replace(" ", "-")


def render(diagnostic: Diagnostic, *, color: bool) -> str:
    """Return a diagnostic as lines of text without a final line break.

    Characters that a terminal would obey or hide are spelled out, and tabs become blanks. Only a window around the
    caret of a long line is shown.
    """
    paint = _paint if color else _paint_nothing
    tint = _RED if diagnostic.severity == "error" else _YELLOW
    message = visible(_truncate(diagnostic.message))
    lines = [f"{paint(f'{diagnostic.severity}[{diagnostic.code}]', tint)}{paint(f': {message}', _BOLD)}"]
    number = "" if diagnostic.line is None else str(diagnostic.line)
    gutter = " " * max(len(number), 1)
    if diagnostic.file is not None:
        lines.append(f"{gutter}{paint('-->', _BLUE)} {visible(_format_place(diagnostic))}")
    if diagnostic.source_line is not None and diagnostic.column is not None:
        shown, indent, width = _cut_window(diagnostic.source_line, diagnostic.column, diagnostic.length)
        bar = paint("|", _BLUE)
        lines.append(f"{gutter} {bar}")
        lines.append(f"{paint(number.rjust(len(gutter)), _BLUE)} {bar} {shown}".rstrip())
        lines.append(f"{gutter} {bar} {' ' * indent}{paint('^' * width, tint)}")
    for label, text in (("expected", diagnostic.expected), ("help", diagnostic.help)):
        if text is not None:
            lines.append(f"{gutter} {paint('=', _BLUE)} {paint(f'{label}:', _BOLD)} {visible(_truncate(text))}")
    return "\n".join(lines)


def _paint_nothing(text: str, _tint: str) -> str:
    return text


def _paint(text: str, tint: str) -> str:
    return f"{tint}{text}{_RESET}"


def _truncate(text: str) -> str:
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "..."


def _format_place(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.file, diagnostic.line, diagnostic.column)
    return ":".join(str(part) for part in parts if part is not None)


def _cut_window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """Return the visible part of a source line, the blanks before the carets, and the number of carets."""
    first = max(0, column - 1)
    start = 0 if len(line) <= _WINDOW_WIDTH else max(0, min(first - _BEFORE_CARET, len(line) - _WINDOW_WIDTH))
    stop = min(len(line), start + _WINDOW_WIDTH)
    left = "..." if start > 0 else ""
    right = "..." if stop < len(line) else ""
    cells = list(_list_cells(line[start:stop]))
    before = cells[: first - start]
    under = cells[first - start : first - start + max(1, length)]
    indent = len(left) + sum(width for _, width in before)
    return left + "".join(text for text, _ in cells) + right, indent, max(1, sum(width for _, width in under))


def _list_cells(text: str) -> Iterator[tuple[str, int]]:
    """Yield each character as it is shown, with the number of terminal columns it takes."""
    if text.isascii() and text.isprintable():
        yield from ((char, 1) for char in text)
        return
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - plain lines do not need it

    column = 0
    for char in text:
        if char == "\t":
            shown = " " * (_TAB - column % _TAB)
            width = len(shown)
        else:
            shown = visible(char)
            wide = shown == char and east_asian_width(char) in "WF"
            width = 0 if category(char) in ("Mn", "Me") else 2 if wide else len(shown)
        column += width
        yield shown, width
