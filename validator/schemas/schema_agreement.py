r"""Comparison of rule files with their JSON Schemas and their models, and the places where the two disagree.

The model decides what is valid. The schemas are what editors and other programs use, and serve as a second opinion.
Patterns follow ECMA-262 as JSON Schema requires: in Python `$` also matches before a final line break, and `\d`
matches any digit of Unicode. Validators fetch nothing; a schema refers only to its own parts.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from msgspec import Struct, field
from pydantic import ValidationError
from regress import Regex

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.rulebook.lint.rule_check import CheckedFile, RuleCheck, RuleMistake, run_checks
from fairdeal.validator.rules.rule_file_cache import RuleFileCache
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE, schemas_folder
from fairdeal.validator.schemas.schema_catalogue import FILE_MODELS
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics, shorten
from fairdeal.validator.text.model_problems import ModelProblem, explain_errors
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.validation import to_json

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
        path=path, message=message, at_key=error.validator == "required", covers_parts=whole, ambiguous_at=form_of
    )


def _format_message(error: SchemaError) -> str:
    """Return the violated keyword and its value, in words."""
    if error.validator == "required":
        return shorten(error.message)
    if error.validator in _UNIONS:
        return "it matches none of the permitted forms"
    return f"{error.validator} {shorten(json.dumps(error.validator_value, ensure_ascii=False))} is violated"


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


MAX_AGREED_FILES = 2_000
"""Maximum number of files in the cache; the oldest go first."""


class AgreedFiles(Struct, kw_only=True):
    """Files on which model and schema agree, by schema and hash, in the order in which they were checked."""

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
    """Return the key of the cache, which changes with any schema and with the validators."""
    schemas = (hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(schemas_folder().glob("*.json")))
    return build_key("agreed files", version("jsonschema"), version("regress"), *schemas)


_FOLDER_SCHEMAS = {"profiles": "profile", "requirements": "requirements", "examples": "examples"}
_BASES = "bases"
_SUBMISSIONS = "submissions"
_KEY_CODES = frozenset({"missing-key", "invalid-value"})
"""Codes of problems with a mapping itself, not with its content."""
_MAX_EXPLAINED = 200
"""Number of pydantic's errors that are explained: each may be compared with every key of its model."""

_SCHEMA_SEES_FORM = "a schema checks how a value is written, not what it means: the model decides"
_WHOLE_NUMBER = (
    "in JSON Schema any number without a fraction is a whole number, however it is written: the model decides"
)
_MODEL_DECIDES = "the model decides; editors and other programs use the schema"


def get_schema_name(path: FilePath) -> str:
    """Return the name of the schema of a rule file, from its place in a rules folder."""
    if path.name == SNAPSHOT_FILE:
        return "snapshot"
    return _BASES if path.stem == _BASES else _FOLDER_SCHEMAS.get(path.parent.name, path.stem)


