"""What every stake is due, by the interpreter itself: paid and taken just so; and what meters read meanwhile."""

from __future__ import annotations

from random import Random

import numpy as np
from msgspec.structs import replace

from validator.arrays import Ints
from validator.engine.core.context import Scope
from validator.engine.payouts.aggregate_limits import limits_on, within_limits
from validator.engine.payouts.settlement import Line, line_of_a_house, settle, settle_as_a_house
from validator.simulate.table.house import House
from validator.simulate.table.meters import Meter
from validator.simulate.table.records import Reading, Round, Seat, Stake
from validator.simulate.table.view import View

_APART = 10**6
"""So much further on a meter reads, to see what hangs on it."""

Due = dict[tuple[Seat, str, bool], int]
"""What stakes are due, by seat, wager or bonus, and whether it is a tip."""


def raise_meters(house: House, rounds: list[Round], rng: Random) -> None:
    """What meters read before the wagers of each round and with them, which takes no luck."""
    for one in rounds:
        for meter in house.meters:
            staked = [seat.on(meter.fed_by) for seat in one.seats] if meter.fed_by is not None else []
            fed = sum(meter.increment + amount * meter.per_mille // 1000 for amount in staked if amount)
            one.meters[meter.name] = Reading(opening=meter.start, shown=meter.start + fed)


def meter_dues(view: View, meter: Meter) -> Due:
    """What the stakes are due whose awards go by what a meter reads."""
    if not meter.lines:
        return {}
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = Scope(raised, view.house.prepared, view.house.configuration)
    found: Due = {}
    for name in meter.lines:
        line, other = line_of_a_house(view.scope, name), line_of_a_house(further, name)
        differs = np.flatnonzero(line.due_paid[0] * other.per != other.due_paid[0] * line.per)
        due = whole(line)
        for at in differs.tolist():
            found[view.seats[int(line.seat[at])], name, bool(line.tip[at])] = int(due[at])
    return found


def whole(line: Line) -> Ints:
    """int64[n]: the whole amount that meets what each stake is due."""
    due = line.due_paid[0]
    return -(-due // line.per) if line.fractions == "up" else due // line.per


def left_on(view: View, meter: Meter, earlier: Due | None = None) -> dict[Round, int]:
    """What a meter reads after awards, by round. Awards are paid as they are due; or, where it is given what they were
    due `earlier`, when the rounds were played, as the stakes say: what was paid otherwise is so still. Where all of it
    was won it is at its seed again; parts of a minor unit may be left of it."""
    due, paid, winners = (dict.fromkeys(view.rounds, 0) for _ in range(3))
    for (seat, name, tip), amount in meter_dues(view, meter).items():
        one, stake = view.round_of[seat], seat.stakes.get((name, tip)) or Stake()
        due[one] += amount
        winners[one] += 1
        paid[one] += (
            amount if earlier is None else moved_payment(stake.paid, amount - earlier.get((seat, name, tip), amount))
        )
    found = {}
    for one in view.rounds:
        shown = one.meters[meter.name].shown or 0
        all_won = winners[one] > 0 and shown - due[one] < winners[one]
        found[one] = meter.seed if all_won else shown - paid[one]
    return found


def moved_payment(paid: int, rise: int) -> int:
    """What is paid when so much more is due: as much more, unless nothing was paid."""
    return max(paid + rise, 0) if paid > 0 else paid


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
    for number, limited in enumerate(limits_on(view.scope, lines), start=len(house.game.settlement.cases)):
        within = within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number
    for meter in house.meters:
        for one, closing in left_on(view, meter).items():
            one.meters[meter.name].closing = closing
