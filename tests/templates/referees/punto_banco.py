"""Referee of punto banco with a commission."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.lawful.record import make_event
from tests.templates.referees.baccarat import SHARED, Baccarat, count_points, settle_sides
from tests.templates.referees.core import Key, Result, Round, Violations, lose, pick, win

DEBT = "commission"
PAIRS = {"player-pair": 0, "banker-pair": 1}


def round_commission(amount: int, house: dict[str, Any]) -> int:
    """Return 5 percent of an amount won, exact or to the nearest 25 cents; an exact half is rounded down (24)."""
    step = 25 if house["commission-rounding"] == "nearest-quarter" else 1
    steps = Fraction(amount * 5, 100 * step)
    return step * (-((1 - 2 * steps) // 2))  # the ceiling of steps less a half


def owes(house: dict[str, Any]) -> bool:
    """Return whether players owe commissions until they are collected (23)(b)."""
    return house.get("commission") == "owed"


OPTIONS = {"commission": ["at-once", "owed"], "commission-rounding": ["exact", "nearest-quarter"]}
LIMITS = {"player": (2_500, 500_000), "banker": (2_500, 500_000)} | dict.fromkeys(
    ("tie", "player-pair", "banker-pair"), (500, 50000)
)


class PuntoBanco(Baccarat):
    """Banker pays even money less 5 percent."""

    game = "punto-banco"
    side_wagers = ("player-pair", "banker-pair")
    options = OPTIONS
    limits = LIMITS

    def open_shoe(self, round_: Round, table: dict[str, Any]) -> None:
        for key in round_.carried:
            collect_debt(round_, key)
        super().open_shoe(round_, table)

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        round_.carried = table.pop("debts", {})
        round_.facts["stays"] = {*round_.carried}
        super().play(round_, table)
        for seat in {key[0] for key in round_.carried} - {*round_.players}:
            round_.players[seat] = f"P{seat}"
        if owes(round_.house):
            for (seat, wager, _), result in self.results(round_).items():
                if wager == "banker" and result.paid:
                    round_.add("wager", seat=seat, wager=DEBT, amount=round_commission(result.paid, round_.house))
        for key, stake in round_.stakes().items():
            if key[1] == DEBT and stake.lying and round_.chance(0.2):
                collect_debt(round_, key)
        table["debts"] = {key: stake.lying for key, stake in round_.stakes().items() if key[1] == DEBT and stake.lying}

    def results(self, round_: Round) -> dict[Key, Result]:
        return {key: result for key, result in super().results(round_).items() if key[1] != DEBT}

    def find_result(self, wager: str, stake: int, hands: Sequence[Sequence[str]], house: dict[str, Any]) -> Result:
        if wager == DEBT:
            return Result()
        if wager in PAIRS:
            first, second = hands[PAIRS[wager]][:2]
            return win(stake, 11) if first[0] == second[0] else lose(stake)
        sign = settle_sides(count_points(hands[0]), count_points(hands[1]))[wager]
        if sign < 0:
            return lose(stake)
        if sign == 0:
            return Result()
        if wager == "banker":
            return Result(paid=stake, commission=0 if owes(house) else round_commission(stake, house))
        return win(stake, 8 if wager == "tie" else 1)


def collect_debt(round_: Round, key: Key) -> None:
    """Collect all that a player owes."""
    round_.add("collect", seat=key[0], wager=DEBT, amount=round_.stakes()[key].lying)


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
    if event is None or owes(round_.house):
        return False
    stake = round_.stakes()[event["seat"], "banker", ()].amount
    event["amount"] = stake - stake * percent // 100
    return True


@VIOLATIONS.breaks("(23)(b)")
def commission_is_not_marked(round_: Round) -> bool:
    event = pick(round_, "wager", wager=DEBT)
    if event is None:
        return False
    round_.remove(event)
    return True


@VIOLATIONS.breaks("(23)(b)")
def commission_of_four_percent_is_marked(round_: Round) -> bool:
    event = pick(round_, "wager", wager=DEBT)
    if event is None:
        return False
    event["amount"] = event["amount"] * 4 // 5
    return True


@VIOLATIONS.breaks("(23)(b)")
def commission_is_kept_though_it_is_owed(round_: Round) -> bool:
    event = pick(round_, "pay", wager="banker")
    if event is None or not owes(round_.house):
        return False
    event["amount"] -= round_commission(event["amount"], round_.house)
    return True


@VIOLATIONS.breaks("(23)(b)")
def debt_is_forgotten(round_: Round) -> bool:
    key = find_idle_debt(round_)
    if key is None:
        return False
    del round_.carried[key]
    return True


@VIOLATIONS.breaks("(23)(b)")
def debt_is_collected_in_part(round_: Round) -> bool:
    key = find_idle_debt(round_)
    if key is None:
        return False
    round_.add("collect", seat=key[0], wager=DEBT, amount=round_.carried[key] // 2)
    return True


@VIOLATIONS.breaks("(23)(b)")
def shoe_is_shuffled_before_a_debt_is_collected(round_: Round) -> bool:
    event = pick(round_, "collect", wager=DEBT)
    if event is None or not round_.all("shuffle"):
        return False
    round_.remove(event)
    return True


@VIOLATIONS.breaks("(23)(b)")
def player_leaves_with_a_debt(round_: Round) -> bool:
    key = find_idle_debt(round_)
    if key is None:
        return False
    round_.events.insert(0, make_event("leave", seat=key[0]))
    return True


def find_idle_debt(round_: Round) -> Key | None:
    """Return a debt of a player who does nothing in the round."""
    active = {event.get("seat") for event in round_.events}
    return next((key for key in round_.carried if key[0] not in active), None)
