"""Explanation of a round."""

from __future__ import annotations

from msgspec import Struct

from validator.results.results import Chapter


class Tale(Struct, frozen=True, kw_only=True):
    """Explanation of a round, step by step."""

    round: str
    """Id of the round."""
    chapters: tuple[Chapter, ...]
    """Chapters in reading order."""
