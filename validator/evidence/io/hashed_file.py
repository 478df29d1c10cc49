"""Files that are hashed once and read again, in any order and by any process; each piece is checked against its
hash."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from validator.evidence.io.open_file import opened
from validator.text.source import open_failed
from validator.text.unchanged import changed

if TYPE_CHECKING:
    from io import BufferedReader

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
    def opened(self) -> Iterator[BufferedReader]:
        """Open the file for reading at any place. Reading raises InputError if the file has changed since it was
        hashed."""
        with opened(self.path) as stream:
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
            raise open_failed(self._file.name, error) from error
        for number in range(first, last):
            piece = text[(number - first) * PIECE_BYTES : (number - first + 1) * PIECE_BYTES]
            expected = self._file.hash_of(number)
            if not expected:  # the description of the file has changed
                raise OSError(f"bytes {start} to {end} are not part of the file")
            if sha256(piece).digest() != expected:
                raise changed(self._file.name)
            self._kept[number] = piece
            self._kept.move_to_end(number)
        while len(self._kept) > _PIECES_KEPT:
            self._kept.popitem(last=False)
