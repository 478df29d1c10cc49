"""The shipped rule files, the schema each of them has, and validation by both."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import ValidationError

from fairdeal.validator.rules.rule_files import load_bundle
from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS, get_schema_name
from tests.facade.rules import rules_folder
from tests.facade.text import load_yaml, read_source
from tools.generated_files.schema_builders import SCHEMA_BUILDERS


def list_shipped() -> list[tuple[str, Path]]:
    """Return every YAML file of the shipped rulebook, with the name of its schema."""
    return [(get_schema_name(path), path) for path in sorted(rules_folder().rglob("*.yaml"))]


@cache
def load(path: Path) -> Any:
    """Return the data of a file, which callers must not change."""
    return load_yaml(read_source(str(path))).data


@cache
def schema_of(name: str) -> dict[str, Any]:
    """Return the schema that the models make, which callers must not change."""
    return SCHEMA_BUILDERS[name]()


@cache
def checker(name: str) -> Draft202012Validator:
    """Return the validator of a published schema, formats included."""
    return Draft202012Validator(load_bundle(name), format_checker=Draft202012Validator.FORMAT_CHECKER)


def accepted_by_schema(name: str, data: Any) -> bool:
    """Return whether the JSON Schema accepts the data."""
    return checker(name).is_valid(data)


def errors_of_model(name: str, data: Any) -> list[str]:
    """Return the types of the errors that the model finds in the data; none where it accepts it."""
    try:
        FILE_MODELS[name][0].model_validate_json(json.dumps(data, default=float))
    except ValidationError as error:
        return [detail["type"] for detail in error.errors(include_url=False)]
    return []


@cache
def places_in(path: Path, of: type) -> list[tuple[str | int, ...]]:
    """Return the path to every value of a type in a file."""
    data = load(path)
    return [place for place in places(data) if isinstance(get_at(data, place), of)]


def places(data: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path to every value in the data, the root first."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here, *(place for key, value in inside for place in places(value, (*here, key)))]


def get_at(data: Any, place: tuple[str | int, ...]) -> Any:
    """Return the value at a place."""
    for part in place:
        data = data[part]
    return data


def replace_at(data: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """Return the data with another value at a place; the rest is shared, not copied."""
    if not place:
        return value
    found = copy.copy(data)
    found[place[0]] = replace_at(data[place[0]], place[1:], value)
    return found


def remove_at(data: Any, place: tuple[str | int, ...]) -> Any:
    """Return the data without the value at a place other than the root; the rest is shared, not copied."""
    around = copy.copy(get_at(data, place[:-1]))
    del around[place[-1]]
    return replace_at(data, place[:-1], around)
