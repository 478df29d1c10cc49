"""What a tale of a round is made of."""

from __future__ import annotations

from msgspec import Struct


class Chapter(Struct, frozen=True, kw_only=True):
    """A part of the tale: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


class Tale(Struct, frozen=True, kw_only=True):
    """A round of play told step by step."""

    round: str
    chapters: tuple[Chapter, ...]
