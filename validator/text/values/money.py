"""Money as people read it. Amounts are integers in minor units, with two decimal places."""

from __future__ import annotations

EXPONENT = 2
"""Number of decimal places of every amount."""


def format_money(minor: int) -> str:
    """Return an amount with two decimals and thousands separators: 123450 is `1,234.50`, -5 is `-0.05`."""
    units, cents = divmod(abs(minor), 10**EXPONENT)
    return f"{'-' if minor < 0 else ''}{units:,}.{cents:0{EXPONENT}d}"
