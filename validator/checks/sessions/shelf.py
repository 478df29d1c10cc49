"""Rows put by until the last log is read: beyond a bound on disk, so that memory does not grow with the logs."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import IO

from validator.checks.sessions.rows import Rows

IN_MEMORY = 20_000
"""Rounds that are kept in memory."""


class Shelf:
    """Rows of one document."""

    __slots__ = ("_file", "_kept", "_rounds", "_spilled")

    def __init__(self) -> None:
        self._kept: list[Rows] = []
        self._rounds = 0
        self._file: IO[bytes] | None = None
        self._spilled = 0

    def put(self, rows: Rows) -> None:
        """Put rows by."""
        self._rounds += len(rows)
        if self._rounds <= IN_MEMORY:
            self._kept.append(rows)
            return
        if self._file is None:
            import tempfile  # noqa: PLC0415 - most runs have few rounds and do without

            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the audit
        pickle.dump(rows, self._file, pickle.HIGHEST_PROTOCOL)
        self._spilled += 1

    def close(self) -> None:
        """Give up what is on disk: nobody will ask for the rows."""
        if self._file is not None:
            self._file.close()

    def taken(self) -> Iterator[Rows]:
        """All rows, in the order they were put by. To be asked for once, when no more come."""
        yield from self._kept
        if self._file is not None:
            with self._file as file:
                file.seek(0)
                for _ in range(self._spilled):
                    yield pickle.load(file)
