"""The values that each place of a submission may have, and conditions on values that a place never has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language.round_conditions import Quantity
from fairdeal.validator.language.submission_conditions import PlaceLookup, SubmissionCondition, Value
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.text.closed_model import iterate_set_keys, to_key
from fairdeal.validator.text.positioned_document import DataPath

_EARLIER_PREFIX = f"{EARLIER}."

_SCALAR_KINDS: dict[type, str] = {bool: "yes or no", int: "number", str: "text"}
PlaceProblem = tuple[DataPath, str]
"""Place of a condition, and the problem in words."""


class SubmissionPlace(Struct, frozen=True, kw_only=True):
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

    def get_child(self, key: str) -> SubmissionPlace | None:
        """Return the place that a key leads to; None if there is no such key."""
        if self.fields is not None:
            annotations = {to_key(name): info.annotation for name, info in self.fields.model_fields.items()}
            return place_from_annotation(annotations[key]) if key in annotations else None
        return None if self.values is None else place_from_annotation(self.values)

    def get_item(self) -> SubmissionPlace | None:
        """Return the place of each item; None unless it is a list."""
        return None if self.items is None else place_from_annotation(self.items)


def place_from_annotation(annotation: Any) -> SubmissionPlace:
    """Return the place of a field with an annotation. An optional field counts as given."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return place_from_annotation(arguments[0])
    if origin in (Union, UnionType):
        parts = [place_from_annotation(part) for part in arguments if part is not NoneType]
        if len(parts) == 1:
            return parts[0]
        mapping = next((part for part in parts if part.fields is not None), None)
        if mapping is not None:  # a short form in text is read as a mapping (`evidence.stated`)
            return mapping
        return SubmissionPlace(kinds=frozenset[str]().union(*(part.kinds for part in parts)))
    if origin is Literal:
        return SubmissionPlace(kinds=frozenset({"text"}), choices=frozenset(arguments))
    if origin is list:
        return SubmissionPlace(kinds=frozenset({"list"}), items=arguments[0])
    if origin is dict:
        return SubmissionPlace(kinds=frozenset({"mapping"}), values=arguments[1])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return SubmissionPlace(kinds=frozenset({"mapping"}), fields=annotation)
    if annotation in _SCALAR_KINDS:
        return SubmissionPlace(kinds=frozenset({_SCALAR_KINDS[annotation]}))
    if annotation is date:
        return SubmissionPlace(kinds=frozenset({"text", "day"}))
    return SubmissionPlace(kinds=frozenset({"text", "payout"}))  # odds, which are written as text


@cache
def _submission() -> SubmissionPlace:
    return place_from_annotation(Submission)


def resolve_place(path: str, around: Sequence[SubmissionPlace] = ()) -> SubmissionPlace | None:
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
        child = place if not key and dots else place.get_child(key)
        if child is None:
            return None
        place = child
    return place


def find_place_problems(model: BaseModel, here: DataPath) -> Iterator[PlaceProblem]:
    """Yield the problems of conditions and quantities on a submission whose places never have the required values."""
    for key, value in iterate_set_keys(model):
        if isinstance(value, BaseModel | list | dict):
            yield from _check_value(value, (*here, key))


def _check_value(value: object, here: DataPath) -> Iterator[PlaceProblem]:
    if isinstance(value, SubmissionCondition):
        for look in SUBMISSION_OPERATORS.iterate_lookups(value, here):
            yield from _check_reference(look)
    elif isinstance(value, BaseModel):
        if isinstance(value, Quantity) and value.operator == "submitted":
            yield from _check_kind(resolve_place(value.operand), value.operand, "number", (*here, "submitted"))
        yield from find_place_problems(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check_value(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _check_value(item, (*here, key))


def _check_reference(look: PlaceLookup) -> Iterator[PlaceProblem]:
    """Yield the problems of a place that a condition refers to; none if its outer list does not exist."""
    around: tuple[SubmissionPlace, ...] = ()
    for list_ in look.lists:
        outer = resolve_place(list_, around)
        item = None if outer is None else outer.get_item()
        if item is None:
            return
        around = (*around, item)
    place, value = resolve_place(look.path, around), look.value
    if value is not None:
        yield from _check_comparison(value, place, around, look.at[:-1])
    elif place is None or look.required_kind:
        yield from _check_kind(place, look.path, look.required_kind, look.at)


def _check_comparison(
    value: Value, place: SubmissionPlace | None, around: Sequence[SubmissionPlace], here: DataPath
) -> Iterator[PlaceProblem]:
    bound, operand, operand_path = SUBMISSION_OPERATORS.find(value), value.operand, (*here, *value.bound_path)
    needed = bound.required_kind
    if bound.compares_order:
        needed = "day" if place is not None and "day" in place.kinds else "number"
    if place is None or (needed and needed not in place.kinds):
        yield from _check_kind(place, value.at, needed, (*here, "at"))
        return
    compared = place.get_item() if needed == "list" else place
    if bound.refers_to_value and bound.compares_order:
        yield from _check_kind(resolve_place(operand, around), operand, needed, operand_path)
    elif bound.refers_to_value:
        other_place = resolve_place(operand, around)
        if other_place is None or compared is None:
            yield operand_path, _format_unknown_place(operand)
        elif not other_place.kinds & compared.kinds:
            yield operand_path, f"{_format_place(operand)} {_format_kinds(other_place)}, not {_format_kinds(compared)}"
    elif compared is not None and needed != "text":
        for name in bound.list_values(operand):
            if not _may_hold(compared, name):
                yield operand_path, f"{_format_place(value.at)} {_format_kinds(compared)}, not {json.dumps(name)}"


def _may_hold(place: SubmissionPlace, value: object) -> bool:
    """Return whether a place may have a value."""
    if _SCALAR_KINDS[type(value)] not in place.kinds:
        return False
    return place.choices is None or value in place.choices


def _check_kind(place: SubmissionPlace | None, path: str, kind: str, here: DataPath) -> Iterator[PlaceProblem]:
    if place is None:
        yield here, _format_unknown_place(path)
    elif kind not in place.kinds:
        yield here, f"{_format_place(path)} {_format_kinds(place)}, but {_ARTICLES.get(kind, f'a {kind}')} is required"


def _format_unknown_place(path: str) -> str:
    return f"`{path}` is not a place of a submission"


def _format_place(path: str) -> str:
    return f"`{path}` is"


_ARTICLES = {"yes or no": "yes or no", "payout": "odds"}


def _format_kinds(place: SubmissionPlace) -> str:
    if place.choices is not None:
        return f"one of {', '.join(sorted(place.choices))}"
    return " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in sorted(place.kinds))
