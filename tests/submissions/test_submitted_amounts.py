"""Amounts of submissions, as results repeat them."""

from __future__ import annotations

import pytest

from fairdeal.validator.audit.submissions.submission_summary import describe_submitted_amounts
from fairdeal.validator.results.results import SubmittedAmounts
from tests.facade.rules import load_regulation
from tests.submissions.helpers import file_text

GAME = load_regulation("co-rule10-3card-shine")


def describe(text: str) -> SubmittedAmounts | None:
    return describe_submitted_amounts(file_text(text).submission, GAME)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("currency: USD\nwagers: [{wager: ante, minimum: 5, maximum: 100}]", ["Ante $5.00 to $100.00"]),
        ("wagers: [{wager: ante, minimum: 5}, {wager: play, maximum: 7.50}]", ["Ante from 5.00", "Play up to 7.50"]),
        ("currency: JPY\nwagers: [{wager: of-our-own, minimum: 500, maximum: 500}]", ["of-our-own JPY 500"]),
        ("currency: EUR\npayout-limit: {amount: 50000}", ["payout limit: amount €50,000.00"]),
        ("smallest-chip: .25", ["smallest chip 0.25"]),
        (
            "currency: GBP\nrake: {kind: k, levels: [{pot: 10, takes: 1}, {pot: 20, takes: 0.50}]}",
            ["rake: pot £10.00, takes £1.00, pot £20.00, takes £0.50"],
        ),
    ],
)
def test_amounts_are_repeated_as_understood(text: str, amounts: list[str]) -> None:
    found = describe(text)
    assert found is not None
    assert list(found.amounts) == amounts
    assert found.currency == (text[10:13] if text.startswith("currency") else None)
    assert found.questions == ()


def test_a_submission_without_amounts_repeats_none() -> None:
    assert describe("wagers: [{wager: ante}]\ncurrency: USD") is None


@pytest.mark.parametrize(
    ("currency", "minimum", "questioned"),
    [("USD", "0.05", True), ("USD", "1", False), ("USD", "0", False), ("KWD", "0.999", True), ("JPY", "1", False)],
)
def test_a_limit_below_one_unit_is_questioned(currency: str, minimum: str, questioned: bool) -> None:
    found = describe(f"currency: {currency}\nwagers: [{{wager: ante, minimum: {minimum}, maximum: 10}}]")
    assert found is not None
    assert len(found.questions) == questioned
    for question in found.questions:
        assert question.startswith("Ante: a limit of ")
        assert minimum in question
