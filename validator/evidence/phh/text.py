"""Text of hand histories, split into hands and parsed as TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import toml_rs

LONGEST_HAND = 1 << 16
"""Most bytes of a hand."""
TOO_LONG = f"the hand is longer than {LONGEST_HAND >> 10} KiB"
_MOST_BRACKETS = 500
"""Most brackets in a hand: the parser recurses for each open bracket, without a limit of its own."""
_HEADER = re.compile(
    rb"""\n\[[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n\\]*"|'[^'\n]*')[ \t]*\][ \t]*(?:\#[^\n]*)?\r?(?=\n|$)""",
    re.VERBOSE,
)
_NO_SUCH_TIME = re.compile(
    rb"(?<![\w:.-])(?:0000-[0-9]{2}-[0-9]{2}|(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ])?[0-9]{2}:[0-9]{2}:60)"
)
"""Dates and times that TOML allows and Python does not: the year 0, and leap seconds."""


class Piece(NamedTuple):
    """Part of a text."""

    line: int
    """Number of the first line."""
    text: bytes
    """Bytes of the part."""


class TomlError(Exception):
    """Text that is not TOML."""

    def __init__(self, reason: str, line: int = 1, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        """Line in the text, from 1."""
        self.column = column
        """Column, from 1, if known."""


def first_header(text: bytes) -> int:
    """Return the offset of the first line that heads a hand, or 0.

    The very first line is not considered, nor a line without its end, which may continue in another way.
    """
    match = _HEADER.search(text, 0, text.rfind(b"\n") + 1)
    return 0 if match is None else match.start() + 1


def last_header(text: bytes) -> int:
    """Return the offset of the last line that heads a hand, or 0. Lines are skipped as by `find_first_header`."""
    at = text.rfind(b"\n[", 0, text.rfind(b"\n") + 1)
    while at >= 0:
        if _HEADER.match(text, at):
            return at + 1
        at = text.rfind(b"\n[", 0, at)
    return 0


def pieces(text: bytes, first_line: int) -> Iterator[Piece]:
    """Yield the text, split before each line that heads a hand."""
    start, line = 0, first_line
    for header in _HEADER.finditer(text):
        end = header.start() + 1
        piece = text[start:end]
        yield Piece(line, piece)
        start, line = end, line + piece.count(b"\n")
    yield Piece(line, text[start:])


def tables(text: bytes) -> dict[str, Any]:
    """Parse TOML text; fractions are Decimals. Raises TomlError."""
    if len(text) > LONGEST_HAND:
        raise TomlError(TOO_LONG)
    if text.count(b"[") + text.count(b"{") > _MOST_BRACKETS:
        raise TomlError(f"the hand has more than {_MOST_BRACKETS} brackets")
    try:
        return toml_rs.loads(text.decode(), parse_float=Decimal, toml_version="1.0.0")
    except UnicodeDecodeError as error:
        raise TomlError("this is not UTF-8 text", text.count(b"\n", 0, error.start) + 1) from error
    except toml_rs.TOMLDecodeError as error:
        reason = " ".join(str(error).rstrip().rpartition("\n")[2].split())
        last = text.rstrip().count(b"\n") + 1
        if error.lineno > last:  # if the hand ends too early, its last line is at fault
            raise TomlError(f"this is not TOML: {reason}", last) from error
        raise TomlError(f"this is not TOML: {reason}", error.lineno, error.colno) from error
    except InvalidOperation as error:
        raise TomlError("a number has too large an exponent") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        # The parser passes values to Python, which cannot represent some that TOML allows.
        match = _NO_SUCH_TIME.search(text)
        if match is None:
            raise TomlError(f"a value cannot be read: {error}") from error
        value = match.group().decode()
        raise TomlError(f"there is no such date or time as {value}", text.count(b"\n", 0, match.start()) + 1) from error
