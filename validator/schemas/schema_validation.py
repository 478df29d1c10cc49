"""Validation by the published schemas, of submissions and of rule files."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cache
from itertools import islice
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from msgspec import Struct, field
from pydantic import BaseModel, ValidationError
from regress import Regex

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.rules.published_schemas import load_bundle
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE, RuleFileCache, schemas_folder
from fairdeal.validator.schemas.schema_catalogue import FILE_MODELS
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics, shorten
from fairdeal.validator.text.model_problems import ModelProblem, explain_errors, to_json
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
    """Build the validator of a schema (draft 2020-12). It checks formats, and patterns as ECMA-262 defines them."""
    validator: Validator = _VALIDATOR_CLASS(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
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


_VALIDATOR_CLASS: type[Validator] = extend(Draft202012Validator, {"pattern": _check_pattern})  # type: ignore[no-untyped-call]

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


MAX_AGREED_FILES = 2_000
"""Maximum number of files in the cache; the oldest go first."""


class AgreedFiles(Struct, kw_only=True):
    """Files that model and schema accept, by schema and hash, in the order in which they were checked."""

    _files: dict[str, bool]
    _more: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls) -> AgreedFiles:
        """Return the files that earlier runs of this program with these schemas have stored."""
        cached = load_entry(_build_cache_key(), trusted=())
        return cls(_files=cached if isinstance(cached, dict) else {})

    def has_agreed(self, schema: str, sha256: str) -> bool:
        """Return whether model and schema are known to agree on a file."""
        return f"{schema} {sha256}" in self._files

    def add(self, schema: str, sha256: str) -> None:
        """Record that model and schema agree on a file."""
        self._more[f"{schema} {sha256}"] = True

    def save(self) -> None:
        """Store the recorded files for later runs, if possible."""
        if self._more:
            files = {**self._files, **self._more}
            store_entry(_build_cache_key(), dict(islice(files.items(), max(len(files) - MAX_AGREED_FILES, 0), None)))


@cache
def _build_cache_key() -> str:
    """Return the key of the cache, which changes with any schema."""
    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return build_key("agreed files", *schemas)


_FOLDER_SCHEMAS = {"profiles": "profile", "requirements": "requirements", "examples": "examples"}
_BASES = "bases"
_SUBMISSIONS = "submissions"


def get_schema_name(path: FilePath) -> str:
    """Return the name of the schema of a rule file, from its place in a rules folder."""
    if path.name == SNAPSHOT_FILE:
        return "snapshot"
    return _BASES if path.stem == _BASES else _FOLDER_SCHEMAS.get(path.parent.name, path.stem)


def validate_rule_files(files: Iterable[FilePath], trees: RuleFileCache) -> tuple[Diagnostic, ...]:
    """Return what the schemas reject in rule files and in the submissions of examples, without what models explain.

    Unreadable files are skipped. The result has at most `MAX_PROBLEMS` diagnostics, and one that counts the others.
    """
    agreed = AgreedFiles.load()
    diagnostics: list[Diagnostic] = []
    for path in files:
        name = get_schema_name(path)
        with suppress(InputError):  # the loader reports unreadable files
            sha256, tree = trees.read(path)
            if not agreed.has_agreed(name, sha256):
                problems = _validate_file(tree, name)
                diagnostics += problems
                if not problems:
                    agreed.add(name, sha256)
    agreed.save()
    return limit_diagnostics(diagnostics)


def _validate_file(tree: PositionedDocument, name: str) -> list[Diagnostic]:
    """Return the problems of a rule file, and of the submissions in it, in the order of the file."""
    problems = validate_by_schema(tree, name)
    if name == _BASES:
        submissions = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
        for submission in submissions if isinstance(submissions, dict) else ():
            here = (_SUBMISSIONS, submission)
            problems += [*validate_by_schema(tree, "submission", at=here), *_warn_of_base(tree, here)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0, problem.message))


def validate_by_schema(tree: PositionedDocument, name: str, *, at: DataPath = ()) -> list[Diagnostic]:
    """Return what only the schema rejects at a place of a file; the model of the file explains everything else."""
    model, _ = FILE_MODELS[name]
    return find_schema_violations(tree, name, model, at=at)


def _warn_of_base(tree: PositionedDocument, at: DataPath) -> Iterator[Diagnostic]:
    """Yield warnings for values of a base that the model rejects and the schema accepts.

    A base may be incomplete, so only examples are validated as submissions. These values are wrong in any example.
    """
    data = tree.get_value(at)
    model, _ = FILE_MODELS["submission"]
    with suppress(RecursionError):
        refusals = find_refusals(load_validator("submission"), to_plain_data(data), at)
        for problem in list_model_problems(data, model, at).problems:
            if not any(is_same_place(problem, refusal) for refusal in refusals):
                said = problem.text
                yield tree.build_diagnostic(
                    problem.path,
                    said.code,
                    said.message,
                    expected=said.expected,
                    help=said.help,
                    at_key=problem.at_key,
                    severity="warning",
                )
