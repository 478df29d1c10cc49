"""One walk over a model and everything within it, with the places in the file."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from validator.text.model import hyphenated
from validator.text.tree import Path


def walk(model: BaseModel, here: Path) -> Iterator[tuple[Path, BaseModel]]:
    """A model and every model within it, each with its place in the file."""
    yield here, model
    for field in type(model).model_fields:
        if field in model.model_fields_set:
            yield from _within(getattr(model, field), (*here, hyphenated(field)))


def _within(value: object, here: Path) -> Iterator[tuple[Path, BaseModel]]:
    if isinstance(value, BaseModel):
        yield from walk(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _within(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(item, (*here, key))
