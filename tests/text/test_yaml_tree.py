"""Loading of YAML: its values, the positions of its parts, and the reasons for refusal."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fairdeal.validator.text.yaml_document import load_yaml
from tests.facade.text import InputError, SourcePosition
from tests.text.helpers import refusal, source
from tests.text.yaml_refusals import YAML_REFUSALS


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("nuLL", "nuLL"),
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("tRue", "tRue"),
        ("false", False),
        ("False", False),
        ("FALSE", False),
        ("0", 0),
        ("-0", 0),
        ("7", 7),
        ("+7", 7),
        ("-19", -19),
        ("1234567890123456789", 1234567890123456789),
        ("0o17", 15),
        ("0x1F", 31),
        ("0xFFFFFFFFFFFFFFFFFFF", 16**19 - 1),
        ("0o8", "0o8"),
        ("0xG", "0xG"),
        ("2.50", Decimal("2.50")),
        ("-0.1", Decimal("-0.1")),
        (".5", Decimal("0.5")),
        ("5.", Decimal(5)),
        ("1e3", Decimal(1000)),
        ("1.5E-3", Decimal("0.0015")),
        ("1e30", Decimal(10) ** 30),
        ("123456789.012345", Decimal("123456789.012345")),
        ("0.000000123456789012345", Decimal("0.000000123456789012345")),
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T12:30:00", "2024-01-31T12:30:00"),
        ("1.2.3", "1.2.3"),
        ("-x", "-x"),
        ("...x", "...x"),
        ("5 to 1", "5 to 1"),
        ("a:b", "a:b"),
        ("3:2:x", "3:2:x"),
        ("_1", "_1"),
        ("1_x", "1_x"),
        ("none", "none"),
        ("=", "="),
        ("<<", "<<"),
        ("'no'", "no"),
        ('"3:2"', "3:2"),
        ("'010'", "010"),
        ("''", ""),
        ("'12345678901234567890'", "12345678901234567890"),
        ("'it''s'", "it's"),
        (r'"a\tb\u00e9\x41\/"', "a\tbéA/"),
        ("|\n  one\n  two\n", "one\ntwo\n"),
        (">-\n  one\n  two\n", "one two"),
        ("one\n  two", "one two"),
        ("[]", []),
        ("{}", {}),
        ("[a, [b], {c: d}]", ["a", ["b"], {"c": "d"}]),
    ],
)
def test_value(written: str, value: object) -> None:
    data = load_yaml(source(f"k: {written}\n")).data
    assert isinstance(data, dict)
    assert data["k"] == value
    assert type(data["k"]) is type(value)


def test_decimals_keep_their_digits() -> None:
    assert str(load_yaml(source("2.50")).data) == "2.50"


def test_document_that_is_a_scalar_or_nothing() -> None:
    assert load_yaml(source("--- text\n...\n# end\n")).data == "text"
    assert load_yaml(source("---\n")).data is None


def test_version_line_comments_and_mark() -> None:
    text = "\ufeff# head\n%YAML 1.2 # this one\n---\na: 1 # one\n...\n\n# tail"
    tree = load_yaml(source(text))
    assert tree.data == {"a": 1}
    assert tree.get_position(("a",)) == SourcePosition(4, 4, 4, 1)


def test_quoted_keys_of_every_kind() -> None:
    data = load_yaml(source("'1': a\n\"no\": b\n'<<': c\n'': d\n? e\n: f\n")).data
    assert data == {"1": "a", "no": "b", "<<": "c", "": "d", "e": "f"}


def test_order_of_keys_is_that_of_the_file() -> None:
    data = load_yaml(source("{z: 1, a: 2, m: 3}")).data
    assert isinstance(data, dict)
    assert list(data) == ["z", "a", "m"]


DOCUMENT = """\
# a comment
first: one
second:
  - 2
  -   - 2.5
      - null
  - inner: {deep: "x y", 'other key': yes-man}
    empty:
third:
  fourth: |
    text
"""


def test_every_position() -> None:
    assert load_yaml(source(DOCUMENT)).positions == {
        (): SourcePosition(2, 1),
        ("first",): SourcePosition(2, 8, 2, 1),
        ("second",): SourcePosition(4, 3, 3, 1),
        ("second", 0): SourcePosition(4, 5),
        ("second", 1): SourcePosition(5, 7),
        ("second", 1, 0): SourcePosition(5, 9),
        ("second", 1, 1): SourcePosition(6, 9),
        ("second", 2): SourcePosition(7, 5),
        ("second", 2, "inner"): SourcePosition(7, 12, 7, 5),
        ("second", 2, "inner", "deep"): SourcePosition(7, 19, 7, 13),
        ("second", 2, "inner", "other key"): SourcePosition(7, 39, 7, 26),
        ("second", 2, "empty"): SourcePosition(8, 11, 8, 5),
        ("third",): SourcePosition(10, 3, 9, 1),
        ("third", "fourth"): SourcePosition(10, 11, 10, 3),
    }


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_positions_with_every_line_break(ending: str) -> None:
    tree = load_yaml(source(DOCUMENT.replace("\n", ending)))
    assert tree.positions == load_yaml(source(DOCUMENT)).positions
    assert tree.lines == tuple(DOCUMENT.split("\n"))


def test_positions_count_characters_not_bytes() -> None:
    tree = load_yaml(source("é: {\U0001f600: ü, b: c}"))
    assert tree.get_position(("é", "\U0001f600")) == SourcePosition(1, 8, 1, 5)
    assert tree.get_position(("é", "b")) == SourcePosition(1, 14, 1, 11)


@pytest.mark.parametrize("case", YAML_REFUSALS)
def test_refusal(case: str) -> None:
    text, said = YAML_REFUSALS[case]
    assert refusal(load_yaml, source(text)) == said


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "y", "n"])
def test_ambiguous_words_in_any_case(word: str) -> None:
    for written in {word, word.upper(), word.title()}:
        with pytest.raises(InputError) as caught:
            load_yaml(source(f"[{written}]"))
        assert caught.value.diagnostics[0].code == "ambiguous-word"


def test_depth_at_its_bound() -> None:
    load_yaml(source("[" * 64 + "]" * 64))
    with pytest.raises(InputError):
        load_yaml(source("[" * 65 + "]" * 65))


def test_blanks_at_their_bound() -> None:
    assert load_yaml(source("a" + " " * 1000 + "b")).data == "a" + " " * 1000 + "b"
    for run in (" " * 1001, "\n" * 1001, "\r\n" * 501, " \n\t" * 334):
        with pytest.raises(InputError) as caught:
            load_yaml(source("é: a" + run + "b"))
        [problem] = caught.value.diagnostics
        assert (problem.code, problem.line, problem.column) == ("too-many-blanks", 1, 5)


def test_twenty_problems_end_the_load() -> None:
    with pytest.raises(InputError) as caught:
        load_yaml(source("".join(f"k{number}: no\n" for number in range(30))))
    assert [problem.line for problem in caught.value.diagnostics] == list(range(1, 21))


def test_problems_before_a_syntax_error_are_kept() -> None:
    with pytest.raises(InputError) as caught:
        load_yaml(source("a: no\nb: [1\n"))
    assert [problem.code for problem in caught.value.diagnostics] == ["ambiguous-word", "syntax"]


def test_long_text_is_not_repeated_whole() -> None:
    with pytest.raises(InputError) as caught:
        load_yaml(source("a: " + "1:" * 5000 + "1\n"))
    [problem] = caught.value.diagnostics
    assert len(problem.message) < 150
    assert len(problem.help or "") < 150
