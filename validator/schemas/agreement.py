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

from validator.rules.core.library import SNAPSHOT, schemas_folder
from validator.rules.core.rule_trees import RuleTrees
from validator.schemas.agreed_files import AgreedFiles
from validator.schemas.catalogue import FILES
from validator.schemas.validators import MOST, Refusal, plain, refusals, validator_of
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.models.problems import Problem, problems
from validator.text.models.validate import as_json
from validator.text.trees.tree import Data, Path, Tree

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


def schema_of_file(path: FilePath) -> str:
    """Return the name of the schema of a rule file, from its place in a rules folder."""
    if path.name == SNAPSHOT:
        return "snapshot"
    return _BASES if path.stem == _BASES else _FOLDER_SCHEMAS.get(path.parent.name, path.stem)


def disagreements_in(files: Iterable[FilePath], trees: RuleTrees) -> tuple[Diagnostic, ...]:
    """Return where models and schemas disagree on rule files and on the submissions of examples.

    Unreadable files are skipped. The result has at most `MAX_PROBLEMS` diagnostics, and one that counts the others.
    """
    agreed = AgreedFiles.read()
    diagnostics: list[Diagnostic] = []
    for path in files:
        name = schema_of_file(path)
        with suppress(InputError):  # the model reports unreadable files
            sha256, tree = trees.read(path)
            if not agreed.knows(name, sha256):
                differences = _compare_file(tree, name)
                diagnostics += differences
                if not differences:
                    agreed.add(name, sha256)
    agreed.keep()
    return at_most(diagnostics)


def _compare_file(tree: Tree, name: str) -> list[Diagnostic]:
    """Return where model and schema disagree on a rule file and on the submissions in it."""
    differences = disagreements(tree, name)
    if name == _BASES:
        submissions = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
        for submission in submissions if isinstance(submissions, dict) else ():
            differences += disagreements(tree, "submission", at=(_SUBMISSIONS, submission))
    return differences


def disagreements(tree: Tree, name: str, *, at: Path = ()) -> list[Diagnostic]:
    """Return where model and schema disagree on a file, in its order.

    Args:
        tree: The file.
        name: The name of the schema.
        at: The place to compare; by default the whole file.

    Returns:
        A warning for everything that one of them accepts and the other rejects.
    """
    data = tree.value(at)
    try:
        by_schema = refusals(_validator(name), plain(data), at)
    except RecursionError:
        message = f"the schema {name}.json cannot check this: the data is nested too deeply"
        return [tree.diagnostic(at, _CODE, message, severity="warning")]
    by_model = _list_model_problems(data, name, at)
    differences: list[Diagnostic] = []
    if len(by_schema) < MOST:
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

    problems: tuple[Problem, ...]
    """The explained problems."""
    more: bool
    """True if there are further problems."""


@cache
def _validator(name: str) -> Validator:
    return validator_of(json.loads((schemas_folder() / f"{name}.json").read_text("utf-8")))


def _list_model_problems(data: Data, name: str, at: Path) -> _ModelProblems:
    model, _ = FILES[name]
    try:
        model.model_validate_json(as_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        explained = problems(errors[:_MAX_EXPLAINED], model, data, at)
        return _ModelProblems(problems=tuple(dict.fromkeys(explained)), more=len(errors) > _MAX_EXPLAINED)
    return _ModelProblems(problems=(), more=False)


def _is_same_place(problem: Problem, refusal: Refusal) -> bool:
    """Return whether a problem and a refusal concern the same place, or one concerns a whole that contains the
    other."""
    return (
        problem.path == refusal.path
        or (refusal.whole and _is_within(problem.path, refusal.path))
        or (refusal.form_of is not None and _is_within(problem.path, refusal.form_of))
        or (problem.said.code not in _KEY_CODES and _is_within(refusal.path, problem.path))
    )


def _is_covered(refusal: Refusal, problem: Problem) -> bool:
    """Return whether the model has a problem at or within a place that the schema rejects. The model checks keys only
    of mappings with valid content."""
    return _is_same_place(problem, refusal) or _is_within(problem.path, refusal.path)


def _is_within(path: Path, around: Path) -> bool:
    return path[: len(around)] == around


def _report_model_only(tree: Tree, name: str, problem: Problem) -> Diagnostic:
    value = tree.value(tree.nearest(problem.path))
    written = isinstance(value, Decimal) and value == int(value)
    return tree.diagnostic(
        problem.path,
        _CODE,
        f"model and schema disagree: the schema {name}.json accepts what the model rejects: {problem.said.message}",
        help=_WHOLE_NUMBER if written else _SCHEMA_SEES_FORM,
        at_key=problem.at_key,
        severity="warning",
    )


def _report_schema_only(tree: Tree, name: str, refusal: Refusal) -> Diagnostic:
    return tree.diagnostic(
        refusal.path,
        _CODE,
        f"model and schema disagree: the model accepts what the schema {name}.json rejects: {refusal.message}",
        help=_MODEL_DECIDES,
        at_key=refusal.at_key,
        severity="warning",
    )
