"""Values of a hand history, checked against the standard.

Amounts are read exactly: as whole numbers or decimals, never as binary fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import inf
from typing import Any

from validator.evidence.handlog.event_values import MOST
from validator.evidence.phh.refusal import HandRefused
from validator.text.visible import quoted

UNITS = 100
"""Minor units per unit of a hand history."""
_MOST_WHOLE = MOST // UNITS
_LONGEST_AMOUNT = 40
_WHOLE = frozenset((int,))

Amount = int | float
"""Amount in minor units: a whole number, `inf` for a stack of unknown size, or a NaN for an amount that cannot be
known."""


def minor_units(value: object, at: str, *, signed: bool = False) -> Amount:
    """Return an amount in minor units, `inf` if it is infinite.

    Raises UnreadableHandError unless it is an amount, a whole number of minor units, and not negative (unless
    `signed`).
    """
    if type(value) is int:
        amount: Amount = value * UNITS
    elif isinstance(value, Decimal):
        amount = _convert_exactly(value, at)
    else:
        raise HandRefused(f"`{at}`: expected numbers", at=at)
    if amount < 0 and not signed:
        raise HandRefused(f"`{at}`: an amount must not be negative", at=at)
    if amount != inf and not -MOST <= amount <= MOST:
        raise HandRefused(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    return amount


def _convert_exactly(value: Decimal, at: str) -> Amount:
    if value.is_nan():
        raise HandRefused(f"`{at}`: `nan` is not an amount", at=at)
    if value.is_infinite():
        return inf if value > 0 else -inf
    if not -_MOST_WHOLE <= value <= _MOST_WHOLE:
        raise HandRefused(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    amount = int(value * UNITS)
    if value != Decimal(amount) / UNITS:  # both sides have few digits and are exact
        raise HandRefused(f"`{at}`: {_shorten(value)} is not a whole number of minor units", at=at)
    return amount


def _shorten(value: Decimal) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_AMOUNT else f"{text[: _LONGEST_AMOUNT - 1]}…"


def said_amount(text: str, action: str) -> int:
    """Return an amount in the text of an action, in minor units. Raises UnreadableHandError."""
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= _LONGEST_AMOUNT:
        amount = minor_units(int(text) if text.isdigit() else Decimal(text), "actions")
        if amount <= MOST:
            return int(amount)
    raise HandRefused(f"{quoted(text)} is not an amount of chips", at=action)


def amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[Amount]:
    """Return an amount for each of `count` players. Raises UnreadableHandError."""
    values = listed(hand, field, count)
    # Nearly all hands hold whole numbers, which are checked together.
    if _WHOLE.issuperset(map(type, values)):
        least = -_MOST_WHOLE if signed else 0
        if least <= min(values) and max(values) <= _MOST_WHOLE:
            return [value * UNITS for value in values]
    return [minor_units(value, field, signed=signed) for value in values]


def finite_amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[int]:
    """Return amounts like `read_amounts`; none may be infinite."""
    values = amounts(hand, field, count, signed=signed)
    if not _WHOLE.issuperset(map(type, values)):
        raise HandRefused(f"`{field}`: an amount must be finite", at=field)
    return typed(values, field, int, "whole numbers")


def finite_amount(hand: Mapping[str, Any], field: str) -> int:
    """Return the single amount of a field. Raises UnreadableHandError."""
    amount = minor_units(hand[field], field)
    if amount == inf:
        raise HandRefused(f"`{field}`: an amount must be finite", at=field)
    return int(amount)


def listed(hand: Mapping[str, Any], field: str, count: int) -> list[Any]:
    """Return an entry for each of `count` players. Raises UnreadableHandError."""
    values = required(hand, field)
    if type(values) is not list or len(values) != count:
        raise HandRefused(f"`{field}`: expected a list of {count} entries, one per player", at=field)
    return values


def texts(hand: Mapping[str, Any], field: str, count: int) -> list[str]:
    """Return a text for each of `count` players. Raises UnreadableHandError."""
    return typed(listed(hand, field, count), field, str, "text")


def whole_numbers(hand: Mapping[str, Any], field: str, count: int) -> list[int]:
    """Return a whole number for each of `count` players. Raises UnreadableHandError."""
    return typed(listed(hand, field, count), field, int, "whole numbers")


def typed(values: list[Any], field: str, type_: type, words: str) -> list[Any]:
    """Return a list whose entries are all of one type. Raises UnreadableHandError."""
    if not {type_}.issuperset(map(type, values)):
        raise HandRefused(f"`{field}`: expected {words}", at=field)
    return values


def required(hand: Mapping[str, Any], field: str) -> Any:
    """Return the value of a required field. Raises UnreadableHandError."""
    try:
        return hand[field]
    except KeyError:
        raise HandRefused(f"the field `{field}` is missing") from None
