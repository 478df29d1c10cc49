"""What a tale of a round is made of."""

from __future__ import annotations

from msgspec import Struct

from validator.results.results import Chapter


class Tale(Struct, frozen=True, kw_only=True):
    """A round of play told step by step."""

    round: str
    chapters: tuple[Chapter, ...]
