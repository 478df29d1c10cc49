"""Exact odds: reading, printing, arithmetic, refusals, and their place in a model."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from typing import Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from validator.text.odds import Odds, OddsText, parse_odds

COUNTS = st.integers(1, 10**12 - 1)


@pytest.mark.parametrize(
    ("text", "payout", "form", "profit", "printed"),
    [
        ("5 to 1", Fraction(5), "to", Fraction(5), "5 to 1"),
        ("9 for 1", Fraction(9), "for", Fraction(8), "9 for 1"),
        ("3 to 2", Fraction(3, 2), "to", Fraction(3, 2), "3 to 2"),
        ("6 to 4", Fraction(3, 2), "to", Fraction(3, 2), "3 to 2"),
        ("1 to 20", Fraction(1, 20), "to", Fraction(1, 20), "1 to 20"),
        ("3 for 2", Fraction(3, 2), "for", Fraction(1, 2), "3 for 2"),
        ("1 for 1", Fraction(1), "for", Fraction(0), "1 for 1"),
        ("1:1", Fraction(1), "to", Fraction(1), "1 to 1"),
        ("3 : 2", Fraction(3, 2), "to", Fraction(3, 2), "3 to 2"),
        ("  5\tTO  1 ", Fraction(5), "to", Fraction(5), "5 to 1"),
        ("9 For 1", Fraction(9), "for", Fraction(8), "9 for 1"),
        ("10,000 to 1", Fraction(10_000), "to", Fraction(10_000), "10,000 to 1"),
        ("10000 to 1", Fraction(10_000), "to", Fraction(10_000), "10,000 to 1"),
        ("1,234,567:1", Fraction(1_234_567), "to", Fraction(1_234_567), "1,234,567 to 1"),
        ("007 to 1", Fraction(7), "to", Fraction(7), "7 to 1"),
        ("999999999999 to 1", Fraction(999_999_999_999), "to", Fraction(999_999_999_999), "999,999,999,999 to 1"),
    ],
)
def test_reading(text: str, payout: Fraction, form: Literal["to", "for"], profit: Fraction, printed: str) -> None:
    odds = parse_odds(text)
    assert odds == Odds(payout=payout, form=form)
    assert odds.profit == profit
    assert odds.printed == str(odds) == printed


HOW_TO = 'write odds as "5 to 1", "9 for 1" or "3:2", in whole numbers'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f"`` is not odds: {HOW_TO}"),
        ("5", f"`5` is not odds: {HOW_TO}"),
        ("5 to", f"`5 to` is not odds: {HOW_TO}"),
        ("5to1", f"`5to1` is not odds: {HOW_TO}"),
        ("5-1", f"`5-1` is not odds: {HOW_TO}"),
        ("-5 to 1", f"`-5 to 1` is not odds: {HOW_TO}"),
        ("1.5 to 1", f"`1.5 to 1` is not odds: {HOW_TO}"),
        ("5 to 1 to 1", f"`5 to 1 to 1` is not odds: {HOW_TO}"),
        ("5 to 1\n", f"`5 to 1\n` is not odds: {HOW_TO}"),
        ("1,00 to 1", f"`1,00 to 1` is not odds: {HOW_TO}"),
        ("1,0000 to 1", f"`1,0000 to 1` is not odds: {HOW_TO}"),
        ("\u0665 to 1", f"`\u0665 to 1` is not odds: {HOW_TO}"),
        ("push", f"`push` is not odds: {HOW_TO}"),
        ("1" * 10_000, f"`{'1' * 60}...` is not odds: {HOW_TO}"),
        ("0 to 1", "`0 to 1` has a zero: both numbers of odds are at least 1"),
        ("1 to 0", "`1 to 0` has a zero: both numbers of odds are at least 1"),
        ("0,000:1", "`0,000:1` has a zero: both numbers of odds are at least 1"),
        ("1000000000000 to 1", "a number in `1000000000000 to 1` has more than 12 digits"),
        ("1 for 2", "`1 for 2` pays back less than the stake"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_odds(text)
    assert str(caught.value) == said


@given(COUNTS, COUNTS, st.sampled_from(["to", "for", ":"]))
def test_printed_odds_read_back(left: int, right: int, between: str) -> None:
    if between == "for" and left < right:
        left, right = right, left
    odds = parse_odds(f"{left} {between} {right}")
    assert parse_odds(str(odds)) == odds
    assert odds.payout == Fraction(left, right)


@given(st.integers(2, 10**12 - 1))
def test_n_for_1_pays_what_one_less_to_1_pays(count: int) -> None:
    exchanged, beside = parse_odds(f"{count:,} for 1"), parse_odds(f"{count - 1} to 1")
    assert exchanged.profit == beside.profit
    assert exchanged != beside


@given(st.text())
def test_any_text_is_odds_or_a_value_error(text: str) -> None:
    try:
        parse_odds(text)
    except ValueError as error:
        assert str(error)


class Row(BaseModel, strict=True):
    odds: OddsText


def test_in_a_model() -> None:
    row = Row.model_validate_json('{"odds": "9 for 1"}')
    assert row.odds == Odds(payout=Fraction(9), form="for")
    assert row.model_dump_json() == '{"odds":"9 for 1"}'
    assert Row(odds=row.odds) == row == Row.model_validate({"odds": "9 for 1"})
    for wrong in ('{"odds": 9}', '{"odds": "nine"}', '{"odds": null}'):
        with pytest.raises(ValidationError):
            Row.model_validate_json(wrong)


@pytest.mark.parametrize(
    "text", ["5 to 1", " 10,000 FOR 1 ", "3:2", "5to1", "1,00 to 1", "5 to 1 x", "5 to", "-1 to 1", "push"]
)
def test_schema_accepts_what_has_the_form_of_odds(text: str) -> None:
    schema = json.loads(json.dumps(Row.model_json_schema()))
    try:
        parse_odds(text)
        good = True
    except ValueError:
        good = False
    assert jsonschema.Draft202012Validator(schema).is_valid({"odds": text}) is good


def test_odds_work_without_pydantic() -> None:
    program = "import sys, validator.text.odds as o; o.parse_odds('5 to 1'); sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
