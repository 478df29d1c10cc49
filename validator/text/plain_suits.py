"""Suit symbols replaced by letters, for terminals and programs without them."""

from __future__ import annotations

import re

SYMBOLS = "♣♦♥♠"
"""Suit symbols that reports print after a rank."""

_CARD = re.compile(f"(?<=[2-9TJQKA])[{SYMBOLS}]")
_LETTERS = dict(zip(SYMBOLS, "cdhs", strict=True))


def plain_suits(text: str) -> str:
    """Return a text with the suit of each card as a letter: `A♠ K♦` becomes `As Kd`."""
    return _CARD.sub(lambda match: _LETTERS[match[0]], text)
