"""Blocks of whole lines of a log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256

from msgspec import Struct

from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.columns.round_batch import MOMENT
from fairdeal.validator.evidence.io.log_formats import BrokenStreamError, open_again
from fairdeal.validator.evidence.jsonl.line_reader import LogLines, decode_lines
from fairdeal.validator.evidence.jsonl.text_lookup import count_byte
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.source import MAX_BATCH_ITEMS, build_changed_error, build_open_error

_MOST_ITEMS = 2 * MAX_BATCH_ITEMS
"""Most items of a block, which is decoded in parts."""
_ITEMS_PER_LINE = 16
"""Weight of a line among items: columns of rounds take the memory of several objects."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Mark that some programs write before UTF-8 text; not part of the text."""


class LineRun(Struct, frozen=True, kw_only=True):
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


class UnreadableLine(Struct, frozen=True, kw_only=True):
    """Line that cannot be read, and why."""

    line: int
    """Number of the line."""
    reason: str
    """Reason for the quarantine."""


def split_whole_lines(chunks: Iterable[bytes]) -> Iterator[LineRun | UnreadableLine]:
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
                yield UnreadableLine(line=line, reason=round_record.LINE_TOO_LONG)
                line, skipping = line + 1, False
            end = max(chunk.rfind(b"\n") + 1, start)
            for first, last in _limit_items(chunk, start, end):
                run = LineRun(line=line, offset=offset, head=head, body=memoryview(chunk)[first:last])
                yield run
                line += count_byte(run.body, b"\n")
                offset, head = offset + len(run), b""
            head += chunk[end:]
            if len(head) > round_record.LONGEST_LINE:
                offset, head, skipping = offset + len(head), b"", True
    except BrokenStreamError as error:
        yield UnreadableLine(line=line, reason=str(error))
        return
    if skipping:
        yield UnreadableLine(line=line, reason=round_record.LINE_TOO_LONG)
    elif head:
        yield LineRun(line=line, offset=offset, head=head, body=memoryview(b""))


def _limit_items(chunk: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut the whole lines of a part of a chunk so that each part holds about `_MOST_ITEMS` lines and objects at
    most. No line is cut; a line counts as several items.

    Yields: start and end of each part in the chunk.
    """
    letters = memoryview(chunk)
    items = 0
    for at in range(start, end, _MOST_ITEMS):  # the number of bytes bounds the number of items
        beyond = min(at + _MOST_ITEMS, end)
        part = letters[at:beyond]
        more = _ITEMS_PER_LINE * count_byte(part, b"\n") + count_byte(part, b"{")
        cut = chunk.rfind(b"\n", start, at) + 1
        if items + more > _MOST_ITEMS and cut:
            yield start, cut
            start, items = cut, 0
        items += more
    if start < end:
        yield start, end


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


class FileLines(Struct, frozen=True, kw_only=True):
    """Whole lines of a plain file, read again when they are decoded."""

    path: str
    """Path or address of the file."""
    name: str
    """Name of the file in messages and results."""
    first_line: int
    """Number of the first line."""
    offset: int
    """Offset of the first byte in the file."""
    size: int
    """Number of bytes of the lines."""
    digest: bytes
    """SHA-256 of the lines, as hashed by the reader of the log."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rounds of the lines, as `decode_lines` does. Raises InputError as `read_lines` does."""
        return self.read_lines().decode(known_games)

    def read_lines(self) -> HeldLines:
        """Read the lines. Raises InputError if the file cannot be read or the lines are not those that were hashed."""
        try:
            with open_again(self.path) as stream:
                stream.seek(self.offset)
                text = stream.read(self.size)
        except OSError as error:
            raise build_open_error(self.path, error) from error
        if sha256(text).digest() != self.digest:
            raise build_changed_error(self.name)
        return HeldLines(name=self.name, first_line=self.first_line, text=text, size=self.size)

    def identity(self) -> str:
        """Return an identity as for `HeldLines`. Raises InputError as `read_lines` does."""
        return self.read_lines().identity()


class HeldLines(Struct, frozen=True, kw_only=True):
    """Whole lines that cannot be read a second time: of standard input, a pipe or a compressed file."""

    name: str
    """Name of the log in messages and results."""
    first_line: int
    """Number of the first line."""
    text: bytes
    """Bytes of the lines."""
    size: int
    """Number of bytes of the log for these lines, possibly compressed."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rounds of the lines, as `decode_lines` does."""
        return decode_lines(self.text, file=self.name, first_line=self.first_line, known_games=known_games)

    def lines(self) -> LogLines:
        """Return the lines with their numbers and precisions."""
        lines = self.text.split(b"\n")
        numbers = range(self.first_line, self.first_line + len(lines))
        return LogLines(file=self.name, lines=lines, numbers=numbers, dated=[MOMENT] * len(lines))

    def identity(self) -> str:
        """Return a text that identifies the content of the lines."""
        return f"line {self.first_line} {sha256(self.text).hexdigest()}"


class RefusedLine(Struct, frozen=True, kw_only=True):
    """Line that was not read: longer than any record, or cut off with the file."""

    entry: Quarantined
    """Record of the quarantined line."""
    size: int = 0
    """Number of bytes of the log for this line."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:  # noqa: ARG002 - the signature of every block
        """Return a block without rounds, with the line quarantined."""
        return DecodedBlock(batches=(), quarantined=(self.entry,), read=1)

    def identity(self) -> None:
        """Return None: the line need not be recognised."""


LineBlock = FileLines | HeldLines | RefusedLine
"""Block of a log in JSON Lines."""
