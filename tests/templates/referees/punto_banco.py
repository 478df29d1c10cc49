"""Referee of punto banco with a commission."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.templates.referees.baccarat import SHARED, Baccarat, count_points, settle_sides
from tests.templates.referees.core import Result, Round, Violations, lose, pick, win

PAIRS = {"player-pair": 0, "banker-pair": 1}


def round_commission(amount: int, house: dict[str, Any]) -> int:
    """Return 5 percent of an amount won, exact or to the nearest 25 cents; an exact half is rounded down (24)."""
    step = 25 if house["commission-rounding"] == "nearest-quarter" else 1
    steps = Fraction(amount * 5, 100 * step)
    return step * (-((1 - 2 * steps) // 2))  # the ceiling of steps less a half


OPTIONS = {"commission": ["at-once"], "commission-rounding": ["exact", "nearest-quarter"]}
LIMITS = {"player": (2_500, 500_000), "banker": (2_500, 500_000)} | dict.fromkeys(
    ("tie", "player-pair", "banker-pair"), (500, 50000)
)


class PuntoBanco(Baccarat):
    """Banker pays even money less 5 percent."""

    game = "punto-banco"
    side_wagers = ("player-pair", "banker-pair")
    options = OPTIONS
    limits = LIMITS

    def find_result(self, wager: str, stake: int, hands: Sequence[Sequence[str]], house: dict[str, Any]) -> Result:
        if wager in PAIRS:
            first, second = hands[PAIRS[wager]][:2]
            return win(stake, 11) if first[0] == second[0] else lose(stake)
        sign = settle_sides(count_points(hands[0]), count_points(hands[1]))[wager]
        if sign < 0:
            return lose(stake)
        if sign == 0:
            return Result()
        if wager == "banker":
            return Result(paid=stake, commission=round_commission(stake, house))
        return win(stake, 8 if wager == "tie" else 1)


REFEREE = PuntoBanco()
REFEREE.violations = VIOLATIONS = Violations(SHARED)
VIOLATIONS.add_payments(
    {"player": "(21)", "banker": "(22)", "tie": "(26)", "player-pair": "(27)", "banker-pair": "(27)"}
)


@VIOLATIONS.breaks("(23)")
def commission_is_not_taken(round_: Round) -> bool:
    return change_commission(round_, 0)


@VIOLATIONS.breaks("(23)")
def commission_of_six_percent(round_: Round) -> bool:
    return change_commission(round_, 6)


def change_commission(round_: Round, percent: int) -> bool:
    """Pay a winner less another commission."""
    event = pick(round_, "pay", wager="banker")
    if event is None:
        return False
    stake = round_.stakes()[event["seat"], "banker", ()].amount
    event["amount"] = stake - stake * percent // 100
    return True
