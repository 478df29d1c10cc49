"""Sentences for problems with a value: each kind of pydantic's errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from msgspec import Struct
from pydantic_core import ErrorDetails

from validator.text.diagnostics import did_you_mean
from validator.text.models.hints import allowed
from validator.text.trees.tree import Data, Path
from validator.text.visible import quoted

_MAX_SHOWN = 10

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "float_type": "a number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "date_type": "a day such as 2024-01-31",
    "date_parsing": "a day such as 2024-01-31",
    "date_from_datetime_parsing": "a day such as 2024-01-31",
    "time_type": "a time such as 13:30",
    "time_parsing": "a time such as 13:30",
    "datetime_type": "a day and time such as 2024-01-31T13:30:00",
    "datetime_parsing": "a day and time such as 2024-01-31T13:30:00",
    "datetime_from_date_parsing": "a day and time such as 2024-01-31T13:30:00",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "none_required": "nothing",
}
_BOUNDS = {
    "greater_than": ("gt", "more than {}"),
    "greater_than_equal": ("ge", "at least {}"),
    "less_than": ("lt", "less than {}"),
    "less_than_equal": ("le", "at most {}"),
    "multiple_of": ("multiple_of", "a multiple of {}"),
    "string_pattern_mismatch": ("pattern", "text of the form {}"),
}
_LENGTHS = {
    "string_too_short": ("min_length", "at least", "character"),
    "string_too_long": ("max_length", "at most", "character"),
    "too_short": ("min_length", "at least", "entry"),
    "too_long": ("max_length", "at most", "entry"),
}
_PLURAL = {"character": "characters", "entry": "entries"}
_CHOICES = frozenset(("literal_error", "enum"))
_OWN_ERRORS = frozenset(("value_error", "assertion_error"))
_UNQUOTED_FORMS = {
    "a whole number": re.compile(r"-?[0-9]{1,19}"),
    "a number": re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?"),
    "true or false": re.compile("true|false"),
}
_MONEY = re.compile(r"(?=[^0-9]*[0-9])[$€£]? ?[0-9]{1,3}(,?[0-9]{3})*(\.[0-9]{2})?( ?[$€£])?")
_SUBJECT = re.compile("^(Input|Value|String) ")
_QUOTED_CHOICE = re.compile(r"'([^']*)'")


class Said(Struct, frozen=True, kw_only=True):
    """A problem in words, without its place."""

    code: str
    """Kind of the problem."""
    message: str
    """The problem in one sentence."""
    expected: str | None = None
    """Expected values, if that helps."""
    help: str | None = None
    """Remedy, if one is known."""


def say(details: ErrorDetails, hint: Any, value: Data, path: Path) -> Said:
    """Describe a value at a path by pydantic's error about it; `hint` is the expected type."""
    kind, context = details["type"], details.get("ctx", {})
    if kind in _TYPES:
        return wrong_type(_TYPES[kind], value, path)
    if kind in _CHOICES:
        return unknown_value(value, _list_choices(details, hint), path)
    if kind in _BOUNDS:
        key, form = _BOUNDS[kind]
        return _describe_out_of_bounds(f"must be {form.format(context[key])}", found(value), path)
    if kind in _LENGTHS and isinstance(value, (str, list, dict)):
        key, bound, unit = _LENGTHS[kind]
        requirement = f"must have {bound} {context[key]:,} {unit if context[key] == 1 else _PLURAL[unit]}"
        return _describe_out_of_bounds(requirement, f"{len(value):,}", path)
    if kind == "missing":
        return Said(code="out-of-bounds", message=f"{subject(path)} has too few entries")
    if kind in _OWN_ERRORS:
        return Said(code="invalid-value", message=str(context["error"]))
    message = _SUBJECT.sub(f"{subject(path)} ", details["msg"])
    return Said(code="invalid-value", message=message)


def wrong_type(expected: str, value: Data, path: Path) -> Said:
    """Describe a value of another type than `expected`."""
    return Said(
        code="wrong-type",
        message=f"{subject(path)} must be {expected}, found {found(value)}",
        help=_suggest_remedy(expected, value),
    )


def unknown_value(value: Data, choices: Sequence[str], path: Path) -> Said:
    """Describe a value that is none of the allowed ones."""
    if not isinstance(value, str):
        return wrong_type(one_of(choices), value, path)
    near = did_you_mean(value, choices)
    return Said(
        code="unknown-value",
        message=f"{quoted(value)} is not a value of {subject(path)}",
        expected=one_of(choices),
        help=None if near is None else f"did you mean {quoted(near)}?",
    )


