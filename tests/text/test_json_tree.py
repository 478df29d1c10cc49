"""Loading of JSON: its values, the positions of its parts, and the reasons for refusal."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fairdeal.validator.text.json_document import load_json
from tests.facade.text import Data, InputError, SourcePosition
from tests.text.helpers import refusal, source
from tests.text.json_refusals import JSON_REFUSALS


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("-0", 0),
        ("-12", -12),
        ("1234567890123456789", 1234567890123456789),
        ("2.50", Decimal("2.50")),
        ("-0.1", Decimal("-0.1")),
        ("1e3", Decimal(1000)),
        ("1.5E-3", Decimal("0.0015")),
        ('""', ""),
        ('"no"', "no"),
        (r'"\"\\\/\b\f\n\r\té😀"', '"\\/\b\f\n\r\té\U0001f600'),
        ('"\x7f\u2028é"', "\x7f\u2028é"),
        ("[]", []),
        ("{}", {}),
        (' [ 1 , [ ] , { "a" : { } } ] ', [1, [], {"a": {}}]),
    ],
)
def test_value(written: str, value: Data) -> None:
    data = load_json(source(written)).data
    assert data == value
    assert type(data) is type(value)


DOCUMENT = """
{"first": "one",
 "second":
  [2, [2.5,null],
\t{ "a\\"b" : {} , "c": true}
  ]
}
"""


def test_every_position() -> None:
    assert load_json(source(DOCUMENT)).positions == {
        (): SourcePosition(2, 1),
        ("first",): SourcePosition(2, 11, 2, 2),
        ("second",): SourcePosition(4, 3, 3, 2),
        ("second", 0): SourcePosition(4, 4),
        ("second", 1): SourcePosition(4, 7),
        ("second", 1, 0): SourcePosition(4, 8),
        ("second", 1, 1): SourcePosition(4, 12),
        ("second", 2): SourcePosition(5, 2),
        ("second", 2, 'a"b'): SourcePosition(5, 13, 5, 4),
        ("second", 2, "c"): SourcePosition(5, 23, 5, 18),
    }


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_positions_with_every_line_break(ending: str) -> None:
    tree = load_json(source(DOCUMENT.replace("\n", ending)))
    assert tree.positions == load_json(source(DOCUMENT)).positions
    assert tree.lines == tuple(DOCUMENT.split("\n"))


@pytest.mark.parametrize("case", JSON_REFUSALS)
def test_refusal(case: str) -> None:
    text, said = JSON_REFUSALS[case]
    assert refusal(load_json, source(text, "file.json")) == said


def test_depth_at_its_bound() -> None:
    load_json(source("[" * 64 + "]" * 64))
    with pytest.raises(InputError):
        load_json(source("[" * 65 + "]" * 65))


def test_number_of_values_at_its_bound() -> None:
    with pytest.raises(InputError) as caught:
        load_json(source("[" + "1," * 199_999 + "1]"))
    [problem] = caught.value.diagnostics
    assert (problem.code, problem.column) == ("too-many-values", 2 + 2 * 199_999)
