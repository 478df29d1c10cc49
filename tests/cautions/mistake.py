"""A mistake of an author, and what is told of it."""

from __future__ import annotations

from msgspec import Struct

from tests.cautions.rulebooks import DUEL


class Mistake(Struct, frozen=True):
    """A change of one file of a document, what it is told as (severity, code, words), and the line it is told at, by
    what stands there."""

    file: str
    old: str
    new: str
    code: str
    says: str
    at: str
    severity: str = "error"
    document: str = DUEL
    also: tuple[tuple[str, str], ...] = ()
