"""Simulated rounds that continue each other: stakes that stay, results that are carried, and meters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import Ints
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.outcome_values import follow_results
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.due_amounts import bound_rounded
from fairdeal.validator.rules.payment_model import Rounding
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.round_records import SimulatedRound, SimulatedSeat, SimulatedStake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, RunningMeter, SimulatedHouse

ROUNDS_OF_TABLE = 16
"""Number of rounds until a table opens anew."""
WARM_UP_ROUNDS = 6
"""Number of rounds that a table plays before rounds that are recorded alone: 1 to as many precede each."""

PlayRounds = Callable[[list[SimulatedRound]], object]
"""Function that plays rounds until they are settled."""


def carries_rounds(house: SimulatedHouse) -> bool:
    """Return whether rounds of a house depend on earlier rounds."""
    return bool(house.game.carried_outcomes) or any(map(house.find_offer, house.game.staying_wagers))


def leaves_stake(house: SimulatedHouse, stake: SimulatedStake) -> bool:
    """Return whether a settled stake stays on the table."""
    cases = house.game.settlement.cases
    return stake.case is not None and stake.case < len(cases) and cases[stake.case].due.leaves_stake


def open_table(house: SimulatedHouse, rounds: Sequence[SimulatedRound]) -> None:
    """Set the carried results of rounds with which a table opens."""
    for round_ in rounds:
        round_.outcomes = {name: house.prepared.outcomes[name].values[0] for name in house.game.carried_outcomes}


def continue_rounds(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[SimulatedRound]:
    """Return the rounds after others: the same players, with the stakes and the results that these leave."""
    following = list[SimulatedRound]()
    for round_, outcomes in zip(before, _carry_outcomes(house, before), strict=True):
        seats = [SimulatedSeat(number=seat.number, player=seat.player) for seat in round_.seats]
        following.append(SimulatedRound(seats=seats, outcomes=outcomes))
        for seat, earlier in zip(seats, round_.seats, strict=True):
            for (name, tip, on), stake in earlier.stakes.items():
                if leaves_stake(house, stake):
                    key = (name, tip, on or _find_new_selection(house, name, round_))
                    lying = seat.stakes.setdefault(key, SimulatedStake())
                    lying.amount = lying.brought = lying.amount + stake.amount
    return following


def _find_new_selection(house: SimulatedHouse, name: str, before: SimulatedRound) -> str | None:
    """Return the selection that a stake gets when it stays; None if its wager has none."""
    selection = house.prepared.selections.get(name)
    if selection is None:
        return None
    outcome = house.prepared.outcomes[selection.outcome]
    value = outcome.number_of_text[before.outcomes[selection.outcome]]
    return str(outcome.numbers[value]) if selection.by == "total" else outcome.values[value]


def _carry_outcomes(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[dict[str, str]]:
    """Return the carried results with which the next rounds begin."""
    carried, outcomes = house.game.carried_outcomes, house.prepared.outcomes
    if not carried:
        return [{} for _ in before]
    states = np.maximum(follow_results(RoundView(house, before, events=True).scope), 0)
    values = np.unravel_index(states, [len(outcomes[name].values) for name in carried])
    texts = [
        [outcomes[name].values[value] for value in column.tolist()]
        for name, column in zip(carried, values, strict=True)
    ]
    return [dict(zip(carried, row, strict=True)) for row in zip(*texts, strict=True)]


def play_tables(
    house: SimulatedHouse, count: int, take_seats: Callable[[int], list[SimulatedRound]], play: PlayRounds
) -> list[SimulatedRound]:
    """Play rounds table by table. The tables take turns, and each opens anew after some rounds.

    Args:
        house: the house.
        count: number of rounds.
        take_seats: returns a number of rounds with players.
        play: plays rounds until they are recorded.
    """
    tables, rounds = len(house.tables), dict[int, SimulatedRound]()
    for turn in range(ROUNDS_OF_TABLE):
        places = [at for at in range(count) if at // tables % ROUNDS_OF_TABLE == turn]
        if turn == 0:
            begun = take_seats(len(places))
            open_table(house, begun)
        else:
            begun = continue_rounds(house, [rounds[at - tables] for at in places])
        for round_ in begun:
            round_.count = turn + 1
        play(begun)
        rounds.update(zip(places, begun, strict=True))
    return [rounds[at] for at in range(count)]


def begin_in_play(house: SimulatedHouse, rounds: list[SimulatedRound], play: PlayRounds) -> list[SimulatedRound]:
    """Return as many rounds that begin in the middle of play: each follows some rounds that are not recorded.

    Some tables are played, and each gives a beginning after every one of its rounds: to play as many tables as rounds
    are wanted would take several times as long.
    """
    wanted = len(rounds)
    played, begun = rounds[: -(-wanted // WARM_UP_ROUNDS)], list[list[SimulatedRound]]()
    open_table(house, played)
    for _ in range(WARM_UP_ROUNDS):
        play(played)
        following = continue_rounds(house, [*played, *played])
        begun.append(following[: len(played)])
        played = following[len(played) :]
    return [round_ for table in zip(*begun, strict=True) for round_ in table][:wanted]


_APART = 10**6
"""Amount by which a meter is raised to measure its influence."""


Due = dict[tuple[round_records.SimulatedSeat, str, bool], int]
"""Amounts due by seat, wager or bonus, and whether the stake is a tip."""


def feed_meters(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Set the readings of meters before the wagers of each round, and with them. Uses no random numbers."""
    for round_ in rounds:
        for meter in house.meters:
            fed_by = meter.fed_by
            fed = 0 if fed_by is None else sum(1 for seat in round_.seats if seat.staked_on(fed_by))
            shown = meter.start + meter.increment * fed
            round_.meters[meter.name] = round_records.MeterReading(opening=meter.start, shown=shown, closing=shown)


