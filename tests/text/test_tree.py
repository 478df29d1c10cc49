"""Paths, pointers and the places diagnostics take from a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.text.positioned_document import (
    DataPath,
    SourcePosition,
    format_pointer,
    measure_span,
    parse_pointer,
)
from tests.facade.text import load_yaml, render_diagnostic
from tests.text.helpers import source

TREE = load_yaml(
    source("""\
name: two words
rows:
  - {'the key': "quoted \\" text", plain: abc}
  - 12
'0': zero
"a/b~c": {}
""")
)


def test_value() -> None:
    assert TREE.get_value(()) == TREE.data
    assert TREE.get_value(("rows", 0, "the key")) == 'quoted " text'
    assert TREE.get_value(("rows", 1)) == 12
    for absent in [("none",), ("rows", 2), ("rows", -1), ("rows", "0"), (0,), ("name", 0)]:
        with pytest.raises(KeyError):
            TREE.get_value(absent)


def test_at_falls_back_to_the_nearest_ancestor() -> None:
    assert TREE.get_position(("rows", 0, "plain")) == SourcePosition(3, 42, 3, 35)
    assert TREE.get_position(("rows", 0, "absent", 3, "x")) == TREE.get_position(("rows", 0)) == SourcePosition(3, 5)
    assert TREE.get_position(("absent",)) == TREE.get_position(()) == SourcePosition(1, 1)
    assert TREE.find_nearest(("rows", 7, "x")) == ("rows",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("",), "/"),
        (("rows", 0, "the key"), "/rows/0/the key"),
        (("a/b~c",), "/a~1b~0c"),
        (("~1",), "/~01"),
    ],
)
def test_pointers(path: DataPath, text: str) -> None:
    assert format_pointer(path) == text
    assert parse_pointer(text) == path


@given(st.lists(st.one_of(st.text(), st.integers(0, 10**9 - 1))))
def test_pointers_come_back(parts: list[str | int]) -> None:
    spelled = [str(part) for part in parts]
    assert [str(part) for part in parse_pointer(format_pointer(tuple(parts)))] == spelled


@pytest.mark.parametrize("text", ["a", "#/a", "/~", "/a~2", "/~a/b"])
def test_broken_pointers(text: str) -> None:
    with pytest.raises(ValueError, match="not a JSON Pointer"):
        parse_pointer(text)


def test_find_knows_indices_from_keys() -> None:
    assert TREE.resolve_pointer("") == ()
    assert TREE.resolve_pointer("/0") == ("0",)
    assert TREE.resolve_pointer("/rows/0/the key") == ("rows", 0, "the key")
    assert TREE.resolve_pointer("/a~1b~0c") == ("a/b~c",)
    for absent in ("/rows/2", "/rows/-", "/rows/00", "/rows/x", "/nothing", "/name/0"):
        with pytest.raises(KeyError):
            TREE.resolve_pointer(absent)


@given(st.data())
def test_every_path_is_found_by_its_pointer(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(TREE.positions, key=str)))
    assert TREE.resolve_pointer(format_pointer(path)) == path


def render_lines(path: DataPath, *, at_key: bool = False) -> list[str]:
    return render_diagnostic(TREE.build_diagnostic(path, "c", "m", at_key=at_key), color=False).split("\n")[3:5]


@pytest.mark.parametrize(
    ("path", "at_key", "rows"),
    [
        (("name",), False, ["1 | name: two words", "  |       ^^^^^^^^^"]),
        (("name",), True, ["1 | name: two words", "  | ^^^^"]),
        (("rows", 1), False, ["4 |   - 12", "  |     ^^"]),
        (("rows", 1), True, ["4 |   - 12", "  |     ^^"]),
        (("rows",), True, ["2 | rows:", "  | ^^^^"]),
        (("rows", 9), False, ["2 | rows:", "  | ^^^^"]),
        (("absent",), True, ["1 | name: two words", "  | ^^^^"]),
        (("a/b~c",), True, ['6 | "a/b~c": {}', "  | ^^^^^^^"]),
        (("a/b~c",), False, ['6 | "a/b~c": {}', "  |          ^"]),
        (
            ("rows", 0, "the key"),
            False,
            [
                """3 |   - {'the key': "quoted \\" text", plain: abc}""",
                """  |                 ^^^^^^^^^^^^^^^^""",
            ],
        ),
        (
            ("rows", 0, "the key"),
            True,
            [
                """3 |   - {'the key': "quoted \\" text", plain: abc}""",
                """  |      ^^^^^^^^^""",
            ],
        ),
    ],
)
def test_diagnostics_underline_what_they_mean(path: DataPath, at_key: bool, rows: list[str]) -> None:
    assert render_lines(path, at_key=at_key) == rows


def test_diagnostic_carries_all_it_is_given() -> None:
    found = TREE.build_diagnostic(("name",), "c", "m", expected="e", help="h", severity="warning")
    assert (found.code, found.message, found.expected, found.help) == ("c", "m", "e", "h")
    assert (found.severity, found.file, found.line, found.column) == ("warning", "file.yaml", 1, 7)
    assert (found.length, found.source_line) == (9, "name: two words")


@pytest.mark.parametrize(
    ("line", "column", "text", "length"),
    [
        ("a: two words # end", 4, "two words", 9),
        ("a: two words # end", 4, None, 3),
        ("a: 'it''s' b", 4, None, 7),
        ('a: "open', 4, None, 5),
        ("a: ''", 4, "", 2),
        ("[ab, cd]", 2, None, 2),
        ("a:b c", 1, None, 3),
        ("a: b", 1, None, 1),
        ("a:", 3, None, 1),
        ("", 1, None, 1),
    ],
)
def test_span(line: str, column: int, text: str | None, length: int) -> None:
    assert measure_span(line, column, text) == length
