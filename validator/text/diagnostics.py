"""Messages for people: what is wrong, at which line and column, what was expected, what helps.

A `Diagnostic` is data; `render_diagnostic` lays it out as a compiler does, with the source line and a caret. The
caller decides on colour. `sanitize` makes text from people safe to print: control characters, marks that turn the
writing direction and characters without a shape become visible. Escaping for HTML is a separate step that comes after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

QUOTE_LIMIT = 60
"""Maximum number of characters of a person's text in a message."""

_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_BLANKS = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
_SHAPELESS = (
    r"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_PRIVATE = r"\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
_MARKS = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"


@cache
def _compile_invisible() -> re.Pattern[str]:
    return re.compile(f"[{_CONTROLS}{_BLANKS}{_SHAPELESS}{_PRIVATE}]|(?<=[{_MARKS}]{{3}})[{_MARKS}]+")


def _show_code(match: re.Match[str]) -> str:
    characters = match[0]
    return f"[U+{ord(characters):04X}]" if len(characters) == 1 else f"[{len(characters)} more marks]"


def sanitize(text: str) -> str:
    """Return text with every invisible or unassigned character as its number, such as `[U+202E]`.

    Of all blanks only the plain space is kept. At most three combining marks on a letter are kept and the others
    counted, so that no text paints over the lines around it.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = _compile_invisible().sub(_show_code, text)
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() else f"[U+{ord(char):04X}]" for char in shown)


_CELL_START = r"(?:\A|(?<=[;\t\r\n]))"


@cache
def _compile_formulas() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the pattern of most texts, which need no apostrophe, and that of places where a formula may begin."""
    plain = re.compile("(?:[^ \u00a0=+\\-@'\uff1d\uff0b\uff0d\uff20;\t\r\n][^;\t\r\n]*)?")
    return plain, re.compile(_CELL_START + "(?=[ \u00a0]*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|')")


def guard_formulas(text: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet could begin a formula."""
    plain, formula = _compile_formulas()
    return text if plain.fullmatch(text) else formula.sub("'", text)


def unguard_formulas(cell: str) -> str:
    """Return the text that `guard_formulas` was given."""
    return re.sub(_CELL_START + "'", "", cell)


def shorten(text: str) -> str:
    """Return the part of a text that a message repeats. `render` makes it visible later."""
    return text if len(text) <= QUOTE_LIMIT else text[:QUOTE_LIMIT] + "..."


def quote(text: str) -> str:
    """Return text shortened and in backquotes, or in single quotes if it contains a backquote."""
    shown = shorten(text)
    return f"'{shown}'" if "`" in shown else f"`{shown}`"


MAX_REPEATED = 3
"""Number of places of a rule file at which one problem is shown by itself. More of them often have one cause."""
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
    cell: str | None = None
    """Sheet and cell of a workbook, in words. Line and column then count the rows of all sheets, to sort problems."""


class InputError(Exception):
    """An input cannot be read or breaks its schema; `diagnostics` has the reasons and is never empty."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n\n".join(render_diagnostic(diagnostic, color=False) for diagnostic in self.diagnostics)


class ResourceError(Exception):
    """The system does not provide enough resources: space for temporary files, memory, processes.

    Neither an input nor the program is at fault. `diagnostic` states what is missing and what to do.
    """

    def __init__(self, code: str, message: str, help_: str) -> None:
        self.diagnostic = Diagnostic(code=code, message=message, help=help_)
        super().__init__(code, message, help_)

    def __str__(self) -> str:
        return render_diagnostic(self.diagnostic, color=False)


def limit_diagnostics(
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


def merge_repeated(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics with one for what is said of many places of a file; it has the place of the first, and lists
    the others."""
    by_message: dict[tuple[str | None, str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        said = (diagnostic.file, diagnostic.code, diagnostic.message)
        by_message.setdefault(said, []).append(diagnostic)
    merged: list[Diagnostic] = []
    for same in by_message.values():
        shown = len(same) if len(same) <= MAX_REPEATED else 1
        merged += same[:shown]
        if shown < len(same):
            lines = dict.fromkeys(diagnostic.line for diagnostic in same if diagnostic.line != same[0].line)
            more = [f"the same at line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"] if lines else []
            merged[-1] = replace(same[0], help="; ".join([*filter(None, [same[0].help]), *more]) or None)
    return tuple(merged)


def find_similar(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that is most similar to a word; None if none is similar."""
    if len(word) > _WORD_LIMIT:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - only invalid input needs the import

    folded = {_normalize(candidate): candidate for candidate in sorted(candidates)}
    matches = get_close_matches(_normalize(word), list(folded), n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def _normalize(text: str) -> str:
    return text.casefold().replace("_", "-").replace(" ", "-")


def render_diagnostic(diagnostic: Diagnostic, *, color: bool) -> str:
    """Return a diagnostic as lines of text without a final line break.

    Characters that a terminal would obey or hide are spelled out, and tabs become blanks. Only a window around the
    caret of a long line is shown.
    """
    paint = _paint if color else _paint_nothing
    tint = _RED if diagnostic.severity == "error" else _YELLOW
    message = sanitize(_truncate(diagnostic.message))
    lines = [f"{paint(f'{diagnostic.severity}[{diagnostic.code}]', tint)}{paint(f': {message}', _BOLD)}"]
    number = "" if diagnostic.line is None or diagnostic.cell is not None else str(diagnostic.line)
    gutter = " " * max(len(number), 1)
    if diagnostic.file is not None:
        lines.append(f"{gutter}{paint('-->', _BLUE)} {sanitize(_format_place(diagnostic))}")
    if diagnostic.source_line is not None and diagnostic.column is not None:
        shown, indent, width = _cut_window(diagnostic.source_line, diagnostic.column, diagnostic.length)
        bar = paint("|", _BLUE)
        lines.append(f"{gutter} {bar}")
        lines.append(f"{paint(number.rjust(len(gutter)), _BLUE)} {bar} {shown}".rstrip())
        lines.append(f"{gutter} {bar} {' ' * indent}{paint('^' * width, tint)}")
    for label, text in (("expected", diagnostic.expected), ("help", diagnostic.help)):
        if text is not None:
            lines.append(f"{gutter} {paint('=', _BLUE)} {paint(f'{label}:', _BOLD)} {sanitize(_truncate(text))}")
    return "\n".join(lines)


def _paint_nothing(text: str, _tint: str) -> str:
    return text


def _paint(text: str, tint: str) -> str:
    return f"{tint}{text}{_RESET}"


def _truncate(text: str) -> str:
    return text if len(text) <= _MESSAGE_LIMIT else text[:_MESSAGE_LIMIT] + "..."


def _format_place(diagnostic: Diagnostic) -> str:
    if diagnostic.cell is not None:
        return f"{diagnostic.file}, {diagnostic.cell}"
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
            shown = sanitize(char)
            wide = shown == char and east_asian_width(char) in "WF"
            width = 0 if category(char) in ("Mn", "Me") else 2 if wide else len(shown)
        column += width
        yield shown, width


_MAX_LENGTH = 80
_WORD = re.compile(r"[^\W_]+")
_MIN_LENGTH = 4
"""Minimum number of letters for a word to be a misspelling of another."""


def correct_spelling(text: str, names: Mapping[str, str]) -> str | None:
    """Return the name that a text misspells; None if it is a name, or may be a name of its own.

    The comparison ignores case, blanks and punctuation. A word of four letters or more may also have one letter too
    many, too few, wrong or transposed. Numbers must be equal, because they distinguish names.

    Args:
        text: The text.
        names: The names, by each of their aliases.
    """
    return next(iter(find_nearest_names(text, names)), None)


def find_nearest_names(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return all names that a text matches equally well, in the order of the names; see `misspelt`."""
    if len(text) > _MAX_LENGTH or text in names.values():
        return ()
    words = _split_words(text)
    known = [(_split_words(alias), name) for alias, name in names.items()]
    for matches in (_are_same, _match_word_by_word, _match_as_a_whole):
        names_found = dict.fromkeys(name for alias_words, name in known if matches(words, alias_words))
        if names_found:
            return tuple(names_found)
    return ()


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _are_same(one: list[str], other: list[str]) -> bool:
    return "".join(one) == "".join(other) != ""


def _match_word_by_word(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(map(_differ_by_one_slip, one, other))


def _match_as_a_whole(one: list[str], other: list[str]) -> bool:
    return _differ_by_one_slip("".join(one), "".join(other))


def _differ_by_one_slip(one: str, other: str) -> bool:
    """Return whether two words are equal except for one slip."""
    if one == other:
        return True
    if max(len(one), len(other)) < _MIN_LENGTH or abs(len(one) - len(other)) > 1:
        return False
    if re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (len(one) <= 1 and len(other) <= 1) or (len(one) == 2 and one == other[::-1])


SYMBOLS = "♣♦♥♠"
"""Suit symbols that reports print after a rank."""

_CARD = re.compile(f"(?<=[2-9TJQKA])[{SYMBOLS}]")
_LETTERS = dict(zip(SYMBOLS, "cdhs", strict=True))


def plain_suits(text: str) -> str:
    """Return a text with the suit of each card as a letter: `A♠ K♦` becomes `As Kd`."""
    return _CARD.sub(lambda match: _LETTERS[match[0]], text)
