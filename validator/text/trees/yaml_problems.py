"""What libyaml complains of, said in plain words and shown where a person would look for it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from yaml import Mark, MarkedYAMLError, YAMLError

from validator.text.visible import quoted

_LONGEST_KEY = 1024


class Problem(Struct, frozen=True, kw_only=True):
    """A syntax error: what is wrong, where (from 1), and what to write instead."""

    message: str
    line: int
    column: int
    help: str | None = None


class _Scene(Struct, frozen=True, kw_only=True):
    """Where libyaml stopped, where the piece it was reading began (both from 1), and the file's lines."""

    line: int
    column: int
    start_line: int
    start_column: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.lines[self.line - 1]

    @property
    def char(self) -> str:
        return self.text[self.column - 1 : self.column]

    @property
    def opener(self) -> str:
        return self.lines[self.start_line - 1][self.start_column - 1 : self.start_column]

    @property
    def starts_line(self) -> bool:
        """Whether only blanks stand before the place where libyaml stopped."""
        return not self.text[: self.column - 1].strip()

    def here(self, message: str, help_: str | None = None) -> Problem:
        return Problem(message=message, line=self.line, column=self.column, help=help_)

    def at_start(self, message: str, help_: str | None = None) -> Problem:
        return Problem(message=message, line=self.start_line, column=self.start_column, help=help_)


