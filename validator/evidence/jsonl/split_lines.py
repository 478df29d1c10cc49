"""Split of a stream into runs of whole lines."""

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
"""Mark that some programs write before UTF-8 text; not part of the text."""


class Run(Struct, frozen=True, kw_only=True):
    """Whole lines; `head` and `body` joined are their text."""

    line: int
    """Number of the first line."""
    offset: int
    """Offset of the first byte in the stream."""
    head: bytes
    """First bytes of the text."""
    body: memoryview
    """Remaining bytes of the text."""

    def __len__(self) -> int:
        return len(self.head) + len(self.body)


class NoLine(Struct, frozen=True, kw_only=True):
    """Line that cannot be read, and why."""

    line: int
    """Number of the line."""
    reason: str
    """Reason for the quarantine."""


def whole_lines(chunks: Iterable[bytes]) -> Iterator[Run | NoLine]:
    """Split a stream into whole lines, as many at a time as a chunk holds and as may be judged together.

    Memory holds one chunk and one line that is not too long. If the stream breaks off, its last line is rejected. A
    byte order mark before the first line is skipped.
    """
    line, offset = 1, 0
    head, skipping = b"", False
    try:
        for chunk in _join_first_bytes(chunks):
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
            for body in _limit_items(chunk, start, end):
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


def _limit_items(chunk: bytes, start: int, end: int) -> Iterator[memoryview]:
    """Cut the whole lines of a part of a chunk so that each part holds about `ITEMS_AT_A_TIME` lines and objects at
    most. No line is cut."""
    letters, whole = np.frombuffer(chunk, np.uint8), memoryview(chunk)
    items = 0
    for at in range(start, end, ITEMS_AT_A_TIME):  # the number of bytes bounds the number of items
        piece = letters[at : min(at + ITEMS_AT_A_TIME, end)]
        more = int(np.count_nonzero(piece == _LINE_END)) + int(np.count_nonzero(piece == _OBJECT))
        cut = chunk.rfind(b"\n", start, at) + 1
        if items + more > ITEMS_AT_A_TIME and cut:
            yield whole[start:cut]
            start, items = cut, 0
        items += more
    if start < end:
        yield whole[start:end]


def _join_first_bytes(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the chunks, the first of them long enough for a byte order mark."""
    start: bytes | None = b""
    for chunk in chunks:
        if start is None:
            yield chunk
        elif len(start := start + chunk) >= len(BYTE_ORDER_MARK):
            yield start
            start = None
    if start:
        yield start
