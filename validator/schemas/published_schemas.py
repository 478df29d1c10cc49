"""Published JSON Schemas: a small file for each format, and one file of definitions that all of them refer to.

A file in `schemas/` refers to its neighbour `definitions.json` by a relative address, so editors and validators resolve
it on disk. A bundle is the same schema in one piece, for programs that read a single file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fairdeal.validator.rules.rule_files import schemas_folder

DEFINITIONS = "definitions"
"""Name of the file of definitions, which is no schema of a format."""
LOCAL_PREFIX = "#/$defs/"
"""Start of a reference within a file."""
SHARED_PREFIX = f"{DEFINITIONS}.json{LOCAL_PREFIX}"
"""Start of a reference to a shared definition."""


def format_schema_id(name: str) -> str:
    """Return the address that identifies a schema; nothing is fetched from it."""
    return f"https://fairdeal.example/schemas/{name}.json"


def list_schemas() -> tuple[str, ...]:
    """Return the sorted names of the published schemas."""
    return tuple(sorted(path.stem for path in schemas_folder().glob("*.json") if path.stem != DEFINITIONS))


def load_bundle(name: str) -> dict[str, Any]:
    """Return a published schema in one piece."""
    return bundle_schema(name, _load(name), _load(DEFINITIONS)["$defs"])


def bundle_schema(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with the definitions that it needs.

    Args:
        name: The name of the schema, for its address.
        schema: The published schema, without an address of its own.
        definitions: All shared definitions.
    """
    needed: dict[str, Any] = {}
    pending = [schema]
    while pending:
        for reference in list_references(pending.pop()):
            definition = reference.rpartition("/")[2]
            if definition not in needed:
                needed[definition] = definitions[definition]
                pending.append(definitions[definition])
    root = {key: value for key, value in schema.items() if key != "$schema"}
    bundle = {"$schema": schema["$schema"], "$id": format_schema_id(name), **replace_prefix(root, LOCAL_PREFIX)}
    return {**bundle, "$defs": dict(sorted(needed.items()))} if needed else bundle


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


def replace_prefix(part: Any, prefix: str) -> Any:
    """Return a part of a schema whose references to definitions start with a prefix."""
    if isinstance(part, list):
        return [replace_prefix(inner, prefix) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"{prefix}{value.rpartition('/')[2]}"
        if key == "$ref" and isinstance(value, str)
        else replace_prefix(value, prefix)
        for key, value in part.items()
    }


def _load(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((schemas_folder() / f"{name}.json").read_text("utf-8"))
    return schema
