"""Vocabulary of a game of poker, and amounts and faults of hands that are read."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from fairdeal.validator.evidence.handlog.event_kinds import MAX_AMOUNT

Amount = int | float
"""Amount in minor units: a whole number, `inf` for a stack of unknown size, or a NaN for an amount that cannot be
known."""


class UnreadableHandError(Exception):
    """Hand that cannot be read. The message is the reason."""

    def __init__(self, reason: str, *, at: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        """Text in the hand at which the fault is; empty if unknown."""


class DrawVocabulary(Struct, frozen=True, kw_only=True):
    """Vocabulary of a draw game. A decision that the game lacks is None: hands with it are quarantined."""

    full: int
    """Number of cards of a hand; further cards are drawn."""
    discard: str | None
    """Decision to discard."""
    stand_pat: str | None
    """Decision to keep all cards."""


class PokerVocabulary(Struct, frozen=True, kw_only=True):
    """Vocabulary of one game. A wager that the game lacks is None: hands in which it is posted are quarantined."""

    game: str
    """Document that governs the game."""
    antes: str | None
    """Wager of an ante."""
    blinds: tuple[str, ...]
    """Wagers of the first seats after the button, in order."""
    straddle: str | None
    """Wager of a later seat that posts towards its bets."""
    dead: str | None
    """Wager of a seat that posts without credit towards its bets."""
    bets: str
    """Wager that bets, calls and raises belong to."""
    fold: str
    """Decision to fold."""
    check: str
    """Decision to check."""
    call: str
    """Decision to call."""
    bet: str
    """Decision to bet."""
    raise_: str
    """Decision to raise."""
    concede: str
    """Decision to give up the hand at the showdown without showing it."""
    bring_in: str | None = None
    """Decision to post the bring-in."""
    complete: str | None = None
    """Decision to complete the bet after a bring-in."""
    faces: tuple[Literal["down", "up"], ...] = ()
    """Face of each card dealt to a player, in order."""
    exchanging: DrawVocabulary | None = None
    """Vocabulary of the draw; None if no cards are exchanged."""

    @property
    def opens_cards(self) -> bool:
        """True if some cards of players are dealt face up, so that the log records when they were dealt."""
        return "up" in self.faces


Variants = Mapping[str, PokerVocabulary]
"""Vocabularies by the variant code of hand histories."""


_NOISE = Decimal("0.000001")
"""Most of a minor unit that is left over by programs that compute in binary fractions, such as 0.30000000000000004."""


def convert_to_minor(amount: Decimal, decimals: int) -> int:
    """Return an amount in minor units.

    Raises UnreadableHandError unless it is finite, not negative and a whole number of minor units.
    """
    if not amount.is_finite() or not 0 <= amount <= MAX_AMOUNT:
        raise UnreadableHandError(f"an amount is not from 0 to {MAX_AMOUNT}")
    minor = amount.scaleb(decimals)
    whole = int(minor + Decimal("0.5"))
    if abs(minor - whole) > _NOISE:
        raise UnreadableHandError(f"{str(amount)[:40]} is not a whole number of minor units")
    if whole > MAX_AMOUNT:
        raise UnreadableHandError(f"an amount is not from 0 to {MAX_AMOUNT} minor units")
    return whole
