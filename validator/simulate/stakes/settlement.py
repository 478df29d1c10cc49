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
from validator.engine.core.context import EvaluationContext
from validator.engine.payouts.aggregate_limits import limit_lines, pay_within_limits
from validator.engine.payouts.settlement import (
    SettledLine,
    settle_line_definitely,
    settle_lines,
    settle_lines_definitely,
)
from validator.simulate.table.chance import RandomStream
from validator.simulate.table.house import RunningMeter, SimulatedHouse
from validator.simulate.table.records import MeterReading, SimulatedRound, SimulatedSeat, SimulatedStake
from validator.simulate.table.view import RoundView

_APART = 10**6
"""Amount by which a meter is raised to measure its influence."""

Due = dict[tuple[SimulatedSeat, str, bool], int]
"""Amounts due by seat, wager or bonus, and whether the stake is a tip."""


def feed_meters(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Set the readings of meters before the wagers of each round, and with them. Uses no random numbers."""
    for round_ in rounds:
        for meter in house.meters:
            staked = [seat.staked_on(meter.fed_by) for seat in round_.seats] if meter.fed_by is not None else []
            shown = meter.start + sum(meter.increment + stake * meter.per_mille // 1000 for stake in staked if stake)
            round_.meters[meter.name] = MeterReading(opening=meter.start, shown=shown, closing=shown)


def settle_stakes(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Settle the rounds. Uses no random numbers.

    A house without posted pay tables pays by the first printed one. Where the document leaves a case open, the next
    case applies. Stakes under a common limit have the number of the limit, which follows the numbers of the cases.
    """
    view = RoundView(house, rounds)
    judged, lines = settle_lines(view.scope), settle_lines_definitely(view.scope)
    stakes: dict[str, list[SimulatedStake]] = {}
    for name, line in lines.items():
        owners = zip(line.seat.tolist(), line.tip.tolist(), strict=True)
        stakes[name] = [view.seats[seat].stakes.setdefault((name, tip), SimulatedStake()) for seat, tip in owners]
        due = (_round_payments(line).tolist(), line.due_taken[0].tolist(), judged[name].case.tolist())
        for stake, paid, taken, case in zip(stakes[name], *due, strict=True):
            stake.paid, stake.taken, stake.case = paid, taken, case
    close_meters(view)  # subtracts the amounts due, even if a limit reduces them
    for number, limited in enumerate(limit_lines(view.scope, lines), start=len(house.game.settlement.cases)):
        within = pay_within_limits(limited)
        for at in np.flatnonzero(limited.bites[limited.group]).tolist():
            stake = stakes[limited.lines[limited.line[at]].name][limited.stake[at]]
            stake.paid, stake.case = int(within[at]), number


def close_meters(view: RoundView) -> None:
    """Set the readings of meters after the awards of each round."""
    for meter in view.house.meters:
        dues = _find_dues(view, meter)
        for round_ in view.rounds:
            round_.meters[meter.name].closing = _find_closing(round_, meter, dues[round_])


def _find_dues(view: RoundView, meter: RunningMeter) -> Mapping[SimulatedRound, Due]:
    """Return the amounts due on stakes whose payments depend on a meter, by round."""
    dues = defaultdict[SimulatedRound, Due](dict)
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = EvaluationContext(raised, view.house.prepared, view.house.configuration)
    for name in meter.lines:
        line, other = settle_line_definitely(view.scope, name), settle_line_definitely(further, name)
        differs = np.flatnonzero(line.due_paid[0] * other.denominator != other.due_paid[0] * line.denominator)
        due = _round_payments(line)
        for at in differs.tolist():
            seat = view.seats[int(line.seat[at])]
            dues[view.round_of[seat]][seat, name, bool(line.tip[at])] = int(due[at])
    return dues


def _round_payments(line: SettledLine) -> Ints:
    """Return the whole amount that each stake is due, int64[n]."""
    due = line.due_paid[0]
    return -(-due // line.denominator) if line.rounding == "up" else due // line.denominator


def _find_closing(round_: SimulatedRound, meter: RunningMeter, dues: Due) -> int:
    """Return the reading of a meter after the awards of a round: its seed if all of it was won.

    Less than a minor unit for each stake may be left of it.
    """
    shown = round_.meters[meter.name].shown
    if dues and shown - sum(dues.values()) < len(dues):
        return meter.seed
    return shown - sum(seat.stakes[name, tip].paid for seat, name, tip in dues)


def carry_meters(house: SimulatedHouse, rounds: list[SimulatedRound], reads: dict[tuple[int, str], int]) -> None:
    """Move the meters of rounds to the readings at their tables.

    Args:
        house: the house.
        rounds: the rounds.
        reads: readings by table and meter, which are updated.
    """
    view = RoundView(house, rounds)
    played = [(meter, _find_dues(view, meter)) for meter in house.meters]
    for round_ in rounds:
        # Deviation of the meter that a fault has planted.
        odd = {
            meter.name: round_.meters[meter.name].closing - _find_closing(round_, meter, dues[round_])
            for meter, dues in played
        }
        for name, was in round_.meters.items():
            further = reads[round_.table, name] - was.opening
            round_.meters[name] = MeterReading(was.opening + further, was.shown + further, was.closing + further)
        if any(dues[round_] for _, dues in played):
            now = RoundView(house, [round_])
            for meter, before in played:
                dues = _find_dues(now, meter)[round_]
                for stake, due in dues.items():
                    _pay_more(round_, *stake, more=due - before[round_].get(stake, due))
                round_.meters[meter.name].closing = _find_closing(round_, meter, dues) + odd[meter.name]
        reads.update({(round_.table, name): reading.closing for name, reading in round_.meters.items()})


def _pay_more(round_: SimulatedRound, seat: SimulatedSeat, name: str, tip: bool, *, more: int) -> None:
    """Add to the payment of a stake, unless nothing was paid on it."""
    stake = seat.stakes[name, tip]
    stake.paid = max(stake.paid + more, 0) if stake.paid > 0 else stake.paid
    for event in round_.events:
        if event.kind == "pay" and (event.seat, event.wager, event.tip) == (seat, name, tip) and event.amount:
            event.amount = max(event.amount + more, 0)
