"""What pydantic complains of, said in plain words and placed on the data.

Pydantic's locations name the options of unions along with keys and indices. Here the model's types are
followed beside the location, so that each problem lands on the part of the file it speaks of, and of a
union only the option that comes nearest is spoken of.
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
    """One way in which the data breaks the model: `path` is the value, or with `at_key` the key."""

    path: Path
    said: Said
    at_key: bool = False


class _Error(NamedTuple):
    """A complaint of pydantic's, and what of its location is still ahead."""

    tail: tuple[int | str, ...]
    details: ErrorDetails

    @property
    def kind(self) -> str:
        return self.details["type"]

    @property
    def context(self) -> dict[str, Any]:
        return self.details.get("ctx", {})

    def on(self) -> _Error:
        return _Error(self.tail[1:], self.details)


def problems(errors: Iterable[ErrorDetails], hint: Any, value: Data, path: Path) -> list[Problem]:
    """The problems behind pydantic's errors about `value`, which stands at `path` and should be a `hint`."""
    return _problems([_Error(error["loc"], error) for error in errors], hint, value, path)


def _problems(errors: list[_Error], hint: Any, value: Data, path: Path) -> list[Problem]:
    hint = bare(hint)
    offered = options(hint)
    found = [_here(error, hint, value, path) for error in errors if not error.tail]
    groups: dict[int | str, list[_Error]] = {}
    for error in errors:
        if error.tail:
            groups.setdefault(error.tail[0], []).append(error.on())
    if offered and groups:
        return found + _of_union(groups, offered, value, path)
    if is_model(hint) and isinstance(value, dict):
        return found + _of_model(groups, hint, value, path)
    for part, inner in groups.items():
        found += _of_part(inner, hint, value, path, part)
    return found


def _here(error: _Error, hint: Any, value: Data, path: Path) -> Problem:
    """The problem of an error about the value itself."""
    if error.kind in ("union_tag_invalid", "union_tag_not_found"):
        return _of_tag(error, options(hint), value, path)
    return Problem(path=path, said=say(error.details, hint, value, path), at_key=isinstance(value, (dict, list)))


def _of_model(
    groups: dict[int | str, list[_Error]], model: type[BaseModel], value: dict[str, Data], path: Path
) -> list[Problem]:
    fields = keys(model)
    unused = [key for key in fields if key not in value]
    found: list[Problem] = []
    meant: set[str | None] = set()
    for part in groups:
        if part not in fields and part in value:
            said, suggestion = unknown_key(str(part), unused, noun(model), alone=value[str(part)] is None)
            found.append(Problem(path=(*path, part), said=said, at_key=True))
            meant.add(suggestion)
    for part, errors in groups.items():
        if part in fields and part in value:
            key = str(part)
            found += _problems(errors, fields[key].annotation, value[key], (*path, key))
        elif part in fields and part not in meant:
            found.append(Problem(path=path, said=missing_key(str(part), noun(model)), at_key=True))
        elif part not in fields and part not in value:
            found += _problems(errors, None, value, path)
    helps = model.HELP if issubclass(model, Closed) else {}
    return [_helped(one, helps) if one.path and one.path[:-1] == path else one for one in found]


def _helped(problem: Problem, helps: Mapping[str, str]) -> Problem:
    """The problem of a key or its value, with what its model says of how it is written."""
    known = helps.get(str(problem.path[-1]))
    return problem if known is None else replace(problem, said=replace(problem.said, help=known))


def _of_part(errors: list[_Error], hint: Any, value: Data, path: Path, part: int | str) -> list[Problem]:
    """The problems of an entry of a mapping or list; of the value itself where it has no such entry."""
    if isinstance(value, dict) and isinstance(part, str) and part in value:
        found = [
            Problem(path=(*path, part), said=say(error.details, None, part, path), at_key=True)
            for error in errors
            if error.tail[:1] == (_KEY_MARK,)
        ]
        rest = [error for error in errors if error.tail[:1] != (_KEY_MARK,)]
        return found + _problems(rest, inside(hint, part), value[part], (*path, part))
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return _problems(errors, inside(hint, part), value[part], (*path, part))
    return _problems(errors, hint, value, path)


def _of_union(
    groups: dict[int | str, list[_Error]], offered: tuple[Any, ...], value: Data, path: Path
) -> list[Problem]:
    """The problems of the one option that comes nearest, or that none fits."""
    labels = [str(label) for label in groups]
    # Where every option was tried, their order is pydantic's; names would not tell two lists apart.
    hints = offered if len(offered) == len(labels) else [option(offered, label) for label in labels]
    tried = list(zip(hints, groups.values(), strict=True))
    fitting = [
        (hint, errors)
        for hint, errors in tried
        if not any(not error.tail and is_misfit(error.details, value) for error in errors)
    ]
    if fitting:
        outcomes = [_problems(errors, hint, value, path) for hint, errors in fitting]
        return min(outcomes, key=lambda outcome: (len(outcome), all(item.said.help is None for item in outcome)))
    misfits = [(bare(hint), error.details) for hint, errors in tried for error in errors if not error.tail]
    return [Problem(path=path, said=either(misfits, value, path), at_key=isinstance(value, (dict, list)))]


def _of_tag(error: _Error, offered: tuple[Any, ...], value: Data, path: Path) -> Problem:
    """The problem of a union whose option cannot be told from the value."""
    if not isinstance(value, dict):
        return Problem(path=path, said=wrong_type("a mapping", value, path))
    named = error.context["discriminator"]
    # Pydantic puts a key in quotes and a function not.
    key = named.strip("'") if named.startswith("'") else None
    known = list(dict.fromkeys(tag for hint in offered for tag in tags(hint, key)))
    if key is not None and key in value:
        return Problem(path=(*path, key), said=unknown_value(value[key], known, (*path, key)))
    for written in islice(value, _KEYS_COMPARED):
        said, near = unknown_key(written, known if key is None else [key], "this mapping")
        if near is not None:
            return Problem(path=(*path, written), said=said, at_key=True)
    said = untold(known) if key is None else missing_key(key, "this mapping", known)
    return Problem(path=path, said=said, at_key=True)
