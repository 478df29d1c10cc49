"""Money as people read it. Amounts are integers in minor units, with two decimal places."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

EXPONENT: Final = 2
"""Decimal places of every amount."""
SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}
"""Signs of the currencies that are written with one; all others are written with their ISO 4217 code."""

_CURRENCY: Final[ContextVar[str | None]] = ContextVar("currency", default=None)


@contextmanager
def amounts_in(currency: str | None) -> Iterator[None]:
    """Make `format_money` write amounts in a currency, as `decimal.localcontext` sets a precision.

    Without a currency, that of an outer `amounts_in` stays.
    """
    token = _CURRENCY.set(currency or _CURRENCY.get())
    try:
        yield
    finally:
        _CURRENCY.reset(token)


def format_money(minor: int, currency: str | None = None) -> str:
    """Return an amount with its currency: `$1,234.50`, `CAD 60.00`, `-€0.05`; `60.00` where no currency is known.

    Args:
        minor: the amount in minor units.
        currency: its ISO 4217 code; by default that of `amounts_in`.
    """
    named = currency or _CURRENCY.get()
    prefix = "" if named is None else SIGNS.get(named, f"{named} ")
    return f"{'-' if minor < 0 else ''}{prefix}{format_decimal(abs(minor))}"


def format_decimal(minor: int) -> str:
    """Return an amount without its currency, with two decimals and thousands separators: -123450 is `-1,234.50`."""
    units, cents = divmod(abs(minor), 10**EXPONENT)
    return f"{'-' if minor < 0 else ''}{units:,}.{cents:0{EXPONENT}d}"
