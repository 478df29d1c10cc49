"""Files opened by path or object-store address, and files that are hashed once and checked when they are read again.

Credentials, and the location of an unusual store, come from the environment (for S3 the variables AWS_…). An address
never holds them, as addresses appear in results.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from io import BufferedReader
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import (
    build_changed_error,
    build_open_error,
    open_regular,
    open_unchanged,
    require_unchanged,
)

if TYPE_CHECKING:
    from io import BufferedReader

    from pyarrow.fs import FileInfo, FileSystem


_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://")
_SECRET = re.compile(r"[a-z][a-z0-9+.-]*://[^/]*@")


def is_address(path: str) -> bool:
    """Return whether a string is the address of an object store, and not a path."""
    return _ADDRESS.match(path) is not None


class StoredObject(Struct, frozen=True, kw_only=True):
    """Object at an address: a file or a folder."""

    is_folder: bool
    """True for a folder."""
    size: int
    """Bytes of the file."""
    time: int
    """Time of the last change, in nanoseconds."""


def open_address(address: str) -> BufferedReader:
    """Open the file at an address; the caller closes it. Raises InputError if it cannot be opened."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return cast("BufferedReader", store.open_input_file(path))


def stat_address(address: str) -> StoredObject | None:
    """Return the object at an address; None if there is none. Raises InputError if the store does not answer."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return _describe(store.get_file_info(path))


def list_addresses(address: str, *, most: int) -> Iterator[str]:
    """Yield the addresses of all files in a folder and below, in any order: at most `most`, and one more.

    Raises InputError if the store does not answer.
    """
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - pyarrow takes time to import

    with _convert_errors(address):
        store, path = _open_store(address)
        infos = store.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
        prefix = address[: len(address.rstrip("/")) - len(path.rstrip("/"))]
        for info in infos[: most + 1]:
            if info.type is FileType.File:
                yield f"{prefix}{info.path}"


def _describe(info: FileInfo) -> StoredObject | None:
    from pyarrow.fs import FileType  # noqa: PLC0415 - see above

    if info.type is FileType.NotFound:
        return None
    return StoredObject(is_folder=info.type is FileType.Directory, size=info.size or 0, time=info.mtime_ns or 0)


def _open_store(address: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - see above

    if _SECRET.match(address):
        raise ValueError("an address must not contain a user name or password, as it appears in results")
    store, path = FileSystem.from_uri(address)
    return store, path


@contextmanager
def _convert_errors(address: str) -> Iterator[None]:
    """Convert errors of a store to an InputError that names the address, without secrets."""
    name = _SECRET.sub(lambda match: match.group().partition("//")[0] + "//…@", address)
    try:
        yield
    except FileNotFoundError as error:
        message = "there is no such file in this store"
        raise InputError(
            (Diagnostic(code="not-found", message=message, file=name, help="check the address"),)
        ) from error
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise build_open_error(name, ValueError(reason)) from error


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
        yield cast("BufferedReader", file)


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
