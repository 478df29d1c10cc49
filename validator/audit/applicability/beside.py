"""What is counted of rounds beside their verdicts, by whoever asks for an audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration


class Counts(Protocol):
    """Counts of rounds: those of a block are made in a process of the audit, and added in the order of the logs. They
    travel, and are kept, as bytes."""

    def count(self, scope: Scope, /) -> None:
        """Count rounds that are judged alike."""
        ...

    def add(self, other: Any, /) -> None:
        """Add what was counted, by the same class, of later rounds."""
        ...

    def to_bytes(self) -> bytes:
        """What was counted, as bytes of which nothing is run; what a house has chosen stands there as its number."""
        ...

    @classmethod
    def from_bytes(cls, data: bytes, configuration: Callable[[int], Configuration], /) -> Self:
        """What was counted, from such bytes; `configuration` knows what a house has chosen by its number. Raises
        ValueError, or LookupError for an unknown number, where the bytes are none."""
        ...


ReadCounts = Callable[[bytes], Counts]
"""Makes counts of their bytes, as `Counts.from_bytes` does."""
