"""Messages for people: what is wrong, at which line and column, what was expected, what helps.

A `Diagnostic` is data; `render` lays it out as a compiler does, with the source line and a caret. Whether
there is colour is the caller's decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from validator.text.visible import visible

MAX_PROBLEMS = 20
"""Problems of one input that are shown; the rest are counted."""

_WINDOW = 100
_BEFORE_CARET = 60
_TAB = 4
_MESSAGE_LIMIT = 2000
_WORD_LIMIT = 80

_BOLD, _RED, _YELLOW, _BLUE, _RESET = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[0m"


class Diagnostic(Struct, frozen=True, kw_only=True):
    """One problem of an input, and its place.

    `line` and `column` count characters from 1; `length` is the number of characters the carets underline.
    `source_line` is the line as it stands in the file, without its line break.
    """

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1
    source_line: str | None = None
    expected: str | None = None
    help: str | None = None
    severity: Literal["error", "warning"] = "error"


class InputError(Exception):
    """An input cannot be read or breaks its schema; `diagnostics` says why, and is never empty."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n\n".join(render(diagnostic, color=False) for diagnostic in self.diagnostics)


class ResourceError(Exception):
    """What the system gives a run does not suffice: room for temporary files, memory, processes. It is no fault of any
    input, nor of the program; `diagnostic` says what is lacking and what to do."""

    def __init__(self, code: str, message: str, help_: str) -> None:
        self.diagnostic = Diagnostic(code=code, message=message, help=help_)
        super().__init__(code, message, help_)

    def __str__(self) -> str:
        return render(self.diagnostic, color=False)


def at_most(
    diagnostics: Iterable[Diagnostic], *, limit: int = MAX_PROBLEMS, unnamed: int = 0
) -> tuple[Diagnostic, ...]:
    """The first `limit` diagnostics and, where there are more, one that says how many; `unnamed` further
    problems have no diagnostic of their own and are counted with them. Of none, none."""
    found = tuple(diagnostics)
    more = max(0, len(found) - limit) + unnamed
    if not more or not found:
        return found
    noun = "problem" if more == 1 else "problems"
    return (
        *found[:limit],
        Diagnostic(code="more-problems", message=f"and {more:,} more {noun}", file=found[0].file),
    )


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that looks most like `word`, or None where none comes near."""
    if len(word) > _WORD_LIMIT:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - only a wrong input pays for the import

    folded = {_hyphenated(candidate): candidate for candidate in sorted(candidates)}
    near = get_close_matches(_hyphenated(word), list(folded), n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def _hyphenated(text: str) -> str:
    return text.casefold().replace("_", "-").replace(" ", "-")


def render(diagnostic: Diagnostic, *, color: bool) -> str:
    """The diagnostic as lines of text without a final line break.

    Characters a terminal would obey or hide are spelled out, tabs become blanks, and of a long source line
    only a window around the caret is shown.
    """
    paint = _painted if color else _plain
    tint = _RED if diagnostic.severity == "error" else _YELLOW
    message = visible(_cut(diagnostic.message))
    lines = [f"{paint(f'{diagnostic.severity}[{diagnostic.code}]', tint)}{paint(f': {message}', _BOLD)}"]
    number = "" if diagnostic.line is None else str(diagnostic.line)
    gutter = " " * max(len(number), 1)
    if diagnostic.file is not None:
        lines.append(f"{gutter}{paint('-->', _BLUE)} {visible(_place(diagnostic))}")
    if diagnostic.source_line is not None and diagnostic.column is not None:
        shown, indent, width = _window(diagnostic.source_line, diagnostic.column, diagnostic.length)
        bar = paint("|", _BLUE)
        lines.append(f"{gutter} {bar}")
        lines.append(f"{paint(number.rjust(len(gutter)), _BLUE)} {bar} {shown}".rstrip())
        lines.append(f"{gutter} {bar} {' ' * indent}{paint('^' * width, tint)}")
    for label, text in (("expected", diagnostic.expected), ("help", diagnostic.help)):
        if text is not None:
            lines.append(f"{gutter} {paint('=', _BLUE)} {paint(f'{label}:', _BOLD)} {visible(_cut(text))}")
    return "\n".join(lines)


def _plain(text: str, _tint: str) -> str:
    return text


def _painted(text: str, tint: str) -> str:
    return f"{tint}{text}{_RESET}"


def _cut(text: str) -> str:
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "..."


def _place(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.file, diagnostic.line, diagnostic.column)
    return ":".join(str(part) for part in parts if part is not None)


def _window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """What is shown of a source line, the blanks before the carets, and the number of carets."""
    first = max(0, column - 1)
    start = 0 if len(line) <= _WINDOW else max(0, min(first - _BEFORE_CARET, len(line) - _WINDOW))
    stop = min(len(line), start + _WINDOW)
    left = "..." if start > 0 else ""
    right = "..." if stop < len(line) else ""
    cells = list(_cells(line[start:stop]))
    before = cells[: first - start]
    under = cells[first - start : first - start + max(1, length)]
    indent = len(left) + sum(width for _, width in before)
    return left + "".join(text for text, _ in cells) + right, indent, max(1, sum(width for _, width in under))


def _cells(text: str) -> Iterator[tuple[str, int]]:
    """Each character as it is shown, with the terminal columns it takes."""
    if text.isascii() and text.isprintable():
        yield from ((char, 1) for char in text)
        return
    from unicodedata import category, east_asian_width  # noqa: PLC0415 - plain lines do without

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
