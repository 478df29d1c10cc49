"""What a tale of a round is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A part of the tale: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tale:
    """A round of play told step by step."""

    round: str
    chapters: tuple[Chapter, ...]
