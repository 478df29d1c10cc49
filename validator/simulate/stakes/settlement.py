"""Settlement of simulated stakes by the interpreter, and the readings of meters.

Every round is played with meters at their first reading. Afterwards, meters are moved to their true readings at the
tables, and payments from them are adjusted. Nothing else in a round depends on a meter.
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
"""Amount by which a meter is raised to measure its influence."""

Due = dict[tuple[Seat, str, bool], int]
"""Amounts due by seat, wager or bonus, and whether the stake is a tip."""


def raise_meters(house: House, rounds: list[Round], rng: Luck) -> None:
    """Set the readings of meters before the wagers of each round, and with them. Uses no random numbers."""
    for round_ in rounds:
        for meter in house.meters:
            staked = [seat.on(meter.fed_by) for seat in round_.seats] if meter.fed_by is not None else []
            shown = meter.start + sum(meter.increment + stake * meter.per_mille // 1000 for stake in staked if stake)
            round_.meters[meter.name] = Reading(opening=meter.start, shown=shown, closing=shown)


def pay_and_take(house: House, rounds: list[Round], rng: Luck) -> None:
    """Settle the rounds. Uses no random numbers.

    A house without posted pay tables pays by the first printed one. Where the document leaves a case open, the next
    case applies. Stakes under a common limit have the number of the limit, which follows the numbers of the cases.
    """
    view = View(house, rounds)
    judged, lines = settle(view.scope), settle_as_a_house(view.scope)
    stakes: dict[str, list[Stake]] = {}
    for name, line in lines.items():
        owners = zip(line.seat.tolist(), line.tip.tolist(), strict=True)
        stakes[name] = [view.seats[seat].stakes.setdefault((name, tip), Stake()) for seat, tip in owners]
        due = (_round_payments(line).tolist(), line.due_taken[0].tolist(), judged[name].case.tolist())
        for stake, paid, taken, case in zip(stakes[name], *due, strict=True):
            stake.paid, stake.taken, stake.case = paid, taken, case
    close_meters(view)  # subtracts the amounts due, even if a limit reduces them
    for number, limited in enumerate(limits_on(view.scope, lines), start=len(house.game.settlement.cases)):
        within = within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number


def close_meters(view: View) -> None:
    """Set the readings of meters after the awards of each round."""
    for meter in view.house.meters:
        dues = _find_dues(view, meter)
        for round_ in view.rounds:
            round_.meters[meter.name].closing = _find_closing(round_, meter, dues[round_])


def _find_dues(view: View, meter: Meter) -> Mapping[Round, Due]:
    """Return the amounts due on stakes whose payments depend on a meter, by round."""
    dues = defaultdict[Round, Due](dict)
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = Scope(raised, view.house.prepared, view.house.configuration)
    for name in meter.lines:
        line, other = line_of_a_house(view.scope, name), line_of_a_house(further, name)
        differs = np.flatnonzero(line.due_paid[0] * other.per != other.due_paid[0] * line.per)
        due = _round_payments(line)
        for at in differs.tolist():
            seat = view.seats[int(line.seat[at])]
            dues[view.round_of[seat]][seat, name, bool(line.tip[at])] = int(due[at])
    return dues


def _round_payments(line: Line) -> Ints:
    """Return the whole amount that each stake is due, int64[n]."""
    due = line.due_paid[0]
    return -(-due // line.per) if line.fractions == "up" else due // line.per


def _find_closing(round_: Round, meter: Meter, dues: Due) -> int:
    """Return the reading of a meter after the awards of a round: its seed if all of it was won.

    Less than a minor unit for each stake may be left of it.
    """
    shown = round_.meters[meter.name].shown
    if dues and shown - sum(dues.values()) < len(dues):
        return meter.seed
    return shown - sum(seat.stakes[name, tip].paid for seat, name, tip in dues)


def carry(house: House, rounds: list[Round], reads: dict[tuple[int, str], int]) -> None:
    """Move the meters of rounds to the readings at their tables.

    Args:
        house: the house.
        rounds: the rounds.
        reads: readings by table and meter, which are updated.
    """
    view = View(house, rounds)
    played = [(meter, _find_dues(view, meter)) for meter in house.meters]
    for round_ in rounds:
        # Deviation of the meter that a fault has planted.
        odd = {
            meter.name: round_.meters[meter.name].closing - _find_closing(round_, meter, dues[round_])
            for meter, dues in played
        }
        for name, was in round_.meters.items():
            further = reads[round_.table, name] - was.opening
            round_.meters[name] = Reading(was.opening + further, was.shown + further, was.closing + further)
        if any(dues[round_] for _, dues in played):
            now = View(house, [round_])
            for meter, before in played:
                dues = _find_dues(now, meter)[round_]
                for stake, due in dues.items():
                    _pay_more(round_, *stake, more=due - before[round_].get(stake, due))
                round_.meters[meter.name].closing = _find_closing(round_, meter, dues) + odd[meter.name]
        reads.update({(round_.table, name): reading.closing for name, reading in round_.meters.items()})


def _pay_more(round_: Round, seat: Seat, name: str, tip: bool, *, more: int) -> None:
    """Add to the payment of a stake, unless nothing was paid on it."""
    stake = seat.stakes[name, tip]
    stake.paid = max(stake.paid + more, 0) if stake.paid > 0 else stake.paid
    for event in round_.events:
        if event.kind == "pay" and (event.seat, event.wager, event.tip) == (seat, name, tip) and event.amount:
            event.amount = max(event.amount + more, 0)
