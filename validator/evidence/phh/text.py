"""The text of hand histories: cut into hands, and each of them read as TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import toml_rs

LONGEST_HAND = 1 << 16
"""The most bytes that a hand is written in."""
TOO_LONG = f"the hand is longer than {LONGEST_HAND >> 10} KiB"
_MOST_BRACKETS = 500
"""The parser calls itself for each that is open, and nobody stops it."""
_HEADER = re.compile(
    rb"""\n\[[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n\\]*"|'[^'\n]*')[ \t]*\][ \t]*(?:\#[^\n]*)?\r?(?=\n|$)""",
    re.VERBOSE,
)
_NO_SUCH_TIME = re.compile(
    rb"(?<![\w:.-])(?:0000-[0-9]{2}-[0-9]{2}|(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ])?[0-9]{2}:[0-9]{2}:60)"
)
"""Dates and times that TOML allows and the calendar of Python does not have: the year 0, and leap seconds."""


class Piece(NamedTuple):
    """Some of a text that is cut: the number of its first line, and its bytes."""

    line: int
    text: bytes


class TomlError(Exception):
    """Text that is not TOML: the line and column within it, from 1, where they are known, and the reason."""

    def __init__(self, reason: str, line: int = 1, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def first_header(text: bytes) -> int:
    """Where the first line begins that heads a hand, or 0. Such a line at the very beginning is not looked for, nor one
    without its end, which may go on as something else."""
    found = _HEADER.search(text, 0, text.rfind(b"\n") + 1)
    return 0 if found is None else found.start() + 1


def last_header(text: bytes) -> int:
    """Where the last line begins that heads a hand, or 0. Lines are left out as by `first_header`."""
    at = text.rfind(b"\n[", 0, text.rfind(b"\n") + 1)
    while at >= 0:
        if _HEADER.match(text, at):
            return at + 1
        at = text.rfind(b"\n[", 0, at)
    return 0


def pieces(text: bytes, first_line: int) -> Iterator[Piece]:
    """The text cut before each line that heads a hand."""
    start, line = 0, first_line
    for header in _HEADER.finditer(text):
        end = header.start() + 1
        piece = text[start:end]
        yield Piece(line, piece)
        start, line = end, line + piece.count(b"\n")
    yield Piece(line, text[start:])


def tables(text: bytes) -> dict[str, Any]:
    """What TOML text holds; fractions are Decimals. Raises TomlError."""
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
        if error.lineno > last:  # where the hand ends too early, its last line is at fault
            raise TomlError(f"this is not TOML: {reason}", last) from error
        raise TomlError(f"this is not TOML: {reason}", error.lineno, error.colno) from error
    except InvalidOperation as error:
        raise TomlError("a number has an exponent beyond all bounds") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        # The parser hands values on to Python, which has no place for some that TOML allows.
        found = _NO_SUCH_TIME.search(text)
        if found is None:
            raise TomlError(f"a value cannot be read: {error}") from error
        said = found.group().decode()
        raise TomlError(f"there is no such date or time as {said}", text.count(b"\n", 0, found.start()) + 1) from error
