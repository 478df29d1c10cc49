"""Walk over a model and all models within it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from validator.text.models.model import iterate_set_keys
from validator.text.trees.tree import DataPath

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
