"""`python -m tools.hold_calibration`: parts of honest days that are outside or conspicuous, and of biased days
found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fairdeal.validator.hold.expected_hold import compare_hold, work_out_theory
from fairdeal.validator.hold.hold_statistics import correct_for_multiple_tests
from fairdeal.validator.hold.stake_counts import StakeGroup, StakeSums
from fairdeal.validator.hold.win_interval import WinTests
from fairdeal.validator.results.game_statistics import Grouping, HoldResult
from tools.hold_calibration.months import honest_days
from tools.hold_calibration.shoe_months import count_month
from tools.hold_calibration.shoe_rounds import GAME as SHOE_GAME
from tools.hold_calibration.shoe_rounds import TableHabits
from tools.hold_calibration.wagers import HouseWager, list_house_games, list_wagers

LEVEL = 0.95
DAYS = 124
"""Days of a month, at four tables."""


def holds_of(wager: HouseWager, days: Iterable[StakeSums]) -> list[HoldResult]:
    """Return the days compared with theory."""
    every, total = list(days), StakeSums()
    for sums in every:
        total.add(sums)
    theory, laws = work_out_theory(wager.game, wager.terms, wager.offered, total), WinTests()
    place = StakeGroup(casino=None, table=None, day=None, dealer=None, currency=None)
    name = wager.offered.group.wager
    return [
        compare_hold(Grouping.DAY, wager.terms.document, name, place, [(theory, sums)], laws, LEVEL) for sums in every
    ]


def tails(holds: Sequence[HoldResult], below: float) -> tuple[float, float]:
    """Return the parts of days on which the house won too little, and too much, with a chance below a number."""
    tested = [hold for hold in holds if hold.p is not None]
    small = [hold for hold in tested if hold.p is not None and hold.p < below]
    low = sum(hold.win < _expect_tails(hold) for hold in small)
    return low / len(tested), (len(small) - low) / len(tested)


def _expect_tails(hold: HoldResult) -> float:
    return (hold.theoretical_win or 0.0) + (hold.given_away or 0.0)


Rows = Iterator[tuple[str, list[HoldResult], list[HoldResult]]]
"""Name of a wager, honest days, biased days."""


def _list_holds(document: str, given: argparse.Namespace) -> Rows:
    for number, wager in enumerate(list_wagers(document)):
        days = honest_days(wager, DAYS * given.months, given.seed + 1000 * number)
        biased = honest_days(wager, DAYS, given.seed, bias=given.bias)
        yield wager.name, holds_of(wager, days.sums()), holds_of(wager, biased.sums())


def _list_shoes(given: argparse.Namespace) -> Rows:
    honest = [hold for month in range(given.months) for hold in count_month(given.seed + month)]
    yield f"{SHOE_GAME} main", honest, count_month(given.seed, TableHabits(natural_pays=0.0))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m tools.hold_calibration", description=__doc__)
    parser.add_argument("--months", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", help="only this game")
    parser.add_argument("--bias", type=float, default=0.1, help="part of losing stakes that are paid, in biased days")
    given = parser.parse_args(arguments)
    heads = ("wager", "days", "low < 5 %", "high < 5 %", "low < 0.1 %", "high < 0.1 %", "months accused", "bias found")
    print(" | ".join(heads))
    for document in given.game or [*list_house_games(), SHOE_GAME]:
        for name, holds, biased in _list_shoes(given) if document == SHOE_GAME else _list_holds(document, given):
            days = len(holds) // given.months
            accused = sum(
                any(q < 1 - LEVEL for q in correct_for_multiple_tests([hold.p for hold in month if hold.p is not None]))
                for month in (holds[start : start + days] for start in range(0, len(holds), days))
            )
            found = np.mean([hold.p < 1 - LEVEL for hold in biased if hold.p is not None])
            rates = [*tails(holds, 0.05), *tails(holds, 0.001)]
            tested = sum(hold.p is not None for hold in holds)
            cells = [name, str(tested), *(f"{100 * rate:.2f} %" for rate in rates)]
            print(" | ".join([*cells, f"{accused} of {given.months}", f"{100 * found:.0f} %"]))
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
