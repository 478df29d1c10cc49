"""YAML 1.2 to a positioned tree, composed from libyaml's events.

A strict subset: one document, keys that are text, no anchors, aliases, tags, merge keys or directives.
Depth and size are bounded while the events come in, so hostile input is given up early.
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
"""Blanks and line breaks in a row. libyaml clears its buffer of them after every word, in time that grows
with the longest run so far: without a bound, a few megabytes keep it busy for minutes."""

_BLANK_RUN = b" " * (MAX_BLANKS + 1)
_TO_BLANKS = bytes.maketrans(b"\t\r\n", b"   ")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_LINE_SEPARATORS = frozenset("\x85\u2028\u2029")
_PROLOGUE = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*")
_EPILOGUE = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*|(?<![^\r\n])\.\.\.(?=[ \t\r\n]|\Z))*")
_VERSION = re.compile(r"%YAML[ \t]+1\.2[ \t]*(?:#[^\r\n]*)?[\r\n]+")
_NODES = frozenset((AliasEvent, ScalarEvent, SequenceStartEvent, MappingStartEvent))


def load_yaml(source: Source) -> Tree:
    """The tree of a YAML document.

    Raises InputError with what libyaml cannot read, and with everything refused: what YAML readers
    disagree on, duplicate keys, keys that are not text, anchors, aliases, tags, merge keys, directives, a
    second document, and more depth, values or digits than a rule file or submission can need.
    """
    lines = source.lines()
    builder = TreeBuilder(source.name, lines)
    _check_characters(source.text, builder)
    _check_blanks(source, builder)
    _check_directives(source.text, builder)
    try:
        _compose(CBaseLoader(source.text), source.text, builder)
    except YAMLError as error:
        from validator.text.trees.yaml_problems import explain  # noqa: PLC0415 - only a wrong input pays for the words

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
                _key(event, text, builder)
            else:
                _value(event, builder)
        elif kind is MappingStartEvent:
            builder.open({}, event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is SequenceStartEvent:
            builder.open([], event.start_mark.line + 1, event.start_mark.column + 1)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            builder.close()
        elif kind is DocumentEndEvent:
            # What follows is looked at here: libyaml would first take in any number of directives.
            _check_end(text, event.end_mark.index, builder)
            return
        elif kind is StreamEndEvent:
            builder.refuse("empty", "this file holds nothing but comments", 1, 1)


def _key(event: Any, whole: str, builder: TreeBuilder) -> None:
    """Take a scalar event that is the key of a mapping; `whole` is all that is read."""
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
            help_ = "numbers are written without commas, and a text that holds one in quotes"
        builder.complain("key-not-text", message, line, column, text=text, help_=help_)
    builder.key(text, line, column)


def _value(event: Any, builder: TreeBuilder) -> None:
    """Take a scalar event that is an item, an entry's value, or the whole document."""
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
    """Refuse what libyaml cannot read, or takes for a line break against YAML 1.2."""
    unprintable = None if text.isascii() and "\x7f" not in text else _UNPRINTABLE.search(text)
    if unprintable is not None:
        line, column = locate(text, unprintable.start())
        char = unprintable.group()
        what = "a line break to some YAML readers only" if char in _LINE_SEPARATORS else "not allowed in YAML"
        builder.refuse(
            "control-character",
            f"the character U+{ord(char):04X} is {what}",
            line,
            column,
            help_=f'remove it, or write "\\u{ord(char):04x}" in double quotes',
        )


def _check_blanks(source: Source, builder: TreeBuilder) -> None:
    """Refuse a run of blanks that would keep libyaml busy."""
    start = source.data.translate(_TO_BLANKS).find(_BLANK_RUN)
    if start >= 0:
        line, column = locate(source.text, len(source.data[:start].decode("utf-8-sig")))
        message = f"more than {MAX_BLANKS:,} blanks or line breaks in a row"
        builder.refuse("too-many-blanks", message, line, column)


def _check_directives(text: str, builder: TreeBuilder) -> None:
    """Refuse every directive but one `%YAML 1.2` before the document."""
    start = _end_of(_PROLOGUE, text, 0)
    after = _end_of(_VERSION, text, start)
    start = _end_of(_PROLOGUE, text, after)
    if text.startswith("%", start):
        line, column = locate(text, start)
        builder.refuse("directive", "directives are not used", line, column, help_="remove the line")


def _check_end(text: str, index: int, builder: TreeBuilder) -> None:
    """Refuse whatever but comments follows the document."""
    rest = _end_of(_EPILOGUE, text, index)
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


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a match of `pattern` from `start` ends; `start` itself where there is none."""
    found = pattern.match(text, start)
    return found.end() if found else start
