"""JSON Schemas as validators, and what they refuse in a file, place by place.

Patterns are those of ECMA-262, as JSON Schema has them: to Python `$` also stands before a last line break, and
`\\d` is any digit of Unicode. Nothing is fetched: a schema refers to its own parts alone.
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
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from msgspec import Struct
from regress import Regex

from validator.text.trees.tree import Data, Path
from validator.text.visible import shortened

PlainData: TypeAlias = "dict[str, PlainData] | list[PlainData] | str | int | float | bool | None"
"""What JSON knows: a number with a point is a float, as other programs that validate take it."""

MOST = 1000
"""Refusals of one file that are looked at."""

_FRAMES = 10_000
"""Calls within calls: a file may have 64 levels, each of which takes jsonschema a dozen calls, and schemas as many."""
_UNIONS = frozenset({"anyOf", "oneOf"})
_WHOLE = _UNIONS | {"type", "enum", "const"}


class Refusal(Struct, frozen=True, kw_only=True):
    """One thing that a schema refuses: `path` is the value, or with `at_key` its key. `whole` is whether it is refused
    with all that is in it; `form_of` the value around it that may have one of several forms, where it is of the type of
    more than one: which of them it was meant for is a guess."""

    path: Path
    message: str
    at_key: bool = False
    whole: bool = False
    form_of: Path | None = None


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """The validator of a schema (draft 2020-12), to be made once: formats are asserted, patterns those of ECMA-262."""
    made: Validator = _VALIDATOR(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return made


def plain(value: Data) -> PlainData:
    """The data of a file as JSON knows it."""
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
    """What a schema refuses in data that stands `at` a place, `MOST` at most: of values that may have one of several
    forms what is wrong with the form that comes nearest. Raises RecursionError where data and schema lie too deep for
    the validator."""
    with _deep():
        found = (one for error in validator.iter_errors(data) for one in _refused(error, at))
        return tuple(dict.fromkeys(islice(found, MOST)))


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _refused(error: ValidationError, around: Path, form_of: Path | None = None) -> Iterator[Refusal]:
    """The refusals that an error stands for; `around` is the path of the value that its own path starts from."""
    path = (*around, *error.relative_path)
    if error.validator in _UNIONS and error.context:
        forms = _forms(error.context)
        if forms:
            guessed = path if len(forms) > 1 and form_of is None else form_of
            for inner in min(forms, key=len):
                yield from _refused(inner, path, guessed)
            return
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
        for key in error.instance:
            if key not in known:
                message = f"there is no key {shortened(key)}"
                yield Refusal(path=(*path, key), message=message, at_key=True, whole=True, form_of=form_of)
        return
    message = _message(error)
    if "propertyNames" in error.relative_schema_path:
        yield Refusal(path=(*path, str(error.instance)), message=message, at_key=True, form_of=form_of)
        return
    whole = error.validator in _WHOLE and not _only_requires(error)
    yield Refusal(path=path, message=message, at_key=error.validator == "required", whole=whole, form_of=form_of)


def _message(error: ValidationError) -> str:
    """What a schema says of a value: the keyword that does not hold, and what it asks."""
    if error.validator == "required":
        return shortened(error.message)
    if error.validator in _UNIONS:
        return "it has none of the forms it may have"
    return f"{error.validator} {shortened(json.dumps(error.validator_value, ensure_ascii=False))} does not hold"


def _forms(errors: Sequence[ValidationError]) -> list[list[ValidationError]]:
    """The errors of several forms, by forms, of those that the value is of the type of; none where all that the forms
    do is to require a key."""
    forms: dict[Any, list[ValidationError]] = {}
    for error in errors:
        forms.setdefault(error.relative_schema_path[0], []).append(error)
    if all(error.validator == "required" for error in errors):
        return []
    return [
        form for form in forms.values() if not any(one.validator == "type" and not one.relative_path for one in form)
    ]


def _only_requires(error: ValidationError) -> bool:
    """Whether what is refused is the choice of keys, and not what stands under them."""
    return bool(error.context) and all(one.validator == "required" for one in error.context)


@cache
def _compiled(pattern: str) -> Regex:
    return Regex(pattern, "u")


def _pattern(_: Validator, pattern: str, instance: object, __: object) -> Iterator[ValidationError]:
    if isinstance(instance, str) and _compiled(pattern).find(instance) is None:
        yield ValidationError(f"it is not of the form {pattern}")


_VALIDATOR: type[Validator] = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]