def explain(error: YAMLError, lines: tuple[str, ...]) -> Problem:
    """The problem a libyaml error stands for, in a file with these lines."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Problem(message=f"this is not YAML: {error}", line=1, column=1)
    line, column = _place(error.problem_mark, lines)
    start_line, start_column = _place(error.context_mark or error.problem_mark, lines)
    scene = _Scene(line=line, column=column, start_line=start_line, start_column=start_column, lines=lines)
    known = _KNOWN.get(error.problem or "")
    return known(scene) if known else scene.here(f"this is not YAML: {error.problem}")


def _place(mark: Mark, lines: tuple[str, ...]) -> tuple[int, int]:
    """Line and column, from 1, of a mark; libyaml puts the end of the text on a line of its own."""
    if mark.line < len(lines):
        return mark.line + 1, mark.column + 1
    return len(lines), len(lines[-1]) + 1


def _no_token(scene: _Scene) -> Problem:
    if scene.char == "\t":
        return _tab(scene)
    return scene.here(f"text cannot start with {quoted(scene.char)}", "put the text in quotes")


def _tab(scene: _Scene) -> Problem:
    return scene.here("a tab stands where only blanks may indent", "indent with blanks")


def _second_colon(scene: _Scene) -> Problem:
    key = scene.text[: scene.column - 1]
    if len(key) > _LONGEST_KEY:
        return _key_too_long(scene.line, len(key) - len(key.lstrip()) + 1)
    if ": " in key:
        return scene.here("a second `: ` on the same line", "put the text in quotes, or start a new line for the key")
    return Problem(
        message="a key cannot stand here",
        line=scene.line,
        column=len(key) - len(key.lstrip()) + 1,
        help="indent it like the keys it belongs to; the line above may lack its `: ` or a closing quote",
    )


def _no_colon(scene: _Scene) -> Problem:
    if len(scene.lines[scene.start_line - 1]) > _LONGEST_KEY:
        return _key_too_long(scene.start_line, scene.start_column)
    return scene.at_start(
        "this line has no `: `",
        "write `key: value`; text that goes on from the line above is indented more",
    )


def _key_too_long(line: int, column: int) -> Problem:
    return Problem(message=f"a key has at most {_LONGEST_KEY:,} characters", line=line, column=column)


def _open_quote(scene: _Scene) -> Problem:
    return scene.at_start(f"this quote is never closed: {quoted(scene.opener)}", "close it on the same line")


def _open_bracket(scene: _Scene) -> Problem:
    closing = {"[": "]", "{": "}"}.get(scene.opener, "]")
    # A colon on a later line is that of the next key: the bracket before it was forgotten.
    if scene.char and not (scene.char == ":" and scene.line > scene.start_line):
        begun = f"the `{scene.opener}` stands at line {scene.start_line}, column {scene.start_column}"
        quotes = "; a text that holds `: ` must stand in quotes" if scene.char == ":" else ""
        return scene.here(f"`,` or `{closing}` is missing before this", begun + quotes)
    return scene.at_start(
        f"this `{scene.opener}` is never closed",
        f"put `{closing}` after its last item; reading stopped at line {scene.line}, column {scene.column}",
    )


def _no_key(scene: _Scene) -> Problem:
    begun = f"the mapping it stands in begins at line {scene.start_line}, column {scene.start_column}"
    if scene.char in ("]", "}"):
        return scene.here(f"this `{scene.char}` closes nothing", "remove it, or put the value in quotes")
    if scene.char == ":":
        return scene.here("a key is missing before the `:`")
    if not scene.starts_line:
        return scene.here("this follows a value that has already ended", "put the value in quotes")
    if scene.char == "-":
        return scene.here("a list item stands among the keys of a mapping", begun)
    return scene.here("the indentation of this line fits no mapping above it", begun)


def _no_dash(scene: _Scene) -> Problem:
    return scene.here(
        "a list item must start with `- `",
        f"the list begins at line {scene.start_line}, column {scene.start_column}",
    )


def _after_the_end(scene: _Scene) -> Problem:
    return scene.here("this follows the end of the file's one value", "a file holds one mapping or one list")


def _bad_escape(scene: _Scene) -> Problem:
    return scene.here(
        "this is not an escape of a double-quoted text", r"write `\\` for a backslash, or use single quotes"
    )


def _saying(message: str, help_: str | None = None) -> Callable[[_Scene], Problem]:
    return lambda scene: scene.here(message, help_)


_tag = _saying("tags are not used", "put the text in quotes")
_directive = _saying("directives are not used", "remove the line")

_KNOWN: dict[str, Callable[[_Scene], Problem]] = {
    "found character that cannot start any token": _no_token,
    "found a tab character that violates indentation": _tab,
    "found a tab character where an indentation space is expected": _tab,
    "mapping values are not allowed in this context": _second_colon,
    "could not find expected ':'": _no_colon,
    "found unexpected end of stream": _open_quote,
    "found unexpected document indicator": _open_quote,
    "did not find expected ',' or ']'": _open_bracket,
    "did not find expected ',' or '}'": _open_bracket,
    "did not find expected key": _no_key,
    "did not find expected '-' indicator": _no_dash,
    "did not find expected <document start>": _after_the_end,
    "did not find expected node content": _saying("a value is missing before this"),
    "found unknown escape character": _bad_escape,
    "did not find expected hexdecimal number": _bad_escape,
    "found invalid Unicode character escape code": _bad_escape,
    "block sequence entries are not allowed in this context": _saying(
        "a list cannot start here", "start it on a line of its own, or write [a, b]"
    ),
    "mapping keys are not allowed in this context": _saying("`?` cannot start a text", "put the text in quotes"),
    "did not find expected alphabetic or numeric character": _saying(
        "text cannot start with `*` or `&`", "put the text in quotes"
    ),
    "did not find expected comment or line break": _saying(
        "nothing may follow `|` or `>` on its line", "start the text on the next line"
    ),
    "found an indentation indicator equal to 0": _saying("the indentation after `|` or `>` is at least 1"),
    "did not find the expected '>'": _tag,
    "did not find expected tag URI": _tag,
    "did not find expected whitespace or line break": _tag,
    "found undefined tag handle": _tag,
    "found unknown directive name": _directive,
    "could not find expected directive name": _directive,
    "found incompatible YAML document": _directive,
    "found duplicate %YAML directive": _directive,
}
