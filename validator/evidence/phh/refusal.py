"""A hand that cannot be read."""

from __future__ import annotations


class HandRefused(Exception):
    """Why a hand cannot be read. `at` is text that stands in the hand where the trouble is, if that is known."""

    def __init__(self, reason: str, *, at: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
