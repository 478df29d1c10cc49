"""What every stake is due, by the interpreter itself: paid and taken just so; what wagers add to meters, what awards
leave of them, and what they read from round to round.

Every round is played as if its meters stood where they first did. Afterwards they are moved to where they stand, and
what was paid of them with them; nothing else about a round hangs on a meter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from validator.arrays import Ints
from validator.engine.core.context import Scope
from validator.engine.payouts.aggregate_limits import limits_on, within_limits
from validator.engine.payouts.settlement import Line, line_of_a_house, settle, settle_as_a_house
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House, Meter
from validator.simulate.table.records import Reading, Round, Seat, Stake
from validator.simulate.table.view import View

_APART = 10**6
"""So much further on a meter reads, to see what hangs on it."""

Due = dict[tuple[Seat, str, bool], int]
"""What stakes are due, by seat, wager or bonus, and whether it is a tip."""


def raise_meters(house: House, rounds: list[Round], rng: Luck) -> None:
    """What meters read before the wagers of each round and with them, which takes no luck."""
    for round_ in rounds:
        for meter in house.meters:
            staked = [seat.on(meter.fed_by) for seat in round_.seats] if meter.fed_by is not None else []
            shown = meter.start + sum(meter.increment + put * meter.per_mille // 1000 for put in staked if put)
            round_.meters[meter.name] = Reading(opening=meter.start, shown=shown, closing=shown)


def pay_and_take(house: House, rounds: list[Round], rng: Luck) -> None:
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
        due = (_whole(line).tolist(), line.due_taken[0].tolist(), judged[name].case.tolist())
        for stake, paid, taken, case in zip(stakes[name], *due, strict=True):
            stake.paid, stake.taken, stake.case = paid, taken, case
    close_meters(view)  # of which what is due is gone, whatever a limit leaves of it
    for number, limited in enumerate(limits_on(view.scope, lines), start=len(house.game.settlement.cases)):
        within = within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number


def close_meters(view: View) -> None:
    """What meters read after the awards of each round, which are paid as the stakes say."""
    for meter in view.house.meters:
        dues = _dues(view, meter)
        for round_ in view.rounds:
            round_.meters[meter.name].closing = _left_on(round_, meter, dues[round_])


def _dues(view: View, meter: Meter) -> Mapping[Round, Due]:
    """What the stakes of each round are due whose awards go by what a meter reads."""
    found = defaultdict[Round, Due](dict)
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = Scope(raised, view.house.prepared, view.house.configuration)
    for name in meter.lines:
        line, other = line_of_a_house(view.scope, name), line_of_a_house(further, name)
        differs = np.flatnonzero(line.due_paid[0] * other.per != other.due_paid[0] * line.per)
        due = _whole(line)
        for at in differs.tolist():
            seat = view.seats[int(line.seat[at])]
            found[view.round_of[seat]][seat, name, bool(line.tip[at])] = int(due[at])
    return found


def _whole(line: Line) -> Ints:
    """int64[n]: the whole amount that meets what each stake is due."""
    due = line.due_paid[0]
    return -(-due // line.per) if line.fractions == "up" else due // line.per


def _left_on(one: Round, meter: Meter, dues: Due) -> int:
    """What a meter reads after the awards of a round. Where all of it was won it is at its seed again; parts of a minor
    unit may be left of it."""
    shown = one.meters[meter.name].shown
    if dues and shown - sum(dues.values()) < len(dues):
        return meter.seed
    return shown - sum(seat.stakes[name, tip].paid for seat, name, tip in dues)


def carry(house: House, rounds: list[Round], reads: dict[tuple[int, str], int]) -> None:
    """Move the meters of rounds to where they stand at their tables. `reads` is what they read, by the table and the
    name of the meter: before the rounds, and then after them."""
    view = View(house, rounds)
    played = [(meter, _dues(view, meter)) for meter in house.meters]
    for round_ in rounds:
        # What a meter reads that it should not.
        odd = {
            meter.name: round_.meters[meter.name].closing - _left_on(round_, meter, dues[round_])
            for meter, dues in played
        }
        for name, was in round_.meters.items():
            further = reads[round_.table, name] - was.opening
            round_.meters[name] = Reading(was.opening + further, was.shown + further, was.closing + further)
        if any(dues[round_] for _, dues in played):
            now = View(house, [round_])
            for meter, before in played:
                dues = _dues(now, meter)[round_]
                for stake, due in dues.items():
                    _pay_more(round_, *stake, more=due - before[round_].get(stake, due))
                round_.meters[meter.name].closing = _left_on(round_, meter, dues) + odd[meter.name]
        reads.update({(round_.table, name): reading.closing for name, reading in round_.meters.items()})


def _pay_more(one: Round, seat: Seat, name: str, tip: bool, *, more: int) -> None:
    """Pay more on a stake, unless nothing was paid on it."""
    stake = seat.stakes[name, tip]
    stake.paid = max(stake.paid + more, 0) if stake.paid > 0 else stake.paid
    for event in one.events:
        if event.kind == "pay" and (event.seat, event.wager, event.tip) == (seat, name, tip) and event.amount:
            event.amount = max(event.amount + more, 0)
