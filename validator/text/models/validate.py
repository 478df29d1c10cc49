"""From a positioned tree to a typed model, or to every problem with its place in the file.

Data goes to pydantic as JSON text, not as Python objects: in its strict mode pydantic then still takes a list
for a tuple, a text for an enumeration or a date, and a number for a Decimal, which is all a file can write.
Numbers with a point pass through a binary float there; `numerals` bounds their digits so that none changes.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.trees.tree import Data, Path, Tree

if TYPE_CHECKING:
    from validator.text.models.problems import Problem

_EXPLAINED = 200
"""Errors of pydantic's that are put in words: each may be compared with every key of its model."""

Model = TypeVar("Model", bound=BaseModel)


def validate(tree: Tree, model: type[Model], *, at: Path = ()) -> Model:
    """The part of the tree at `at` as a model.

    Raises InputError with the problems found, in the order of the file: twenty of them, and how many more
    there are. Raises KeyError where nothing stands at `at`.
    """
    data = tree.value(at)
    try:
        return model.model_validate_json(as_json(data))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
    from validator.text.models.problems import problems  # noqa: PLC0415 - only a wrong input pays for the words

    explained = problems(errors[:_EXPLAINED], model, data, at)
    found = dict.fromkeys(_diagnostic(tree, problem) for problem in explained)
    raise InputError(at_most(sorted(found, key=_place), unnamed=max(0, len(errors) - _EXPLAINED)))


def _diagnostic(tree: Tree, problem: Problem) -> Diagnostic:
    said = problem.said
    return tree.diagnostic(
        problem.path, said.code, said.message, expected=said.expected, help=said.help, at_key=problem.at_key
    )


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return diagnostic.line or 0, diagnostic.column or 0


def as_json(value: Data) -> str:
    """The value as JSON text, numbers digit for digit as they stand in the file. Depth is bounded by the
    loaders."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return encode_basestring_ascii(value)
        case list():
            return f"[{','.join(map(as_json, value))}]"
        case dict():
            entries = (f"{encode_basestring_ascii(key)}:{as_json(item)}" for key, item in value.items())
            return f"{{{','.join(entries)}}}"
        case _:
            return str(value)
