"""Errors for wagers whose odds cannot be worked out."""

from __future__ import annotations


class NotWorkedOut(Exception):
    """Error for a wager whose house advantage cannot be worked out. Its message states the reason."""


class TooLarge(Exception):
    """Error for a wager with deals that cannot be counted. Its message states the reason."""
