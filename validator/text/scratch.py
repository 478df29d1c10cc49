"""Temporary files: what does not fit into memory, gone with the process however it ends."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from validator.text.diagnostics import ResourceError


class Scratch:
    """A temporary file to write bytes to and to read them from again. Raises ResourceError where it cannot be made,
    written or read."""

    __slots__ = ("_at_end", "_end", "_file")

    def __init__(self) -> None:
        with in_temporary_folder():
            # Without a name from the beginning: even if the process is killed nothing is left.
            self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this
        self._end = 0
        self._at_end = True

    def append(self, data: bytes) -> int:
        """Write bytes behind all others; returns where they begin."""
        start = self._end
        with in_temporary_folder():
            if not self._at_end:
                self._file.seek(start)
            self._file.write(data)
        self._end, self._at_end = start + len(data), True
        return start

    def read(self, start: int, size: int) -> bytes:
        """Bytes that were written."""
        self._at_end = False
        with in_temporary_folder():
            self._file.seek(start)
            return self._file.read(size)

    def lines(self) -> Iterator[bytes]:
        """All that was written, line by line."""
        place, self._at_end = 0, False
        while place < self._end:
            with in_temporary_folder():
                self._file.seek(place)
                lines = self._file.readlines(1 << 16)
            place += sum(map(len, lines))
            yield from lines

    def close(self) -> None:
        """Give the room back."""
        self._file.close()


@contextmanager
def in_temporary_folder() -> Iterator[None]:
    """Turn what goes wrong with temporary files into a ResourceError that names their folder."""
    try:
        yield
    except OSError as error:
        try:
            folder = f"the temporary folder {tempfile.gettempdir()}"
        except OSError:
            folder = "a temporary folder"
        reason = (error.strerror or str(error)).lower()
        help_ = "make room there, or name another folder by the environment variable TMPDIR"
        raise ResourceError("no-room", f"{folder} cannot be used: {reason}", help_) from error
