r"""Validators of JSON Schemas, and what they reject in a file, place by place.

Patterns follow ECMA-262 as JSON Schema requires: in Python `$` also matches before a final line break, and `\d` matches
any digit of Unicode. Validators fetch nothing; a schema refers only to its own parts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from msgspec import Struct
from regress import Regex

from validator.text.trees.tree import Data, Path
from validator.text.visible import shortened

PlainData: TypeAlias = "dict[str, PlainData] | list[PlainData] | str | int | float | bool | None"
"""Data as JSON has it: a number with a point is a float, as in other validators."""

MOST = 1000
"""Maximum number of refusals of one file."""

_RECURSION_LIMIT = 10_000
"""Recursion limit: a file may have 64 levels, each of which takes a dozen calls of jsonschema, and schemas as many."""
_UNIONS = frozenset({"anyOf", "oneOf"})
_WHOLE_VALUE_KEYWORDS = _UNIONS | {"type", "enum", "const"}


class Refusal(Struct, frozen=True, kw_only=True):
    """A value that a schema rejects."""

    path: Path
    """Path of the value."""
    message: str
    """The violated keyword, in words."""
    at_key: bool = False
    """True if the key of the value is rejected."""
    whole: bool = False
    """True if the value is rejected together with everything in it."""
    form_of: Path | None = None
    """Path of an outer value whose form is ambiguous: its type fits several permitted forms."""


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """Build the validator of a schema (draft 2020-12). It checks formats, and patterns as ECMA-262 defines them."""
    validator: Validator = _VALIDATOR_CLASS(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return validator


def plain(value: Data) -> PlainData:
    """Convert the data of a file to plain JSON data."""
    match value:
        case dict():
            return {key: plain(part) for key, part in value.items()}
        case list():
            return [plain(part) for part in value]
        case Decimal():
            return float(value)
        case _:
            return value


def refusals(validator: Validator, data: PlainData, at: Path = ()) -> tuple[Refusal, ...]:
    """Return what a schema rejects in data, at most `MOST` refusals.

    Of a value with several permitted forms, only the nearest form is reported.

    Args:
        validator: The validator of the schema.
        data: The data.
        at: The path of the data in its file.

    Raises RecursionError if data and schema are nested too deeply.
    """
    with _allow_deep_recursion():
        converted = (refusal for error in validator.iter_errors(data) for refusal in _convert_error(error, at))
        return tuple(dict.fromkeys(islice(converted, MOST)))


@contextmanager
def _allow_deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _convert_error(error: SchemaError, around: Path, form_of: Path | None = None) -> Iterator[Refusal]:
    """Yield the refusals of an error; `around` is the path of the value that its own path is relative to."""
    path = (*around, *error.relative_path)
    if error.validator in _UNIONS and error.context:
        forms = _group_by_form(error.context)
        if forms:
            guessed = path if len(forms) > 1 and form_of is None else form_of
            for inner in min(forms, key=len):
                yield from _convert_error(inner, path, guessed)
            return
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
        for key in error.instance:
            if key not in known:
                message = f"there is no key {shortened(key)}"
                yield Refusal(path=(*path, key), message=message, at_key=True, whole=True, form_of=form_of)
        return
    message = _format_message(error)
    if "propertyNames" in error.relative_schema_path:
        yield Refusal(path=(*path, str(error.instance)), message=message, at_key=True, form_of=form_of)
        return
    whole = error.validator in _WHOLE_VALUE_KEYWORDS and not _concerns_keys_only(error)
    yield Refusal(path=path, message=message, at_key=error.validator == "required", whole=whole, form_of=form_of)


def _format_message(error: SchemaError) -> str:
    """Return the violated keyword and its value, in words."""
    if error.validator == "required":
        return shortened(error.message)
    if error.validator in _UNIONS:
        return "it matches none of the permitted forms"
    return f"{error.validator} {shortened(json.dumps(error.validator_value, ensure_ascii=False))} is violated"


def _group_by_form(errors: Sequence[SchemaError]) -> list[list[SchemaError]]:
    """Return the errors of each form whose type fits the value; none if the forms differ only in required keys."""
    forms: dict[Any, list[SchemaError]] = {}
    for error in errors:
        forms.setdefault(error.relative_schema_path[0], []).append(error)
    if all(error.validator == "required" for error in errors):
        return []
    return [
        form
        for form in forms.values()
        if not any(inner.validator == "type" and not inner.relative_path for inner in form)
    ]


def _concerns_keys_only(error: SchemaError) -> bool:
    """Return whether only the choice of keys is rejected, and not their values."""
    return bool(error.context) and all(inner.validator == "required" for inner in error.context)


@cache
def _compile_pattern(pattern: str) -> Regex:
    return Regex(pattern, "u")


def _check_pattern(_: Validator, pattern: str, instance: object, __: object) -> Iterator[SchemaError]:
    if isinstance(instance, str) and _compile_pattern(pattern).find(instance) is None:
        yield SchemaError(f"it is not of the form {pattern}")


_VALIDATOR_CLASS: type[Validator] = extend(Draft202012Validator, {"pattern": _check_pattern})  # type: ignore[no-untyped-call]
