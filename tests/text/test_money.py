"""Amounts as people write them, and as results show them."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.schemas.schema_validation import build_validator, to_plain_data
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import InputError, render_diagnostic
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.plain_values import (
    MAX_MINOR_UNITS,
    Money,
    PositiveMoney,
    are_comparable,
    count_decimals,
    currency_context,
    format_decimal,
    format_money,
    parse_money,
    write_money,
    written_in,
)
from fairdeal.validator.text.source import decode_source

ISO_4217 = {"USD": 2, "EUR": 2, "CAD": 2, "JPY": 0, "KRW": 0, "KWD": 3, "BHD": 3, "CLF": 4, None: 2}
"""Decimals of some currencies, by list one of ISO 4217; two where no currency is known."""
CURRENCIES = st.sampled_from(list(ISO_4217))
AMOUNTS = st.integers(0, MAX_MINOR_UNITS)


class Bet(ClosedModel):
    """File with amounts."""

    CURRENCY_AT = ("currency",)

    currency: str | None = None
    least: Money | None = None
    stake: PositiveMoney | None = None


def read_bet(text: str, name: str = "bet.yaml") -> Bet:
    return validate(load_document(decode_source(name, text.encode())), Bet)


def refuse(text: str, name: str = "bet.yaml") -> str:
    with pytest.raises(InputError) as refused:
        read_bet(text, name)
    return "\n".join(render_diagnostic(problem, color=False) for problem in refused.value.diagnostics)


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (0, "0.00"),
        (1, "0.01"),
        (-1, "-0.01"),
        (99, "0.99"),
        (100, "1.00"),
        (1000, "10.00"),
        (-12_345, "-123.45"),
        (123_456_789, "1,234,567.89"),
    ],
)
def test_format(minor: int, text: str) -> None:
    assert format_money(minor) == text


@given(st.integers())
def test_digits_are_kept(minor: int) -> None:
    assert int(format_money(minor).replace(",", "").replace(".", "")) == minor


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (6_000, "USD", "$60.00"),
        (-5, "EUR", "-€0.05"),
        (123_450, "GBP", "£1,234.50"),
        (6_000, "CAD", "CAD 60.00"),
        (6_000, "JPY", "JPY 6,000"),
        (6_000, "KWD", "KWD 6.000"),
        (6_000, None, "60.00"),
    ],
)
def test_amounts_carry_their_currency(minor: int, currency: str | None, text: str) -> None:
    assert format_money(minor, currency) == text
    with currency_context(currency):
        assert format_money(minor) == text
        with currency_context(None):
            assert format_money(minor) == text
        with currency_context("EUR"):
            assert format_money(abs(minor)) == f"€{format_decimal(abs(minor))}"
    assert format_money(minor) == format_decimal(minor)


@pytest.mark.parametrize(("currency", "decimals"), ISO_4217.items())
def test_decimals_of_a_currency(currency: str | None, decimals: int) -> None:
    assert count_decimals(currency) == decimals
    assert are_comparable(currency, None) is (decimals == 2)
    assert are_comparable(currency, currency)
    assert not are_comparable("USD", "CAD")


@given(AMOUNTS, CURRENCIES)
def test_an_amount_that_is_shown_or_written_is_read_again_as_the_same(minor: int, currency: str | None) -> None:
    with written_in(currency):
        shown = format_decimal(minor, count_decimals(currency))
        assert parse_money(shown) == parse_money(shown.replace(",", "")) == minor
        assert parse_money(write_money(minor)) == minor
        assert parse_money(Decimal(minor).scaleb(-count_decimals(currency))) == minor
        if currency is not None:
            assert parse_money(f"{currency} {shown}") == parse_money(f"{shown} {currency}") == minor


@given(st.integers(0, 10**13), CURRENCIES)
def test_a_number_in_a_file_is_read_digit_for_digit(minor: int, currency: str | None) -> None:
    decimals = ISO_4217[currency]
    digits = str(minor).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    named = "" if currency is None else f"currency: {currency}\n"
    for name, file in (
        ("bet.yaml", f"{named}least: {text}\n"),
        (
            "bet.json",
            f'{{"currency": {"null" if currency is None else f"{chr(34)}{currency}{chr(34)}"}, "least": {text}}}',
        ),
    ):
        if minor <= MAX_MINOR_UNITS:
            assert read_bet(file, name).least == minor
        else:
            assert "`least` must be at most" in refuse(file, name)


@pytest.mark.parametrize(
    ("written", "minor"),
    [
        ("5", 500),
        ("5.00", 500),
        ("5.0", 500),
        (".5", 50),
        ("0.1", 10),
        ("0.29", 29),  # 28.999999999999996 hundredths in binary
        ("1e2", 100_00),
        ("25e-2", 25),
        ("$5", 500),
        ("$5.00", 500),
        ("'$ 5.00'", 500),
        ('"$1,000"', 100_000),
        ("1,000", 100_000),
        ("'1,234,567.89'", 123_456_789),
        ("€5", 500),
        ("5 €", 500),
        ("0", 0),
    ],
)
def test_amounts_are_read_as_they_look(written: str, minor: int) -> None:
    assert read_bet(f"least: {written}\n").least == minor


@pytest.mark.parametrize(
    ("written", "minor"),
    [
        ("'2,50'", 250),
        ("'2,5'", 250),
        ("'1.000,00'", 100_000),
        ("'12.345,6 €'", 1_234_560),
        ("1 000", 100_000),
        ("1 000,50 €", 100_050),
        ("'1\u202f000,50\u00a0€'", 100_050),
        ("1'000.50", 100_050),
        ("1,000.50", 100_050),
        ("1,000", 100_000),
        ("EUR 2,50", 250),
    ],
)
def test_a_comma_before_the_decimals_where_the_currency_has_one(written: str, minor: int) -> None:
    assert read_bet(f"currency: EUR\nleast: {written}\n").least == minor


def test_three_zeros_after_the_point_are_decimals_of_a_currency_that_has_them() -> None:
    assert read_bet("currency: KWD\nleast: 5.000\n").least == 5000
    assert read_bet("least: 5.00\n").least == read_bet("least: 5.0\n").least == 500


@pytest.mark.parametrize("currency", ["USD", "GBP", "AUD"])
def test_a_comma_before_the_decimals_is_refused_elsewhere(currency: str) -> None:
    assert "write the decimals after a point" in refuse(f"currency: {currency}\nleast: '2,50'\n")
    assert read_bet("least: €2,50\n").least == 250


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("5.005", "`5.005` has more than 2 decimals"),
        ("'5.000'", "`5.000` has more than 2 decimals"),
        ("5.000", "`5.000` may be a thousand times as much: write it without decimals"),
        ("-1", "must be at least 0, found the number -1"),
        ("-0.01", "must be at least 0, found the number -0.01"),
        ("'-5'", "is not an amount"),
        ("1e30", "must be at most 10000000000"),
        ("1e-30", "has more than 2 decimals"),
        ("'1e2'", "is not an amount"),
        ("1e999999999", "the exponent of this number is beyond 30"),
        ("'1e999999999'", "is not an amount"),
        ("5_000", "is text to some YAML readers and a number to others"),
        ("'5_000'", "is not an amount"),
        ("010", "starts with a zero"),
        (".nan", "is not a usable number"),
        ("'NaN'", "is not an amount"),
        (".inf", "is not a usable number"),
        ("1,00", "is not an amount"),
        ("'1,0000'", "is not an amount"),
        ("'10,00.00'", "is not an amount"),
        ("1.000,00", "is not an amount"),
        ("'\u0665'", "is not an amount"),
        ("$", "is not an amount"),
        ("five", "is not an amount"),
        ("$5 USD", "is not an amount"),
        ("USD 5", "names a currency, but the file does not: state `currency: USD`"),
        ("¥5", "may be of several currencies"),
        (f"'{'9' * 100_000}'", "is not an amount"),
        (f"'{'1,' * 100_000}'", "is not an amount"),
        ("true", 'must be an amount such as 5, 5.00 or "$5.00", in units of the currency, found true'),
        ("{a: 1}", "found a mapping"),
    ],
)
def test_other_values_are_refused_at_their_place(written: str, problem: str) -> None:
    message = refuse(f"# limits\nleast: {written}\n")
    assert problem in message
    assert " --> bet.yaml:2:" in message
    assert message.count("error[") == 1


@pytest.mark.parametrize(
    ("currency", "written", "expected"),
    [
        ("JPY", "500", 500),
        ("JPY", "¥500", 500),
        ("JPY", "JPY 1,500", 1500),
        ("JPY", "5.5", "`5.5` has more decimals than JPY, which has none"),
        ("JPY", "$5", "`$5` is not in JPY"),
        ("KWD", "1.005", 1005),
        ("KWD", "'1.0050'", "has more decimals than KWD, which has 3"),
        ("CAD", "$5.50", 550),
        ("CAD", "USD 5", "`USD 5` is not in CAD"),
        ("EUR", "$5", "`$5` is not in EUR"),
        ("USD", "5 USD", 500),
    ],
)
def test_the_currency_of_the_file_decides(currency: str, written: str, expected: int | str) -> None:
    text = f"currency: {currency}\nleast: {written}\n"
    if isinstance(expected, int):
        assert read_bet(text).least == expected
    else:
        assert expected in refuse(text)


@pytest.mark.parametrize("currency", [None, "JPY"])
def test_a_stake_is_more_than_nothing(currency: str | None) -> None:
    named = "" if currency is None else f"currency: {currency}\n"
    assert "`stake` must be more than 0, found the number 0" in refuse(f"{named}stake: 0\n")
    assert read_bet(f"{named}stake: 1\n").stake == 10 ** count_decimals(currency)


TEXTS = st.from_regex(re.compile(r"[-+$€£¥]? ?[0-9]{1,4}([,.][0-9]{0,4}){0,3}( ?[$A-Z]{0,3})?"), fullmatch=True)
VALUES = st.one_of(
    st.integers(-(10**13), 10**13), st.decimals(-100, 100, places=3), TEXTS, st.text(max_size=5), st.booleans()
)


@given(VALUES)
def test_the_schema_and_the_reader_agree_except_on_what_depends_on_the_currency(
    value: int | Decimal | str | bool,
) -> None:
    validator = build_validator(Bet.model_json_schema())
    accepted = not list(validator.iter_errors({"least": to_plain_data(value)}))
    try:
        read_bet_value(value)
    except InputError as error:
        depends = re.compile("decimals|currency|currencies|must be at most")
        assert not accepted or depends.search(error.diagnostics[0].message)
    else:
        assert accepted


def read_bet_value(value: int | Decimal | str | bool) -> Bet:
    from fairdeal.validator.text.positioned_document import PositionedDocument, SourcePosition

    place = SourcePosition(1, 1)
    tree = PositionedDocument(
        data={"least": value}, source_name="bet.yaml", lines=[""], positions={(): place, ("least",): place}
    )
    return validate(tree, Bet)
