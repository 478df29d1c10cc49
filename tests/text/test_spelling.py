"""Texts that can only be meant for a known name."""

from __future__ import annotations

import pytest

from fairdeal.validator.text.diagnostics import correct_spelling

NAMES = {name: name for name in ("ante", "bet", "super-6", "three-of-a-kind", "pair-of-nines")} | {"Big One": "grand"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Ante", "ante"),
        ("antte", "ante"),
        ("atne", "ante"),
        ("nte", "ante"),
        ("bets", "bet"),
        ("Three of a Kind", "three-of-a-kind"),
        ("three_of_kind", "three-of-a-kind"),
        ("thre-of-a-knid", "three-of-a-kind"),
        ("super6", "super-6"),
        ("big  one", "grand"),
        ("ante", None),
        ("super-7", None),
        ("super-66", None),
        ("pair-of-fives", None),
        ("bat", None),
        ("insurance", None),
        ("", None),
        ("---", None),
        ("a" * 5000, None),
    ],
)
def test_a_text_that_can_only_be_meant_for_a_name(text: str, meant: str | None) -> None:
    assert correct_spelling(text, NAMES) == meant
