"""Reader of strict JSON: RFC 8259 without its loopholes, token by token, without recursion."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, NoReturn

from fairdeal.validator.text.diagnostics import Diagnostic, quote, shorten
from fairdeal.validator.text.positioned_document import Data, DocumentBuilder, PositionedDocument, parse_number
from fairdeal.validator.text.source import Source, split_lines

_BLANKS = frozenset(" \t\r\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*')
_RUN = re.compile(r"[-+.0-9A-Za-z_]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_WRONG_LITERALS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "None": "null"}
_SPECIAL_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))


def load_json(source: Source, problems: list[Diagnostic] | None = None) -> PositionedDocument:
    """Return the tree of a JSON document.

    Refused values and repeated keys are added to `problems` if that is given; a refused value is then None.

    Raises InputError if the text is not JSON, and for duplicate keys and lone surrogates. More depth, values or digits
    than a rule file or submission can need are an InputError too.
    """
    return _Reader(source).read(problems)


class _OpenBracket(NamedTuple):
    """An open list or mapping: its brackets and the place of the first."""

    bracket: str
    """The opening bracket."""
    closer: str
    """The closing bracket."""
    line: int
    """Line of the opening bracket, from 1."""
    column: int
    """Column of the opening bracket, from 1."""


class _Reader:
    """A single pass over the text.

    After `_skip`, `_at` is the index of the next token and `_line` its line. `_char` is its first character, which is
    empty at the end of the text.
    """

    def __init__(self, source: Source) -> None:
        self._text = source.text
        self._builder = DocumentBuilder(source.name, source.split_text())
        self._at = 0
        self._char = ""
        self._line = 1
        self._line_start = 0
        self._open: list[_OpenBracket] = []
        self._just_opened = False

    def read(self, problems: list[Diagnostic] | None) -> PositionedDocument:
        self._skip()
        self._read_value()
        while self._open:
            self._skip()
            first, self._just_opened = self._just_opened, False
            opened = self._open[-1]
            if self._char == opened.closer:
                self._at += 1
                self._open.pop()
                self._builder.close_container()
                continue
            if not first:
                self._read_comma(opened)
            if opened.closer == "}":
                self._read_key()
            self._read_value()
        self._skip()
        if self._char:
            self._refuse("this follows the end of the file's one value", "a file holds one mapping or one list")
        return self._builder.build(problems)

    @property
    def _column(self) -> int:
        return self._at - self._line_start + 1

    def _skip(self) -> None:
        """Advance to the next token."""
        self._char = self._text[self._at : self._at + 1]
        blanks = _SPACE.match(self._text, self._at) if self._char in _BLANKS else None
        if blanks is None:
            return
        lines = split_lines(blanks.group())
        self._at = blanks.end()
        self._char = self._text[self._at : self._at + 1]
        if len(lines) > 1:
            self._line += len(lines) - 1
            self._line_start = self._at - len(lines[-1])

    def _read_comma(self, opened: _OpenBracket) -> None:
        """Take the comma between two entries."""
        if self._char != ",":
            self._refuse_unexpected(f"`,` or `{opened.closer}` is missing before this")
        line, column = self._line, self._column
        self._at += 1
        self._skip()
        if self._char == opened.closer:
            self._builder.abort(
                "syntax",
                f"a `,` precedes the closing `{opened.closer}`",
                line,
                column,
                help_="remove it",
            )

    def _read_key(self) -> None:
        """Take a key and its colon."""
        if self._char != '"':
            self._refuse_unexpected("a key is missing before this")
        line, column = self._line, self._column
        key = self._read_string()
        self._builder.add_key(key, line, column)
        self._skip()
        if self._char != ":":
            self._refuse_unexpected(f"`:` is missing after the key {quote(key)}")
        self._at += 1
        self._skip()

    def _read_value(self) -> None:
        """Take a value; for a list or mapping, only its opening bracket."""
        line, column, char = self._line, self._column, self._char
        if char == "{":
            self._open_container({}, _OpenBracket("{", "}", line, column))
        elif char == "[":
            self._open_container([], _OpenBracket("[", "]", line, column))
        elif char == '"':
            self._builder.add_value(self._read_string(), line, column)
        else:
            self._builder.add_value(self._read_literal(), line, column)

    def _open_container(self, container: list[Data] | dict[str, Data], opened: _OpenBracket) -> None:
        self._builder.open_container(container, opened.line, opened.column)
        self._open.append(opened)
        self._just_opened = True
        self._at += 1

    def _read_literal(self) -> Data:
        run = _RUN.match(self._text, self._at)
        text = run.group() if run else ""
        if text in _LITERALS:
            value: Data = _LITERALS[text]
        elif _NUMBER.fullmatch(text):
            value = self._read_number(text)
        else:
            self._refuse_unexpected("a value is missing before this")
        self._at += len(text)
        return value

    def _read_number(self, text: str) -> Data:
        try:
            return parse_number(text)
        except ValueError as error:
            self._builder.report(
                "number-too-long",
                str(error),
                self._line,
                self._column,
                help_="put it in quotes if it is text",
            )
            return None

    def _read_string(self) -> str:
        """Take a text in double quotes."""
        match = _STRING.match(self._text, self._at)
        end = match.end() if match else self._at
        raw = self._text[self._at + 1 : end]
        if not self._text.startswith('"', end):
            self._refuse_unclosed(end)
        text = self._unescape(raw) if "\\" in raw else raw
        self._at = end + 1
        return text

    def _unescape(self, raw: str) -> str:
        try:
            text = str(json.loads(f'"{raw}"'))
        except json.JSONDecodeError as error:
            self._at += error.pos
            self._refuse("this is not an escape of JSON", r"write `\\` for a backslash")
        if _SURROGATE.search(text):
            self._builder.report(
                "lone-surrogate",
                r"this text holds half of a pair of `\u` escapes",
                self._line,
                self._column,
                help_="write the character itself",
            )
            return _SURROGATE.sub("\ufffd", text)
        return text

    def _refuse_unclosed(self, end: int) -> NoReturn:
        if self._text[end : end + 1] == "\t":
            self._at = end
            self._refuse("a tab inside a text", r"write `\t`")
        self._refuse('this quote is never closed: `"`', "close it on the same line")

    def _refuse_unexpected(self, message: str) -> NoReturn:
        """Refuse the next token, in place of which another one was expected."""
        char = self._char
        run = _RUN.match(self._text, self._at)
        word = run.group() if run else ""
        if not char and self._open:
            opened = self._open[-1]
            self._builder.abort(
                "syntax",
                f"this `{opened.bracket}` is never closed",
                opened.line,
                opened.column,
                help_=f"put `{opened.closer}` after its last entry",
            )
        if char == "'":
            self._refuse("JSON has no single quotes", 'put the text in double quotes: "..."')
        if char in ("/", "#"):
            self._refuse("JSON has no comments", "remove it, or use YAML")
        if word in _WRONG_LITERALS:
            self._refuse(f"{quote(word)} is not JSON", f"write {_WRONG_LITERALS[word]}")
        if word in _SPECIAL_NUMBERS:
            self._refuse(f"{quote(word)} is not a usable number", "write a number or null")
        if word and word not in _LITERALS and not _NUMBER.fullmatch(word):
            self._refuse_unquoted(word)
        self._refuse(message)

    def _refuse_unquoted(self, word: str) -> NoReturn:
        if word[0] in "+-.0123456789":
            self._refuse(
                f"{quote(word)} is not a number of JSON",
                "a number has no `+`, no leading zero, and digits on both sides of its point",
            )
        self._refuse(f"{quote(word)} is not in quotes", f'put it in double quotes: "{shorten(word)}"')

    def _refuse(self, message: str, help_: str | None = None) -> NoReturn:
        self._builder.abort("syntax", message, self._line, self._column, help_=help_)
