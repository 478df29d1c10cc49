"""Session rows with contradicted rounds: once without these rounds, and once with each version of them.

A round with one record is evaluated as if the contradicted rounds were missing, unless it fails whichever record is
true. Each version of a contradicted round is evaluated among the rounds around it. So a contradiction makes no
compliant round fail, and hides no violation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.audit.sessions.session_rows import Rows
from validator.audit.sessions.spill import Shelf

MOST_VERSIONS = 8
"""Number of versions of a round that are evaluated separately; the last one includes all further versions."""


class Versioned:
    """Spools of the rows of one document, one for each version."""

    __slots__ = ("_spools",)

    def __init__(self, versions: int) -> None:
        """Create spools for the versions; `versions` is the highest number of versions of any round, 0 without any."""
        self._spools: list[Shelf | None] = [None] * (1 + min(versions, MOST_VERSIONS))

    def put(self, rows: Rows) -> None:
        """Add rows to the spool of each version that they are evaluated in."""
        for version in range(len(self._spools)):
            chosen = rows.at(np.flatnonzero(rows.in_version(version, most=MOST_VERSIONS)))
            if len(chosen):
                spool = self._spools[version] = self._spools[version] or Shelf()
                spool.put(chosen)

    @property
    def versions(self) -> int:
        """Number of versions that are evaluated separately."""
        return len(self._spools) - 1

    def shelves(self) -> Iterator[tuple[int, Shelf]]:
        """Yield the versions that have rows, with their spools; last version 0, with the rounds of a single version."""
        for version in (*range(1, len(self._spools)), 0):
            spool = self._spools[version]
            if spool is not None:
                yield version, spool

    def close(self) -> None:
        """Free the space on disk."""
        for _, spool in self.shelves():
            spool.close()
