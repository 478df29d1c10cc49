"""Reader of submissions, with a validator cached on disk, and their values as plain data for dotted paths.

The data follow the file, with one form for each thing that may be written in two: a notice is a mapping, odds are in
lowest terms. If exactly one of several keys is given, the others have the value `NOTHING`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import SchemaValidator

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.text.closed_model import OneOperatorModel, to_key
from fairdeal.validator.text.document_loader import list_decimals, to_json, use_currency, validate
from fairdeal.validator.text.plain_values import MoneyAnnotation, Payout, written_with_zeros
from fairdeal.validator.text.positioned_document import PositionedDocument

EARLIER = "earlier"
"""Key of the replaced submission."""


class Nothing(Enum):
    """Marker for a key that is known to have no value, because an alternative key has one."""

    NOTHING = "none"


NOTHING: Final = Nothing.NOTHING


def collect_stated_values(submission: Submission, *, earlier: Submission | None = None) -> Mapping[str, Any]:
    """Return the values of a submission by their keys; a value that is null or left out has no key.

    Days are text. The key `EARLIER` holds the values of the replaced submission, if one is given.
    """
    values: dict[str, Any] = _to_plain(submission)
    if earlier is not None:
        values[EARLIER] = _to_plain(earlier)
    return values


def collect_values_without_amounts(submission: Submission) -> Mapping[str, Any]:
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
                key = to_key(name)
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
    parts = (*field.metadata, *_list_parts(field.annotation))
    return any(isinstance(part, MoneyAnnotation) for part in parts)


@cache
def find_money_keys() -> frozenset[str]:
    """Return the keys of amounts of money."""
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
                    values.add(to_key(name))
    return frozenset(values)


def _list_parts(annotation: Any) -> list[Any]:
    """Return an annotation and all its parts."""
    return [annotation, *(part for inner in get_args(annotation) for part in _list_parts(inner))]


def _to_plain(value: Any) -> Any:
    match value:
        case BaseModel():
            given = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
            values = {to_key(name): _to_plain(part) for name, part in given.items() if part is not None}
            return {**_excluded_keys(value), **values} if isinstance(value, OneOperatorModel) else values
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


def _excluded_keys(value: OneOperatorModel) -> dict[str, Any]:
    return {to_key(name): NOTHING for name in type(value).model_fields if name not in value.COMPANIONS}


_TRUSTED = (
    "fairdeal.validator.evidence.submission_model",
    "fairdeal.validator.text.closed_model",
    "fairdeal.validator.text.plain_values",
)
_DOCUMENTING = "pydantic_js_"


def parse_submission(tree: PositionedDocument) -> Submission:
    """Return the submission in a file. Raises InputError."""
    key = build_key("submission")
    submission = _validate_with(load_entry(key, trusted=_TRUSTED), tree)
    if submission is None:
        # The file or the cached schema may be wrong: the ordinary validation reports the first and ignores the second.
        submission = validate(tree, Submission)
        store_entry(key, _strip_documentation(Submission.__pydantic_core_schema__))
    return submission


def _validate_with(schema: object, tree: PositionedDocument) -> Submission | None:
    """Return the submission, validated with a cached core schema; None if that fails."""
    if isinstance(schema, dict):
        zeros = written_with_zeros(list_decimals(tree, tree.data))
        with suppress(Exception), use_currency(Submission, tree.data), zeros:
            submission = SchemaValidator(schema).validate_json(to_json(tree.data))
            return submission if isinstance(submission, Submission) else None
    return None


def _strip_documentation(schema: object) -> object:
    """Return a core schema without its documentation: that is code and cannot be cached."""
    if isinstance(schema, dict):
        return {
            key: _strip_documentation(part) for key, part in schema.items() if not str(key).startswith(_DOCUMENTING)
        }
    if isinstance(schema, (list, tuple)):
        return type(schema)(map(_strip_documentation, schema))
    return schema
