r"""Validation of data by a JSON Schema, with the place of everything that the schema rejects.

Patterns follow ECMA-262 as JSON Schema requires: in Python `$` also matches before a final line break, and `\d`
matches any digit of Unicode. Validators fetch nothing; a bundle refers only to its own parts.
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
from pydantic import BaseModel, ValidationError
from regress import Regex

from fairdeal.validator.rules.rule_files import load_bundle
from fairdeal.validator.text.diagnostics import Diagnostic, shorten
from fairdeal.validator.text.document_loader import to_json
from fairdeal.validator.text.model_problems import ModelProblem, explain_errors
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

CODE = "schema-violation"
"""Code of a value that only the schema rejects."""

PlainData: TypeAlias = "dict[str, PlainData] | list[PlainData] | str | int | float | bool | None"
"""Data as JSON has it: a number with a point is a float, as in other validators."""

MAX_REFUSALS = 1000
"""Maximum number of refusals of one file."""

_RECURSION_LIMIT = 10_000
"""Recursion limit: a file may have 64 levels, each of which takes a dozen calls of jsonschema, and schemas as many."""
_UNIONS = frozenset({"anyOf", "oneOf"})
_WHOLE_VALUE_KEYWORDS = _UNIONS | {"type", "enum", "const"}


class SchemaRefusal(Struct, frozen=True, kw_only=True):
    """A value that a schema rejects."""

    path: DataPath
    """Path of the value."""
    message: str
    """The violated keyword, in words."""
    at_key: bool = False
    """True if the key of the value is rejected."""
    covers_parts: bool = False
    """True if the value is rejected together with everything in it."""
    expected: str | None = None
    """Permitted values, if the schema lists them."""
    ambiguous_at: DataPath | None = None
    """Path of an outer value whose form is ambiguous: its type fits several permitted forms."""


def build_validator(schema: Mapping[str, Any]) -> Validator:
    """Build the validator of a schema (draft 2020-12). It checks formats, and patterns as ECMA-262 defines them.

    It looks up the schema's own definitions by name. The library resolves each reference anew, which takes a quarter of
    a validation.
    """
    definitions: Mapping[str, Any] = {f"{_DEFINITIONS}{name}": part for name, part in schema.get("$defs", {}).items()}

    def follow(validator: Any, reference: str, instance: object, whole: object) -> Iterator[SchemaError]:
        if reference in definitions:
            return validator.descend(instance, definitions[reference])
        return _follow_any(validator, reference, instance, whole)

    validator_class = extend(Draft202012Validator, {"pattern": _check_pattern, "$ref": follow})  # type: ignore[no-untyped-call]
    validator: Validator = validator_class(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return validator


def to_plain_data(value: Data) -> PlainData:
    """Convert the data of a file to plain JSON data."""
    match value:
        case dict():
            return {key: to_plain_data(part) for key, part in value.items()}
        case list():
            return [to_plain_data(part) for part in value]
        case Decimal():
            return float(value)
        case _:
            return value


def find_refusals(validator: Validator, data: PlainData, at: DataPath = ()) -> tuple[SchemaRefusal, ...]:
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
        return tuple(dict.fromkeys(islice(converted, MAX_REFUSALS)))


@contextmanager
def _allow_deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _convert_error(error: SchemaError, around: DataPath, form_of: DataPath | None = None) -> Iterator[SchemaRefusal]:
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
                message = f"there is no key {shorten(key)}"
                yield SchemaRefusal(
                    path=(*path, key), message=message, at_key=True, covers_parts=True, ambiguous_at=form_of
                )
        return
    message = _format_message(error)
    if "propertyNames" in error.relative_schema_path:
        yield SchemaRefusal(path=(*path, str(error.instance)), message=message, at_key=True, ambiguous_at=form_of)
        return
    whole = error.validator in _WHOLE_VALUE_KEYWORDS and not _concerns_keys_only(error)
    yield SchemaRefusal(
        path=path,
        message=message,
        at_key=error.validator == "required",
        covers_parts=whole,
        expected=_format_expected(error),
        ambiguous_at=form_of,
    )


def _format_message(error: SchemaError) -> str:
    """Return the violated keyword and its value, in words."""
    if error.validator == "required":
        return shorten(error.message)
    if error.validator in _UNIONS:
        return "it matches none of the permitted forms"
    return f"{error.validator} {shorten(json.dumps(error.validator_value, ensure_ascii=False))} is violated"


def _format_expected(error: SchemaError) -> str | None:
    """Return the permitted values or types in words."""
    permitted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    if error.validator not in {"enum", "const", "type"}:
        return None
    return shorten(", ".join("null" if value is None else str(value) for value in permitted))


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


_DEFINITIONS = "#/$defs/"
_follow_any = Draft202012Validator.VALIDATORS["$ref"]

_KEY_CODES = frozenset({"missing-key", "invalid-value"})
"""Codes of problems with a mapping itself, not with its content."""
_MAX_EXPLAINED = 200
"""Number of pydantic's errors that are explained: each may be compared with every key of its model."""


