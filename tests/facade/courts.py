"""The shipped documents with their examples judged, which takes long and is done once for all tests of a process."""

from __future__ import annotations

from functools import cache

from tools.mutation.trial import Court, open_court


@cache
def open_shipped_court(document: str) -> Court:
    """Open the trial of a shipped document: its regulation, the outcome of its examples, and mutants to be tried."""
    return open_court(document)
