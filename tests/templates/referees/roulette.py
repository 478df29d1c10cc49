"""Roulette with one zero or two: the layout, the spin and the settlement of both texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
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

RED = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})
OUTSIDE: dict[str, Callable[[int], bool]] = {
    "red": lambda number: number in RED,
    "black": lambda number: number not in RED,
    "even": lambda number: number % 2 == 0,
    "odd": lambda number: number % 2 == 1,
    "low": lambda number: number <= 18,
    "high": lambda number: number >= 19,
}
ODDS = {"straight": 35, "split": 17, "street": 11, "corner": 8, "top-line": 6, "six-line": 5, "column": 2, "dozen": 2}
INSIDE = ("straight", "split", "street", "corner", "six-line", "top-line")
SPIN = "spin"

Selection = tuple[str, ...]


def names(*numbers: int) -> Selection:
    return tuple(str(number) for number in numbers)


def list_selections(zeros: int) -> dict[str, list[Selection]]:
    """Return the groups of numbers that each wager may be on."""
    rows = [names(first, first + 1, first + 2) for first in range(1, 37, 3)]
    splits = [names(a, a + 1) for a in range(1, 36) if a % 3] + [names(a, a + 3) for a in range(1, 34)]
    found = {
        "straight": [*(names(number) for number in range(37))],
        "street": rows[:],
        "corner": [names(a, a + 1, a + 3, a + 4) for a in range(1, 33) if a % 3],
        "six-line": [(*first, *second) for first, second in pairwise(rows)],
        "column": [names(*range(first, 37, 3)) for first in (1, 2, 3)],
        "dozen": [names(*range(first, first + 12)) for first in (1, 13, 25)],
    }
    if zeros == 1:
        splits += [("0", str(number)) for number in (1, 2, 3)]
        found["street"] += [("0", "1", "2"), ("0", "2", "3")]
        found["corner"] += [("0", "1", "2", "3")]
    else:
        found["straight"].append(("00",))
        splits += [("0", "00"), ("0", "1"), ("0", "2"), ("00", "2"), ("00", "3")]
        found["street"] += [("0", "1", "2"), ("0", "00", "2"), ("00", "2", "3")]
        found["top-line"] = [("0", "00", "1", "2", "3")]
    return found | {"split": splits}


class Roulette(Referee):
    """Roulette with a number of zeros."""

    zeros = 1
    kinds: tuple[str, ...] = ("return", "announce", "withdraw", "device")
    limits = dict.fromkeys(INSIDE[:5], (500, 50000)) | dict.fromkeys(("column", "dozen", *OUTSIDE), (1000, 500000))

    def __init__(self) -> None:
        self.selections = list_selections(self.zeros)
        self.pockets = ["0", "00"][: self.zeros] + [str(number) for number in range(1, 37)]

    def has_half_back(self, house: dict[str, Any]) -> bool:
        return False

    def has_prison(self, house: dict[str, Any]) -> bool:
        return False

    def settle(
        self, stakes: dict[Key, int], pocket: str, *, half_back: bool = False, prison: bool = False, held: Any = ()
    ) -> dict[Key, Result]:
        """Return the outcome of every stake but those that stay in prison; `held` are the stakes there before."""
        results = {}
        for key, stake in stakes.items():
            _, wager, on = key
            if wager in OUTSIDE:
                is_zero = pocket in {"0", "00"}
                is_won = not is_zero and OUTSIDE[wager](int(pocket))
                if is_zero and prison:
                    continue
                if is_won and key in held:
                    results[key] = Result()
                    continue
                results[key] = win(stake, 1) if is_won else lose(stake // 2 if is_zero and half_back else stake)
            else:
                results[key] = win(stake, ODDS[wager]) if pocket in on else lose(stake)
        return results

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        blocks, late = [], []
        round_.carried = table.pop("stakes", {})
        seats = {*round_.sit(7), *(key[0] for key in round_.carried)}
        for seat in sorted(seats - {*round_.players}):
            round_.players[seat] = f"P{seat}"
        for seat in sorted(seats):
            for key in self.choose_stakes(rng, seat):
                if key in round_.carried:
                    continue
                blocks += [round_.place(seat, key[1], round_.choose_amount(key[1]), key[2])]
        round_.place_all(blocks)
        while round_.chance(0.05):  # a void spin, after which players may change their wagers
            round_.add("device", what="ball-spun")
            round_.add("announce", what=CALL)
            round_.add("fault", what="ball left the wheel")
            round_.add("announce", what="no-spin")
            seat = rng.choice(list(round_.players))
            on = (rng.choice(self.pockets),)
            if (seat, "straight", on) not in round_.stakes():  # which may be as high as the limit already
                round_.events += round_.place(seat, "straight", 500, on)
        round_.add("device", what="ball-spun", by="dealer")
        round_.add("announce", what=CALL)
        stakes = {key: stake.amount for key, stake in round_.stakes().items() if stake.amount}
        if round_.chance(0.06):
            seat = rng.choice(list(round_.players))
            late = [make_event(kind, seat=seat, wager="red", amount=1_000) for kind in ("wager", "return")]
            late = [] if (seat, "red", ()) in round_.carried or not may_add(round_, (seat, "red", ()), stakes) else late
        round_.events += late
        round_.facts["late"] = late
        pocket = rng.choice(self.pockets)
        round_.facts["pocket"] = pocket
        round_.add("outcome", what=SPIN, value=pocket)
        round_.add("device", what="marker-placed")
        results = self.settle(
            stakes,
            pocket,
            half_back=self.has_half_back(round_.house),
            prison=self.has_prison(round_.house),
            held=round_.carried,
        )
        table["stakes"] = {key: stake for key, stake in stakes.items() if key not in results}
        round_.facts["stays"] = {*table["stakes"]}
        round_.settle({key: results[key] for key in sorted(results, key=lambda key: key[1] in INSIDE)})
        round_.add("device", what="marker-removed")

    def choose_stakes(self, rng: random.Random, seat: int) -> list[Key]:
        """Return some different stakes of a seat."""
        chosen: dict[Key, None] = {}
        for _ in range(rng.randint(1, 6)):
            wager = rng.choice(list(self.limits))
            chosen[seat, wager, rng.choice(self.selections[wager]) if wager in self.selections else ()] = None
        return list(chosen)


def list_violations(clauses: dict[str, str]) -> Violations:
    """Return the violations of a text; `clauses` maps a topic to its clause."""
    violations = Violations()
    violations.add_payments(dict.fromkeys(("straight", "split", "dozen", "red"), clauses["odds"]))

    @violations.breaks(clauses["call"])
    def no_call(round_: Round) -> bool:
        return omit_call(round_)

    @violations.breaks(clauses["call"])
    def call_after_the_number(round_: Round) -> bool:
        return call_late(round_)

    @violations.breaks(clauses["late"])
    def wager_after_the_call_is_settled(round_: Round) -> bool:
        return bet_late(round_)

    violations.put("winning-wager-is-increased-after-the-number", clauses["late"], increase_late)

    @violations.breaks(clauses["one-number"])
    def two_numbers(round_: Round) -> bool:
        other = "17" if round_.facts["pocket"] != "17" else "20"
        event = round_.all("outcome")[0]
        round_.events.insert(round_.place_of(event) + 1, make_event("outcome", what=SPIN, value=other))
        return True

    @violations.breaks(clauses["one-number"])
    def no_number(round_: Round) -> bool:
        return omit("outcome")(round_)

    @violations.breaks(clauses["order"])
    def winner_is_paid_before_a_loser_is_collected(round_: Round) -> bool:
        paid, lost = round_.all("pay"), round_.all("collect")
        if not paid or not lost:
            return False
        round_.move(lost[-1], round_.place_of(paid[0]))
        return True

    @violations.breaks(clauses["order"])
    def payment_before_collections(round_: Round) -> bool:
        paid, lost = round_.all("pay"), round_.all("collect")
        if not paid or not lost:
            return False
        round_.move(paid[0], round_.place_of(lost[0]))
        return True

    @violations.breaks(clauses["order"])
    def settled_before_the_number(round_: Round) -> bool:
        lost = round_.all("collect")
        if not lost:
            return False
        round_.move(lost[0], round_.place_of(round_.all("outcome")[0]))
        return True

    @violations.breaks(clauses["paid"])
    def inside_is_paid_before_outside(round_: Round) -> bool:
        paid = round_.all("pay")
        if len(paid) < 2 or paid[0]["wager"] in INSIDE or paid[-1]["wager"] not in INSIDE:
            return False
        round_.move(paid[-1], round_.place_of(paid[0]))
        return True

    @violations.breaks(clauses["call"])
    def call_before_the_ball_is_spun(round_: Round) -> bool:
        round_.move(round_.all("announce", what=CALL)[0], round_.place_of(round_.all("device", what="ball-spun")[0]))
        return True

    @violations.breaks(clauses["marker"])
    def no_marker(round_: Round) -> bool:
        return omit("device", what="marker-placed")(round_)

    @violations.breaks(clauses["removed"])
    def marker_is_removed_before_the_last_payment(round_: Round) -> bool:
        paid = round_.all("pay")
        if not paid:
            return False
        round_.move(round_.all("device", what="marker-removed")[0], round_.place_of(paid[-1]))
        return True

    @violations.breaks(clauses["limits"])
    def straight_above_the_maximum(round_: Round) -> bool:
        return exceed_maximum(round_, "straight")

    @violations.breaks(clauses["limits"])
    def red_below_the_minimum(round_: Round) -> bool:
        return undercut_minimum(round_, "red")

    def choose_wrongly(wager: str, on: Sequence[str]) -> Callable[[Round], bool]:
        """Return a violation that puts a stake on numbers that the wager may not be on."""

        def apply(round_: Round) -> bool:
            event = pick(round_, "wager", wager=wager)
            if event is None or round_.facts["pocket"] in {*event["selection"].split(), *on}:
                return False
            old, seat = event["selection"], event["seat"]
            for other in round_.events:
                if other.get("seat") == seat and other.get("wager") == wager and other.get("selection") == old:
                    other["selection"] = " ".join(on)
            return True

        return apply

    wrong = {
        "split-of-numbers-apart": ("split", ("17", "21")),
        "street-across-rows": ("street", ("2", "3", "4")),
        "corner-around-the-edge": ("corner", ("3", "4", "6", "7")),
        "column-of-a-dozen": ("column", tuple(str(number) for number in range(1, 13))),
    }
    for name, (wager, on) in wrong.items():
        violations.put(name, clauses[wager], choose_wrongly(wager, on))

    return violations
