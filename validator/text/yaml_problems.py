"""Errors of libyaml in plain words, shown where a person would look for them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from yaml import Mark, MarkedYAMLError, YAMLError

from fairdeal.validator.text.diagnostics import quote

_MAX_KEY_LENGTH = 1024


class YamlProblem(Struct, frozen=True, kw_only=True):
    """A syntax error."""

    message: str
    """The problem in one sentence."""
    line: int
    """Line, from 1."""
    column: int
    """Column, from 1."""
    help: str | None = None
    """Remedy, if one is known."""


class _Scene(Struct, frozen=True, kw_only=True):
    """The place where libyaml stopped, and where the element it was reading began."""

    line: int
    """Line where it stopped, from 1."""
    column: int
    """Column where it stopped, from 1."""
    start_line: int
    """Line where the element began, from 1."""
    start_column: int
    """Column where the element began, from 1."""
    lines: tuple[str, ...]
    """Lines of the file."""

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
        """True if only blanks precede the place where libyaml stopped."""
        return not self.text[: self.column - 1].strip()

    def here(self, message: str, help_: str | None = None) -> YamlProblem:
        return YamlProblem(message=message, line=self.line, column=self.column, help=help_)

    def at_start(self, message: str, help_: str | None = None) -> YamlProblem:
        return YamlProblem(message=message, line=self.start_line, column=self.start_column, help=help_)


def explain_yaml_error(error: YAMLError, lines: tuple[str, ...]) -> YamlProblem:
    """Return the problem that an error of libyaml means, in a file with these lines."""
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return YamlProblem(message=f"this is not YAML: {error}", line=1, column=1)
    line, column = _locate_mark(error.problem_mark, lines)
    start_line, start_column = _locate_mark(error.context_mark or error.problem_mark, lines)
    scene = _Scene(line=line, column=column, start_line=start_line, start_column=start_column, lines=lines)
    known = _EXPLAINERS.get(error.problem or "")
    return known(scene) if known else scene.here(f"this is not YAML: {error.problem}")


def _locate_mark(mark: Mark, lines: tuple[str, ...]) -> tuple[int, int]:
    """Return line and column of a mark, from 1. Libyaml puts the end of the text on a line of its own."""
    if mark.line < len(lines):
        return mark.line + 1, mark.column + 1
    return len(lines), len(lines[-1]) + 1


def _explain_bad_start(scene: _Scene) -> YamlProblem:
    if scene.char == "\t":
        return _explain_tab(scene)
    return scene.here(f"text cannot start with {quote(scene.char)}", "put the text in quotes")


def _explain_tab(scene: _Scene) -> YamlProblem:
    return scene.here("a tab in place of blanks for indentation", "indent with blanks")


def _explain_second_colon(scene: _Scene) -> YamlProblem:
    key = scene.text[: scene.column - 1]
    if len(key) > _MAX_KEY_LENGTH:
        return _build_long_key_problem(scene.line, len(key) - len(key.lstrip()) + 1)
    if ": " in key:
        return scene.here("a second `: ` on the same line", "put the text in quotes, or start a new line for the key")
    return YamlProblem(
        message="a key is not allowed here",
        line=scene.line,
        column=len(key) - len(key.lstrip()) + 1,
        help="indent it like the keys it belongs to; the line above may lack its `: ` or a closing quote",
    )


def _explain_missing_colon(scene: _Scene) -> YamlProblem:
    if len(scene.lines[scene.start_line - 1]) > _MAX_KEY_LENGTH:
        return _build_long_key_problem(scene.start_line, scene.start_column)
    return scene.at_start(
        "this line has no `: `",
        "write `key: value`; text that goes on from the line above is indented more",
    )


def _build_long_key_problem(line: int, column: int) -> YamlProblem:
    return YamlProblem(message=f"a key has at most {_MAX_KEY_LENGTH:,} characters", line=line, column=column)


def _explain_open_quote(scene: _Scene) -> YamlProblem:
    return scene.at_start(f"this quote is never closed: {quote(scene.opener)}", "close it on the same line")


def _explain_open_bracket(scene: _Scene) -> YamlProblem:
    closing = {"[": "]", "{": "}"}.get(scene.opener, "]")
    # A colon on a later line belongs to the next key: the bracket before it is missing.
    if scene.char and not (scene.char == ":" and scene.line > scene.start_line):
        opening = f"the `{scene.opener}` is at line {scene.start_line}, column {scene.start_column}"
        quotes = "; a text with `: ` must be in quotes" if scene.char == ":" else ""
        return scene.here(f"`,` or `{closing}` is missing before this", opening + quotes)
    return scene.at_start(
        f"this `{scene.opener}` is never closed",
        f"put `{closing}` after its last item; reading stopped at line {scene.line}, column {scene.column}",
    )


def _explain_missing_key(scene: _Scene) -> YamlProblem:
    opening = f"its mapping begins at line {scene.start_line}, column {scene.start_column}"
    if scene.char in ("]", "}"):
        return scene.here(f"this `{scene.char}` closes nothing", "remove it, or put the value in quotes")
    if scene.char == ":":
        return scene.here("a key is missing before the `:`")
    if not scene.starts_line:
        return scene.here("this follows a value that has already ended", "put the value in quotes")
    if scene.char == "-":
        return scene.here("a list item among the keys of a mapping", opening)
    return scene.here("the indentation of this line fits no mapping above it", opening)


def _explain_missing_dash(scene: _Scene) -> YamlProblem:
    return scene.here(
        "a list item must start with `- `",
        f"the list begins at line {scene.start_line}, column {scene.start_column}",
    )


def _explain_trailing_text(scene: _Scene) -> YamlProblem:
    return scene.here("this follows the end of the file's one value", "a file holds one mapping or one list")


def _explain_bad_escape(scene: _Scene) -> YamlProblem:
    return scene.here(
        "this is not an escape of a double-quoted text", r"write `\\` for a backslash, or use single quotes"
    )


def _build_explainer(message: str, help_: str | None = None) -> Callable[[_Scene], YamlProblem]:
    return lambda scene: scene.here(message, help_)


_explain_tag = _build_explainer("tags are not used", "put the text in quotes")
_explain_directive = _build_explainer("directives are not used", "remove the line")

_EXPLAINERS: dict[str, Callable[[_Scene], YamlProblem]] = {
    "found character that cannot start any token": _explain_bad_start,
    "found a tab character that violates indentation": _explain_tab,
    "found a tab character where an indentation space is expected": _explain_tab,
    "mapping values are not allowed in this context": _explain_second_colon,
    "could not find expected ':'": _explain_missing_colon,
    "found unexpected end of stream": _explain_open_quote,
    "found unexpected document indicator": _explain_open_quote,
    "did not find expected ',' or ']'": _explain_open_bracket,
    "did not find expected ',' or '}'": _explain_open_bracket,
    "did not find expected key": _explain_missing_key,
    "did not find expected '-' indicator": _explain_missing_dash,
    "did not find expected <document start>": _explain_trailing_text,
    "did not find expected node content": _build_explainer("a value is missing before this"),
    "found unknown escape character": _explain_bad_escape,
    "did not find expected hexdecimal number": _explain_bad_escape,
    "found invalid Unicode character escape code": _explain_bad_escape,
    "block sequence entries are not allowed in this context": _build_explainer(
        "a list cannot start here", "start it on a line of its own, or write [a, b]"
    ),
    "mapping keys are not allowed in this context": _build_explainer(
        "`?` cannot start a text", "put the text in quotes"
    ),
    "did not find expected alphabetic or numeric character": _build_explainer(
        "text cannot start with `*` or `&`", "put the text in quotes"
    ),
    "did not find expected comment or line break": _build_explainer(
        "nothing may follow `|` or `>` on its line", "start the text on the next line"
    ),
    "found an indentation indicator equal to 0": _build_explainer("the indentation after `|` or `>` is at least 1"),
    "did not find the expected '>'": _explain_tag,
    "did not find expected tag URI": _explain_tag,
    "did not find expected whitespace or line break": _explain_tag,
    "found undefined tag handle": _explain_tag,
    "found unknown directive name": _explain_directive,
    "could not find expected directive name": _explain_directive,
    "found incompatible YAML document": _explain_directive,
    "found duplicate %YAML directive": _explain_directive,
}
