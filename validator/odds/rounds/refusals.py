"""Reasons why a wager has no odds, or none by one way of working them out."""

from __future__ import annotations


class NotWorkedOut(Exception):
    """Reason why a wager has no house advantage, or none that is worked out here."""


class TooLarge(Exception):
    """Reason why the deals of a wager are not counted."""
