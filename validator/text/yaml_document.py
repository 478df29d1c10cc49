"""Reader of YAML 1.2, composed from the events of libyaml.

It accepts a strict subset: one document, keys that are text, no anchors, aliases, tags, merge keys or directives.
Depth and size are bounded while events arrive, so the reader gives up early on hostile input. A rule must mean the
same to every reader. The reader therefore refuses a plain scalar that YAML 1.1 and YAML 1.2 resolve differently.
"""

from __future__ import annotations

import re
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
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
)

from fairdeal.validator.text.diagnostics import Diagnostic, quote, shorten
from fairdeal.validator.text.positioned_document import Data, DocumentBuilder, PositionedDocument, parse_number
from fairdeal.validator.text.source import Source, locate

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
        from fairdeal.validator.text.yaml_problems import explain_yaml_error  # noqa: PLC0415 - only invalid input needs explanations

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