def unknown_key(key: str, unused: Sequence[str], what: str, *, alone: bool = False) -> tuple[Said, str | None]:
    """Describe an unknown key, and return the unused key that was probably meant, if any.

    Args:
        key: The unknown key.
        unused: Keys that the mapping does not have yet.
        what: What the message calls the mapping.
        alone: True if the key has no value; it may then be the rest of a text.
    """
    near = did_you_mean(key, unused)
    help_: str | None
    if near is not None:
        help_ = f"did you mean {quoted(near)}?"
    elif alone:
        help_ = "inside { } a text with a comma must be in quotes"
    else:
        help_ = None if unused else "remove it"
    said = Said(
        code="unknown-key",
        message=f"{quoted(key)} is not a key of {what}",
        expected=one_of(unused) if unused else None,
        help=help_,
    )
    return said, near


def missing_key(key: str, what: str, choices: Sequence[str] = ()) -> Said:
    """Describe a missing key, whose value is one of `choices` if they are known."""
    return Said(
        code="missing-key",
        message=f"{what} needs the key {quoted(key)}",
        expected=one_of(choices) if choices else None,
    )


def untold(choices: Sequence[str]) -> Said:
    """Describe a mapping without a key that states which of several kinds it is."""
    return Said(code="missing-key", message="no key of this mapping states its kind", expected=one_of(choices))


def either(misfits: Iterable[tuple[Any, ErrorDetails]], value: Data, path: Path) -> Said:
    """Describe a value that fits none of several types, given with pydantic's error about each."""
    expected = dict.fromkeys(
        one_of(_list_choices(details, hint)) if details["type"] in _CHOICES else _TYPES[details["type"]]
        for hint, details in misfits
        if details["type"] in _CHOICES or details["type"] in _TYPES
    )
    *others, last = expected
    return wrong_type(f"{', '.join(others)} or {last}" if others else last, value, path)


def is_misfit(details: ErrorDetails, value: Data) -> bool:
    """Return whether an error means that the value has a completely different type."""
    return details["type"] in _TYPES or (details["type"] in _CHOICES and not isinstance(value, str))


def subject(path: Path) -> str:
    """Return what messages call the value at a path: its key, its number in a list, or the file."""
    if not path:
        return "the file"
    last = path[-1]
    return quoted(last) if isinstance(last, str) else f"item {last + 1} of {subject(path[:-1])}"


def one_of(choices: Sequence[str]) -> str:
    """Return `one of a, b, c`, shortened if there are many."""
    more = f" and {len(choices) - _MAX_SHOWN} more" if len(choices) > _MAX_SHOWN else ""
    return f"{'one of ' if len(choices) > 1 else ''}{', '.join(choices[:_MAX_SHOWN])}{more}"


def found(value: Data) -> str:
    """Return what messages call a value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value)}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"the number {value}"


def _describe_out_of_bounds(requirement: str, found_text: str, path: Path) -> Said:
    return Said(code="out-of-bounds", message=f"{subject(path)} {requirement}, found {found_text}")


def _list_choices(details: ErrorDetails, hint: Any) -> list[str]:
    """Return the allowed values, from the type or, if that is unknown, from pydantic's own sentence."""
    known = [str(choice) for choice in allowed(hint)]
    return known or _QUOTED_CHOICE.findall(str(details.get("ctx", {}).get("expected", "")))


def _suggest_remedy(expected: str, value: Data) -> str | None:
    """Return the small change that makes the value fit, if one is known."""
    if expected == "text" and isinstance(value, (bool, int, Decimal)):
        return "put it in quotes"
    if expected == "a whole number" and isinstance(value, Decimal):
        return "write it in digits alone; money is in minor units, 500 for 5.00"
    bare = _UNQUOTED_FORMS.get(expected)
    if bare is not None and isinstance(value, str) and bare.fullmatch(value):
        return "remove the quotes"
    if expected == "a whole number" and isinstance(value, str) and _MONEY.fullmatch(value):
        return "write digits alone, without signs and commas; money is in minor units, 500 for 5.00"
    if expected == "a list" and value is not None and not isinstance(value, dict):
        return "write it in square brackets"
    return None
