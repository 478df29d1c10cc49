"""The values that each place of a submission may have, and conditions on values that a place never has."""

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

_EARLIER_PREFIX = f"{EARLIER}."

_SCALAR_KINDS: dict[type, str] = {bool: "yes or no", int: "number", str: "text"}
Misfit = tuple[Path, str]
"""Place of a condition, and the problem in words."""


class Place(Struct, frozen=True, kw_only=True):
    """The values that a place of a submission may have."""

    kinds: frozenset[str]
    """Kinds of values."""
    choices: frozenset[str] | None = None
    """The only possible texts, if there are few."""
    fields: type[BaseModel] | None = None
    """Model of a mapping with known keys."""
    values: Any = None
    """Annotation of the values of a mapping with free keys."""
    items: Any = None
    """Annotation of the items of a list."""

    def within(self, key: str) -> Place | None:
        """Return the place that a key leads to; None if there is no such key."""
        if self.fields is not None:
            annotations = {hyphenated(name): info.annotation for name, info in self.fields.model_fields.items()}
            return place_of(annotations[key]) if key in annotations else None
        return None if self.values is None else place_of(self.values)

    def item(self) -> Place | None:
        """Return the place of each item; None unless it is a list."""
        return None if self.items is None else place_of(self.items)


def place_of(annotation: Any) -> Place:
    """Return the place of a field with an annotation. An optional field counts as given."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return place_of(arguments[0])
    if origin in (Union, UnionType):
        parts = [place_of(part) for part in arguments if part is not NoneType]
        if len(parts) == 1:
            return parts[0]
        mapping = next((part for part in parts if part.fields is not None), None)
        if mapping is not None:  # a short form in text is read as a mapping (`evidence.stated`)
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
    if annotation in _SCALAR_KINDS:
        return Place(kinds=frozenset({_SCALAR_KINDS[annotation]}))
    if annotation is date:
        return Place(kinds=frozenset({"text", "day"}))
    return Place(kinds=frozenset({"text", "payout"}))  # odds, which are written as text


@cache
def _submission() -> Place:
    return place_of(Submission)


def place_at(path: str, around: Sequence[Place] = ()) -> Place | None:
    """Return the place that a dotted path leads to; None if it leads nowhere.

    Args:
        path: Keys with dots; leading dots count the lists it is relative to.
        around: Items of the lists around the path, the outermost first.
    """
    if path == EARLIER:
        return _submission()
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return None
    place = around[-dots] if dots else _submission()
    for key in path.lstrip(".").removeprefix("" if dots else _EARLIER_PREFIX).split("."):
        child = place if not key and dots else place.within(key)
        if child is None:
            return None
        place = child
    return place


def misfits(model: BaseModel, here: Path) -> Iterator[Misfit]:
    """Yield the problems of conditions and quantities on a submission whose places never have the required values."""
    for key, value in given(model):
        if isinstance(value, BaseModel | list | dict):
            yield from _check_value(value, (*here, key))


def _check_value(value: object, here: Path) -> Iterator[Misfit]:
    if isinstance(value, SubmissionCondition):
        for look in value.looks(here):
            yield from _check_reference(look)
    elif isinstance(value, UnchangedCheck):
        yield from _check_unchanged(value, here)
    elif isinstance(value, BaseModel):
        if isinstance(value, Quantity) and value.operator == "submitted":
            yield from _check_kind(place_at(value.operand), value.operand, "number", (*here, "submitted"))
        yield from misfits(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check_value(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _check_value(item, (*here, key))


def _check_unchanged(check: UnchangedCheck, here: Path) -> Iterator[Misfit]:
    looks = [Look(at=(*here, "at"), path=check.at)]
    if check.in_ is not None:
        yield from _check_reference(Look(at=(*here, "in"), path=check.in_, needs="list"))
        looks = [replace(look, lists=(check.in_,)) for look in looks]
        if check.by is not None:
            looks.append(Look(at=(*here, "by"), path=check.by, lists=(check.in_,)))
        if check.where is not None:
            looks += check.where.looks((*here, "where"), (check.in_,))
    for look in looks:
        yield from _check_reference(look)


def _check_reference(look: Look) -> Iterator[Misfit]:
    """Yield the problems of a place that a condition refers to; none if its outer list does not exist."""
    around: tuple[Place, ...] = ()
    for list_ in look.lists:
        outer = place_at(list_, around)
        item = None if outer is None else outer.item()
        if item is None:
            return
        around = (*around, item)
    place, value = place_at(look.path, around), look.value
    if value is not None:
        yield from _check_comparison(value, place, around, look.at[:-1])
    elif place is None or look.needs:
        yield from _check_kind(place, look.path, look.needs, look.at)


def _check_comparison(value: Value, place: Place | None, around: Sequence[Place], here: Path) -> Iterator[Misfit]:
    bound, operand, operand_path = value.bound, value.operand, (*here, value.operator)
    needed = bound.needs
    if bound.ordered:
        needed = "day" if place is not None and "day" in place.kinds else "number"
    if place is None or (needed and needed not in place.kinds):
        yield from _check_kind(place, value.at, needed, (*here, "at"))
        return
    compared = place.item() if needed == "list" else place
    if bound.beside and bound.ordered:
        yield from _check_kind(place_at(operand, around), operand, needed, operand_path)
    elif bound.beside:
        other_place = place_at(operand, around)
        if other_place is None or compared is None:
            yield operand_path, _format_unknown_place(operand)
        elif not other_place.kinds & compared.kinds:
            yield operand_path, f"{_format_place(operand)} {_format_kinds(other_place)}, not {_format_kinds(compared)}"
    elif compared is not None and needed != "text":
        for name in bound.names(operand):
            if not _may_hold(compared, name):
                yield operand_path, f"{_format_place(value.at)} {_format_kinds(compared)}, not {json.dumps(name)}"


def _may_hold(place: Place, value: object) -> bool:
    """Return whether a place may have a value."""
    if _SCALAR_KINDS[type(value)] not in place.kinds:
        return False
    return place.choices is None or value in place.choices


def _check_kind(place: Place | None, path: str, kind: str, here: Path) -> Iterator[Misfit]:
    if place is None:
        yield here, _format_unknown_place(path)
    elif kind not in place.kinds:
        yield here, f"{_format_place(path)} {_format_kinds(place)}, but {_ARTICLES.get(kind, f'a {kind}')} is required"


def _format_unknown_place(path: str) -> str:
    return f"`{path}` is not a place of a submission"


def _format_place(path: str) -> str:
    return f"`{path}` is"


_ARTICLES = {"yes or no": "yes or no", "payout": "odds"}


def _format_kinds(place: Place) -> str:
    if place.choices is not None:
        return f"one of {', '.join(sorted(place.choices))}"
    return " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in sorted(place.kinds))
