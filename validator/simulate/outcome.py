"""What every stake is due, by the interpreter itself: paid and taken just so."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Ints
from validator.engine.core.context import Scope
from validator.engine.payouts.aggregate_limits import limits_on, within_limits
from validator.engine.payouts.settlement import Line, settle, settle_as_a_house
from validator.simulate.house import House
from validator.simulate.metering import CLOSING, SHOWN, awards_from, whole
from validator.simulate.rounds import Rounds, scope_of

Cell = tuple[int, Ints, Ints]


def pay_and_take(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds settled, which takes no luck. Where the house posts no pay table, it pays by the first printed;
    what the text leaves open it pays by the case that comes next.

    Stakes that are judged together under a limit are of no case: what stands for it counts caps on from the cases.
    """
    paid, taken, case = rounds.paid.copy(), rounds.taken.copy(), rounds.case.copy()
    scope = scope_of(house, rounds)
    judged, lines = settle(scope), settle_as_a_house(scope)
    for name, line in lines.items():
        cell = _cell(house, line)
        paid[cell] = whole(line)
        taken[cell] = line.due_taken[0]
        case[cell] = judged[name].case
    for cap, limited in enumerate(limits_on(scope, lines)):
        within, bites = within_limits(limited), limited.bites[limited.group]
        for index, line in enumerate(limited.lines):
            chosen = np.flatnonzero(bites & (limited.line == index))
            row, tip, seat = _cell(house, line)
            stake = limited.stake[chosen]
            paid[row, tip[stake], seat[stake]] = within[chosen]
            case[row, tip[stake], seat[stake]] = len(house.game.settlement.cases) + cap
    settled = replace(rounds, paid=paid, taken=taken, case=case)
    return replace(settled, meters=_closing(house, settled, scope)) if house.meters else settled


def _closing(house: House, rounds: Rounds, scope: Scope) -> Ints:
    """What meters read, awards taken off."""
    meters = rounds.meters.copy()
    for index, meter in enumerate(house.meters):
        meters[index, CLOSING] = awards_from(scope, meter).left(meter, meters[index, SHOWN])
    return meters


def _cell(house: House, line: Line) -> Cell:
    """Where the stakes on a line stand in the tables of stakes."""
    return house.names.index(line.name), line.tip.astype(np.int64), line.seat.astype(np.int64)