class SchemaDisagreement(RuleCheck[CheckedFile, Any]):
    """The model and the JSON Schema of a rule file disagree about a value.

    The model decides what is valid, but editors and other programs use the schema.
    """

    code = "schema-disagreement"
    severity = "warning"
    shows_key = False
    on = CheckedFile

    def find(self, context: object, part: CheckedFile, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the differences on a rule file, and on the submissions in it."""
        tree, name = part.tree, get_schema_name(FilePath(part.tree.source_name))
        yield from compare_model_and_schema(tree, name)
        if name == _BASES:
            submissions = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
            for submission in submissions if isinstance(submissions, dict) else ():
                yield from compare_model_and_schema(tree, "submission", at=(_SUBMISSIONS, submission))


def find_disagreements(files: Iterable[FilePath], trees: RuleFileCache) -> tuple[Diagnostic, ...]:
    """Return where models and schemas disagree on rule files and on the submissions of examples.

    Unreadable files are skipped. The result has at most `MAX_PROBLEMS` diagnostics, and one that counts the others.
    """
    agreed = AgreedFiles.load()
    diagnostics: list[Diagnostic] = []
    for path in files:
        name = get_schema_name(path)
        with suppress(InputError):  # the model reports unreadable files
            sha256, tree = trees.read(path)
            if not agreed.has_agreed(name, sha256):
                differences = [*run_checks((SchemaDisagreement,), None, [CheckedFile(tree=tree)])]
                diagnostics += differences
                if not differences:
                    agreed.add(name, sha256)
    agreed.save()
    return limit_diagnostics(diagnostics)


def compare_model_and_schema(tree: PositionedDocument, name: str, *, at: DataPath = ()) -> list[RuleMistake]:
    """Return everything in a file that either model or schema accepts and the other rejects, in the order of the file.

    Args:
        tree: The file.
        name: The name of the schema.
        at: The place to compare; by default the whole file.
    """
    data = tree.get_value(at)
    try:
        by_schema = find_refusals(_validator(name), to_plain_data(data), at)
    except RecursionError:
        message = f"the schema {name}.json cannot check this: the data is nested too deeply"
        return [RuleMistake(path=at, message=message)]
    by_model = _list_model_problems(data, name, at)
    differences: list[RuleMistake] = []
    if len(by_schema) < MAX_REFUSALS:
        model_only = [
            problem for problem in by_model.problems if not any(_is_same_place(problem, other) for other in by_schema)
        ]
        differences += [_report_model_only(tree, name, problem) for problem in model_only]
    if not by_model.more:
        uncovered = [
            refusal for refusal in by_schema if not any(_is_covered(refusal, other) for other in by_model.problems)
        ]
        differences += [_report_schema_only(name, refusal) for refusal in uncovered]
    return sorted(differences, key=lambda difference: _find_position(tree, difference))


def _find_position(tree: PositionedDocument, difference: RuleMistake) -> tuple[int, int, str]:
    shown = tree.build_diagnostic(difference.path, "", difference.message, at_key=difference.at_key)
    return shown.line or 0, shown.column or 0, shown.message


class _ModelProblems(Struct, frozen=True, kw_only=True):
    """The problems that a model reports."""

    problems: tuple[ModelProblem, ...]
    """The explained problems."""
    more: bool
    """True if there are further problems."""


@cache
def _validator(name: str) -> Validator:
    return build_validator(json.loads((schemas_folder() / f"{name}.json").read_text("utf-8")))


def _list_model_problems(data: Data, name: str, at: DataPath) -> _ModelProblems:
    model, _ = FILE_MODELS[name]
    try:
        model.model_validate_json(to_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        explained = explain_errors(errors[:_MAX_EXPLAINED], model, data, at)
        return _ModelProblems(problems=tuple(dict.fromkeys(explained)), more=len(errors) > _MAX_EXPLAINED)
    return _ModelProblems(problems=(), more=False)


def _is_same_place(problem: ModelProblem, refusal: SchemaRefusal) -> bool:
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
    return _is_same_place(problem, refusal) or _is_within(problem.path, refusal.path)


def _is_within(path: DataPath, around: DataPath) -> bool:
    return path[: len(around)] == around


def _report_model_only(tree: PositionedDocument, name: str, problem: ModelProblem) -> RuleMistake:
    value = tree.get_value(tree.find_nearest(problem.path))
    written = isinstance(value, Decimal) and value == int(value)
    return RuleMistake(
        path=problem.path,
        message=f"model and schema disagree: the schema {name}.json accepts what the model rejects: "
        f"{problem.text.message}",
        help=_WHOLE_NUMBER if written else _SCHEMA_SEES_FORM,
        at_key=problem.at_key,
    )


def _report_schema_only(name: str, refusal: SchemaRefusal) -> RuleMistake:
    return RuleMistake(
        path=refusal.path,
        message=f"model and schema disagree: the model accepts what the schema {name}.json rejects: {refusal.message}",
        help=_MODEL_DECIDES,
        at_key=refusal.at_key,
    )
