"""Rows of sessions with contradicted rounds: once without these rounds, and once with each version of them.

A round with one record is judged as if the contradicted rounds were missing, unless it fails whichever record is
true. Each version of a contradicted round is judged among the rounds around it. So a contradiction makes no honest
round fail, and hides no violation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.audit.sessions.session_rows import Rows
from validator.audit.sessions.spill import Shelf

MOST_VERSIONS = 8
"""Versions of a round that are judged one at a time; the last time stands for all beyond as well."""


class Versioned:
    """The rows of one document."""

    __slots__ = ("_shelves",)

    def __init__(self, versions: int) -> None:
        """Args: versions: the most versions that a round of the audit has; 0 if no round has several."""
        self._shelves: list[Shelf | None] = [None] * (1 + min(versions, MOST_VERSIONS))

    def put(self, rows: Rows) -> None:
        """Put rows by, for each version that they are judged in."""
        for version in range(len(self._shelves)):
            chosen = rows.at(np.flatnonzero(rows.in_version(version, most=MOST_VERSIONS)))
            if len(chosen):
                shelf = self._shelves[version] = self._shelves[version] or Shelf()
                shelf.put(chosen)

    @property
    def versions(self) -> int:
        """Return the number of versions that are judged one at a time."""
        return len(self._shelves) - 1

    def shelves(self) -> Iterator[tuple[int, Shelf]]:
        """Yield the versions that have rows, with these: at the end 0, for rounds with a single version alone."""
        for version in (*range(1, len(self._shelves)), 0):
            shelf = self._shelves[version]
            if shelf is not None:
                yield version, shelf

    def close(self) -> None:
        """Give the room on disk back."""
        for _, shelf in self.shelves():
            shelf.close()
