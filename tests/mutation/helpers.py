"""What both files of these tests look at."""

from __future__ import annotations

from functools import cache

from tools.mutation.trial import Court, open_court


@cache
def shipped_court(document: str) -> Court:
    """The court on a shipped document, opened once: all examples are judged to open it."""
    return open_court(document)
