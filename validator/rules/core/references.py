"""Every name in a model that must be defined somewhere else, with the kind of thing that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from validator.language.refs import Ref
from validator.text.models.model import given, hyphenated
from validator.text.trees.tree import Path


def references(model: BaseModel, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Every name in a model that must be defined somewhere: its place, the kind of thing it names, the name."""
    annotations = _annotations(type(model))
    for key, value in given(model):
        yield from _inside(value, annotations[key], (*path, key))


@cache
def _annotations(model: type[BaseModel]) -> Mapping[str, Any]:
    """The whole annotation of each field, by its key: pydantic keeps the outermost notes apart from the type."""
    return {
        hyphenated(field): Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
        for field, info in model.model_fields.items()
    }


def _inside(value: object, annotation: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    """References within a value of an annotated type."""
    if isinstance(value, BaseModel):
        yield from references(value, path)
        return
    kind, inner = kind_named(annotation)
    if isinstance(value, str):
        if kind is not None:
            yield path, kind, value
    elif isinstance(value, list):
        item = (get_args(inner) or (Any,))[0]
        for index, entry in enumerate(value):
            yield from _inside(entry, item, (*path, index))
    elif isinstance(value, dict):
        key_type, item = get_args(inner) or (Any, Any)
        for key, entry in value.items():
            yield from _inside(key, key_type, (*path, key))
            yield from _inside(entry, item, (*path, key))


@cache
def kind_named(annotation: Any) -> tuple[str | None, Any]:
    """The kind of thing an annotated type names, if any, and the type without its annotations."""
    if get_origin(annotation) is Annotated:
        kind = next((one.kind for one in annotation.__metadata__ if isinstance(one, Ref)), None)
        deeper, inner = kind_named(get_args(annotation)[0])
        return kind or deeper, inner
    if get_origin(annotation) in (Union, UnionType):
        parts = [kind_named(part) for part in get_args(annotation)]
        kind = next((found for found, _ in parts if found is not None), None)
        inner = next((part for _, part in parts if get_origin(part) in (list, dict)), annotation)
        return kind, inner
    return None, annotation