def close_meters(view: RoundView) -> None:
    """Set the readings of meters after the awards of each round."""
    for meter in view.house.meters:
        dues = _find_dues(view, meter)
        for round_ in view.rounds:
            round_.meters[meter.name].closing = _find_closing(round_, meter, dues[round_])


def _find_dues(view: RoundView, meter: RunningMeter) -> Mapping[round_records.SimulatedRound, Due]:
    """Return the amounts due on stakes whose payments depend on a meter, by round."""
    dues = defaultdict[round_records.SimulatedRound, Due](dict)
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = EvaluationContext(raised, view.house.prepared, view.house.configuration)
    for name in meter.lines:
        line, other = (
            line_settlement.settle_line_definitely(view.scope, name),
            line_settlement.settle_line_definitely(further, name),
        )
        differs = np.flatnonzero(line.due_paid[0] * other.denominator != other.due_paid[0] * line.denominator)
        due = round_dues(line, line.due_paid[0])
        for at in differs.tolist():
            seat = view.seats[int(line.seat[at])]
            dues[view.round_of[seat]][seat, name, bool(line.tip[at])] = int(due[at])
    return dues


def round_dues(line: line_settlement.SettledLine, due: Ints) -> Ints:
    """Return amounts due in parts of a minor unit, int64[n], as whole minor units.

    An amount that nothing rounds is rounded down.
    """
    return bound_rounded(due, line.denominator, line.rounding or _DOWN)[0]


_DOWN = Rounding(allow="down")


def _find_closing(round_: round_records.SimulatedRound, meter: RunningMeter, dues: Due) -> int:
    """Return the reading of a meter after the awards of a round: its seed if all of it was won.

    Less than a minor unit for each stake may be left of it.
    """
    shown = round_.meters[meter.name].shown
    if dues and shown - sum(dues.values()) < len(dues):
        return meter.seed
    return shown - sum(seat.stakes[name, tip, None].paid for seat, name, tip in dues)


def carry_meters(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], reads: dict[tuple[int, str], int]
) -> None:
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
            round_.meters[name] = round_records.MeterReading(
                was.opening + further, was.shown + further, was.closing + further
            )
        if any(dues[round_] for _, dues in played):
            now = RoundView(house, [round_])
            for meter, before in played:
                dues = _find_dues(now, meter)[round_]
                for stake, due in dues.items():
                    _pay_more(round_, *stake, more=due - before[round_].get(stake, due))
                round_.meters[meter.name].closing = _find_closing(round_, meter, dues) + odd[meter.name]
        reads.update({(round_.table, name): reading.closing for name, reading in round_.meters.items()})


def _pay_more(
    round_: round_records.SimulatedRound, seat: round_records.SimulatedSeat, name: str, tip: bool, *, more: int
) -> None:
    """Add to the payment of a stake, unless nothing was paid on it."""
    stake = seat.stakes[name, tip, None]
    stake.paid = max(stake.paid + more, 0) if stake.paid > 0 else stake.paid
    for event in round_.events:
        if event.kind == "pay" and (event.seat, event.wager, event.tip) == (seat, name, tip) and event.amount:
            event.amount = max(event.amount + more, 0)
