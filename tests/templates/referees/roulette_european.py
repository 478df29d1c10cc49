"""Referee of roulette with a single zero."""

from __future__ import annotations

import random
from typing import Any

from tests.lawful.record import make_event
from tests.templates.referees.core import Round, pick
from tests.templates.referees.roulette import OUTSIDE, Roulette, list_violations

OPTIONS = {"half-back": [True, False], "prison": [True, False]}


class EuropeanRoulette(Roulette):
    """Single zero, with half back or prison by option (15)."""

    game = "roulette-european"
    options = OPTIONS

    session = 30

    def new_house(self, rng: random.Random) -> dict[str, Any]:
        house = super().new_house(rng)
        return house | {"half-back": house["half-back"] and not house["prison"]}

    def has_half_back(self, house: dict[str, Any]) -> bool:
        return bool(house["half-back"])

    def has_prison(self, house: dict[str, Any]) -> bool:
        return bool(house["prison"])


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
    if event is None or round_.facts["pocket"] != "0" or round_.house["half-back"] or round_.house["prison"]:
        return False
    event["amount"] //= 2
    return True


@VIOLATIONS.breaks("(15)(a)")
def wager_is_collected_instead_of_imprisoned(round_: Round) -> bool:
    key = next((key for key in round_.facts["stays"] if key not in round_.carried), None)
    if key is None:
        return False
    amount = round_.stakes()[key].amount
    round_.events.append(make_event("collect", seat=key[0], wager=key[1], amount=amount))
    return True


@VIOLATIONS.breaks("(15)(b)")
def wager_in_prison_is_paid(round_: Round) -> bool:
    for key, amount in round_.carried.items():
        back = round_.all("return", seat=key[0], wager=key[1])
        if back:
            round_.events.append(make_event("pay", seat=key[0], wager=key[1], amount=amount))
            return True
    return False


@VIOLATIONS.breaks("(15)(b)")
def losing_wager_in_prison_is_returned(round_: Round) -> bool:
    for key in round_.carried:
        for event in round_.all("collect", seat=key[0], wager=key[1]):
            event["event"] = "return"
            return True
    return False


@VIOLATIONS.breaks("(15)(c)")
def wager_in_prison_is_increased(round_: Round) -> bool:
    for key in round_.carried:
        for event in round_.all("collect", seat=key[0], wager=key[1]):
            round_.events.insert(0, make_event("wager", seat=key[0], wager=key[1], amount=1_000))
            event["amount"] += 1_000
            return True
    return False


@VIOLATIONS.breaks("(15)(c)")
def wager_in_prison_is_taken_back(round_: Round) -> bool:
    for key, amount in round_.carried.items():
        for event in round_.all("collect", seat=key[0], wager=key[1]):
            round_.remove(event)
            round_.events.insert(0, make_event("withdraw", seat=key[0], wager=key[1], amount=amount))
            return True
    return False
