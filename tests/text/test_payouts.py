"""Exact payouts: reading, printing, arithmetic, refusals, and their place in a model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.facade.text import OddsText, Payout, PayoutText, PayoutWording, parse_odds, parse_payout

COUNTS = st.integers(1, 10**12 - 1)


@pytest.mark.parametrize(
    ("text", "value", "form", "profit", "printed"),
    [
        ("5 to 1", Fraction(5), "to", Fraction(5), "5 to 1"),
        ("9 for 1", Fraction(9), "for", Fraction(8), "9 for 1"),
        ("3 to 2", Fraction(3, 2), "to", Fraction(3, 2), "3 to 2"),
        ("6 to 4", Fraction(3, 2), "to", Fraction(3, 2), "3 to 2"),
        ("1 to 20", Fraction(1, 20), "to", Fraction(1, 20), "1 to 20"),
        ("3 for 2", Fraction(3, 2), "for", Fraction(1, 2), "3 for 2"),
        ("1 for 1", Fraction(1), "for", Fraction(0), "1 for 1"),
        ("1:1", Fraction(1), "colon", Fraction(1), "1:1"),
        ("3 : 2", Fraction(3, 2), "colon", Fraction(3, 2), "3:2"),
        ("  5\tTO  1 ", Fraction(5), "to", Fraction(5), "5 to 1"),
        ("9 For 1", Fraction(9), "for", Fraction(8), "9 for 1"),
        ("10,000 to 1", Fraction(10_000), "to", Fraction(10_000), "10,000 to 1"),
        ("10000 to 1", Fraction(10_000), "to", Fraction(10_000), "10,000 to 1"),
        ("1,234,567:1", Fraction(1_234_567), "colon", Fraction(1_234_567), "1,234,567:1"),
        ("win 5", Fraction(5), "win", Fraction(5), "win 5"),
        ("5 win 1", Fraction(5), "win", Fraction(5), "win 5"),
        ("Win 5 to 1", Fraction(5), "win", Fraction(5), "win 5"),
        ("win 3 to 2", Fraction(3, 2), "win", Fraction(3, 2), "3 win 2"),
        ("007 to 1", Fraction(7), "to", Fraction(7), "7 to 1"),
        ("999999999999 to 1", Fraction(999_999_999_999), "to", Fraction(999_999_999_999), "999,999,999,999 to 1"),
    ],
)
def test_reading(text: str, value: Fraction, form: PayoutWording, profit: Fraction, printed: str) -> None:
    odds = parse_odds(text)
    assert odds == Payout(value=value, form=form)
    assert parse_payout(text) == odds
    assert (odds.unit, odds.worth) == ("stake", profit)
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
        ("1 for 2", "`1 for 2` returns less than the stake"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_odds(text)
    assert str(caught.value) == said


@given(COUNTS, COUNTS, st.sampled_from(["to", "for", ":", "win"]))
def test_printed_odds_read_back(left: int, right: int, between: str) -> None:
    if between == "for" and left < right:
        left, right = right, left
    odds = parse_odds(f"{left} {between} {right}")
    assert parse_odds(str(odds)) == odds
    assert odds.value == Fraction(left, right)


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


@pytest.mark.parametrize(
    ("text", "payout", "unit", "printed"),
    [
        ("push", Payout(value=Fraction(0), form="push"), "stake", "push"),
        (" Push ", Payout(value=Fraction(0), form="push"), "stake", "push"),
        ("10% of meter", Payout(value=Fraction(1, 10), form="meter"), "meter", "10% of meter"),
        ("100 % of meter", Payout(value=Fraction(1), form="meter"), "meter", "100% of meter"),
        ("2.5% of meter", Payout(value=Fraction(1, 40), form="meter"), "meter", "2.50% of meter"),
        ("0.05% of meter", Payout(value=Fraction(1, 2000), form="meter"), "meter", "0.05% of meter"),
        ("$5,000", Payout(value=Fraction(500_000), form="amount"), "money", "$5,000"),
        ("$5000.00", Payout(value=Fraction(500_000), form="amount"), "money", "$5,000"),
        ("$0.05", Payout(value=Fraction(5), form="amount"), "money", "$0.05"),
    ],
)
def test_what_is_no_odds(text: str, payout: Payout, unit: str, printed: str) -> None:
    found = parse_payout(text)
    assert (found, found.unit, found.worth, str(found)) == (payout, unit, payout.value, printed)
    assert parse_payout(printed) == payout
    with pytest.raises(ValueError, match="is not odds"):
        parse_odds(text)


def test_odds_and_pushes_alone_have_a_profit_on_the_stake() -> None:
    assert parse_payout("push").profit == 0
    for text in ("10% of meter", "$5,000"):
        with pytest.raises(ValueError, match="does not depend on the stake alone"):
            assert parse_payout(text).profit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0% of meter", "`0% of meter` has a zero: a payout is more than nothing"),
        ("$0", "`$0` has a zero: a payout is more than nothing"),
        ("$1000000000000", "a number in `$1000000000000` has more than 12 digits"),
        ("$5.5", f'`$5.5` is no payout: {HOW_TO}; or "push", "10% of meter", "$5,000"'),
        ("2.125% of meter", f'`2.125% of meter` is no payout: {HOW_TO}; or "push", "10% of meter", "$5,000"'),
        ("1 for 2", "`1 for 2` returns less than the stake"),
        ("100.01% of meter", "`100.01% of meter` is more than the meter holds: write 100% at most"),
    ],
)
def test_refused_payouts(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_payout(text)
    assert str(caught.value) == said


class Row(BaseModel, strict=True):
    odds: OddsText


class Payment(BaseModel, strict=True):
    pays: PayoutText


def test_in_a_model() -> None:
    row = Row.model_validate_json('{"odds": "9 for 1"}')
    assert row.odds == Payout(value=Fraction(9), form="for")
    assert row.model_dump_json() == '{"odds":"9 for 1"}'
    assert Row(odds=row.odds) == row == Row.model_validate({"odds": "9 for 1"})
    for wrong in ('{"odds": 9}', '{"odds": "nine"}', '{"odds": null}'):
        with pytest.raises(ValidationError):
            Row.model_validate_json(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "5 to 1",
        " 10,000 FOR 1 ",
        "3:2",
        "5to1",
        "1,00 to 1",
        "5 to 1 x",
        "5 to",
        "-1 to 1",
        "push",
        "win 5",
        "5 win 1",
        "win",
        "10% of meter",
        "10 of meter",
        "$5",
        "$5,000.50",
        "$5,00",
        "$",
    ],
)
@pytest.mark.parametrize(("model", "key", "parse"), [(Row, "odds", parse_odds), (Payment, "pays", parse_payout)])
def test_schema_accepts_what_has_the_form(
    model: type[BaseModel], key: str, parse: Callable[[str], Payout], text: str
) -> None:
    schema = json.loads(json.dumps(model.model_json_schema()))
    try:
        parse(text)
        good = True
    except ValueError:
        good = False
    assert jsonschema.Draft202012Validator(schema).is_valid({key: text}) is good


def test_odds_work_without_pydantic() -> None:
    program = (
        "import sys; from fairdeal.validator.text.plain_values import parse_odds; parse_odds('5 to 1'); "
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
