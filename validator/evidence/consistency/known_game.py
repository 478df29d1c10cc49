"""Facts about a game that a log of it must agree with."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct


class KnownGame(Struct, frozen=True, kw_only=True):
    """Facts about a game that its evidence must agree with."""

    acts: Collection[str]
    """Kinds of event that the rules provide for, each anywhere or, as in `discard/community`, at a place."""
    cards: int
    """Number of cards in play at once."""
    bonuses: Collection[str] = ()
    """Names of payments without a stake of their own."""
