"""A value of a submission held against a bound, whatever the two are: what cannot be compared does not fit."""

from __future__ import annotations

import unicodedata
from typing import Any

from validator.text.values.odds import parse_payout


def fits(operator: str, found: Any, bound: Any) -> bool:
    """Whether a value is as a bound asks, by the name of the operator."""
    match operator:
        case "equals" | "equals-value" | "equals-list":
            return _same(found, bound)
        case "one-of":
            return any(_same(found, one) for one in bound)
        case "includes" | "includes-value":
            return isinstance(found, list) and any(_same(one, bound) for one in found)
        case "at-least" | "at-least-value":
            return _ordered(found, bound) and bool(found >= bound)
        case "at-most" | "at-most-value":
            return _ordered(found, bound) and bool(found <= bound)
        case "more-than-value":
            return _ordered(found, bound) and bool(found > bound)
        case "reads":
            return reads(found, bound)
        case "in-list":
            return any(reads(found, one) for one in bound)
        case _:
            return _wording(found) in bound


def reads(found: Any, text: str) -> bool:
    """Whether a value is a text, large and small letters and blanks not being looked at."""
    return isinstance(found, str) and _letters(found) == _letters(text)


def _letters(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _same(one: Any, other: Any) -> bool:
    # To Python, yes and 1 are equal.
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _ordered(one: Any, other: Any) -> bool:
    """Whether two values have an order: two numbers, or two texts (days are texts that stand in order)."""
    return type(one) is type(other) and isinstance(one, (int, str)) and not isinstance(one, bool)


def _wording(text: Any) -> str | None:
    """How a payout is worded; None for what is no payout."""
    try:
        return parse_payout(text).form if isinstance(text, str) else None
    except ValueError:
        return None
