"""Places and values of a submission in words."""

from __future__ import annotations

from typing import Any

from validator.evidence.submission.view import Nothing, find_money_keys
from validator.text.values.money import format_money

NOT_STATED = "not stated"
ANY_VALUE, NO_VALUE = "anything", "nothing, by the readings in force"
"""Descriptions of a condition that the readings alone decide."""


def describe_place(path: str) -> str:
    """Describe a place for a sentence; a path of three dots or more belongs to the entry that is compared."""
    around = " of the entry that is examined" if path.startswith("..") else ""
    around = " of the entry it is compared with" if path.startswith("...") else around
    keys = [quote_key(key) for key in reversed(path.split(".")) if key]
    return f"{' of '.join(keys)}{around}" if keys else "it"


def quote_key(key: str) -> str:
    """Return a key of a submission in quotation marks, without hyphens."""
    return f"“{key.replace('-', ' ')}”"


def find_last_path_key(path: str) -> str:
    """Return the last key of a dotted path."""
    return path.rpartition(".")[2]


def format_value(value: Any, key: str = "") -> str:
    """Format the value of a key; money in major units."""
    match value:
        case None:
            return NOT_STATED
        case True:
            return "yes"
        case False:
            return "no"
        case int() if key in find_money_keys():
            return format_money(value)
        case Nothing():
            return str(value.value)
        case list():
            return ", ".join(_format_item(item) for item in value) or "none"
        case dict():
            return _format_item(value)
        case _:
            return str(value)


def _format_item(item: Any) -> str:
    if isinstance(item, dict):
        return f"({', '.join(f'{key}: {format_value(part, key)}' for key, part in item.items())})"
    return format_value(item)
