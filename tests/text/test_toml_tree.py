"""TOML with positions: the data equals that of Python's parser, and every part is at its stated position."""

from __future__ import annotations

import tomllib
from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.schemas.configuration import load_toml
from tests.facade.text import Data, DataPath, InputError, PositionedDocument, SourcePosition, decode_source

FILE = '''# a comment with "quotes" and [brackets]
title = "one" # = [
"quoted key" . 'other' = 'it"s'
a.b.c = 1_000
a . d = -2.50e1
multi = """
text with "quotes" and ]
"""
raw = \'\'\'
it's \\ raw \'\'\'\'
list = [ 1, # one
  [ "x]", 'y,' ], { k = true, "m.n" = {} },
]
day = 2026-01-31 # a day
moment = 1979-05-27 07:32:00

[table]
empty = []
[table.deep.er] # header
x = 1
["table" . wide]
[[rows]]
name = "é\\u00e9"
[rows.inner]
z = false
[[rows]]
[[rows.more]]
v = 1
[[rows.more]]
v = 2
'''


def tree_of(text: str) -> PositionedDocument:
    return load_toml(decode_source("x.toml", text.encode()))


def paths(value: Data, path: DataPath = ()) -> list[DataPath]:
    found = [path]
    if isinstance(value, dict):
        found += [inner for key, part in value.items() for inner in paths(part, (*path, key))]
    elif isinstance(value, list):
        found += [inner for number, part in enumerate(value) for inner in paths(part, (*path, number))]
    return found


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value


def assert_positions(tree: PositionedDocument) -> None:
    """Assert that every part has a position, and that its key and value begin there."""
    assert set(tree.positions) == set(paths(tree.data))
    for path, place in tree.positions.items():
        if place.key_line is not None and place.key_column is not None:
            key = tree.lines[place.key_line - 1][place.key_column - 1 :]
            assert key.startswith(('"', "'")) or key.startswith(str(path[-1]))
        value = tree.get_value(path)
        rest = "\n".join([tree.lines[place.line - 1][place.column - 1 :], *tree.lines[place.line :]])
        if path and isinstance(value, (str, int, Decimal)) and not rest.startswith("["):
            assert begins_with(rest, value), (path, rest[:20])


def begins_with(text: str, value: Data) -> bool:
    for end in range(1, len(text) + 1):
        try:
            found = tomllib.loads(f"x = {text[:end]}", parse_float=Decimal)["x"]
        except tomllib.TOMLDecodeError:
            continue
        if plain(found) == value or str(value) == str(plain(found)):
            return True
    return False


def test_every_part_of_a_file_stands_where_it_is_said_to() -> None:
    tree = tree_of(FILE)
    assert tree.data == plain(tomllib.loads(FILE, parse_float=Decimal))
    assert_positions(tree)
    assert tree.positions["a", "d"] == SourcePosition(5, 9, 5, 5)
    assert tree.positions["list", 1, 1] == SourcePosition(12, 11)
    assert tree.positions["rows", 1, "more", 1, "v"] == SourcePosition(30, 5, 30, 1)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_do_not_move_anything(ending: str) -> None:
    assert_positions(tree_of(FILE.replace("\n", ending)))
    assert tree_of(FILE.replace("\n", ending)).positions == tree_of(FILE).positions


KEYS = st.sampled_from(["a", "b-c", '"d e"', "'f.g'", '"h\\"]"', "1"])
SCALARS = st.sampled_from(['"t"', "'r#'", "1", "-0.5", "true", "2026-01-01", '"""\nm\n"""', "''''it'''", '"\\\\"'])
SPACE = st.sampled_from(["", " ", "\t "])
BREAK = st.sampled_from(["", "\n", " # c ]\n", " "])


def values() -> st.SearchStrategy[str]:
    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        lists = st.tuples(st.lists(inner, max_size=3), BREAK).map(
            lambda both: f"[{both[1]}{f',{both[1]}'.join(both[0])}{both[1]}]"
        )
        tables = st.tuples(st.dictionaries(KEYS, inner, max_size=3), SPACE).map(
            lambda both: (
                "{"
                + ",".join(f"{both[1]}{key}{both[1]}={both[1]}{part}{both[1]}" for key, part in both[0].items())
                + "}"
            )
        )
        return lists | tables

    return st.recursive(SCALARS, extend, max_leaves=6)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.lists(KEYS, min_size=1, max_size=3), SPACE, values()).map(
                lambda all_: f"{f'{all_[1]}.{all_[1]}'.join(all_[0])}{all_[1]}={all_[1]}{all_[2]}"
            ),
            st.tuples(st.lists(KEYS, min_size=1, max_size=3), SPACE).map(
                lambda both: f"[{both[1]}{f'{both[1]}.{both[1]}'.join(both[0])}{both[1]}]"
            ),
            st.lists(KEYS, min_size=1, max_size=2).map(lambda keys: f"[[{'.'.join(keys)}]]"),
            st.just("# comment = ["),
        ),
        max_size=6,
    )
)
def test_what_python_reads_is_placed_and_what_it_refuses_is_refused(lines: list[str]) -> None:
    text = "\n".join([*lines, "# end"])
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(InputError):
            tree_of(text)
        return
    tree = tree_of(text)
    assert paths(tree.data) == paths(plain(expected))
    assert_positions(tree)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a = \n", 1, 5),
        ("a = 1\nb\n", 2, 2),
        ("a = [1,\n2\n\n", 2, 2),
        ("a = 1\na = 2", 2, 6),
        (f"a = {'9' * 5000}", 1, None),
    ],
)
def test_what_is_not_toml_is_told_with_its_place(text: str, line: int, column: int | None) -> None:
    with pytest.raises(InputError) as refused:
        tree_of(text)
    (wrong,) = refused.value.diagnostics
    assert wrong.code == "not-toml"
    assert wrong.line == line
    assert column is None or wrong.column == column


@pytest.mark.parametrize("depth", [65, 5_000, 200_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_depth_is_bounded(depth: int, brackets: str) -> None:
    opening = brackets[0] if brackets == "[]" else "{a="
    with pytest.raises(InputError, match="too-deep"):
        tree_of(f"a = {opening * depth}1{brackets[1] * depth}")


def test_numbers_without_a_value_stay_text() -> None:
    assert tree_of("a = [inf, -nan, 1e9999999999999999999, 0.10]").data == {
        "a": ["inf", "-nan", "1e9999999999999999999", Decimal("0.10")]
    }
