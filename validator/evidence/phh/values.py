"""Values of a hand history, held against what the standard says they are.

Amounts are read exactly: whole numbers as they are, others as decimals, never as binary fractions.
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
"""Minor units in one of the units that hand histories are written in."""
_MOST_WHOLE = MOST // UNITS
_LONGEST_AMOUNT = 40
_WHOLE = frozenset((int,))

Amount = int | float
"""Minor units: a whole number, `inf` for a stack whose size nobody wrote down, or a NaN for what cannot be known."""


def minor_units(value: object, at: str, *, signed: bool = False) -> Amount:
    """An amount in minor units, `inf` where it is infinite. Raises HandRefused where it is no amount, or no whole
    number of minor units, or negative without being `signed`."""
    if type(value) is int:
        found: Amount = value * UNITS
    elif isinstance(value, Decimal):
        found = _exact(value, at)
    else:
        raise HandRefused(f"`{at}`: expected numbers", at=at)
    if found < 0 and not signed:
        raise HandRefused(f"`{at}`: an amount must not be negative", at=at)
    if found != inf and not -MOST <= found <= MOST:
        raise HandRefused(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    return found


def _exact(value: Decimal, at: str) -> Amount:
    if value.is_nan():
        raise HandRefused(f"`{at}`: `nan` is not an amount", at=at)
    if value.is_infinite():
        return inf if value > 0 else -inf
    if not -_MOST_WHOLE <= value <= _MOST_WHOLE:
        raise HandRefused(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    found = int(value * UNITS)
    if value != Decimal(found) / UNITS:  # which has few digits: both sides are exact
        raise HandRefused(f"`{at}`: {_short(value)} is not a whole number of minor units", at=at)
    return found


def _short(value: Decimal) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_AMOUNT else f"{text[: _LONGEST_AMOUNT - 1]}…"


def said_amount(text: str, action: str) -> int:
    """An amount in the text of an action, in minor units. Raises HandRefused."""
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= _LONGEST_AMOUNT:
        found = minor_units(int(text) if text.isdigit() else Decimal(text), "actions")
        if found <= MOST:
            return int(found)
    raise HandRefused(f"{quoted(text)} is not an amount of chips", at=action)


def amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[Amount]:
    """An amount for each of `count` players. Raises HandRefused."""
    values = listed(hand, field, count)
    # What nearly all hands hold is looked at as a whole.
    if _WHOLE.issuperset(map(type, values)):
        least = -_MOST_WHOLE if signed else 0
        if least <= min(values) and max(values) <= _MOST_WHOLE:
            return [value * UNITS for value in values]
    return [minor_units(value, field, signed=signed) for value in values]


def finite_amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[int]:
    """As `amounts`, where none may be infinite."""
    found = amounts(hand, field, count, signed=signed)
    if not _WHOLE.issuperset(map(type, found)):
        raise HandRefused(f"`{field}`: an amount must be finite", at=field)
    return typed(found, field, int, "whole numbers")


def finite_amount(hand: Mapping[str, Any], field: str) -> int:
    """The one amount of a field. Raises HandRefused."""
    found = minor_units(hand[field], field)
    if found == inf:
        raise HandRefused(f"`{field}`: an amount must be finite", at=field)
    return int(found)


def listed(hand: Mapping[str, Any], field: str, count: int) -> list[Any]:
    """An entry for each of `count` players. Raises HandRefused."""
    values = required(hand, field)
    if type(values) is not list or len(values) != count:
        raise HandRefused(f"`{field}`: expected a list of {count} entries, one a player", at=field)
    return values


def texts(hand: Mapping[str, Any], field: str, count: int) -> list[str]:
    """A text for each of `count` players. Raises HandRefused."""
    return typed(listed(hand, field, count), field, str, "text")


def whole_numbers(hand: Mapping[str, Any], field: str, count: int) -> list[int]:
    """A whole number for each of `count` players. Raises HandRefused."""
    return typed(listed(hand, field, count), field, int, "whole numbers")


def typed(values: list[Any], field: str, type_: type, words: str) -> list[Any]:
    """The list, all of whose entries are of one type. Raises HandRefused."""
    if not {type_}.issuperset(map(type, values)):
        raise HandRefused(f"`{field}`: expected {words}", at=field)
    return values


def required(hand: Mapping[str, Any], field: str) -> Any:
    """What a field holds that each hand must have. Raises HandRefused."""
    try:
        return hand[field]
    except KeyError:
        raise HandRefused(f"the field `{field}` is missing") from None
