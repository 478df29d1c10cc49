"""Rule files held against their JSON Schemas beside their models, and where the two disagree.

The models decide: what they accept is in force, what they refuse is not. The shipped schemas are what editors and other
programs go by, and so are a second opinion, from a program that is not this one.
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

_FOLDERS = {"profiles": "profile", "requirements": "requirements", "examples": "examples"}
_BASES = "bases"
_SUBMISSIONS = "submissions"
_CODE = "schema-disagreement"
_OF_KEYS = frozenset({"missing-key", "invalid-value"})
"""Problems of a mapping that are none of what stands in it."""
_EXPLAINED = 200
"""Errors of pydantic's that are put in words: each may be compared with every key of its model."""

_FORM_ALONE = "a schema sees how a value is written, not what it comes to: the model decides"
_WHOLE = "to JSON Schema a number without a fraction is a whole number, however it is written: the model decides"
_MODEL_DECIDES = "the model decides; editors and other programs go by the schema"


def schema_of_file(path: FilePath) -> str:
    """The name of the schema that a rule file follows, from its place in a rules folder."""
    if path.name == SNAPSHOT:
        return "snapshot"
    return _BASES if path.stem == _BASES else _FOLDERS.get(path.parent.name, path.stem)


def disagreements_in(files: Iterable[FilePath], trees: RuleTrees) -> tuple[Diagnostic, ...]:
    """Where models and schemas disagree on rule files, as far as these can be read, and on the submissions that
    examples start from: `MAX_PROBLEMS` of them, and how many more there are."""
    agreed = AgreedFiles.read()
    found: list[Diagnostic] = []
    for path in files:
        name = schema_of_file(path)
        with suppress(InputError):  # the model says what cannot be read
            sha256, tree = trees.read(path)
            if not agreed.knows(name, sha256):
                told = _disagreements_on(tree, name)
                found += told
                if not told:
                    agreed.add(name, sha256)
    agreed.keep()
    return at_most(found)


def _disagreements_on(tree: Tree, name: str) -> list[Diagnostic]:
    """Where they disagree on a rule file and on the submissions in it."""
    found = disagreements(tree, name)
    if name == _BASES:
        named = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
        for submission in named if isinstance(named, dict) else ():
            found += disagreements(tree, "submission", at=(_SUBMISSIONS, submission))
    return found


def disagreements(tree: Tree, name: str, *, at: Path = ()) -> list[Diagnostic]:
    """Where the model and the schema of a name disagree on a file, or on what stands `at` a place in it, in its order:
    a warning for everything that one of them accepts and the other refuses, with what both say."""
    data = tree.value(at)
    try:
        by_schema = refusals(_validator(name), plain(data), at)
    except RecursionError:
        message = f"the schema {name}.json has no opinion on this: it lies too deep"
        return [tree.diagnostic(at, _CODE, message, severity="warning")]
    by_model = _refused_by_model(data, name, at)
    found: list[Diagnostic] = []
    if len(by_schema) < MOST:
        only = [one for one in by_model.problems if not any(_same(one, other) for other in by_schema)]
        found += [_only_model(tree, name, one) for one in only]
    if not by_model.more:
        left = [one for one in by_schema if not any(_answered(one, other) for other in by_model.problems)]
        found += [_only_schema(tree, name, one) for one in left]
    return sorted(found, key=lambda one: (one.line or 0, one.column or 0, one.message))


class _ByModel(Struct, frozen=True, kw_only=True):
    """What a model refuses; `more` is whether there is more than that."""

    problems: tuple[Problem, ...]
    more: bool


@cache
def _validator(name: str) -> Validator:
    return validator_of(json.loads((schemas_folder() / f"{name}.json").read_text("utf-8")))


def _refused_by_model(data: Data, name: str, at: Path) -> _ByModel:
    model, _ = FILES[name]
    try:
        model.model_validate_json(as_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        found = problems(errors[:_EXPLAINED], model, data, at)
        return _ByModel(problems=tuple(dict.fromkeys(found)), more=len(errors) > _EXPLAINED)
    return _ByModel(problems=(), more=False)


def _same(problem: Problem, refusal: Refusal) -> bool:
    """Whether both speak of one place, or one of them of a whole that holds the other's."""
    return (
        problem.path == refusal.path
        or (refusal.whole and _within(problem.path, refusal.path))
        or (refusal.form_of is not None and _within(problem.path, refusal.form_of))
        or (problem.said.code not in _OF_KEYS and _within(refusal.path, problem.path))
    )


def _answered(refusal: Refusal, problem: Problem) -> bool:
    """Whether the model has a problem where the schema refuses something, or within: which keys stand together it asks
    only of mappings that are sound inside."""
    return _same(problem, refusal) or _within(problem.path, refusal.path)


def _within(path: Path, around: Path) -> bool:
    return path[: len(around)] == around


def _only_model(tree: Tree, name: str, problem: Problem) -> Diagnostic:
    value = tree.value(tree.nearest(problem.path))
    written = isinstance(value, Decimal) and value == int(value)
    return tree.diagnostic(
        problem.path,
        _CODE,
        f"model and schema disagree: the schema {name}.json accepts what the model refuses: {problem.said.message}",
        help=_WHOLE if written else _FORM_ALONE,
        at_key=problem.at_key,
        severity="warning",
    )


def _only_schema(tree: Tree, name: str, refusal: Refusal) -> Diagnostic:
    return tree.diagnostic(
        refusal.path,
        _CODE,
        f"model and schema disagree: the model accepts what the schema {name}.json refuses: {refusal.message}",
        help=_MODEL_DECIDES,
        at_key=refusal.at_key,
        severity="warning",
    )
