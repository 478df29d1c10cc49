"""Short forms of conditions, and phrases that express them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairdeal.validator.evidence.submission_reader import Nothing, find_money_keys
from fairdeal.validator.language.grammar import ShortForm
from fairdeal.validator.text.plain_values import format_money


class StepHappened(ShortForm):
    """The step happened at least once: in the round or, for a step of each seat, at the seat."""

    key = "happened"
    sample = "{happened: reveal}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"number": {"of": {"events": operand}, "at-least": 1}}


class WithinLimits(ShortForm):
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""

    key = "within-limits"
    sample = "{within-limits: this}"

    def expand(self, operand: str) -> dict[str, Any]:
        bounds = ({"at-least": {"minimum": operand}}, {"at-most": {"maximum": operand}})
        return {"all": [{"number": {"of": {"amount": operand}, **bound}} for bound in bounds]}


class OffersLine(ShortForm):
    """The submission lists this wager or bonus."""

    key = "offers"
    sample = "{offers: main}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "when": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""

    key = "at-the-table"
    sample = "{at-the-table: payout-limit.posted}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    key = "at-each-position"
    sample = "{at-each-position: layout.per}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"value": {"at": operand, "equals": "position"}}]}


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


def format_range(least: int | None, most: int | None, *, money: bool = False) -> str:
    """Format the known bounds of a number: `5`, `5 to 7`, `at least 5`, `not known`; None for no bound."""
    low, high = (format_money(bound) if money and bound is not None else str(bound) for bound in (least, most))
    if least is None:
        return "not known" if most is None else f"at most {high}"
    return f"at least {low}" if most is None else low if least == most else f"{low} to {high}"


def format_means(name: str) -> str:
    """Format a means of payment for use after "in" or "with": `chips`, `a coupon`."""
    return "a coupon" if name == "coupon" else name


def format_seats(numbers: Sequence[int]) -> str:
    """Format seats by number: `seat 2`, `seats 2, 3 and 5`."""
    return format_numbered("seat", list(map(str, numbers)))


def format_numbered(noun: str, numbers: Sequence[str]) -> str:
    """Format numbered things: `card 2`, `cards 2, 3 and 5`; empty if there are none."""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {join_names(numbers)}" if numbers else ""


def join_names(names: Sequence[str], joint: str = "and") -> str:
    """Join names for a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def fill_templates(*features: tuple[str, Any]) -> list[str]:
    """Fill each template with its value, or its values joined by "or"; a template without a value is left out."""
    return [
        template.format(join_names(value, "or") if isinstance(value, list) else value)
        for template, value in features
        if value
    ]


def replace_hyphens(name: str) -> str:
    """Return a name of rule files as words, without hyphens."""
    return name.replace("-", " ")


NOT_STATED = "not stated"
ANY_VALUE, NO_VALUE = "anything", "not permitted by the readings in force"
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
