"""Laws of the loaders, checked against generated text and the standard library."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.facade.text import (
    Data,
    DataPath,
    InputError,
    PositionedDocument,
    decode_source,
    load_document,
    load_json,
    load_yaml,
)
from tests.text.helpers import source

PRINTABLE = "".join(chr(code) for code in range(32, 127))
DECIMALS = st.decimals(min_value=-(10**9), max_value=10**9, places=4)

JSON_TEXT = st.text(st.characters(codec="utf-8"))
YAML_LIKE = st.lists(
    st.one_of(
        st.sampled_from(list("[]{}:,-?#&*!|>'\"%@` \n\t\r~<=0123456789aeyn.\\_\x85\u2028é")),
        st.sampled_from(
            [
                "\n- ",
                "\n  - ",
                "a: ",
                "\n  b: ",
                "---\n",
                "...\n",
                "<<: ",
                "3:2",
                '"',
                "&a ",
                "*a",
                "!!s ",
                "|\n ",
                "%TAG ",
            ]
        ),
    )
).map("".join)
JSON_LIKE = st.lists(
    st.sampled_from(
        [*"[]{}:,\"\\ \n-01.eE+/#'", "true", "null", "NaN", '"a"', "\\u", "d800", "12", "1.5", "{}", '{"a":']
    )
).map("".join)


def documents(text: st.SearchStrategy[str], numbers: st.SearchStrategy[object]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-(10**18), 10**18), numbers, text),
        lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(text, inner, max_size=5)),
        max_leaves=20,
    )


def dump(value: Any, **options: Any) -> str:
    """Write JSON text in which Decimals keep their digits."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(key, **options)}: {dump(item, **options)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",\n".join(dump(item, **options) for item in value) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value, **options)


@settings(max_examples=200)
@given(
    st.one_of(st.binary(), YAML_LIKE.map(str.encode), st.text().map(lambda text: text.encode(errors="surrogatepass")))
)
@example(b"- - -\t- a")
@example(b'"\\N"')
@example(b"---")
def test_any_bytes_given_as_yaml_are_a_tree_or_refused(data: bytes) -> None:
    with_tree_or_refusal(data, "f.yaml")


@settings(max_examples=200)
@given(
    st.one_of(st.binary(), JSON_LIKE.map(str.encode), st.text().map(lambda text: text.encode(errors="surrogatepass")))
)
def test_any_bytes_given_as_json_are_a_tree_or_refused(data: bytes) -> None:
    with_tree_or_refusal(data, "f.json")


def with_tree_or_refusal(data: bytes, name: str) -> None:
    try:
        tree = load_document(decode_source(name, data))
    except InputError as error:
        for problem in error.diagnostics:
            assert problem.line is None or problem.column is None or problem.line >= 1 <= problem.column
        assert str(error).startswith("error[")
        return
    assert set(tree.positions) == set(paths(tree.data))
    for path in tree.positions:
        tree.build_diagnostic(path, "c", "m")


def paths(data: Data, path: DataPath = ()) -> Iterator[DataPath]:
    yield path
    if isinstance(data, dict):
        for key, item in data.items():
            yield from paths(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from paths(item, (*path, index))


def are_same(left: Any, right: Any) -> bool:
    """Return whether two values are equal, distinguishing true from 1 and a Decimal from an int."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(are_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(are_same, left, right))
    return bool(left == right)


@given(documents(JSON_TEXT, DECIMALS), st.booleans())
def test_json_is_what_the_standard_library_reads(value: Any, ascii_only: bool) -> None:
    text = dump(value, ensure_ascii=ascii_only)
    assert are_same(load_json(source(text)).data, json.loads(text, parse_float=Decimal))


@given(documents(st.text(PRINTABLE, max_size=50), DECIMALS))
def test_yaml_reads_json_as_the_standard_library_does(value: Any) -> None:
    text = dump(value)
    assert are_same(load_yaml(source(text)).data, json.loads(text, parse_float=Decimal))


@given(documents(st.text(PRINTABLE, max_size=50), DECIMALS))
def test_yaml_and_json_agree_on_positions(value: Any) -> None:
    text = dump(value)
    assert load_yaml(source(text)).positions == load_json(source(text)).positions


@given(documents(st.text(PRINTABLE, max_size=20), DECIMALS))
def test_positions_point_at_values_and_keys(value: Any) -> None:
    text = dump(value)
    points_at_everything(load_json(source(text)))
    points_at_everything(load_yaml(source(text)))


def points_at_everything(tree: PositionedDocument) -> None:
    for path, position in tree.positions.items():
        value = tree.get_value(path)
        rest = tree.lines[position.line - 1][position.column - 1 :]
        assert rest.startswith("{" if isinstance(value, dict) else "[" if isinstance(value, list) else dump(value))
        if path and isinstance(path[-1], str):
            assert position.key_line is not None
            assert position.key_column is not None
            assert tree.lines[position.key_line - 1][position.key_column - 1 :].startswith(dump(path[-1]))
        else:
            assert position.key_line is position.key_column is None


WORDS = st.text(string.ascii_letters, min_size=2, max_size=8).filter(
    lambda word: word.lower() not in {"yes", "no", "on", "off", "true", "false", "null"}
)
BLOCKS = st.recursive(
    st.one_of(WORDS, st.integers(-(10**18), 10**18), DECIMALS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(WORDS, inner, min_size=1, max_size=4)
    ),
    max_leaves=15,
)


def block(value: Any, indent: int) -> str:
    """Write the value in YAML's block style, each entry on a line of its own."""
    if isinstance(value, dict):
        return "".join(f"\n{' ' * indent}{key}: {block(item, indent + 2)}" for key, item in value.items())
    if isinstance(value, list):
        return "".join(f"\n{' ' * indent}- {block(item, indent + 2)}" for item in value)
    return str(value)


@given(BLOCKS)
def test_block_style_and_its_positions(value: Any) -> None:
    tree = load_yaml(source(block(value, 0)))
    assert are_same(tree.data, value)
    for path, position in tree.positions.items():
        found = tree.get_value(path)
        rest = tree.lines[position.line - 1][position.column - 1 :]
        if isinstance(found, dict):
            assert rest.startswith(f"{next(iter(found))}:")
        elif isinstance(found, list):
            assert rest.startswith("- ")
        else:
            assert rest == str(found)


@pytest.mark.parametrize("name", ["f", "f.txt", "f.yaml", "f.YML", "f.json", "f.JSON", "<stdin>"])
def test_loader_by_name_then_by_first_character(name: str) -> None:
    json_named = name.lower().endswith(".json")
    yaml_named = name.lower().endswith(("yaml", "yml"))
    for text, as_json in (("{a: 1}", not yaml_named), (" \n[a]", not yaml_named), ("a: 1", json_named)):
        if as_json:
            with pytest.raises(InputError, match="not in quotes"):
                load_document(source(text, name))
        else:
            assert load_document(source(text, name)).data in ({"a": 1}, ["a"])
