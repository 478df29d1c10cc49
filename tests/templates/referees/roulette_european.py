"""Referee of roulette with a single zero."""

from __future__ import annotations

from typing import Any

from tests.templates.referees.core import Round, pick
from tests.templates.referees.roulette import OUTSIDE, Roulette, list_violations

OPTIONS = {"half-back": [True, False]}


class EuropeanRoulette(Roulette):
    """Single zero, with half back by option."""

    game = "roulette-european"
    options = OPTIONS

    def has_half_back(self, house: dict[str, Any]) -> bool:
        return bool(house["half-back"])


REFEREE = EuropeanRoulette()
REFEREE.violations = VIOLATIONS = list_violations(
    {
        **{"odds": "(13)", "call": "(9)", "late": "(21)", "one-number": "(11)", "order": "(12)", "limits": "(6)"},
        **{"paid": "(16)", "marker": "(10)", "removed": "(17)"},
        **{"split": "(5)(b)", "street": "(5)(c)", "corner": "(5)(d)", "column": "(5)(f)"},
    }
)


@VIOLATIONS.breaks("(15)")
def whole_stake_is_collected_despite_half_back(round_: Round) -> bool:
    if round_.facts["pocket"] != "0" or not round_.house["half-back"]:
        return False
    for event in round_.all("collect"):
        if event["wager"] in OUTSIDE:
            for back in round_.all("return", wager=event["wager"], seat=event["seat"]):
                round_.remove(back)
            event["amount"] *= 2
            return True
    return False


@VIOLATIONS.breaks("(14)")
def half_is_returned_without_half_back(round_: Round) -> bool:
    event = pick(round_, "collect", wager="red")
    if event is None or round_.facts["pocket"] != "0" or round_.house["half-back"]:
        return False
    event["amount"] //= 2
    return True
