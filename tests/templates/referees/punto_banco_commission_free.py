"""Referee of punto banco without commission."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.templates.referees.baccarat import (
    BANKER,
    PLAYER,
    SHARED,
    Baccarat,
    count_points,
    settle_sides,
)
from tests.templates.referees.core import Result, Round, Violations, lose, pick, win

LIMITS = {"player": (2_500, 500_000), "banker": (2_500, 500_000), "tie": (500, 50_000), "six": (500, 50_000)}


class CommissionFree(Baccarat):
    """Banker pays even money, and half with 6 points."""

    game = "punto-banco-commission-free"
    side_wagers = ("six",)
    limits = LIMITS

    def find_result(self, wager: str, stake: int, hands: Sequence[Sequence[str]], house: dict[str, Any]) -> Result:
        player, banker = map(count_points, hands)
        if wager == "six":
            odds = 12 if len(hands[1]) == 2 else 20
            return win(stake, odds) if banker == 6 and player < 6 else lose(stake)
        sign = settle_sides(player, banker)[wager]
        if sign <= 0:
            return lose(stake) if sign else Result()
        if wager == "banker" and banker == 6:
            return win(stake, Fraction(1, 2))
        return win(stake, 8 if wager == "tie" else 1)


REFEREE = CommissionFree()
REFEREE.violations = VIOLATIONS = Violations(SHARED)
VIOLATIONS.add_payments({"player": "(21)", "banker": "(22)", "tie": "(26)", "six": "(24)"})


@VIOLATIONS.breaks("(22)")
def banker_is_paid_whole_with_six(round_: Round) -> bool:
    event = pick(round_, "pay", wager="banker")
    if event is None or count_points(round_.cards(BANKER)) != 6:
        return False
    event["amount"] *= 2
    return True


@VIOLATIONS.breaks("(22)")
def banker_is_paid_half_without_six(round_: Round) -> bool:
    event = pick(round_, "pay", wager="banker")
    if event is None or count_points(round_.cards(BANKER)) == 6:
        return False
    event["amount"] //= 2
    return True


@VIOLATIONS.breaks("(24)")
def six_is_paid_twelve_for_three_cards(round_: Round) -> bool:
    event = pick(round_, "pay", wager="six")
    if event is None or len(round_.cards(BANKER)) == 2:
        return False
    event["amount"] = event["amount"] * 12 // 20
    return True


@VIOLATIONS.breaks("(23)")
def commission_is_taken(round_: Round) -> bool:
    event = pick(round_, "pay", wager="banker")
    if event is None or count_points(round_.cards(BANKER)) == 6 or count_points(round_.cards(PLAYER)) == 6:
        return False
    event["amount"] = event["amount"] * 95 // 100
    return True
