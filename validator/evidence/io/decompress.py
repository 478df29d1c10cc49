"""Decompression of logs as a stream, a bounded amount at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

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


def unpacked(start: bytes, chunks: Iterable[bytes], *, size: int) -> Iterator[bytes]:
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
