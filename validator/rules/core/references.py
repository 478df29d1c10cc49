"""Search of models for names that must be defined elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from validator.language.refs import NameReference
from validator.text.models.model import iterate_set_keys, to_key
from validator.text.trees.tree import DataPath


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
