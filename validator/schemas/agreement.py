"""Comparison of rule files with their JSON Schemas and their models, and the places where the two disagree.

The model decides what is valid. The schemas are what editors and other programs use, and serve as a second opinion.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from functools import cache
from pathlib import Path as FilePath

from jsonschema.protocols import Validator
from msgspec import Struct
from pydantic import ValidationError

from validator.rules.core.library import SNAPSHOT_FILE, schemas_folder
from validator.rules.core.rule_trees import RuleFileCache
from validator.schemas.agreed_files import AgreedFiles
from validator.schemas.catalogue import FILE_MODELS
from validator.schemas.validators import MAX_REFUSALS, SchemaRefusal, build_validator, find_refusals, to_plain_data
from validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from validator.text.models.problems import ModelProblem, explain_errors
from validator.text.models.validate import to_json
from validator.text.trees.tree import Data, DataPath, PositionedDocument

_FOLDER_SCHEMAS = {"profiles": "profile", "requirements": "requirements", "examples": "examples"}
_BASES = "bases"
_SUBMISSIONS = "submissions"
_CODE = "schema-disagreement"
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
                differences = _compare_file(tree, name)
                diagnostics += differences
                if not differences:
                    agreed.add(name, sha256)
    agreed.save()
    return limit_diagnostics(diagnostics)


def _compare_file(tree: PositionedDocument, name: str) -> list[Diagnostic]:
    """Return where model and schema disagree on a rule file and on the submissions in it."""
    differences = compare_model_and_schema(tree, name)
    if name == _BASES:
        submissions = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
        for submission in submissions if isinstance(submissions, dict) else ():
            differences += compare_model_and_schema(tree, "submission", at=(_SUBMISSIONS, submission))
    return differences


def compare_model_and_schema(tree: PositionedDocument, name: str, *, at: DataPath = ()) -> list[Diagnostic]:
    """Return where model and schema disagree on a file, in its order.

    Args:
        tree: The file.
        name: The name of the schema.
        at: The place to compare; by default the whole file.

    Returns:
        A warning for everything that one of them accepts and the other rejects.
    """
    data = tree.get_value(at)
    try:
        by_schema = find_refusals(_validator(name), to_plain_data(data), at)
    except RecursionError:
        message = f"the schema {name}.json cannot check this: the data is nested too deeply"
        return [tree.build_diagnostic(at, _CODE, message, severity="warning")]
    by_model = _list_model_problems(data, name, at)
    differences: list[Diagnostic] = []
    if len(by_schema) < MAX_REFUSALS:
        model_only = [
            problem for problem in by_model.problems if not any(_is_same_place(problem, other) for other in by_schema)
        ]
        differences += [_report_model_only(tree, name, problem) for problem in model_only]
    if not by_model.more:
        uncovered = [
            refusal for refusal in by_schema if not any(_is_covered(refusal, other) for other in by_model.problems)
        ]
        differences += [_report_schema_only(tree, name, refusal) for refusal in uncovered]
    return sorted(
        differences, key=lambda difference: (difference.line or 0, difference.column or 0, difference.message)
    )


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


def _report_model_only(tree: PositionedDocument, name: str, problem: ModelProblem) -> Diagnostic:
    value = tree.get_value(tree.find_nearest(problem.path))
    written = isinstance(value, Decimal) and value == int(value)
    return tree.build_diagnostic(
        problem.path,
        _CODE,
        f"model and schema disagree: the schema {name}.json accepts what the model rejects: {problem.text.message}",
        help=_WHOLE_NUMBER if written else _SCHEMA_SEES_FORM,
        at_key=problem.at_key,
        severity="warning",
    )


def _report_schema_only(tree: PositionedDocument, name: str, refusal: SchemaRefusal) -> Diagnostic:
    return tree.build_diagnostic(
        refusal.path,
        _CODE,
        f"model and schema disagree: the model accepts what the schema {name}.json rejects: {refusal.message}",
        help=_MODEL_DECIDES,
        at_key=refusal.at_key,
        severity="warning",
    )
