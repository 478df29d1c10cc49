"""The shipped documents with their examples judged, which takes long and is done once for all tests of a process."""

from __future__ import annotations

from functools import cache

from tools.mutation.trial import Court, open_court


@cache
def shipped_court(document: str) -> Court:
    """The court on a shipped document: its regulation, what each of its examples comes to, and mutants to be tried."""
    return open_court(document)
