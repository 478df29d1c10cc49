"""Parts of a file of hand histories, and its lines in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

LONGEST_HAND = 1 << 20
"""Most bytes of a hand."""
HAND_TOO_LONG = f"the hand is longer than {LONGEST_HAND >> 20} MiB"
_PIECE = 1 << 16
"""Most bytes of a line that are read at a time."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class HandPart(NamedTuple):
    """Part of a file that holds one hand, or text that is none."""

    line: int
    """Number of its first line."""
    text: bytes
    reason: str = ""
    """Reason why the part cannot be read; empty if it may be a hand."""


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
