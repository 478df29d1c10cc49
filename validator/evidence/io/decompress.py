"""Unpacking compressed logs as a stream, never much of it at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_ZSTANDARD_BYTES = 256
"""Bytes of Zstandard that are unpacked at a time: at most 64 blocks, so at most 8 MiB."""
_GZIP_BYTES = 1 << 12
"""Bytes of gzip that are unpacked at a time: at most 4 MiB. What follows the end of a member in them is copied once for
each member, so there must be few."""
_LARGEST_WINDOW = 1 << 27


class BrokenStreamError(Exception):
    """Compressed data breaks off; the message says how. All that comes before was handed out."""


def is_packed(start: bytes) -> bool:
    """Whether data that starts like this is compressed in a way that `unpacked` knows."""
    return start.startswith((_GZIP, _ZSTANDARD))


def unpacked(start: bytes, chunks: Iterable[bytes], *, size: int) -> Iterator[bytes]:
    """What gzip or Zstandard data holds, in pieces of about `size` bytes, which exceed twice that only where
    8 MiB do. `start` are its first bytes, `chunks` all of it.

    Raises BrokenStreamError where it is damaged or ends early.
    """
    pieces = _gzip(chunks) if start.startswith(_GZIP) else _zstandard(chunks)
    held = bytearray()  # a list of pieces would take many times their size where each has but a byte
    try:
        for piece in pieces:
            held += piece
            if len(held) >= size:
                yield bytes(held)
                held.clear()
    except BrokenStreamError:
        yield bytes(held)
        raise
    yield bytes(held)


def _in_parts(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    member = None
    first = True
    for part in _in_parts(chunks, _GZIP_BYTES):
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


def _zstandard(chunks: Iterable[bytes]) -> Iterator[bytes]:
    import zstandard  # noqa: PLC0415 - plain logs do without

    frame = None
    for part in _in_parts(chunks, _ZSTANDARD_BYTES):
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
