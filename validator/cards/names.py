"""Signs of ranks and suits, and the form of names in rule files."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import StringConstraints

RANKS: Final = "23456789TJQKA"
"""Signs of the ranks, lowest first."""
SUITS: Final = "cdhs"
"""Signs of the suits, lowest first: clubs, diamonds, hearts, spades."""
SUIT_SYMBOLS: Final = "♣♦♥♠"
"""Suits as reports print them, in the order of `SUITS`."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Suit = Literal["c", "d", "h", "s"]
Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
