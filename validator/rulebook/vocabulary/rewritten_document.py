"""Rewriting of a positioned document: parts of a file are moved or repeated with their positions."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SourcePosition


class FilePart(Struct, frozen=True, kw_only=True):
    """A part of the file, with the positions of everything within it."""

    path: DataPath
    """Its place in the file."""
    key: DataPath | None = None
    """Place in the file of the part whose key is its key; None for its own key."""


class NewPart(Struct, frozen=True, kw_only=True):
    """Data that is written from a part of the file. Everything in it but parts of the file has one position."""

    data: Any
    """The data, which may contain parts of the file."""
    at: DataPath
    """Place in the file of what it is written from."""


def rewrite_document(tree: PositionedDocument, data: Any, at: DataPath) -> PositionedDocument:
    """Return a document with other data, which may contain parts of the file.

    Mappings and lists outside of new parts have the position of the same path in the file, or else of the path `at`.
    """
    positions: dict[DataPath, SourcePosition] = {}

    def write(node: Any, target: DataPath, source: DataPath | None) -> Any:
        if isinstance(node, NewPart):
            return write(node.data, target, node.at)
        if isinstance(node, FilePart):
            value = tree.get_value(node.path)
            positions.update({(*target, *path): tree.positions[*node.path, *path] for path in list_places(value)})
            if node.key is not None:
                line = tree.positions[node.key]
                positions[target] = replace(positions[target], key_line=line.key_line, key_column=line.key_column)
            return value
        positions[target] = tree.positions[source or (target if target in tree.positions else at)]
        if isinstance(node, dict):
            return {key: write(value, (*target, key), source) for key, value in node.items()}
        if isinstance(node, list):
            return [write(value, (*target, index), source) for index, value in enumerate(node)]
        return node

    return replace(tree, data=write(data, (), None), positions=positions)


def list_places(value: Data) -> list[DataPath]:
    """Return the places of a value and of everything within it, in the order of the file."""
    places: list[DataPath] = []
    waiting: list[tuple[DataPath, Data]] = [((), value)]
    while waiting:
        here, part = waiting.pop()
        places.append(here)
        if isinstance(part, dict):
            waiting.extend([((*here, key), item) for key, item in part.items()][::-1])
        elif isinstance(part, list):
            waiting.extend([((*here, index), item) for index, item in enumerate(part)][::-1])
    return places


def keep_parts(tree: PositionedDocument, *path: str | int) -> Any:
    """Return a mapping or a list of the file as its parts; an empty mapping if the file has nothing there."""
    value: Any = tree.get_value(path) if path in tree.positions else {}
    if isinstance(value, list):
        return [FilePart(path=(*path, index)) for index in range(len(value))]
    return {key: FilePart(path=(*path, key)) for key in value}
