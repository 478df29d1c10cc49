"""What may stand at each place of a submission, and conditions that ask of a place what can never stand there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from validator.evidence.submission.model import Submission
from validator.evidence.submission.view import EARLIER
from validator.language.conditions import Quantity
from validator.language.submission.conditions import Look, SubmissionCondition, Value
from validator.rules.model.sessions import UnchangedCheck
from validator.text.models.model import given, hyphenated
from validator.text.trees.tree import Path

_EARLIER = f"{EARLIER}."

_SCALARS: dict[type, str] = {bool: "yes or no", int: "number", str: "text"}
Misfit = tuple[Path, str]


class Place(Struct, frozen=True, kw_only=True):
    """What may stand at a place: `kinds` of values; `choices`, where it is one of a few texts; the `fields` of a
    mapping, or what its keys lead to (`values`); what the `items` of a list are."""

    kinds: frozenset[str]
    choices: frozenset[str] | None = None
    fields: type[BaseModel] | None = None
    values: Any = None
    items: Any = None

    def within(self, key: str) -> Place | None:
        """The place a key leads to, None where there is no such key."""
        if self.fields is not None:
            found = {hyphenated(name): info.annotation for name, info in self.fields.model_fields.items()}
            return place_of(found[key]) if key in found else None
        return None if self.values is None else place_of(self.values)

    def item(self) -> Place | None:
        """What each item is, where it is a list."""
        return None if self.items is None else place_of(self.items)


def place_of(annotation: Any) -> Place:
    """What a field of a model says may stand there. A field that may be left out is what it is when given."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return place_of(arguments[0])
    if origin in (Union, UnionType):
        parts = [place_of(part) for part in arguments if part is not NoneType]
        if len(parts) == 1:
            return parts[0]
        mapping = next((part for part in parts if part.fields is not None), None)
        if mapping is not None:  # what may be written as a text instead is read as a mapping (`evidence.stated`)
            return mapping
        return Place(kinds=frozenset[str]().union(*(part.kinds for part in parts)))
    if origin is Literal:
        return Place(kinds=frozenset({"text"}), choices=frozenset(arguments))
    if origin is list:
        return Place(kinds=frozenset({"list"}), items=arguments[0])
    if origin is dict:
        return Place(kinds=frozenset({"mapping"}), values=arguments[1])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Place(kinds=frozenset({"mapping"}), fields=annotation)
    if annotation in _SCALARS:
        return Place(kinds=frozenset({_SCALARS[annotation]}))
    if annotation is date:
        return Place(kinds=frozenset({"text", "day"}))
    return Place(kinds=frozenset({"text", "payout"}))  # odds, which are written as text


@cache
def _submission() -> Place:
    return place_of(Submission)


def place_at(path: str, around: Sequence[Place] = ()) -> Place | None:
    """The place a dotted path leads to, None where it leads nowhere. `around` are the items of lists that the
    path stands in, the outermost first."""
    if path == EARLIER:
        return _submission()
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return None
    place = around[-dots] if dots else _submission()
    for key in path.lstrip(".").removeprefix("" if dots else _EARLIER).split("."):
        found = place if not key and dots else place.within(key)
        if found is None:
            return None
        place = found
    return place


def misfits(model: BaseModel, here: Path) -> Iterator[Misfit]:
    """What conditions and quantities of a model ask of a submission though its places never hold it."""
    for key, value in given(model):
        if isinstance(value, BaseModel | list | dict):
            yield from _misfits_of(value, (*here, key))


def _misfits_of(value: object, here: Path) -> Iterator[Misfit]:
    if isinstance(value, SubmissionCondition):
        for look in value.looks(here):
            yield from _of_look(look)
    elif isinstance(value, UnchangedCheck):
        yield from _of_unchanged(value, here)
    elif isinstance(value, BaseModel):
        if isinstance(value, Quantity) and value.operator == "submitted":
            yield from _needed(place_at(value.operand), value.operand, "number", (*here, "submitted"))
        yield from misfits(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _misfits_of(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _misfits_of(item, (*here, key))


def _of_unchanged(check: UnchangedCheck, here: Path) -> Iterator[Misfit]:
    looks = [Look(at=(*here, "at"), path=check.at)]
    if check.in_ is not None:
        yield from _of_look(Look(at=(*here, "in"), path=check.in_, needs="list"))
        looks = [replace(look, lists=(check.in_,)) for look in looks]
        if check.by is not None:
            looks.append(Look(at=(*here, "by"), path=check.by, lists=(check.in_,)))
        if check.where is not None:
            looks += check.where.looks((*here, "where"), (check.in_,))
    for look in looks:
        yield from _of_look(look)


def _of_look(look: Look) -> Iterator[Misfit]:
    """What is wrong with a place that a condition looks at; nothing where the list around it is none."""
    around: tuple[Place, ...] = ()
    for list_ in look.lists:
        outer = place_at(list_, around)
        item = None if outer is None else outer.item()
        if item is None:
            return
        around = (*around, item)
    place, value = place_at(look.path, around), look.value
    if value is not None:
        yield from _of_value(value, place, around, look.at[:-1])
    elif place is None or look.needs:
        yield from _needed(place, look.path, look.needs, look.at)


def _of_value(value: Value, place: Place | None, around: Sequence[Place], here: Path) -> Iterator[Misfit]:
    bound, operand, at = value.bound, value.operand, (*here, value.operator)
    needed = bound.needs
    if bound.ordered:
        needed = "day" if place is not None and "day" in place.kinds else "number"
    if place is None or (needed and needed not in place.kinds):
        yield from _needed(place, value.at, needed, (*here, "at"))
        return
    wanted = place.item() if needed == "list" else place
    if bound.beside and bound.ordered:
        yield from _needed(place_at(operand, around), operand, needed, at)
    elif bound.beside:
        other = place_at(operand, around)
        if other is None or wanted is None:
            yield at, _nowhere(operand)
        elif not other.kinds & wanted.kinds:
            yield at, f"{_at(operand)} {_what(other)}, never {_what(wanted)}"
    elif wanted is not None and needed != "text":
        for one in bound.names(operand):
            if not _may_be(wanted, one):
                yield at, f"{_at(value.at)} {_what(wanted)}, never {json.dumps(one)}"


def _may_be(place: Place, value: object) -> bool:
    """Whether a place may hold a value; one of a few texts only where it holds nothing but those."""
    if _SCALARS[type(value)] not in place.kinds:
        return False
    return place.choices is None or value in place.choices


def _needed(place: Place | None, path: str, kind: str, here: Path) -> Iterator[Misfit]:
    if place is None:
        yield here, _nowhere(path)
    elif kind not in place.kinds:
        yield here, f"{_at(path)} {_what(place)}, but {_ARTICLES.get(kind, f'a {kind}')} is asked for"


def _nowhere(path: str) -> str:
    return f"`{path}` leads to no place of a submission from here"


def _at(path: str) -> str:
    return f"at `{path}` stands"


_ARTICLES = {"yes or no": "yes or no", "payout": "odds"}


def _what(place: Place) -> str:
    if place.choices is not None:
        return f"one of {', '.join(sorted(place.choices))}"
    return " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in sorted(place.kinds))
