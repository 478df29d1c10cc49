"""YAML with the position of every value, and plain words for text that is no YAML."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any, NoReturn

from msgspec import Struct
from yaml import (
    AliasEvent,
    CBaseLoader,
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    Mark,
    MarkedYAMLError,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
)

from fairdeal.validator.text.diagnostics import Diagnostic, quote, shorten
from fairdeal.validator.text.positioned_document import Data, DocumentBuilder, PositionedDocument, parse_number
from fairdeal.validator.text.source import Source, locate

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


_LITERALS: dict[str, bool | None] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_AMBIGUOUS_WORDS = {"yes": "true", "y": "true", "on": "true", "no": "false", "n": "false", "off": "false"}
_MERGE_KEY = "<<"
_WORDS = frozenset((*_LITERALS, _MERGE_KEY)) | {
    "".join(letters) for word in _AMBIGUOUS_WORDS for letters in product(*zip(word, word.upper(), strict=True))
}
"""Plain scalars that begin like text and are no text to some readers."""
_NUMERIC_START = frozenset("+-.0123456789")
_RATIO = re.compile(r"[-+]?[0-9]+:[0-9]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?")
_UNDERSCORED = re.compile(r"(?=[^_]*_)[-+]?[0-9][0-9_]*(\.[0-9_]*)?")
_BINARY = re.compile(r"[-+]?0b[01_]+")
_SIGNED_BASE = re.compile(r"[-+]0(o[0-7]+|x[0-9a-fA-F]+)")
_SPECIAL_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


class ScalarRefusal(Struct, frozen=True, kw_only=True):
    """The reason why a plain scalar is not accepted."""

    code: str
    """Kind of the problem."""
    message: str
    """The problem in one sentence."""
    help: str
    """Remedy."""


def resolve_scalar(text: str) -> str | int | Decimal | bool | ScalarRefusal | None:
    """Return the value of a plain scalar, or why it is refused.

    null, ~ and the empty scalar are None; true and false are bool; whole numbers are int; numbers with a point or an
    exponent are Decimal. Everything else is text, including dates.
    """
    if text in _LITERALS:
        return _LITERALS[text]
    if text[0] in _NUMERIC_START:
        return _resolve_numeric(text)
    truth = _AMBIGUOUS_WORDS.get(text.lower()) if len(text) <= 3 else None
    if truth is None:
        return text
    return ScalarRefusal(
        code="ambiguous-word",
        message=f"{quote(text)} is text to some YAML readers and {truth} to others",
        help=f"write {truth}, or '{text}' for the text",
    )


def _resolve_numeric(text: str) -> str | int | Decimal | ScalarRefusal:
    if _LEADING_ZERO.fullmatch(text):
        return ScalarRefusal(
            code="ambiguous-number",
            message=f"{quote(text)} starts with a zero, and YAML readers disagree on what that means",
            help="leave the zero out, or put it in quotes for the text",
        )
    try:
        value = parse_number(text)
    except ValueError as error:
        return ScalarRefusal(code="number-too-long", message=str(error), help="put it in quotes if it is text")
    return _refuse_ambiguous(text) or text if value is None else value


def _refuse_ambiguous(text: str) -> ScalarRefusal | None:
    if _RATIO.fullmatch(text):
        left, right = text.split(":")
        return ScalarRefusal(
            code="ambiguous-number",
            message=f"{quote(text)} is a number in base 60 to some YAML readers",
            help=f"odds must be quoted: \"{shorten(left)} to {shorten(right)}\" or '{shorten(text)}'",
        )
    if _SEXAGESIMAL.fullmatch(text):
        return ScalarRefusal(
            code="ambiguous-number",
            message=f"{quote(text)} is a number in base 60 to some YAML readers",
            help=f"put it in quotes: '{shorten(text)}'",
        )
    if _UNDERSCORED.fullmatch(text) or _BINARY.fullmatch(text) or _SIGNED_BASE.fullmatch(text):
        return ScalarRefusal(
            code="ambiguous-number",
            message=f"{quote(text)} is text to some YAML readers and a number to others",
            help="write plain digits, or put it in quotes for the text",
        )
    if _SPECIAL_NUMBER.fullmatch(text):
        return ScalarRefusal(
            code="not-a-number",
            message=f"{quote(text)} is not a usable number",
            help="write a number, or put it in quotes for the text",
        )
    return None


MAX_BLANKS = 1000
"""Maximum number of blanks and line breaks in a row.

