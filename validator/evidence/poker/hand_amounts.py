"""Amounts of hands in units of a currency, turned into minor units without loss."""

from __future__ import annotations

from decimal import Decimal

from fairdeal.validator.evidence.handlog.event_kinds import MAX_AMOUNT
from fairdeal.validator.evidence.poker.poker_vocabulary import UnreadableHandError

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
