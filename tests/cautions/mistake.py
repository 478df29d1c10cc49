"""Mistakes of authors, and the warnings that report them."""

from __future__ import annotations

from msgspec import Struct

from tests.cautions.rulebooks import DUEL


class Mistake(Struct, frozen=True):
    """Change of one file of a document, with the warning that reports it (severity, code, words) and the text at the
    line of the warning."""

    file: str
    old: str
    new: str
    code: str
    says: str
    at: str
    severity: str = "error"
    document: str = DUEL
    also: tuple[tuple[str, str], ...] = ()
