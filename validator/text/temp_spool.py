"""Temporary files for data that does not fit into memory. They vanish with the process, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from fairdeal.validator.text.diagnostics import ResourceError


class TempSpool:
    """A temporary file of bytes. Raises ResourceError if it cannot be created, written or read."""

    __slots__ = ("_at_end", "_end", "_file")

    def __init__(self, *, in_memory: int = 0) -> None:
        """Make an empty spool, whose first bytes stay in memory.

        Args:
            in_memory: number of those bytes.
        """
        import tempfile  # noqa: PLC0415 - few audits write one, and it takes as long to import as a round to judge

        with report_temp_errors():
            # The file never has a name, so nothing is left even if the process is killed.
            # It lives as long as this object.
            self._file: IO[bytes] = (
                tempfile.SpooledTemporaryFile(in_memory) if in_memory else tempfile.TemporaryFile()  # noqa: SIM115
            )
        self._end = 0
        self._at_end = True

    def append(self, data: bytes) -> int:
        """Write bytes at the end, and return the offset where they begin."""
        start = self._end
        with report_temp_errors():
            if not self._at_end:
                self._file.seek(start)
            self._file.write(data)
        self._end, self._at_end = start + len(data), True
        return start

    def read(self, start: int, size: int) -> bytes:
        """Return bytes that were written."""
        self._at_end = False
        with report_temp_errors():
            self._file.seek(start)
            return self._file.read(size)

    def iterate_lines(self) -> Iterator[bytes]:
        """Yield everything that was written, line by line."""
        offset, self._at_end = 0, False
        while offset < self._end:
            with report_temp_errors():
                self._file.seek(offset)
                lines = self._file.readlines(1 << 16)
            offset += sum(map(len, lines))
            yield from lines

    def close(self) -> None:
        """Free the space."""
        self._file.close()

    def __del__(self) -> None:
        with suppress(AttributeError):  # it could not be created
            self.close()


@contextmanager
def report_temp_errors() -> Iterator[None]:
    """Convert errors of temporary files to a ResourceError that names their folder."""
    try:
        yield
    except OSError as error:
        import tempfile  # noqa: PLC0415 - as above

        try:
            folder = f"the temporary folder {tempfile.gettempdir()}"
        except OSError:
            folder = "a temporary folder"
        reason = (error.strerror or str(error)).lower()
        help_ = "free space there, or set the environment variable TMPDIR to another folder"
        raise ResourceError("no-room", f"{folder} cannot be used: {reason}", help_) from error
