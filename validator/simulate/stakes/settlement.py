"""What every stake is due, by the interpreter itself: paid and taken just so."""

from __future__ import annotations

from random import Random

import numpy as np

from validator.engine.payouts.aggregate_limits import limits_on, within_limits
from validator.engine.payouts.settlement import settle, settle_as_a_house
from validator.simulate.stakes.meters import close_meters, whole
from validator.simulate.table.house import House
from validator.simulate.table.records import Round, Stake
from validator.simulate.table.view import View


def pay_and_take(house: House, rounds: list[Round], rng: Random) -> None:
    """Settle the rounds, which takes no luck. Where the house posts no pay table, it pays by the first printed;
    what the text leaves open it pays by the case that comes next.

    Stakes that are judged together under a limit are of no case: what stands for it counts caps on from the cases.
    """
    view = View(house, rounds)
    judged, lines = settle(view.scope), settle_as_a_house(view.scope)
    stakes: dict[str, list[Stake]] = {}
    for name, line in lines.items():
        owners = zip(line.seat.tolist(), line.tip.tolist(), strict=True)
        stakes[name] = [view.seats[seat].stakes.setdefault((name, tip), Stake()) for seat, tip in owners]
        due = (whole(line).tolist(), line.due_taken[0].tolist(), judged[name].case.tolist())
        for stake, paid, taken, case in zip(stakes[name], *due, strict=True):
            stake.paid, stake.taken, stake.case = paid, taken, case
    close_meters(view)  # of which what is due is gone, whatever a limit leaves of it
    for number, limited in enumerate(limits_on(view.scope, lines), start=len(house.game.settlement.cases)):
        within = within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number
