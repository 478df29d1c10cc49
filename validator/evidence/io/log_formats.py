"""Recognition of the format of a log by its first bytes, and decompression as a stream."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, Final, Literal

from fairdeal.validator.text.diagnostics import Diagnostic, InputError

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_ZSTANDARD_BYTES = 256
"""Bytes of Zstandard decompressed at a time: at most 64 blocks, so at most 8 MiB."""
_GZIP_BYTES = 1 << 12
"""Bytes of gzip decompressed at a time: at most 4 MiB. The bytes after the end of a member are copied once per member,
so there must be few."""
_LARGEST_WINDOW = 1 << 27


class BrokenStreamError(Exception):
    """Compressed data is damaged or ends early; the message says how. All earlier data was yielded."""


def is_packed(start: bytes) -> bool:
    """Return whether data that start like this are compressed in a format that `unpack` reads."""
    return start.startswith((_GZIP, _ZSTANDARD))


def unpack(start: bytes, chunks: Iterable[bytes], *, size: int) -> Iterator[bytes]:
    """Decompress gzip or Zstandard data, in pieces of about `size` bytes.

    A piece exceeds twice that size only if that is less than 8 MiB. Raises BrokenStreamError if the data are damaged or
    end early.

    Args:
        start: the first bytes of the data.
        chunks: all of the data.
        size: bytes of a piece.
    """
    pieces = _unpack_gzip(chunks) if start.startswith(_GZIP) else _unpack_zstandard(chunks)
    buffer = bytearray()  # a list of one-byte pieces would take many times their size
    try:
        for piece in pieces:
            buffer += piece
            if len(buffer) >= size:
                yield bytes(buffer)
                buffer.clear()
    except BrokenStreamError:
        yield bytes(buffer)
        raise
    yield bytes(buffer)


def _split(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _unpack_gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    member = None
    first = True
    for part in _split(chunks, _GZIP_BYTES):
        packed = part
        while packed:
            if member is None:
                packed = packed if first else packed.lstrip(b"\0")  # files may be padded at their end
                if not packed:
                    break
                member, first = zlib.decompressobj(wbits=31), False
            try:
                yield member.decompress(packed)
            except zlib.error as error:
                raise BrokenStreamError(f"the compressed data is damaged from here on ({error})") from error
            packed = member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise BrokenStreamError("the compressed data ends too early")


def _unpack_zstandard(chunks: Iterable[bytes]) -> Iterator[bytes]:
    import zstandard  # noqa: PLC0415 - plain logs do without

    frame = None
    for part in _split(chunks, _ZSTANDARD_BYTES):
        packed = part
        while packed:
            if frame is None:
                frame = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
            try:
                yield frame.decompress(packed)
            except zstandard.ZstdError as error:
                raise BrokenStreamError(f"the compressed data is damaged from here on ({error})") from error
            packed = frame.unused_data
            if frame.eof:
                frame = None
    if frame is not None:
        raise BrokenStreamError("the compressed data ends too early")


_PIECE_BYTES = 1 << 16


class _PieceReader(RawIOBase):
    """Reader of bytes that come in pieces."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces, self._left = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._left and (piece := next(self._pieces, None)) is not None:
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


