"""Pydantic's errors in plain words, placed on the data.

Pydantic's locations name options of unions along with keys and indices. This module follows the types of the model
together with the location, so that each problem lands on the right part of the file. Of a union it reports only the
option that fits best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from validator.text.models.hints import (
    describe_model,
    find_union_option,
    get_part_hint,
    is_model,
    list_tags,
    list_union_options,
    map_keys_to_fields,
    unwrap_hint,
)
from validator.text.models.model import ClosedModel
from validator.text.models.problem_text import (
    ProblemText,
    describe_error,
    describe_misfits,
    describe_missing_key,
    describe_missing_tag,
    describe_unknown_key,
    describe_unknown_value,
    describe_wrong_type,
    is_misfit,
)
from validator.text.trees.tree import Data, DataPath

_KEY_MARK = "[key]"
_KEYS_COMPARED = 20


class ModelProblem(Struct, frozen=True, kw_only=True):
    """A problem of the data with respect to the model."""

    path: DataPath
    """Path of the value."""
    text: ProblemText
    """The problem in words."""
    at_key: bool = False
    """True if the problem concerns the key at the path."""


class _Error(NamedTuple):
    """An error of pydantic's."""

    tail: tuple[int | str, ...]
    """Rest of its location."""
    details: ErrorDetails
    """Pydantic's description."""

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def context(self) -> dict[str, Any]:
        return self.details.get("ctx", {})

    def descend(self) -> _Error:
        return _Error(self.tail[1:], self.details)


def explain_errors(errors: Iterable[ErrorDetails], hint: Any, value: Data, path: DataPath) -> list[ModelProblem]:
    """Explain pydantic's errors about a value at a path, which should have the type `hint`."""
    return _explain([_Error(error["loc"], error) for error in errors], hint, value, path)


def _explain(errors: list[_Error], hint: Any, value: Data, path: DataPath) -> list[ModelProblem]:
    hint = unwrap_hint(hint)
    members = list_union_options(hint)
    explained = [_explain_value(error, hint, value, path) for error in errors if not error.tail]
    groups: dict[int | str, list[_Error]] = {}
    for error in errors:
        if error.tail:
            groups.setdefault(error.tail[0], []).append(error.descend())
    if members and groups:
        return explained + _explain_union(groups, members, value, path)
    if is_model(hint) and isinstance(value, dict):
        return explained + _explain_model(groups, hint, value, path)
    for part, inner in groups.items():
        explained += _explain_part(inner, hint, value, path, part)
    return explained


def _explain_value(error: _Error, hint: Any, value: Data, path: DataPath) -> ModelProblem:
    """Explain an error about the value itself."""
    if error.kind in ("union_tag_invalid", "union_tag_not_found"):
        return _explain_tag(error, list_union_options(hint), value, path)
    return ModelProblem(
        path=path, text=describe_error(error.details, hint, value, path), at_key=isinstance(value, (dict, list))
    )


def _explain_model(
    groups: dict[int | str, list[_Error]], model: type[BaseModel], value: dict[str, Data], path: DataPath
) -> list[ModelProblem]:
    fields = map_keys_to_fields(model)
    unused = [key for key in fields if key not in value]
    explained: list[ModelProblem] = []
    suggested: set[str | None] = set()
    for part in groups:
        if part not in fields and part in value:
            said, suggestion = describe_unknown_key(
                str(part), unused, describe_model(model), alone=value[str(part)] is None
            )
            explained.append(ModelProblem(path=(*path, part), text=said, at_key=True))
            suggested.add(suggestion)
    for part, errors in groups.items():
        if part in fields and part in value:
            key = str(part)
            explained += _explain(errors, fields[key].annotation, value[key], (*path, key))
        elif part in fields and part not in suggested:
            explained.append(
                ModelProblem(path=path, text=describe_missing_key(str(part), describe_model(model)), at_key=True)
            )
        elif part not in fields and part not in value:
            explained += _explain(errors, None, value, path)
    helps = model.KEY_HELP if issubclass(model, ClosedModel) else {}
    return [
        _add_key_help(problem, helps) if problem.path and problem.path[:-1] == path else problem
        for problem in explained
    ]


def _add_key_help(problem: ModelProblem, helps: Mapping[str, str]) -> ModelProblem:
    """Return the problem of a key or its value with the help of its model."""
    known = helps.get(str(problem.path[-1]))
    return problem if known is None else replace(problem, text=replace(problem.text, help=known))


def _explain_part(errors: list[_Error], hint: Any, value: Data, path: DataPath, part: int | str) -> list[ModelProblem]:
    """Explain errors about an entry of a mapping or list; about the value itself if it has no such entry."""
    if isinstance(value, dict) and isinstance(part, str) and part in value:
        explained = [
            ModelProblem(path=(*path, part), text=describe_error(error.details, None, part, path), at_key=True)
            for error in errors
            if error.tail[:1] == (_KEY_MARK,)
        ]
        rest = [error for error in errors if error.tail[:1] != (_KEY_MARK,)]
        return explained + _explain(rest, get_part_hint(hint, part), value[part], (*path, part))
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return _explain(errors, get_part_hint(hint, part), value[part], (*path, part))
    return _explain(errors, hint, value, path)


def _explain_union(
    groups: dict[int | str, list[_Error]], members: tuple[Any, ...], value: Data, path: DataPath
) -> list[ModelProblem]:
    """Explain errors about the option that fits best, or state that none fits."""
    labels = [str(label) for label in groups]
    # If pydantic tried every option, use its order; names would not distinguish two lists.
    hints = members if len(members) == len(labels) else [find_union_option(members, label) for label in labels]
    tried = list(zip(hints, groups.values(), strict=True))
    fitting = [
        (hint, errors)
        for hint, errors in tried
        if not any(not error.tail and is_misfit(error.details, value) for error in errors)
    ]
    if fitting:
        outcomes = [_explain(errors, hint, value, path) for hint, errors in fitting]
        return min(outcomes, key=lambda outcome: (len(outcome), all(item.text.help is None for item in outcome)))
    misfits = [(unwrap_hint(hint), error.details) for hint, errors in tried for error in errors if not error.tail]
    return [
        ModelProblem(path=path, text=describe_misfits(misfits, value, path), at_key=isinstance(value, (dict, list)))
    ]


def _explain_tag(error: _Error, members: tuple[Any, ...], value: Data, path: DataPath) -> ModelProblem:
    """Explain a union whose option cannot be determined from the value."""
    if not isinstance(value, dict):
        return ModelProblem(path=path, text=describe_wrong_type("a mapping", value, path))
    discriminator = error.context["discriminator"]
    # Pydantic puts a key in quotes and a function not.
    key = discriminator.strip("'") if discriminator.startswith("'") else None
    known = list(dict.fromkeys(tag for hint in members for tag in list_tags(hint, key)))
    if key is not None and key in value:
        return ModelProblem(path=(*path, key), text=describe_unknown_value(value[key], known, (*path, key)))
    for written in islice(value, _KEYS_COMPARED):
        said, near = describe_unknown_key(written, known if key is None else [key], "this mapping")
        if near is not None:
            return ModelProblem(path=(*path, written), text=said, at_key=True)
    said = describe_missing_tag(known) if key is None else describe_missing_key(key, "this mapping", known)
    return ModelProblem(path=path, text=said, at_key=True)
