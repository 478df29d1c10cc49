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

from validator.text.models.hints import bare, inside, is_model, keys, noun, option, options, tags
from validator.text.models.model import Closed
from validator.text.models.problem_text import (
    Said,
    either,
    is_misfit,
    missing_key,
    say,
    unknown_key,
    unknown_value,
    untold,
    wrong_type,
)
from validator.text.trees.tree import Data, Path

_KEY_MARK = "[key]"
_KEYS_COMPARED = 20


class Problem(Struct, frozen=True, kw_only=True):
    """A problem of the data with respect to the model."""

    path: Path
    """Path of the value."""
    said: Said
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


def problems(errors: Iterable[ErrorDetails], hint: Any, value: Data, path: Path) -> list[Problem]:
    """Explain pydantic's errors about a value at a path, which should have the type `hint`."""
    return _explain([_Error(error["loc"], error) for error in errors], hint, value, path)


def _explain(errors: list[_Error], hint: Any, value: Data, path: Path) -> list[Problem]:
    hint = bare(hint)
    members = options(hint)
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


def _explain_value(error: _Error, hint: Any, value: Data, path: Path) -> Problem:
    """Explain an error about the value itself."""
    if error.kind in ("union_tag_invalid", "union_tag_not_found"):
        return _explain_tag(error, options(hint), value, path)
    return Problem(path=path, said=say(error.details, hint, value, path), at_key=isinstance(value, (dict, list)))


def _explain_model(
    groups: dict[int | str, list[_Error]], model: type[BaseModel], value: dict[str, Data], path: Path
) -> list[Problem]:
    fields = keys(model)
    unused = [key for key in fields if key not in value]
    explained: list[Problem] = []
    suggested: set[str | None] = set()
    for part in groups:
        if part not in fields and part in value:
            said, suggestion = unknown_key(str(part), unused, noun(model), alone=value[str(part)] is None)
            explained.append(Problem(path=(*path, part), said=said, at_key=True))
            suggested.add(suggestion)
    for part, errors in groups.items():
        if part in fields and part in value:
            key = str(part)
            explained += _explain(errors, fields[key].annotation, value[key], (*path, key))
        elif part in fields and part not in suggested:
            explained.append(Problem(path=path, said=missing_key(str(part), noun(model)), at_key=True))
        elif part not in fields and part not in value:
            explained += _explain(errors, None, value, path)
    helps = model.HELP if issubclass(model, Closed) else {}
    return [
        _add_key_help(problem, helps) if problem.path and problem.path[:-1] == path else problem
        for problem in explained
    ]


def _add_key_help(problem: Problem, helps: Mapping[str, str]) -> Problem:
    """Return the problem of a key or its value with the help of its model."""
    known = helps.get(str(problem.path[-1]))
    return problem if known is None else replace(problem, said=replace(problem.said, help=known))


def _explain_part(errors: list[_Error], hint: Any, value: Data, path: Path, part: int | str) -> list[Problem]:
    """Explain errors about an entry of a mapping or list; about the value itself if it has no such entry."""
    if isinstance(value, dict) and isinstance(part, str) and part in value:
        explained = [
            Problem(path=(*path, part), said=say(error.details, None, part, path), at_key=True)
            for error in errors
            if error.tail[:1] == (_KEY_MARK,)
        ]
        rest = [error for error in errors if error.tail[:1] != (_KEY_MARK,)]
        return explained + _explain(rest, inside(hint, part), value[part], (*path, part))
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return _explain(errors, inside(hint, part), value[part], (*path, part))
    return _explain(errors, hint, value, path)


def _explain_union(
    groups: dict[int | str, list[_Error]], members: tuple[Any, ...], value: Data, path: Path
) -> list[Problem]:
    """Explain errors about the option that fits best, or state that none fits."""
    labels = [str(label) for label in groups]
    # If pydantic tried every option, use its order; names would not distinguish two lists.
    hints = members if len(members) == len(labels) else [option(members, label) for label in labels]
    tried = list(zip(hints, groups.values(), strict=True))
    fitting = [
        (hint, errors)
        for hint, errors in tried
        if not any(not error.tail and is_misfit(error.details, value) for error in errors)
    ]
    if fitting:
        outcomes = [_explain(errors, hint, value, path) for hint, errors in fitting]
        return min(outcomes, key=lambda outcome: (len(outcome), all(item.said.help is None for item in outcome)))
    misfits = [(bare(hint), error.details) for hint, errors in tried for error in errors if not error.tail]
    return [Problem(path=path, said=either(misfits, value, path), at_key=isinstance(value, (dict, list)))]


def _explain_tag(error: _Error, members: tuple[Any, ...], value: Data, path: Path) -> Problem:
    """Explain a union whose option cannot be determined from the value."""
    if not isinstance(value, dict):
        return Problem(path=path, said=wrong_type("a mapping", value, path))
    discriminator = error.context["discriminator"]
    # Pydantic puts a key in quotes and a function not.
    key = discriminator.strip("'") if discriminator.startswith("'") else None
    known = list(dict.fromkeys(tag for hint in members for tag in tags(hint, key)))
    if key is not None and key in value:
        return Problem(path=(*path, key), said=unknown_value(value[key], known, (*path, key)))
    for written in islice(value, _KEYS_COMPARED):
        said, near = unknown_key(written, known if key is None else [key], "this mapping")
        if near is not None:
            return Problem(path=(*path, written), said=said, at_key=True)
    said = untold(known) if key is None else missing_key(key, "this mapping", known)
    return Problem(path=path, said=said, at_key=True)
