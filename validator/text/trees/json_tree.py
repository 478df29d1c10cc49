"""Strict JSON to a positioned tree: RFC 8259 without its loopholes, token by token, without recursion."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, NoReturn

from validator.text.source import Source, split_lines
from validator.text.trees.builder import TreeBuilder
from validator.text.trees.numerals import number
from validator.text.trees.tree import Data, Tree
from validator.text.visible import quoted, shortened

_BLANKS = frozenset(" \t\r\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*')
_RUN = re.compile(r"[-+.0-9A-Za-z_]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_OTHER_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "None": "null"}
_NO_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))


def load_json(source: Source) -> Tree:
    """The tree of a JSON document.

    Raises InputError where the text is not JSON, and for duplicate keys, lone surrogates, and more depth,
    values or digits than a rule file or submission can need.
    """
    return _Reader(source).read()


class _Opened(NamedTuple):
    """A list or mapping that is not closed yet: its brackets, and where it opens."""

    bracket: str
    closer: str
    line: int
    column: int


class _Reader:
    """One pass over the text. After `_skip`, `_at` is the place of the next token, `_line` its line, and
    `_char` its first character: nothing at the end of the text."""

    def __init__(self, source: Source) -> None:
        self._text = source.text
        self._builder = TreeBuilder(source.name, source.lines())
        self._at = 0
        self._char = ""
        self._line = 1
        self._line_start = 0
        self._open: list[_Opened] = []
        self._just_opened = False

    def read(self) -> Tree:
        self._skip()
        self._value()
        while self._open:
            self._skip()
            first, self._just_opened = self._just_opened, False
            opened = self._open[-1]
            if self._char == opened.closer:
                self._at += 1
                self._open.pop()
                self._builder.close()
                continue
            if not first:
                self._comma(opened)
            if opened.closer == "}":
                self._key()
            self._value()
        self._skip()
        if self._char:
            self._refuse("this follows the end of the file's one value", "a file holds one mapping or one list")
        return self._builder.finish()

    @property
    def _column(self) -> int:
        return self._at - self._line_start + 1

    def _skip(self) -> None:
        """Go on to the next token."""
        self._char = self._text[self._at : self._at + 1]
        found = _SPACE.match(self._text, self._at) if self._char in _BLANKS else None
        if found is None:
            return
        lines = split_lines(found.group())
        self._at = found.end()
        self._char = self._text[self._at : self._at + 1]
        if len(lines) > 1:
            self._line += len(lines) - 1
            self._line_start = self._at - len(lines[-1])

    def _comma(self, opened: _Opened) -> None:
        """Take the comma between two entries."""
        if self._char != ",":
            self._expected(f"`,` or `{opened.closer}` is missing before this")
        line, column = self._line, self._column
        self._at += 1
        self._skip()
        if self._char == opened.closer:
            self._builder.refuse(
                "syntax",
                f"a `,` stands before the closing `{opened.closer}`",
                line,
                column,
                help_="remove it",
            )

    def _key(self) -> None:
        """Take a key and its colon."""
        if self._char != '"':
            self._expected("a key is missing before this")
        line, column = self._line, self._column
        key = self._string()
        self._builder.key(key, line, column)
        self._skip()
        if self._char != ":":
            self._expected(f"`:` is missing after the key {quoted(key)}")
        self._at += 1
        self._skip()

    def _value(self) -> None:
        """Take a value; of a list or mapping, its opening bracket."""
        line, column, char = self._line, self._column, self._char
        if char == "{":
            self._enter({}, _Opened("{", "}", line, column))
        elif char == "[":
            self._enter([], _Opened("[", "]", line, column))
        elif char == '"':
            self._builder.scalar(self._string(), line, column)
        else:
            self._builder.scalar(self._word_or_number(), line, column)

    def _enter(self, container: list[Data] | dict[str, Data], opened: _Opened) -> None:
        self._builder.open(container, opened.line, opened.column)
        self._open.append(opened)
        self._just_opened = True
        self._at += 1

    def _word_or_number(self) -> Data:
        run = _RUN.match(self._text, self._at)
        text = run.group() if run else ""
        if text in _WORDS:
            value: Data = _WORDS[text]
        elif _NUMBER.fullmatch(text):
            value = self._number(text)
        else:
            self._expected("a value is missing before this")
        self._at += len(text)
        return value

    def _number(self, text: str) -> Data:
        try:
            return number(text)
        except ValueError as error:
            self._builder.complain(
                "number-too-long",
                str(error),
                self._line,
                self._column,
                help_="put it in quotes if it is text",
            )
            return None

    def _string(self) -> str:
        """Take a text in double quotes."""
        found = _STRING.match(self._text, self._at)
        end = found.end() if found else self._at
        raw = self._text[self._at + 1 : end]
        if not self._text.startswith('"', end):
            self._unclosed(end)
        text = self._unescaped(raw) if "\\" in raw else raw
        self._at = end + 1
        return text

    def _unescaped(self, raw: str) -> str:
        try:
            text = str(json.loads(f'"{raw}"'))
        except json.JSONDecodeError as error:
            self._at += error.pos
            self._refuse("this is not an escape of JSON", r"write `\\` for a backslash")
        if _SURROGATE.search(text):
            self._builder.complain(
                "lone-surrogate",
                r"this text holds half of a pair of `\u` escapes",
                self._line,
                self._column,
                help_="write the character itself",
            )
        return text

    def _unclosed(self, end: int) -> NoReturn:
        if self._text[end : end + 1] == "\t":
            self._at = end
            self._refuse("a tab stands inside a text", r"write `\t`")
        self._refuse('this quote is never closed: `"`', "close it on the same line")

    def _expected(self, message: str) -> NoReturn:
        """Refuse what stands at the next token, where something else was expected."""
        char = self._char
        run = _RUN.match(self._text, self._at)
        word = run.group() if run else ""
        if not char and self._open:
            opened = self._open[-1]
            self._builder.refuse(
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
        if word in _OTHER_WORDS:
            self._refuse(f"{quoted(word)} is not JSON", f"write {_OTHER_WORDS[word]}")
        if word in _NO_NUMBERS:
            self._refuse(f"{quoted(word)} is not a number to reckon with", "write a number or null")
        if word and word not in _WORDS and not _NUMBER.fullmatch(word):
            self._unquoted(word)
        self._refuse(message)

    def _unquoted(self, word: str) -> NoReturn:
        if word[0] in "+-.0123456789":
            self._refuse(
                f"{quoted(word)} is not a number of JSON",
                "a number has no `+`, no leading zero, and digits on both sides of its point",
            )
        self._refuse(f"{quoted(word)} is not in quotes", f'put it in double quotes: "{shortened(word)}"')

    def _refuse(self, message: str, help_: str | None = None) -> NoReturn:
        self._builder.refuse("syntax", message, self._line, self._column, help_=help_)
