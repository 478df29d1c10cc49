"""Values that a submission states, as plain data for dotted paths.

The data follow the file, with one form for each thing that may be written in two: a notice is a mapping, odds are in
lowest terms. If exactly one of several keys is given, the others have the value `NOTHING`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from validator.evidence.submission.model import Submission
from validator.evidence.submission.money import MINOR_UNITS
from validator.text.models.model import OneOf, hyphenated
from validator.text.values.odds import Payout

EARLIER = "earlier"
"""Key of the replaced submission."""


class Nothing(Enum):
    """Marker for a key that is known to have no value, because an alternative key has one."""

    NOTHING = "none"


NOTHING: Final = Nothing.NOTHING


def stated(submission: Submission, *, earlier: Submission | None = None) -> Mapping[str, Any]:
    """Return the values of a submission by their keys; a value that is null or left out has no key.

    Days are text. The key `EARLIER` holds the values of the replaced submission, if one is given.
    """
    values: dict[str, Any] = _to_plain(submission)
    if earlier is not None:
        values[EARLIER] = _to_plain(earlier)
    return values


def stated_without_amounts(submission: Submission) -> Mapping[str, Any]:
    """Return the values of a submission without amounts of money, as if these were left out.

    An object that makes no sense without its amount is left out too, and so is a list that contains one.
    """
    values: dict[str, Any] = _without_amounts(submission)
    return values


def _without_amounts(value: Any) -> Any:
    """Return plain data without amounts of money; None for an object that makes no sense without them."""
    match value:
        case BaseModel():
            values = dict(_to_plain(value))
            for name, field in type(value).model_fields.items():
                key = hyphenated(name)
                if key not in values or getattr(value, name) is None:
                    continue
                part = None if _is_money(field) else _without_amounts(getattr(value, name))
                if part is None and field.is_required():
                    return None
                if part is None:
                    del values[key]
                else:
                    values[key] = part
            return values
        case list():
            parts = [_without_amounts(part) for part in value]
            return None if None in parts else parts
        case Payout():
            return None if value.form == "amount" else _to_plain(value)
        case _:
            return _to_plain(value)


def _is_money(field: FieldInfo) -> bool:
    return MINOR_UNITS in (*field.metadata, *_list_parts(field.annotation))


@cache
def keys_of_money() -> frozenset[str]:
    """Return the keys of amounts of money, in minor currency units."""
    values: set[str] = set()
    waiting: list[Any] = [Submission]
    seen: set[Any] = set()
    while waiting:
        model = waiting.pop()
        if isinstance(model, type) and issubclass(model, BaseModel) and model not in seen:
            seen.add(model)
            for name, field in model.model_fields.items():
                waiting += _list_parts(field.annotation)
                if _is_money(field):
                    values.add(hyphenated(name))
    return frozenset(values)


def _list_parts(annotation: Any) -> list[Any]:
    """Return an annotation and all its parts."""
    return [annotation, *(part for inner in get_args(annotation) for part in _list_parts(inner))]


def _to_plain(value: Any) -> Any:
    match value:
        case BaseModel():
            given = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
            values = {hyphenated(name): _to_plain(part) for name, part in given.items() if part is not None}
            return {**_excluded_keys(value), **values} if isinstance(value, OneOf) else values
        case list():
            return [_to_plain(part) for part in value]
        case dict():
            return {key: _to_plain(part) for key, part in value.items()}
        case date():
            return value.isoformat()
        case Payout():
            return str(value)
        case _:
            return value


def _excluded_keys(value: OneOf) -> dict[str, Any]:
    return {hyphenated(name): NOTHING for name in type(value).model_fields if name not in value.BESIDE}
