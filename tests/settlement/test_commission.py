"""Commission on winnings, and amounts that are rounded to a unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.facade.rules import Regulation
from tests.settlement.helpers import GAME, NOTHING, judge, load, round_of, seat, stake
from tests.settlement.test_sense import refuse

PAID = "lines: [main, twin], due: {pay-table: {of: main, hand: final, match: at-least}}"
STAKES = (500, 700, 1000, 1250, 1300, 1490, 7)


def play(due: str, *, fractions: str = "") -> Regulation:
    """Load the toy game with another amount due on the main wager."""
    assert PAID in GAME
    game = GAME.replace(PAID, f"lines: [main, twin], due: {due}")
    cents = "  - {allow: either, reading: {cents: either}}"
    assert cents in game
    return load(game.replace(cents, f"{fractions and f'  - {fractions}'}\n{cents}"))


def find_right(game: Regulation, amount: int, candidates: range) -> set[int]:
    """Return the payments on a stake that pass; every other one is a failure."""
    records = [round_of(seat(NOTHING, stake("main", amount, paid, 0))) for paid in candidates]
    found = [statuses["main-settled"].value for statuses in judge(*records, of=game).statuses]
    assert {*found} <= {"pass", "fail"}
    return {paid for paid, status in zip(candidates, found, strict=True) if status == "pass"}


def round_to(amount: Fraction, unit: int, allow: str) -> set[int]:
    """Return the multiples of a unit that a rounding permits, from their distances alone."""
    multiples = [unit * number for number in range(int(amount) // unit + 2)]
    below, above = (max(m for m in multiples if m <= amount), min(m for m in multiples if m >= amount))
    least = min(abs(amount - m) for m in (below, above))
    return {
        "down": {below},
        "up": {above},
        "either": {below, above},
        "nearest": {m for m in (below, above) if abs(amount - m) == least},
    }[allow]


@pytest.mark.parametrize("allow", ["down", "up", "either", "nearest"])
@pytest.mark.parametrize("unit", [1, 25])
def test_a_commission_is_rounded_by_its_own_rule(allow: str, unit: int) -> None:
    due = f"{{odds: 1 to 1, commission: {{percent: 5, rounded: {{to: {unit / 100}, allow: {allow}}}}}}}"
    game = play(due)
    for amount in STAKES:
        right = {max(amount - commission, 0) for commission in round_to(Fraction(amount, 20), unit, allow)}
        assert find_right(game, amount, range(max(amount - amount // 20 - 30, 0), amount + 2)) == right, amount


def test_without_a_rule_a_fraction_of_a_cent_goes_either_way_and_odds_are_exact() -> None:
    assert find_right(play("{odds: 1 to 1, commission: {percent: 5}}"), 1010, range(955, 965)) == {959, 960}
    assert find_right(play("{odds: 1 to 1, commission: {percent: 5}}"), 1000, range(945, 955)) == {950}


@pytest.mark.parametrize(("allow", "right"), [("down", {1500}), ("up", {1600}), ("nearest", {1500, 1600})])
def test_payouts_of_a_game_are_rounded_to_a_unit(allow: str, right: set[int]) -> None:
    game = play("3 to 1", fractions=f"{{to: 1, allow: {allow}}}")
    odd = play("31 to 10", fractions=f"{{to: 1, allow: {allow}}}")
    assert find_right(game, 500, range(1400, 1700)) == {1500}
    assert find_right(odd, 500, range(1400, 1700)) == right


def test_findings_state_the_payment_less_the_commission() -> None:
    game = play("{odds: 1 to 1, commission: {percent: 5}}")
    (said,) = judge(round_of(seat(NOTHING, stake("main", 1000, 1000, 0))), of=game).said
    assert "should have been paid 9.50" in said[3] and "overpaid 0.50" in said[4]


@pytest.mark.parametrize(
    ("due", "message"),
    [
        ("{pay-table: {of: main, hand: final}, commission: {percent: 5}}", "kept of a payment at `odds`"),
        ("{odds: 1 to 1, commission: {percent: 100}}", "99"),
        ("{odds: 1 to 1, commission: {percent: 5, owed: twin}}", "twin is no debt"),
    ],
)
def test_commissions_that_cannot_be_meant_are_refused(due: str, message: str) -> None:
    said: Any = refuse((PAID, f"lines: [main, twin], due: {due}"))
    assert any(message in text for text in said), said
