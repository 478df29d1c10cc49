"""Walk over a model and all models within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from validator.text.models.model import given
from validator.text.trees.tree import Path

Parts = Sequence[tuple[Path, BaseModel]]
"""A model and all models within it, each with its place in the file."""


def walk(model: BaseModel, here: Path) -> Iterator[tuple[Path, BaseModel]]:
    """Yield a model and all models within it, each with its place in the file, in the order of fields."""
    waiting: list[tuple[Path, object]] = [(here, model)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, BaseModel):
            yield path, value
            inner = [((*path, key), item) for key, item in given(value) if isinstance(item, BaseModel | list | dict)]
        elif isinstance(value, list):
            inner = [((*path, index), item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            inner = [((*path, key), item) for key, item in value.items()]
        else:
            continue
        waiting.extend(reversed(inner))