class ModelProblems(Struct, frozen=True, kw_only=True):
    """The problems that a model reports."""

    problems: tuple[ModelProblem, ...] = ()
    """The explained problems."""
    more: bool = False
    """True if there are further problems."""


def find_schema_violations(
    tree: PositionedDocument, name: str, model: type[BaseModel], *, at: DataPath = ()
) -> list[Diagnostic]:
    """Validate a file by its published schema, before any model reads it.

    The model explains a value that both reject, in better words. So only the other values give diagnostics here.

    Args:
        tree: The file.
        name: The name of the schema.
        model: The model that the schema was made from.
        at: The place to validate; by default the whole file.
    """
    data = tree.get_value(at)
    try:
        refusals = find_refusals(load_validator(name), to_plain_data(data), at)
    except RecursionError:
        message = f"the schema {name}.json cannot check this: the data is nested too deeply"
        return [tree.build_diagnostic(at, CODE, message, severity="warning")]
    if not refusals:
        return []
    by_model = list_model_problems(data, model, at)
    if by_model.more:
        return []
    return [
        tree.build_diagnostic(
            refusal.path,
            CODE,
            f"the JSON Schema {name}.json rejects this: {refusal.message}",
            expected=refusal.expected,
            at_key=refusal.at_key,
        )
        for refusal in refusals
        if not any(_is_covered(refusal, problem) for problem in by_model.problems)
    ]


@cache
def load_validator(name: str) -> Validator:
    """Return the validator of a published schema."""
    return build_validator(load_bundle(name))


def list_model_problems(data: Data, model: type[BaseModel], at: DataPath) -> ModelProblems:
    """Return what a model reports on data at a path of a file."""
    try:
        model.model_validate_json(to_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        explained = explain_errors(errors[:_MAX_EXPLAINED], model, data, at)
        return ModelProblems(problems=tuple(dict.fromkeys(explained)), more=len(errors) > _MAX_EXPLAINED)
    return ModelProblems()


def is_same_place(problem: ModelProblem, refusal: SchemaRefusal) -> bool:
    """Return whether a problem and a refusal concern the same place, or one concerns a whole that contains the
    other."""
    return (
        problem.path == refusal.path
        or (refusal.covers_parts and _is_within(problem.path, refusal.path))
        or (refusal.ambiguous_at is not None and _is_within(problem.path, refusal.ambiguous_at))
        or (problem.text.code not in _KEY_CODES and _is_within(refusal.path, problem.path))
    )


def _is_covered(refusal: SchemaRefusal, problem: ModelProblem) -> bool:
    """Return whether the model has a problem at or within a place that the schema rejects. The model checks keys only
    of mappings with valid content."""
    return is_same_place(problem, refusal) or _is_within(problem.path, refusal.path)


def _is_within(path: DataPath, around: DataPath) -> bool:
    return path[: len(around)] == around