Libyaml clears its buffer of them after every word, in time that grows with the longest run so far. Without a bound, a
few megabytes would occupy it for minutes.
"""

_BLANK_RUN = b" " * (MAX_BLANKS + 1)
_TO_BLANKS = bytes.maketrans(b"\t\r\n", b"   ")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LINE_SEPARATORS = frozenset("\x85\u2028\u2029")
_BEFORE_DOCUMENT = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*")
_AFTER_DOCUMENT = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*|(?<![^\r\n])\.\.\.(?=[ \t\r\n]|\Z))*")
_VERSION = re.compile(r"%YAML[ \t]+1\.2[ \t]*(?:#[^\r\n]*)?[\r\n]+")
_NODES = frozenset((AliasEvent, ScalarEvent, SequenceStartEvent, MappingStartEvent))


def load_yaml(source: Source, problems: list[Diagnostic] | None = None) -> PositionedDocument:
    """Return the tree of a YAML document.

    Refused values and repeated keys are added to `problems` if that is given; a refused value is then None.

    Raises InputError for text that libyaml cannot read, and for everything that is refused. Refused are values that
    YAML readers interpret differently, duplicate keys, keys that are not text, and a second document. Anchors, aliases,
    tags, merge keys and directives are refused too, as are more depth, values or digits than a file can need.
    """
    lines = source.split_text()
    builder = DocumentBuilder(source.name, lines)
    _check_characters(source.text, builder)
    _check_blanks(source, builder)
    _check_directives(source.text, builder)
    try:
        _compose(CBaseLoader(source.text), source.text, builder)
    except YAMLError as error:
        problem = explain_yaml_error(error, lines)
        builder.abort("syntax", problem.message, problem.line, problem.column, help_=problem.help)
    return builder.build(problems)


def _compose(parser: CBaseLoader, text: str, builder: DocumentBuilder) -> None:
    next_event = parser.get_event
    while True:
        event: Any = next_event()
        kind = type(event)
        if kind in _NODES and (event.anchor is not None or event.tag is not None):
            _refuse_properties(event, builder)
        if kind is ScalarEvent:
            mark, value = event.start_mark, event.value
            is_word = event.implicit[0] and (value in _WORDS or value[0] in _NUMERIC_START)
            if builder.expects_key:
                if is_word:
                    _check_key(event, text, builder)
                builder.add_key(value, mark.line + 1, mark.column + 1)
            else:
                if is_word:
                    value = _resolve_value(value, mark, builder)
                builder.add_value(value, mark.line + 1, mark.column + 1)
        elif kind is MappingStartEvent:
            builder.open_container({}, event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is SequenceStartEvent:
            builder.open_container([], event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            builder.close_container()
        elif kind is DocumentEndEvent:
            # Check the rest here: libyaml would first read any number of directives.
            _check_end(text, event.end_mark.index, builder)
            return
        elif kind is StreamEndEvent:
            builder.abort("empty", "this file holds nothing but comments", 1, 1)


def _check_key(event: Any, whole: str, builder: DocumentBuilder) -> None:
    """Report a plain scalar that cannot be the key of a mapping; `whole` is the whole text."""
    text = event.value
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    value = resolve_scalar(text)
    if text == _MERGE_KEY:
        help_ = "write the entries out"
        builder.report("merge-key", "merge keys are not used", line, column, text=text, help_=help_)
    elif not text:
        builder.report("key-not-text", "a key is missing before the `:`", line, column)
    elif not isinstance(value, str):
        message = value.message if isinstance(value, ScalarRefusal) else f"the key {quote(text)} is not text"
        help_ = f"put it in quotes: '{shorten(text)}'"
        if whole[: event.start_mark.index].endswith(","):
            help_ = "write numbers without commas, and a text with a comma in quotes"
        builder.report("key-not-text", message, line, column, text=text, help_=help_)


def _resolve_value(text: str, mark: Any, builder: DocumentBuilder) -> Data:
    """Return the value of a plain scalar that begins at a mark; None if it is refused."""
    value = resolve_scalar(text)
    if isinstance(value, ScalarRefusal):
        builder.report(value.code, value.message, mark.line + 1, mark.column + 1, text=text, help_=value.help)
        return None
    return value


def _refuse_properties(event: Any, builder: DocumentBuilder) -> NoReturn:
    """Refuse an alias, an anchor or a tag."""
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, AliasEvent):
        builder.abort("alias", "aliases are not used", line, column, help_="write the value out")
    if event.anchor is not None:
        help_ = "write the value out where it is needed"
        builder.abort("anchor", "anchors are not used", line, column, help_=help_)
    builder.abort("tag", "tags are not used", line, column, help_="remove it, or quote the text")


def _check_characters(text: str, builder: DocumentBuilder) -> None:
    """Refuse characters that libyaml cannot read, or treats as a line break contrary to YAML 1.2."""
    unprintable = None if text.isascii() and "\x7f" not in text else _UNPRINTABLE.search(text)
    if unprintable is not None:
        line, column = locate(text, unprintable.start())
        char = unprintable.group()
        reason = "a line break to some YAML readers only" if char in _LINE_SEPARATORS else "not allowed in YAML"
        builder.abort(
            "control-character",
            f"the character U+{ord(char):04X} is {reason}",
            line,
            column,
            help_=f'remove it, or write "\\u{ord(char):04x}" in double quotes',
        )


def _check_blanks(source: Source, builder: DocumentBuilder) -> None:
    """Refuse a run of blanks that would occupy libyaml for long."""
    start = source.data.translate(_TO_BLANKS).find(_BLANK_RUN)
    if start >= 0:
        line, column = locate(source.text, len(source.data[:start].decode("utf-8-sig")))
        message = f"more than {MAX_BLANKS:,} blanks or line breaks in a row"
        builder.abort("too-many-blanks", message, line, column)


def _check_directives(text: str, builder: DocumentBuilder) -> None:
    """Refuse every directive except one `%YAML 1.2` before the document."""
    start = _match_end(_BEFORE_DOCUMENT, text, 0)
    after = _match_end(_VERSION, text, start)
    start = _match_end(_BEFORE_DOCUMENT, text, after)
    if text.startswith("%", start):
        line, column = locate(text, start)
        builder.abort("directive", "directives are not used", line, column, help_="remove the line")


def _check_end(text: str, index: int, builder: DocumentBuilder) -> None:
    """Refuse everything after the document except comments."""
    rest = _match_end(_AFTER_DOCUMENT, text, index)
    if rest == len(text):
        return
    line, column = locate(text, rest)
    if text.startswith("---", rest):
        builder.abort("several-documents", "a second YAML document begins here", line, column, help_="keep one a file")
    builder.abort(
        "syntax",
        "this follows the end of the file's one value",
        line,
        column,
        help_="a file holds one mapping or one list",
    )


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return where a match of a pattern from a start ends; the start itself if there is none."""
    match = pattern.match(text, start)
    return match.end() if match else start
