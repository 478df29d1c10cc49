"""Reader of YAML 1.2, composed from the events of libyaml.

It accepts a strict subset: one document, keys that are text, no anchors, aliases, tags, merge keys or directives. Depth
and size are bounded while events arrive, so the reader gives up early on hostile input.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

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

from validator.text.source import Source, locate
from validator.text.trees.builder import TreeBuilder
from validator.text.trees.tree import Tree
from validator.text.trees.yaml_scalars import Refusal, resolve
from validator.text.visible import quoted, shortened

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


def load_yaml(source: Source) -> Tree:
    """Return the tree of a YAML document.

    Raises InputError for text that libyaml cannot read, and for everything that is refused. Refused are values that
    YAML readers interpret differently, duplicate keys, keys that are not text, and a second document. Anchors, aliases,
    tags, merge keys and directives are refused too, as are more depth, values or digits than a file can need.
    """
    lines = source.lines()
    builder = TreeBuilder(source.name, lines)
    _check_characters(source.text, builder)
    _check_blanks(source, builder)
    _check_directives(source.text, builder)
    try:
        _compose(CBaseLoader(source.text), source.text, builder)
    except YAMLError as error:
        from validator.text.trees.yaml_problems import explain  # noqa: PLC0415 - only invalid input needs explanations

        problem = explain(error, lines)
        builder.refuse("syntax", problem.message, problem.line, problem.column, help_=problem.help)
    return builder.finish()


def _compose(parser: CBaseLoader, text: str, builder: TreeBuilder) -> None:
    while True:
        event: Any = parser.get_event()
        kind = type(event)
        if kind in _NODES and (event.anchor is not None or event.tag is not None):
            _refuse_properties(event, builder)
        if kind is ScalarEvent:
            if builder.expects_key:
                _take_key(event, text, builder)
            else:
                _take_value(event, builder)
        elif kind is MappingStartEvent:
            builder.open({}, event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is SequenceStartEvent:
            builder.open([], event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            builder.close()
        elif kind is DocumentEndEvent:
            # Check the rest here: libyaml would first read any number of directives.
            _check_end(text, event.end_mark.index, builder)
            return
        elif kind is StreamEndEvent:
            builder.refuse("empty", "this file holds nothing but comments", 1, 1)


def _take_key(event: Any, whole: str, builder: TreeBuilder) -> None:
    """Take a scalar event that is the key of a mapping; `whole` is the whole text."""
    text = event.value
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    value = resolve(text) if event.implicit[0] else text
    if text == "<<" and event.implicit[0]:
        help_ = "write the entries out"
        builder.complain("merge-key", "merge keys are not used", line, column, text=text, help_=help_)
    elif not text and value is None:
        builder.complain("key-not-text", "a key is missing before the `:`", line, column)
    elif not isinstance(value, str):
        message = value.message if isinstance(value, Refusal) else f"the key {quoted(text)} is not text"
        help_ = f"put it in quotes: '{shortened(text)}'"
        if whole[: event.start_mark.index].endswith(","):
            help_ = "write numbers without commas, and a text with a comma in quotes"
        builder.complain("key-not-text", message, line, column, text=text, help_=help_)
    builder.key(text, line, column)


def _take_value(event: Any, builder: TreeBuilder) -> None:
    """Take a scalar event that is an item, the value of an entry, or the whole document."""
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    value = resolve(event.value) if event.implicit[0] else event.value
    if isinstance(value, Refusal):
        builder.complain(value.code, value.message, line, column, text=event.value, help_=value.help)
        value = None
    builder.scalar(value, line, column)


def _refuse_properties(event: Any, builder: TreeBuilder) -> NoReturn:
    """Refuse an alias, an anchor or a tag."""
    line, column = event.start_mark.line + 1, event.start_mark.column + 1
    if isinstance(event, AliasEvent):
        builder.refuse("alias", "aliases are not used", line, column, help_="write the value out")
    if event.anchor is not None:
        help_ = "write the value out where it is needed"
        builder.refuse("anchor", "anchors are not used", line, column, help_=help_)
    builder.refuse("tag", "tags are not used", line, column, help_="remove it, or quote the text")


def _check_characters(text: str, builder: TreeBuilder) -> None:
    """Refuse characters that libyaml cannot read, or treats as a line break contrary to YAML 1.2."""
    unprintable = None if text.isascii() and "\x7f" not in text else _UNPRINTABLE.search(text)
    if unprintable is not None:
        line, column = locate(text, unprintable.start())
        char = unprintable.group()
        reason = "a line break to some YAML readers only" if char in _LINE_SEPARATORS else "not allowed in YAML"
        builder.refuse(
            "control-character",
            f"the character U+{ord(char):04X} is {reason}",
            line,
            column,
            help_=f'remove it, or write "\\u{ord(char):04x}" in double quotes',
        )


def _check_blanks(source: Source, builder: TreeBuilder) -> None:
    """Refuse a run of blanks that would occupy libyaml for long."""
    start = source.data.translate(_TO_BLANKS).find(_BLANK_RUN)
    if start >= 0:
        line, column = locate(source.text, len(source.data[:start].decode("utf-8-sig")))
        message = f"more than {MAX_BLANKS:,} blanks or line breaks in a row"
        builder.refuse("too-many-blanks", message, line, column)


def _check_directives(text: str, builder: TreeBuilder) -> None:
    """Refuse every directive except one `%YAML 1.2` before the document."""
    start = _match_end(_BEFORE_DOCUMENT, text, 0)
    after = _match_end(_VERSION, text, start)
    start = _match_end(_BEFORE_DOCUMENT, text, after)
    if text.startswith("%", start):
        line, column = locate(text, start)
        builder.refuse("directive", "directives are not used", line, column, help_="remove the line")


def _check_end(text: str, index: int, builder: TreeBuilder) -> None:
    """Refuse everything after the document except comments."""
    rest = _match_end(_AFTER_DOCUMENT, text, index)
    if rest == len(text):
        return
    line, column = locate(text, rest)
    if text.startswith("---", rest):
        builder.refuse("several-documents", "a second YAML document begins here", line, column, help_="keep one a file")
    builder.refuse(
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
