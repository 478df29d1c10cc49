"""Published schemas: no definition twice, each in one file, resolved on disk and in one piece."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.rules.rule_files import (
    DEFINITIONS,
    LOCAL_PREFIX,
    POKER,
    bundle_schema,
    list_references,
)
from tests.facade.rules import rules_folder, schemas_folder
from tools.generated_files.schema_builders import MAX_SHORT, MAX_WIDTH, SCHEMA_BUILDERS, count_lines, format_schema


@cache
def load_published(name: str) -> dict[str, Any]:
    """Return the content of a file in `schemas/`, which callers must not change."""
    schema: dict[str, Any] = json.loads((schemas_folder() / f"{name}.json").read_text("utf-8"))
    return schema


FILES = (*SCHEMA_BUILDERS, DEFINITIONS, POKER)


def definitions() -> dict[str, tuple[str, Any]]:
    """Return each definition with the name of its file."""
    found = [(key, (name, part)) for name in FILES for key, part in load_published(name).get("$defs", {}).items()]
    assert len(dict(found)) == len(found)
    return dict(found)


def list_parts(part: Any) -> list[Any]:
    """Return a part of a schema and all mappings within it."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [*([part] if isinstance(part, dict) else []), *(within for value in inner for within in list_parts(value))]


def test_no_two_definitions_are_equal() -> None:
    counts = Counter(json.dumps(definition, sort_keys=True) for _, definition in definitions().values())
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_large_part_is_written_twice() -> None:
    """A definition of its own would make the files shorter from four lines more than a reference."""
    parts = [part for name in FILES for part in list_parts(load_published(name))]
    counts = Counter(
        json.dumps(part, sort_keys=True)
        for part in parts
        if {"type", "anyOf", "enum"} & part.keys() and "$schema" not in part
    )
    assert [text for text, count in counts.items() if count > 1 and count_lines(json.loads(text)) > 6] == []


def test_every_definition_is_used_and_every_reference_resolves() -> None:
    used: dict[str, set[str]] = {}
    for name in FILES:
        for reference in list_references(load_published(name)):
            address, _, definition = reference.partition(LOCAL_PREFIX)
            home = address.removesuffix(".json") or name
            assert definitions()[definition][0] == home, reference
            used.setdefault(definition, set()).add(name)
    assert used.keys() == definitions().keys()
    # What one format needs alone is in its own file.
    alone = {key for key, (home, _) in definitions().items() if home == DEFINITIONS and len(used[key]) == 1}
    assert all(used[key] <= {DEFINITIONS, POKER} for key in alone)


def test_the_dialect_of_poker_is_a_file_of_its_own() -> None:
    homes = {key: home for key, (home, _) in definitions().items()}
    assert {homes[name] for name in ("Betting", "Pots", "Table", "Position", "InTurnCheck")} == {POKER}
    assert {homes[name] for name in ("Condition", "Quantity")} == {DEFINITIONS}


def test_short_values_share_a_line() -> None:
    short, long = {"a": 1, "b": [1, 2]}, {"description": "x" * MAX_WIDTH, "type": "string", "c": "y" * MAX_SHORT}
    text = format_schema({"short": short, "long": long, "list": ["z" * 30] * 4})
    assert json.loads(text) == {"short": short, "long": long, "list": ["z" * 30] * 4}
    assert '  "short": {"a": 1, "b": [1, 2]},\n' in text
    assert f'    "type": "string",\n    "c": "{"y" * MAX_SHORT}"\n' in text
    assert text.count("\n") == 12


def test_a_bundle_has_what_it_needs_and_nothing_else() -> None:
    schema = {"$schema": "draft", "title": "A", "$ref": "definitions.json#/$defs/One"}
    one = {"properties": {"two": {"$ref": "other.json#/$defs/Two"}, "$ref": {"type": "string"}}}
    two, three = {"items": {"$ref": "definitions.json#/$defs/One"}}, {"type": "string"}
    files: dict[str, dict[str, Any]] = {
        "a": schema,
        "definitions": {"$defs": {"One": one, "Three": three}},
        "other": {"$defs": {"Two": two}},
    }
    assert bundle_schema("a", files.__getitem__) == {
        "$schema": "draft",
        "$id": "https://fairdeal.example/schemas/a.json",
        "title": "A",
        "$ref": "#/$defs/One",
        "$defs": {
            "One": {"properties": {"two": {"$ref": "#/$defs/Two"}, "$ref": {"type": "string"}}},
            "Two": {"items": {"$ref": "#/$defs/One"}},
        },
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
