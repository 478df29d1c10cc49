"""Referee of sic bo."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from tests.lawful.record import make_event
from tests.templates.referees.core import (
    CALL,
    Key,
    Referee,
    Result,
    Round,
    Violations,
    bet_late,
    call_late,
    exceed_maximum,
    increase_late,
    lose,
    may_add,
    omit,
    omit_call,
    pick,
    undercut_minimum,
    win,
)

TOTALS = {4: 60, 5: 30, 6: 17, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 17, 16: 30, 17: 60}
EVEN_MONEY: dict[str, Callable[[int], bool]] = {
    "small": lambda total: total <= 10,
    "big": lambda total: total >= 11,
    "odd": lambda total: total % 2 == 1,
    "even": lambda total: total % 2 == 0,
}
FACES = [str(face) for face in range(1, 7)]
SELECTIONS: dict[str, list[tuple[str, ...]]] = {
    "total": [(str(total),) for total in TOTALS],
    "single": [(face,) for face in FACES],
    "double": [(face,) for face in FACES],
    "combination": list(combinations(FACES, 2)),
    "triple": [(face,) for face in FACES],
}


def find_odds(wager: str, on: Sequence[str], dice: Sequence[int]) -> int | None:
    """Return the odds to 1 of a wager, or None if it loses (5), (14), (15)."""
    counts, total = Counter(str(die) for die in dice), sum(dice)
    is_triple = 3 in counts.values()
    if wager in EVEN_MONEY:
        return 1 if not is_triple and EVEN_MONEY[wager](total) else None
    if wager == "any-triple":
        return 30 if is_triple else None
    if wager == "total":
        return TOTALS[total] if str(total) == on[0] else None
    if wager == "combination":
        return 5 if all(counts[face] for face in on) else None
    shown = counts[on[0]]
    if wager == "single":
        return shown or None
    return {"double": 10, "triple": 180}[wager] if shown >= {"double": 2, "triple": 3}[wager] else None


class SicBo(Referee):
    """Three dice in a shaker."""

    game = "sic-bo"
    kinds: tuple[str, ...] = ("return", "announce", "withdraw", "device")
    limits = dict.fromkeys(EVEN_MONEY, (1000, 500000)) | dict.fromkeys((*SELECTIONS, "any-triple"), (500, 20000))

    def results(self, stakes: dict[Key, int], dice: Sequence[int]) -> dict[Key, Result]:
        """Return the outcome of every stake."""
        odds = {key: find_odds(key[1], key[2], dice) for key in stakes}
        return {key: lose(stake) if odds[key] is None else win(stake, odds[key] or 0) for key, stake in stakes.items()}

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        blocks = []
        for seat in round_.sit(7):
            for key in self.choose_stakes(rng, seat):
                blocks += [round_.place(seat, key[1], round_.choose_amount(key[1]), key[2])]
        round_.place_all(blocks)
        while round_.chance(0.05):
            round_.add("announce", what=CALL)
            round_.add("device", what="dice-shaken")
            round_.add("fault", what="a die does not lie flat")
            round_.add("announce", what="no-shake")
        round_.add("announce", what=CALL)
        stakes = {key: stake.amount for key, stake in round_.stakes().items() if stake.amount}
        seat = rng.choice(list(round_.players))
        if round_.chance(0.06) and may_add(round_, (seat, "big", ()), stakes):
            late = [make_event(kind, seat=seat, wager="big", amount=1_000) for kind in ("wager", "return")]
            round_.events += late
            round_.facts["late"] = late
        dice = sorted(rng.randint(1, 6) for _ in range(3))
        if round_.is_plain and rng.random() < 0.2:
            dice = [dice[0]] * 3
        round_.facts["dice"] = dice
        round_.add("device", what="dice-shaken", by="dealer")
        round_.add("outcome", what="dice", value="".join(str(die) for die in dice))
        round_.add("device", what="numbers-entered")
        round_.settle(self.results(stakes, dice))

    def choose_stakes(self, rng: random.Random, seat: int) -> list[Key]:
        """Return some different stakes of a seat."""
        chosen: dict[Key, None] = {}
        for _ in range(rng.randint(1, 6)):
            wager = rng.choice(list(self.limits))
            chosen[seat, wager, rng.choice(SELECTIONS[wager]) if wager in SELECTIONS else ()] = None
        return list(chosen)


REFEREE = SicBo()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments(
    {"small": "(14)", "total": "(14)", "double": "(14)", "combination": "(14)", "any-triple": "(14)", "single": "(15)"}
)


@VIOLATIONS.breaks("(8)")
def no_call(round_: Round) -> bool:
    return omit_call(round_)


@VIOLATIONS.breaks("(9)")
def call_after_the_dice(round_: Round) -> bool:
    return call_late(round_)


@VIOLATIONS.breaks("(20)")
def wager_after_the_call_is_settled(round_: Round) -> bool:
    return bet_late(round_)


VIOLATIONS.put("winning-wager-is-increased-after-the-result", "(20)", increase_late)


@VIOLATIONS.breaks("(12)")
def two_results(round_: Round) -> bool:
    event = round_.all("outcome")[0]
    other = "112" if event["value"] != "112" else "345"
    round_.events.insert(round_.place_of(event) + 1, make_event("outcome", what="dice", value=other))
    return True


@VIOLATIONS.breaks("(12)")
def no_result(round_: Round) -> bool:
    return omit("outcome")(round_)


@VIOLATIONS.breaks("(13)")
def payment_before_collections(round_: Round) -> bool:
    paid, lost = round_.all("pay"), round_.all("collect")
    if not paid or not lost:
        return False
    round_.move(paid[0], round_.place_of(lost[0]))
    return True


@VIOLATIONS.breaks("(10)")
def collected_before_the_dice_are_shown(round_: Round) -> bool:
    lost = round_.all("collect")
    if not lost:
        return False
    round_.move(lost[0], round_.place_of(round_.all("outcome")[0]))
    return True


@VIOLATIONS.breaks("(9)")
def shaken_before_the_call(round_: Round) -> bool:
    round_.move(round_.all("device", what="dice-shaken")[0], round_.place_of(round_.all("announce", what=CALL)[0]))
    return True


@VIOLATIONS.breaks("(11)")
def numbers_are_not_entered(round_: Round) -> bool:
    return omit("device", what="numbers-entered")(round_)


@VIOLATIONS.breaks("(6)")
def small_above_the_maximum(round_: Round) -> bool:
    return exceed_maximum(round_, "small")


@VIOLATIONS.breaks("(6)")
def big_below_the_minimum(round_: Round) -> bool:
    return undercut_minimum(round_, "big")


def pay_on_a_triple(wager: str) -> Callable[[Round], bool]:
    """Return a violation that pays an even-money wager although a triple was shaken."""

    def apply(round_: Round) -> bool:
        event = pick(round_, "collect", wager=wager)
        dice = round_.facts["dice"]
        if event is None or len(set(dice)) > 1 or not EVEN_MONEY[wager](sum(dice)):
            return False
        event["event"] = "pay"
        return True

    return apply


for _wager, _clause in {"small": "(5)(a)", "big": "(5)(b)", "odd": "(5)(c)", "even": "(5)(d)"}.items():
    VIOLATIONS.put(f"{_wager}-is-paid-on-a-triple", _clause, pay_on_a_triple(_wager))
