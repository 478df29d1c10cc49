"""Names, frequencies, and places and values of submissions in words, for findings and explanations.

Nothing here runs while whole batches are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairdeal.validator.evidence.submission_reader import Nothing, find_money_keys
from fairdeal.validator.text.plain_values import format_money

SAME_AS = "the same as"
"""The words of equality."""
_AT_ALL = {("at least", 1), ("more than", 0), ("other than", 0)}
_NOT_AT_ALL = {(SAME_AS, 0), ("at most", 0), ("less than", 1)}


def describe_frequency(title: str, bound: str, number: int) -> str:
    """Describe how often something happens: `the stub is counted`, `the stub is counted, at most once`."""
    if (bound, number) in _AT_ALL:
        return title
    if (bound, number) in _NOT_AT_ALL:
        return f"it never happens that {title}"
    if (bound, number) == ("at least", 0):
        return f"the record states how often {title}"
    return f"{title}, {'exactly' if bound == SAME_AS else bound} {format_times(number)}"


def format_times(number: int) -> str:
    """Format a number of times: `once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"


def format_means(name: str) -> str:
    """Format a means of payment for use after "in" or "with": `chips`, `a coupon`."""
    return "a coupon" if name == "coupon" else name


def format_seats(numbers: Sequence[int]) -> str:
    """Format seats by number: `seat 2`, `seats 2, 3 and 5`."""
    return f"seat{'' if len(numbers) == 1 else 's'} {join_names(list(map(str, numbers)))}"


def join_names(names: Sequence[str], joint: str = "and") -> str:
    """Join names for a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def replace_hyphens(name: str) -> str:
    """Return a name of rule files as words, without hyphens."""
    return name.replace("-", " ")


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
