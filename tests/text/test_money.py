"""Amounts as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.text.plain_values import currency_context, format_decimal, format_money


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
        (6_000, None, "60.00"),
    ],
)
def test_amounts_carry_their_currency(minor: int, currency: str | None, text: str) -> None:
    assert format_money(minor, currency) == text
    with currency_context(currency):
        assert format_money(minor) == text
        assert format_decimal(minor) == text.translate({ord(sign): None for sign in "$€£ACD "})
        with currency_context(None):
            assert format_money(minor) == text
        with currency_context("JPY"):
            assert format_money(minor).endswith(format_decimal(abs(minor)))
    assert format_money(minor) == format_decimal(minor)
