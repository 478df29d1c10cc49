"""What a submission states, as plain data: what dotted paths lead through.

It is what stands in the file, except that everything which may be written in two ways is written in one: a
notice is a mapping, odds are in lowest terms. Of keys of which exactly one stands, the others are not just left
out: it is known that there is `NOTHING` under them.
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
"""The key under which the submission stands that this one replaces."""


class Nothing(Enum):
    """What stands where something else stands instead."""

    NOTHING = "none"


NOTHING: Final = Nothing.NOTHING


def stated(submission: Submission, *, earlier: Submission | None = None) -> Mapping[str, Any]:
    """The values of a submission by their keys; what is left out, or null, has no key.

    Days are text. Under `EARLIER` stands what the submission states that this one replaces, if one is given.
    """
    found: dict[str, Any] = _plain(submission)
    if earlier is not None:
        found[EARLIER] = _plain(earlier)
    return found


def stated_without_amounts(submission: Submission) -> Mapping[str, Any]:
    """Return the values of a submission without amounts of money, as if these were left out.

    What makes no sense without its amount goes as well, and so does a list of which something goes.
    """
    found: dict[str, Any] = _without_amounts(submission)
    return found


def _without_amounts(value: Any) -> Any:
    """Return plain data without amounts of money, None for what makes no sense without them."""
    match value:
        case BaseModel():
            found = dict(_plain(value))
            for name, field in type(value).model_fields.items():
                key = hyphenated(name)
                if key not in found or getattr(value, name) is None:
                    continue
                part = None if _is_money(field) else _without_amounts(getattr(value, name))
                if part is None and field.is_required():
                    return None
                if part is None:
                    del found[key]
                else:
                    found[key] = part
            return found
        case list():
            parts = [_without_amounts(part) for part in value]
            return None if None in parts else parts
        case Payout():
            return None if value.form == "amount" else _plain(value)
        case _:
            return _plain(value)


def _is_money(field: FieldInfo) -> bool:
    return MINOR_UNITS in (*field.metadata, *_parts_of(field.annotation))


@cache
def keys_of_money() -> frozenset[str]:
    """The keys under which money stands, in minor currency units."""
    found: set[str] = set()
    waiting: list[Any] = [Submission]
    seen: set[Any] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel) and one not in seen:
            seen.add(one)
            for name, field in one.model_fields.items():
                waiting += _parts_of(field.annotation)
                if _is_money(field):
                    found.add(hyphenated(name))
    return frozenset(found)


def _parts_of(annotation: Any) -> list[Any]:
    """An annotation and all that it is made of."""
    return [annotation, *(part for inner in get_args(annotation) for part in _parts_of(inner))]


def _plain(value: Any) -> Any:
    match value:
        case BaseModel():
            given = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
            found = {hyphenated(name): _plain(part) for name, part in given.items() if part is not None}
            return {**_instead(value), **found} if isinstance(value, OneOf) else found
        case list():
            return [_plain(part) for part in value]
        case dict():
            return {key: _plain(part) for key, part in value.items()}
        case date():
            return value.isoformat()
        case Payout():
            return str(value)
        case _:
            return value


def _instead(value: OneOf) -> dict[str, Any]:
    return {hyphenated(name): NOTHING for name in type(value).model_fields if name not in value.BESIDE}