@contextmanager
def unpack_stream(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Yield a stream, decompressed while it is read if it is gzip or Zstandard.

    Raises InputError, which calls the stream `name`, if the compressed data are damaged.
    """
    start = stream.peek(1) if isinstance(stream, BufferedReader) else b""
    if not is_packed(start):
        yield stream
        return
    pieces = unpack(start, iter(partial(stream.read, _PIECE_BYTES), b""), size=_PIECE_BYTES)
    try:
        yield BufferedReader(_PieceReader(pieces))
    except BrokenStreamError as error:
        raise InputError((Diagnostic(code="damaged", message=str(error), file=name),)) from error


_OWN_DOCUMENTS = {
    b"submission": (
        "a submission",
        "use `fairdeal check` for a submission, or `fairdeal audit LOG --submission FILE` to audit a log under it",
    ),
    b"fairdeal-results": ("a file of results", "use `fairdeal report` to render it"),
    b"profile": ("a profile", "pass it with --profile"),
}
_SEARCHED = 1 << 16
# A key at the start of a line of YAML, or in quotes as in JSON.
_OWN_KEYS = rb"(submission|fairdeal-results|profile)"
_KEY = re.compile(rb'^%b *:|"%b"\s*:' % (_OWN_KEYS, _OWN_KEYS), re.MULTILINE)
_ROUND_KEY = re.compile(rb'"(?:round|seats)"\s*:')

READABLE: Final = "hand logs are read as JSON Lines or Parquet, poker hand histories as PHH"

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SPREADSHEETS = (b"xl/workbook", b"xl/worksheets", b"[Content_Types].xml", b"opendocument.spreadsheet")
_BINARY_FORMATS = (
    (b"%PDF-", "a PDF file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file, such as a spreadsheet"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "gzip data packed twice"),
)
_IMPORT = "turn it into a hand log (`fairdeal import TABLE --game GAME` writes a map of its columns)"
HistoryForm = Literal["open-hand-history", "site-text"]
"""Format of hand histories that become a hand log by `fairdeal import`."""
_IMPORT_HANDS = "turn it into a hand log: `fairdeal import FILE -o LOG.jsonl`"
_OPEN_HAND_HISTORY = re.compile(rb'"(?:ohh|spec_version)"\s*:')
_HAND_HEADER = re.compile(
    rb"^[ \t]*(?:\*{3,10} ?[A-Z]|(?:[\w'&.]{1,30} ){0,4}(?:hand|game|table|stage) ?(?:history)?[ \t]*[#:-])",
    re.IGNORECASE | re.MULTILINE,
)
_SITE_HAND = re.compile(
    rb"^\W{0,5}(?:PokerStars(?: Zoom| Home Game)?|Poker) (?:Hand|Game) #[A-Z]{0,4}[0-9]{1,30}:", re.MULTILINE
)
_COMPLETE_RECORD = re.compile(rb"^[ \t]*\{.*\}[ \t\r]*$", re.MULTILINE)
_OPENS_JSON = re.compile(rb"\s*[\[{]")
_OPENS_RECORD = re.compile(rb'\s*\{[ \t]*"')


def identify_own_document(start: bytes) -> tuple[str, str] | None:
    """Return the description of a fairdeal document and how to use it; None if the file may be a hand log, however
    broken.

    Args:
        start: the first bytes of the file, uncompressed.
    """
    start = start[:_SEARCHED]
    match = _KEY.search(start)
    return None if match is None or _ROUND_KEY.search(start) else _OWN_DOCUMENTS[match[1] or match[2]]


def identify_history(start: bytes) -> HistoryForm | None:
    """Return the format of a file of hand histories that can be imported; None for any other file.

    Args:
        start: the first bytes of the file, uncompressed.
    """
    start = start[:_SEARCHED]
    if _OPEN_HAND_HISTORY.search(start) and not _ROUND_KEY.search(start):
        return "open-hand-history"
    return "site-text" if _SITE_HAND.search(start) else None


def identify_foreign_format(start: bytes) -> tuple[str, str] | None:
    """Return the unsupported format that a file seems to have, and a remedy.

    Returns None if the file may hold a record of a hand log among broken ones.

    Args:
        start: the first bytes of the file, uncompressed.
    """
    start = start[:_SEARCHED]
    if start.startswith(_UTF16_MARKS) or _is_utf16(start):
        return "UTF-16 text", "save it as UTF-8 (`iconv -f UTF-16 -t UTF-8`)"
    if identify_history(start) == "open-hand-history":
        return "a hand in the Open Hand History format", _IMPORT_HANDS
    if _COMPLETE_RECORD.search(start):
        return None
    if start.startswith(b"PK\x03\x04"):
        if any(name in start for name in _SPREADSHEETS):
            return "a spreadsheet", f"{_IMPORT}; {READABLE}"
        return "a zip archive", f"unpack it; {READABLE}, packed with gzip or zstd at most"
    for magic, name in _BINARY_FORMATS:
        if start.startswith(magic):
            return name, _convert("each round")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _OPENS_JSON.match(text):
        return _foreign_json(text)
    if text.startswith(b"<"):
        return "XML or HTML", _convert("each round")
    if identify_history(start) == "site-text":
        return "the text history of a poker site", _IMPORT_HANDS
    if _HAND_HEADER.search(text):
        return "the text history of a poker site", _convert("each hand", "`.phh`, as converters such as PokerKit write")
    if _is_table(text):
        return "a table of delimited text, such as CSV", f"{_IMPORT}; {READABLE}"
    return None


def _convert(part: str, form: str = "one line of JSON (`fairdeal schema hand-log`)") -> str:
    return f"{READABLE}; convert {part} to {form}"


def _is_utf16(start: bytes) -> bool:
    """Return whether every second byte of the beginning is zero, as in Latin text of UTF-16."""
    sample = start[:64]
    sides = sample[::2], sample[1::2]
    return len(sample) > 8 and any(not any(side) for side in sides) and all(len(side) > 0 for side in sides)


def _foreign_json(text: bytes) -> tuple[str, str] | None:
    first, _, rest = text.partition(b"\n")
    spread = rest and not any(_OPENS_RECORD.match(line) for line in text.splitlines()[:2])
    if spread and first.strip() in (b"{", b"["):
        return "JSON that spreads a record over several lines", f"write one record a line (`jq -c`); {READABLE}"
    return None


def _is_table(text: bytes) -> bool:
    """Return whether the first two lines have the same number of fields, at least three, and none of JSON's braces."""
    lines = [line for line in text.splitlines()[:2] if line.strip()]
    counts = [{line.count(mark) for line in lines} for mark in (b",", b";", b"\t", b"|")]
    return len(lines) == 2 and b"{" not in text and any(len(each) == 1 and max(each) >= 2 for each in counts)


# Two patterns, so that hostile input cannot make the second one return to what the first one passed.
_BLANKS_AND_COMMENTS = re.compile(rb"(?:\s+|#[^\n]*)*")
_KEY_OR_TABLE = re.compile(rb"""\[[ \t]*[A-Za-z0-9_"']|[A-Za-z_][A-Za-z0-9_]*[ \t]*=""")
_ENDINGS = (".phh", ".phhs")


def is_hand_history(path: str, start: bytes) -> bool:
    """Return whether a log of this name and beginning holds hand histories."""
    for packing in (".gz", ".zst"):
        path = path.removesuffix(packing)
    return path.endswith(_ENDINGS) or _KEY_OR_TABLE.match(start, _end_of_blanks(start)) is not None


def _end_of_blanks(start: bytes) -> int:
    blanks = _BLANKS_AND_COMMENTS.match(start)
    return blanks.end() if blanks is not None else 0
