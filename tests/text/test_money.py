"""Amounts as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.text.values.money import format_money


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
