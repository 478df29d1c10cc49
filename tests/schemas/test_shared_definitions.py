"""Published schemas: one file of definitions, none of them twice, which resolve on disk and in one piece."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.schemas.published_schemas import (
    DEFINITIONS,
    LOCAL_PREFIX,
    SHARED_PREFIX,
    bundle_schema,
    list_references,
)
from fairdeal.validator.schemas.schema_catalogue import SCHEMA_BUILDERS, count_lines
from tests.facade.rules import rules_folder, schemas_folder


@cache
def load_published(name: str) -> dict[str, Any]:
    """Return the content of a file in `schemas/`, which callers must not change."""
    schema: dict[str, Any] = json.loads((schemas_folder() / f"{name}.json").read_text("utf-8"))
    return schema


def definitions() -> dict[str, Any]:
    found: dict[str, Any] = load_published(DEFINITIONS)["$defs"]
    return found


def list_parts(part: Any) -> list[Any]:
    """Return a part of a schema and all mappings within it."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [*([part] if isinstance(part, dict) else []), *(within for value in inner for within in list_parts(value))]


def test_no_two_definitions_are_equal() -> None:
    counts = Counter(json.dumps(definition, sort_keys=True) for definition in definitions().values())
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_large_part_is_written_twice() -> None:
    """A definition of its own would make the files shorter from four lines more than a reference."""
    parts = [part for name in (*SCHEMA_BUILDERS, DEFINITIONS) for part in list_parts(load_published(name))]
    counts = Counter(
        json.dumps(part, sort_keys=True)
        for part in parts
        if {"type", "anyOf", "enum"} & part.keys() and "$schema" not in part
    )
    assert [text for text, count in counts.items() if count > 1 and count_lines(json.loads(text)) > 6] == []


def test_every_definition_is_used_and_every_reference_resolves() -> None:
    references = {name: set(list_references(load_published(name))) for name in (*SCHEMA_BUILDERS, DEFINITIONS)}
    local = references.pop(DEFINITIONS)
    assert all(reference.startswith(LOCAL_PREFIX) for reference in local)
    shared = set().union(*references.values())
    assert all(reference.startswith(SHARED_PREFIX) for reference in shared)
    used = {reference.rpartition("/")[2] for reference in local | shared}
    assert used == definitions().keys()


def test_lines_are_counted_as_they_are_published() -> None:
    for path in schemas_folder().glob("*.json"):
        text = path.read_text("utf-8")
        assert count_lines(json.loads(text)) == text.count("\n")


def test_a_bundle_has_what_it_needs_and_nothing_else() -> None:
    schema = {"$schema": "draft", "title": "A", "$ref": "definitions.json#/$defs/One"}
    shared = {
        "One": {"properties": {"two": {"$ref": "#/$defs/Two"}, "$ref": {"type": "string"}}},
        "Two": {"items": {"$ref": "#/$defs/One"}},
        "Three": {"type": "string"},
    }
    assert bundle_schema("a", schema, shared) == {
        "$schema": "draft",
        "$id": "https://fairdeal.example/schemas/a.json",
        "title": "A",
        "$ref": "#/$defs/One",
        "$defs": {"One": shared["One"], "Two": shared["Two"]},
    }


@pytest.mark.parametrize(("change", "code"), [("", 0), ("unknown-key: 1\n", 1)])
def test_another_validator_resolves_the_files_on_disk(change: str, code: int, tmp_path: Path) -> None:
    text = (rules_folder() / "co-rule8-burnout" / "document.yaml").read_text("utf-8")
    file = tmp_path / "short.yaml"
    file.write_text(text + change, "utf-8")
    program = Path(sys.executable).with_name("check-jsonschema")
    command = [str(program), "--schemafile", str(schemas_folder() / "document.json"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("unknown-key" in done.stdout) is bool(code)
