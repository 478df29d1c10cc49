"""Counters that a caller adds to an audit, which count rounds next to their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration


class Counts(Protocol):
    """Counter of rounds.

    A process of the audit counts the rounds of a block; the results are added in the order of the logs.

    Counters travel between processes, and are kept in checkpoints, as bytes.
    """

    def count(self, scope: Scope, /) -> None:
        """Count rounds that are checked under the same game and submission."""
        ...

    def add(self, other: Any, /) -> None:
        """Add the counts of later rounds, from a counter of the same class."""
        ...

    def to_bytes(self) -> bytes:
        """Encode the counts as bytes that hold no code. A configuration is encoded as its number."""
        ...

    @classmethod
    def from_bytes(cls, data: bytes, configuration: Callable[[int], Configuration], /) -> Self:
        """Decode counts.

        Args:
            data: bytes of `to_bytes`.
            configuration: returns the configuration of a number.

        Raises:
            ValueError: If the bytes are not counts.
            LookupError: If they contain an unknown number.
        """
        ...


ReadCounts = Callable[[bytes], Counts]
"""Function that decodes a counter, as `RoundCounter.from_bytes` does."""
