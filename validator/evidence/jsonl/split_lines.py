"""Cutting a stream into runs of whole lines, however it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from validator.evidence.handlog.record import LONGEST_LINE, TOO_LONG
from validator.evidence.io.decompress import BrokenStreamError
from validator.text.memory_bound import ITEMS_AT_A_TIME

_LINE_END = ord("\n")
_OBJECT = ord("{")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some programs write in front of UTF-8 text; it is no part of the text."""


class Run(Struct, frozen=True, kw_only=True):
    """Whole lines: the number of the first, the place of their first byte in the stream, and their bytes in
    two parts, which joined are the text."""

    line: int
    offset: int
    head: bytes
    body: memoryview

    def __len__(self) -> int:
        return len(self.head) + len(self.body)


class NoLine(Struct, frozen=True, kw_only=True):
    """A line that cannot be taken in, and why."""

    line: int
    reason: str


def whole_lines(chunks: Iterable[bytes]) -> Iterator[Run | NoLine]:
    """The lines of a stream, as many at a time as its chunks hold, and as are judged together at most.

    No more is held than one chunk and one line that is not too long. Where the stream breaks off, the line it
    breaks off in is refused. A byte order mark in front of the first line is passed over.
    """
    line, offset = 1, 0
    head, skipping = b"", False
    try:
        for chunk in _begun(chunks):
            start = 0
            if not offset and not head and chunk.startswith(BYTE_ORDER_MARK):
                start = offset = len(BYTE_ORDER_MARK)
            elif skipping:
                start = chunk.find(b"\n") + 1
                offset += start or len(chunk)
                if not start:
                    continue
                yield NoLine(line=line, reason=TOO_LONG)
                line, skipping = line + 1, False
            end = max(chunk.rfind(b"\n") + 1, start)
            for body in _few_items(chunk, start, end):
                run = Run(line=line, offset=offset, head=head, body=body)
                yield run
                line += int(np.count_nonzero(np.frombuffer(run.body, np.uint8) == _LINE_END))
                offset, head = offset + len(run), b""
            head += chunk[end:]
            if len(head) > LONGEST_LINE:
                offset, head, skipping = offset + len(head), b"", True
    except BrokenStreamError as error:
        yield NoLine(line=line, reason=str(error))
        return
    if skipping:
        yield NoLine(line=line, reason=TOO_LONG)
    elif head:
        yield Run(line=line, offset=offset, head=head, body=memoryview(b""))


def _few_items(chunk: bytes, start: int, end: int) -> Iterator[memoryview]:
    """Cut the whole lines of a part of a chunk where more than about `ITEMS_AT_A_TIME` lines and objects would come
    together. No line is cut."""
    letters, whole = np.frombuffer(chunk, np.uint8), memoryview(chunk)
    items = 0
    for at in range(start, end, ITEMS_AT_A_TIME):  # so many bytes hold no more items
        some = letters[at : min(at + ITEMS_AT_A_TIME, end)]
        more = int(np.count_nonzero(some == _LINE_END)) + int(np.count_nonzero(some == _OBJECT))
        cut = chunk.rfind(b"\n", start, at) + 1
        if items + more > ITEMS_AT_A_TIME and cut:
            yield whole[start:cut]
            start, items = cut, 0
        items += more
    if start < end:
        yield whole[start:end]


def _begun(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, the first of them long enough to show a byte order mark."""
    start: bytes | None = b""
    for chunk in chunks:
        if start is None:
            yield chunk
        elif len(start := start + chunk) >= len(BYTE_ORDER_MARK):
            yield start
            start = None
    if start:
        yield start
