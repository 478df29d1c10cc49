"""Files opened: hashed once and checked when read again, recognized by their first bytes, and decompressed."""

from __future__ import annotations

import io
import re
import zlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO, Final, Literal, cast

from msgspec import Struct

from fairdeal.validator.evidence.io.named_files import is_address, open_address, stat_address
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import (
    build_changed_error,
    build_open_error,
    open_regular,
    open_unchanged,
    require_unchanged,
)


def open_again(path: str) -> BufferedReader:
    """Open a file at a path or an address that was read before; the caller closes it.

    Raises InputError if it cannot be opened, or if it is no file any more.
    """
    if is_address(path):
        return open_address(path)
    try:
        return open_regular(path)
    except (OSError, ValueError) as error:
        raise build_open_error(path, error) from error


@contextmanager
def open_for_hashing(path: str, *, name: str) -> Iterator[BufferedReader]:
    """Open the file at a path or an address, to be read once from beginning to end.

    Raises InputError, under the given name of the file, if it cannot be opened or read, or if it changes meanwhile.
    """
    if is_address(path):
        before = stat_address(path)
        with open_address(path) as stream, require_unchanged(lambda: stat_address(path) == before, name):
            yield stream
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_unchanged(path, name=name))
        except (OSError, ValueError) as error:
            raise build_open_error(path, error) from error
        yield file


PIECE_BYTES = 1 << 16
"""Bytes of a file that are hashed together."""
_PIECES_KEPT = 64
"""Pieces that a reader caches: columns are read in turn, each from where it was."""
_HASH_BYTES = sha256().digest_size


class HashedFile(Struct, frozen=True, kw_only=True):
    """File with the hashes of its pieces."""

    path: str
    """Path or address of the file."""
    name: str
    """Name of the file in messages and results."""
    size: int
    """Bytes of the file."""
    content: bytes
    """Hash of all hashes; identifies the content."""
    runs: tuple[tuple[int, bytes], ...]
    """Runs of neighbouring pieces in ascending order: the number of the first piece, and the hashes of all."""

    def restrict(self, ranges: Iterable[tuple[int, int]]) -> HashedFile:
        """Return the file with only the hashes that are needed to read some ranges.

        Each range goes from its first byte to the byte after its last. Bytes outside the file are ignored.
        """
        numbers: set[int] = set()
        for start, end in ranges:
            first, last = max(start, 0) // PIECE_BYTES, -(-min(end, self.size) // PIECE_BYTES)
            numbers.update(range(first, last))
        runs: list[tuple[int, bytearray]] = []
        for number in sorted(numbers):
            if not runs or number != runs[-1][0] + len(runs[-1][1]) // _HASH_BYTES:
                runs.append((number, bytearray()))
            runs[-1][1].extend(self.hash_of(number))
        return HashedFile(
            path=self.path,
            name=self.name,
            size=self.size,
            content=self.content,
            runs=tuple((first, bytes(hashes)) for first, hashes in runs),
        )

    def hash_of(self, number: int) -> bytes:
        """Return the hash of a piece; empty, which no hash is, if it is not known."""
        place = bisect_right(self.runs, number, key=lambda run: run[0]) - 1
        if place < 0:
            return b""
        first, hashes = self.runs[place]
        start = (number - first) * _HASH_BYTES
        return hashes[start : start + _HASH_BYTES]

    @contextmanager
    def open_verified(self) -> Iterator[BufferedReader]:
        """Open the file for reading at any place. Reading raises InputError if the file has changed since it was
        hashed."""
        with open_again(self.path) as stream:
            yield cast("BufferedReader", _HashedReader(self, stream))


def hash_pieces(path: str, name: str, chunks: Iterable[bytes]) -> HashedFile:
    """Return the file at a path with the hashes of its pieces. `chunks` are all of its bytes, in order."""
    size, pending = 0, bytearray()
    hashes = bytearray()
    for chunk in chunks:
        size += len(chunk)
        pending += chunk
        whole = len(pending) - len(pending) % PIECE_BYTES
        with memoryview(pending) as view:
            for start in range(0, whole, PIECE_BYTES):
                hashes += sha256(view[start : start + PIECE_BYTES]).digest()
        del pending[:whole]
    if pending:
        hashes += sha256(pending).digest()
    content = sha256(hashes).digest()
    return HashedFile(path=path, name=name, size=size, content=content, runs=((0, bytes(hashes)),))


class _HashedReader(io.RawIOBase):
    """Reader that checks each piece of a file against its hash."""

    def __init__(self, file: HashedFile, stream: BufferedReader) -> None:
        super().__init__()
        self._file = file
        self._stream = stream
        self._at = 0
        self._kept: OrderedDict[int, bytes] = OrderedDict()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file.size}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._at + len(view), self._file.size)
        done = 0
        while self._at < end:
            number, start = divmod(self._at, PIECE_BYTES)
            part = self._get_piece(number, end)[start : start + end - self._at]
            view[done : done + len(part)] = part
            done += len(part)
            self._at += len(part)
        return done

    def _get_piece(self, number: int, end: int) -> bytes:
        """Return a cached piece, or read it together with the pieces after it, up to the byte `end`."""
        if number not in self._kept:
            last = min(-(-end // PIECE_BYTES), number + _PIECES_KEPT)
            self._load_pieces(number, last)
        self._kept.move_to_end(number)
        return self._kept[number]

    def _load_pieces(self, first: int, last: int) -> None:
        start, end = first * PIECE_BYTES, min(last * PIECE_BYTES, self._file.size)
        try:
            self._stream.seek(start)
            text = self._stream.read(end - start)
        except OSError as error:
            raise build_open_error(self._file.name, error) from error
        for number in range(first, last):
            piece = text[(number - first) * PIECE_BYTES : (number - first + 1) * PIECE_BYTES]
            expected = self._file.hash_of(number)
            if not expected:  # the description of the file has changed
                raise OSError(f"bytes {start} to {end} are not part of the file")
            if sha256(piece).digest() != expected:
                raise build_changed_error(self._file.name)
            self._kept[number] = piece
            self._kept.move_to_end(number)
        while len(self._kept) > _PIECES_KEPT:
            self._kept.popitem(last=False)


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
