"""Invisible characters are shown; visible ones are unchanged."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.text.diagnostics import sanitize


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 5 to 1 — “né”, 手, 🂡", "plain text, 5 to 1 — “né”, 手, 🂡"),
        ("a\x00b\x1b[31m", "a[U+0000]b[U+001B][31m"),
        ("two\nlines\tand\r", "two[U+000A]lines[U+0009]and[U+000D]"),
        ("\x7f\x85", "[U+007F][U+0085]"),
        ("\u202egpj.exe\u2066\u2069", "[U+202E]gpj.exe[U+2066][U+2069]"),
        ("5\u00a0to\u20091", "5[U+00A0]to[U+2009]1"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("line\u2028break", "line[U+2028]break"),
        ("tag\U000e0041 \U000110bd", "tag[U+E0041] [U+110BD]"),
        ("half \udc80", "half [U+DC80]"),
        ("e\u0301\u0301\u0301", "e\u0301\u0301\u0301"),
        ("e" + "\u0301" * 4 + "x", "e\u0301\u0301\u0301[U+0301]x"),
        ("e" + "\u0301" * 50 + "x", "e\u0301\u0301\u0301[47 more marks]x"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert sanitize(text) == shown


@given(st.text(st.characters()))
def test_nothing_invisible_is_left(text: str) -> None:
    shown = sanitize(text)
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown)
    assert all(char == " " or not char.isspace() for char in shown)
    assert sanitize(shown) == shown


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_plain_text_is_untouched(text: str) -> None:
    assert sanitize(text) == text
