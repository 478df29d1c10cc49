"""Published JSON Schemas: a file for each format, and files of definitions that several formats need.

What one format alone needs is defined in its own file. The dialect of poker is `poker.json`, and everything else that
several formats need is `definitions.json`. Files refer to each other by relative addresses, so editors and validators
resolve them on disk. A bundle is the same schema in one piece, for programs that read a single file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fairdeal.validator.rules.rule_files import schemas_folder

DEFINITIONS = "definitions"
"""Name of the file of what several formats need, which is no schema of a format."""
POKER = "poker"
"""Name of the file of definitions that only games with betting between players need."""
LOCAL_PREFIX = "#/$defs/"
"""Start of a reference within a file."""


def format_schema_id(name: str) -> str:
    """Return the address that identifies a schema; nothing is fetched from it."""
    return f"https://fairdeal.example/schemas/{name}.json"


def list_schemas() -> tuple[str, ...]:
    """Return the sorted names of the published schemas."""
    return tuple(sorted(path.stem for path in schemas_folder().glob("*.json") if path.stem not in {DEFINITIONS, POKER}))


def load_bundle(name: str) -> dict[str, Any]:
    """Return a published schema in one piece."""
    files: dict[str, dict[str, Any]] = {}

    def load(file: str) -> dict[str, Any]:
        if file not in files:
            files[file] = json.loads((schemas_folder() / f"{file}.json").read_text("utf-8"))
        return files[file]

    return bundle_schema(name, load)


def bundle_schema(name: str, load: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a schema with the definitions that it needs.

    Args:
        name: The name of the schema, for its address.
        load: Function that returns the content of a published file by its name.
    """
    schema = load(name)
    root = {key: value for key, value in schema.items() if key not in {"$schema", "$defs"}}
    needed: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [(name, root)]
    while pending:
        file, part = pending.pop()
        for reference in list_references(part):
            address, _, definition = reference.partition(LOCAL_PREFIX)
            if definition not in needed:
                home = address.removesuffix(".json") or file
                needed[definition] = load(home)["$defs"][definition]
                pending.append((home, needed[definition]))
    bundle = {"$schema": schema["$schema"], "$id": format_schema_id(name), **direct_references(root, lambda _: "")}
    definitions = {key: direct_references(part, lambda _: "") for key, part in sorted(needed.items())}
    return {**bundle, "$defs": definitions} if definitions else bundle


def list_references(part: Any) -> Iterator[str]:
    """Yield the references of a part of a schema."""
    if isinstance(part, Mapping):
        if isinstance(reference := part.get("$ref"), str):
            yield reference
        for inner in part.values():
            yield from list_references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from list_references(inner)


def direct_references(part: Any, locate: Callable[[str], str]) -> Any:
    """Return a part of a schema whose references lead to definitions in other files.

    Args:
        part: The part.
        locate: Function that returns the address of the file of a definition; "" is the file of the part.
    """
    if isinstance(part, list):
        return [direct_references(inner, locate) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"{locate(definition)}{LOCAL_PREFIX}{definition}"
        if key == "$ref" and isinstance(value, str) and (definition := value.rpartition("/")[2])
        else direct_references(value, locate)
        for key, value in part.items()
    }
