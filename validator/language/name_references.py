"""Names in rule files that must be defined elsewhere in the rulebook, and the search for them.

A field that names a wager, a step or a clause is annotated with the kind of thing it names. A generic walk over the
models then finds every undefined name and suggests the one that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.text.closed_model import iterate_set_keys, to_key
from fairdeal.validator.text.positioned_document import DataPath


class NameReference(Struct, frozen=True):
    """The kind of thing that a text names. Kinds are the keys of the namespace of a game (`rulebook.names`)."""

    kind: str


WagerName = Annotated[str, NameReference("wager")]
LineName = Annotated[str, NameReference("line")]
HandName = Annotated[str, NameReference("hand")]
FactName = Annotated[str, NameReference("fact")]
StepName = Annotated[str, NameReference("step")]
CourseName = Annotated[str, NameReference("course")]
PhaseName = Annotated[str, NameReference("phase")]
OccasionName = Annotated[str, NameReference("occasion")]
DecisionTaken = Annotated[str, NameReference("decision-taken")]
CaseName = Annotated[str, NameReference("case")]
DecisionName = Annotated[str, NameReference("decision")]
StageName = Annotated[str, NameReference("stage")]
FirstSeatName = Annotated[str, NameReference("first-seat")]
WayDealt = Annotated[str, NameReference("way")]
PayTableName = Annotated[str, NameReference("pay-table")]
RankingName = Annotated[str, NameReference("ranking")]
CategoryName = Annotated[str, NameReference("category")]
DrawingName = Annotated[str, NameReference("drawing")]
DrawingRuleName = Annotated[str, NameReference("drawing-rule")]
RowName = Annotated[str, NameReference("row")]
ScaleName = Annotated[str, NameReference("scale")]
CapName = Annotated[str, NameReference("cap")]
DeckName = Annotated[str, NameReference("deck")]
ReadingName = Annotated[str, NameReference("reading")]
ClauseName = Annotated[str, NameReference("clause")]
RequirementName = Annotated[str, NameReference("requirement")]
ListName = Annotated[str, NameReference("list")]
MeterName = Annotated[str, NameReference("meter")]
PositionName = Annotated[str, NameReference("position")]
BettingRoundName = Annotated[str, NameReference("betting-round")]
SubmissionPath = Annotated[str, NameReference("submission-path")]

BUTTON = "button"
"""The position that every table has: the seat with the button."""
DECLARED = "declared"
"""In place of a decision: the decision that the seat declared in its turn."""
SUBMITTED = "submitted"
"""In place of a way of dealing: the way that the submission names."""


PlacedModels = Sequence[tuple[DataPath, BaseModel]]
"""A model and all models within it, each with its place in the file."""


def walk_models(model: BaseModel, here: DataPath) -> Iterator[tuple[DataPath, BaseModel]]:
    """Yield a model and all models within it, each with its place in the file, in the order of fields."""
    waiting: list[tuple[DataPath, object]] = [(here, model)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, BaseModel):
            yield path, value
            inner = [
                ((*path, key), item)
                for key, item in iterate_set_keys(value)
                if isinstance(item, BaseModel | list | dict)
            ]
        elif isinstance(value, list):
            inner = [((*path, index), item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            inner = [((*path, key), item) for key, item in value.items()]
        else:
            continue
        waiting.extend(reversed(inner))


def iterate_references(model: BaseModel, path: DataPath) -> Iterator[tuple[DataPath, str, str]]:
    """Yield each name in a model that must be defined elsewhere: its place, the kind of thing it names, the name."""
    annotations = _annotations(type(model))
    for key, value in iterate_set_keys(model):
        yield from _search(value, annotations[key], (*path, key))


@cache
def _annotations(model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the full annotation of each field by key; pydantic separates the outermost metadata from the type."""
    return {
        to_key(field): Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
        for field, info in model.model_fields.items()
    }


def _search(value: object, annotation: Any, path: DataPath) -> Iterator[tuple[DataPath, str, str]]:
    """Yield the references within a value of an annotated type."""
    if isinstance(value, BaseModel):
        yield from iterate_references(value, path)
        return
    kind, inner = find_reference_kind(annotation)
    if isinstance(value, str):
        if kind is not None:
            yield path, kind, value
    elif isinstance(value, list):
        item = (get_args(inner) or (Any,))[0]
        for index, entry in enumerate(value):
            yield from _search(entry, item, (*path, index))
    elif isinstance(value, dict):
        key_type, item = get_args(inner) or (Any, Any)
        for key, entry in value.items():
            yield from _search(key, key_type, (*path, key))
            yield from _search(entry, item, (*path, key))


@cache
def find_reference_kind(annotation: Any) -> tuple[str | None, Any]:
    """Return the kind of thing that an annotated type names, if any, and the type without annotations."""
    if get_origin(annotation) is Annotated:
        kind = next((note.kind for note in annotation.__metadata__ if isinstance(note, NameReference)), None)
        deeper, inner = find_reference_kind(get_args(annotation)[0])
        return kind or deeper, inner
    if get_origin(annotation) in (Union, UnionType):
        parts = [find_reference_kind(part) for part in get_args(annotation)]
        kind = next((named for named, _ in parts if named is not None), None)
        inner = next((part for _, part in parts if get_origin(part) in (list, dict)), annotation)
        return kind, inner
    return None, annotation
