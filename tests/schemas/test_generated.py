"""Generated files are up to date, and contain all that the models state."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fairdeal.validator.rules.rule_files import DEFINITIONS, POKER, format_schema_id, list_schemas
from fairdeal.validator.schemas.rule_file_schemas import get_schema_name
from tests.facade.commands import ROOT, list_generated_files
from tests.facade.rules import schemas_folder
from tests.schemas.helpers import checker, list_shipped, load, schema_of
from tools.generated_files.reference_pages import fill_page
from tools.generated_files.schema_builders import SCHEMA_BUILDERS


@cache
def generated_once() -> dict[Path, str]:
    return list_generated_files()


def test_the_files_are_those_the_models_make() -> None:
    stale = [str(path.relative_to(ROOT)) for path, text in generated_once().items() if path.read_text("utf-8") != text]
    assert not stale, "run `make schemas`"


def test_no_schema_is_left_over() -> None:
    assert {path.stem for path in schemas_folder().iterdir()} == {*SCHEMA_BUILDERS, DEFINITIONS, POKER}
    assert list_schemas() == tuple(sorted(SCHEMA_BUILDERS))


def test_generating_twice_gives_the_same_bytes() -> None:
    assert list_generated_files() == generated_once()


@pytest.mark.parametrize("name", SCHEMA_BUILDERS)
def test_a_schema_is_sound_and_has_a_head(name: str) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert list(schema)[:3] == ["$schema", "$id", "title"]
    assert schema["$id"] == format_schema_id(name) == f"https://fairdeal.example/schemas/{name}.json"


@pytest.mark.parametrize(
    ("name", "path"), list_shipped(), ids=lambda part: part.name if isinstance(part, Path) else part
)
def test_every_shipped_file_follows_its_schema(name: str, path: Path) -> None:
    assert [error.message for error in checker(name).iter_errors(load(path))] == []


def _properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict) and schema.get("type") == "object":
            yield from properties.items()
        for part in schema.values():
            yield from _properties(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _properties(part)


@pytest.mark.parametrize("name", sorted(set(SCHEMA_BUILDERS) - {"hand-log", "results"}))
def test_every_key_is_described_and_none_has_a_generated_title(name: str) -> None:
    found = list(_properties(schema_of(name)))
    assert found
    assert [key for key, part in found if not part.get("description", "").endswith((".", ":"))] == []
    assert [key for key, part in found if "title" in part or part.get("default", ...) is None] == []


@pytest.mark.parametrize(
    "page",
    [
        "no markers",
        "<!-- generated: part -->\n",
        "<!-- end: part -->\n<!-- generated: part -->\n",
        2 * "<!-- generated: part -->\n<!-- end: part -->\n",
    ],
)
def test_a_page_needs_its_markers_once(page: str) -> None:
    with pytest.raises(ValueError, match="`part` exactly once"):
        fill_page(page, {"part": lambda: "text"})


def test_a_page_keeps_what_stands_around_its_markers() -> None:
    page = "before\n<!-- generated: part -->\nold\n<!-- end: part -->\nafter\n"
    assert fill_page(page, {"part": lambda: r"new \1"}) == (
        "before\n<!-- generated: part -->\n\nnew \\1\n\n<!-- end: part -->\nafter\n"
    )


@pytest.mark.parametrize(
    "path",
    [path for name, path in list_shipped() if name in ("document", "readings", "game", "requirements", "simulation")],
    ids=lambda path: "/".join(path.parts[-3:]),
)
def test_a_rule_file_tells_editors_its_schema(path: Path) -> None:
    first = path.read_text("utf-8").partition("\n")[0]
    told = first.removeprefix("# yaml-language-server: $schema=")
    assert told != first
    schema = (path.parent / told).resolve()
    assert schema == (schemas_folder() / schema.name).resolve()
    assert schema.stem in SCHEMA_BUILDERS
    assert schema.stem == get_schema_name(path)
