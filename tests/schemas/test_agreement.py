"""Models and schemas agree on shipped files with a change.

Only a model can report errors of its own Python code (`value_error`, `invalid_value`) and of times. In all other
cases the schema must agree: it accepts and refuses the same data at the same places. So the schema adds no message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.schemas.rule_file_schemas import validate_by_schema
from tests.facade.rules import build_tree
from tests.schemas.helpers import (
    accepted_by_schema,
    errors_of_model,
    get_at,
    list_shipped,
    load,
    places,
    places_in,
    remove_at,
    replace_at,
)

ONLY_MODELS_SEE = {"value_error", "invalid_value", "datetime_from_date_parsing", "datetime_parsing"}
FILES = list_shipped()
OTHER: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    10**15,
    "",
    "text",
    "5 to 1",
    "2024-01-31",
    "Not An Identifier",
    [],
    {},
    [[]],
]

thorough = settings(max_examples=40, derandomize=True)


@st.composite
def spots(draw: st.DrawFn, of: type = object) -> tuple[str, Any, tuple[str | int, ...]]:
    """Draw a file by its schema and data, and a place in it with a value of a type."""
    name, path = draw(st.sampled_from(FILES))
    return name, load(path), draw(st.sampled_from(places_in(path, of)))


def assert_agreement(name: str, data: Any) -> None:
    errors = errors_of_model(name, data)
    if not errors:
        assert accepted_by_schema(name, data)
    elif not ONLY_MODELS_SEE.issuperset(errors):
        assert not accepted_by_schema(name, data)
    assert validate_by_schema(build_tree(data, "changed.yaml"), name) == []  # the model explains whatever it rejects


@thorough
@given(spots(dict))
def test_an_unknown_key_is_refused_by_both(case: tuple[str, Any, tuple[str | int, ...]]) -> None:
    name, data, place = case
    assert_agreement(name, replace_at(data, place, {**get_at(data, place), "Unknown Key": 1}))


@thorough
@given(spots())
def test_a_key_or_item_is_removed(case: tuple[str, Any, tuple[str | int, ...]]) -> None:
    name, data, place = case
    if place:
        assert_agreement(name, remove_at(data, place))


@thorough
@given(spots(), st.sampled_from(OTHER))
def test_a_value_is_of_another_type(case: tuple[str, Any, tuple[str | int, ...]], other: Any) -> None:
    name, data, place = case
    assert_agreement(name, replace_at(data, place, other))


@thorough
@given(spots(dict), st.data())
def test_a_key_of_another_mapping_is_added(case: tuple[str, Any, tuple[str | int, ...]], more: st.DataObject) -> None:
    name, data, place = case
    mappings = [get_at(data, other) for other in places(data) if isinstance(get_at(data, other), dict)]
    key, value = more.draw(st.sampled_from([entry for mapping in mappings for entry in mapping.items()]))
    if key not in get_at(data, place):
        assert_agreement(name, replace_at(data, place, {**get_at(data, place), key: value}))


CONDITIONS = [
    (name, path, place)
    for name, path in FILES
    if name in ("game", "requirements")
    for place in places(load(path))
    if place
    and place[-1] in ("when", "must", "where", "needs", "tip", "open-to", "not")
    and not {"pattern", "patterns"}.intersection(place)  # patterns are checked when they are expanded
    and isinstance(get_at(load(path), place), dict)
]


@thorough
@given(st.sampled_from(CONDITIONS))
def test_a_condition_with_a_second_operator_is_refused_by_both(case: tuple[str, Path, tuple[str | int, ...]]) -> None:
    name, path, place = case
    data = load(path)
    second: dict[str, Any] = {"any": [{"reading": {"any": "any"}}]}
    condition = get_at(data, place)
    if "any" in condition:
        second = {"not": condition["any"][0]}
    found = replace_at(data, place, {**condition, **second})
    assert errors_of_model(name, found)
    assert not accepted_by_schema(name, found)
    empty = replace_at(data, place, {})
    assert errors_of_model(name, empty)
    assert not accepted_by_schema(name, empty)


ODDS = [
    (name, path, place)
    for name, path in FILES
    if name in ("game", "simulation")
    for place in places(load(path))
    if isinstance(get_at(load(path), place), str)
    and {"rows", "due", "odds"}.intersection(place)
    and " to " in get_at(load(path), place)
]


@pytest.mark.parametrize("bad", ["5 too 1", "5 to", "to 1", "5/1", "5.5 to 1", "-5 to 1", "5 to 1 to 1", "1,00 to 1"])
def test_malformed_odds_are_refused_by_both(bad: str) -> None:
    assert ODDS
    for name, path, place in ODDS[:: max(1, len(ODDS) // 8)]:
        found = replace_at(load(path), place, bad)
        assert errors_of_model(name, found)
        assert not accepted_by_schema(name, found)


@pytest.mark.parametrize("bad", ["0 to 1", "1 for 2", "1 to 0", "1234567890123 to 1"])
def test_the_worth_of_odds_is_seen_by_models_only(bad: str) -> None:
    name, path, place = ODDS[0]
    found = replace_at(load(path), place, bad)
    assert errors_of_model(name, found) == ["value_error"]
    assert accepted_by_schema(name, found)
