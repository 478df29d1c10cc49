"""Parts of a file that hold a record each, such as the JSON objects of a file, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LONGEST_RECORD = 1 << 20
"""Most bytes of a record."""
RECORD_TOO_LONG = f"the record is longer than {LONGEST_RECORD >> 20} MiB"
_PIECE = 1 << 16
"""Most bytes of a line that are read at a time."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class RecordPart(NamedTuple):
    """Part of a file that holds one record, or text that is none."""

    line: int
    """Number of its first line."""
    text: bytes
    reason: str = ""
    """Reason why the part cannot be read; empty if it may be a record."""


class LinePiece(NamedTuple):
    """Line, or piece of a long one."""

    line: int
    """Number of the line, from 1."""
    text: bytes
    starts_line: bool


def read_pieces(stream: BinaryIO) -> Iterator[LinePiece]:
    """Yield the lines of a file with their ends. No piece ends between a backslash and the next byte."""
    line, starts_line = 1, True
    while text := stream.readline(_PIECE):
        if text.endswith(b"\\"):
            text += stream.read(1)
        if line == 1 and starts_line:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        yield LinePiece(line, text, starts_line)
        starts_line = text.endswith(b"\n")
        line += starts_line


_DEEPEST = 32
"""Most braces and brackets within each other."""
_MARKS = re.compile(rb'\\.|["{}]', re.DOTALL)
_BETWEEN = b"[], \t\r\n"
_STARTS_RECORD = re.compile(rb'\{\s*"|\{\s*$')


def split_objects(stream: BinaryIO) -> Iterator[RecordPart]:
    """Yield the JSON objects of a file, and what is left of broken ones.

    Memory holds one object that is not too long. After a broken object, reading goes on at the next line that begins
    another.
    """
    splitter = _Splitter()
    for piece in read_pieces(stream):
        if piece.starts_line:
            yield from splitter.start_line(piece.text)
        yield from splitter.add(piece.line, piece.text)
    if splitter.depth:
        yield from splitter.refuse("the record ends too early")


class _Splitter:
    """State of a file that is split into objects."""

    __slots__ = ("_after_blank", "_in_text", "_parts", "_size", "_skipping", "_start", "depth")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.depth = 0
        """Number of open objects."""
        self._start = 1
        self._in_text = False
        self._after_blank = True
        self._skipping = False
        """True if the rest of an object that cannot be read is passed over."""

    def start_line(self, line: bytes) -> Iterator[RecordPart]:
        """Yield a broken object if a line begins another."""
        self._in_text = False
        if line.startswith(b"{") and _STARTS_RECORD.match(line) and (self._after_blank or line.rstrip() != b"{"):
            if self.depth:
                yield from self.refuse("the record ends too early")
            self._skipping = False
        self._after_blank = not line.strip()

    def add(self, line: int, piece: bytes) -> Iterator[RecordPart]:
        """Yield the objects that end in a piece of a line."""
        if self._skipping:
            return
        at = 0
        for mark in _MARKS.finditer(piece):
            match mark[0]:
                case b'"' if self.depth:
                    self._in_text = not self._in_text
                case b"{" if not self._in_text:
                    if self.depth == 0:
                        yield from self._reject_rest(line, piece[at : mark.start()])
                        at, self._start = mark.start(), line
                    self.depth += 1
                case b"}" if self.depth and not self._in_text:
                    self.depth -= 1
                    if self.depth == 0:
                        self._parts.append(piece[at : mark.end()])
                        at = mark.end()
                        yield RecordPart(self._start, b"".join(self._parts))
                        self._clear()
            if self.depth > _DEEPEST:
                break
        if self.depth == 0:
            yield from self._reject_rest(line, piece[at:])
            return
        self._parts.append(piece[at:])
        self._size += len(piece) - at
        if self._size > LONGEST_RECORD:
            yield from self.refuse(RECORD_TOO_LONG)
            self._skipping = True
        elif self.depth > _DEEPEST:
            yield from self.refuse(f"the record has more than {_DEEPEST} objects within each other")
            self._skipping = True

    def refuse(self, reason: str) -> Iterator[RecordPart]:
        """Yield the open object as a part that cannot be read."""
        yield RecordPart(self._start, b"", reason)
        self._clear()

    def _reject_rest(self, line: int, rest: bytes) -> Iterator[RecordPart]:
        if rest.strip(_BETWEEN):
            yield RecordPart(line, b"", 'expected a JSON object, such as {"round": ...}')

    def _clear(self) -> None:
        self._parts.clear()
        self._size = self.depth = 0
        self._in_text = False
