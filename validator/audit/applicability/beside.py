"""What is counted of rounds beside their verdicts, by whoever asks for an audit."""

from __future__ import annotations

from typing import Any, Protocol

from validator.engine.core.context import Scope


class Counts(Protocol):
    """Counts of rounds: those of a block are made in a process of the audit, and added in the order of the logs."""

    def count(self, scope: Scope, /) -> None:
        """Count rounds that are judged alike."""
        ...

    def add(self, other: Any, /) -> None:
        """Add what was counted, by the same class, of later rounds."""
        ...
