"""Error for a hand that cannot be read."""

from __future__ import annotations


class HandRefused(Exception):
    """Hand that cannot be read. The message is the reason."""

    def __init__(self, reason: str, *, at: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        """Text in the hand at which the fault is; empty if unknown."""
