"""What reading a log must know of its game."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct


class KnownGame(Struct, frozen=True, kw_only=True):
    """What the rules of a game say of its evidence: the kinds of event they know (`acts`), each anywhere or, as in
    `discard/community`, at a place; and how many `cards` are in play at once."""

    acts: Collection[str]
    cards: int
