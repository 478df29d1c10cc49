"""Simulation run: batches of rounds with ids, tables and times, some with a planted fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta

from validator.engine.compiled.game import CompiledGame
from validator.evidence.columns.batch import Batch
from validator.evidence.submission.model import Submission
from validator.rules.simulation.simulation import Simulation
from validator.simulate.faults.planting import PlannedFault, plan_faults
from validator.simulate.procedure.steps import state_numbers
from validator.simulate.sessions.lapses import SimulatedSessions, SpanningFault, spans_rounds
from validator.simulate.sessions.stacks import TableStacks
from validator.simulate.stakes.settlement import carry_meters
from validator.simulate.supply import (
    FaultyRounds,
    RoundPool,
    list_eventful_houses,
    play_rounds,
    require_playable_wagers,
)
from validator.simulate.table.chance import seed_stream
from validator.simulate.table.house import SimulatedHouse, set_up_house
from validator.simulate.table.records import SimulatedRound
from validator.simulate.table.view import RoundView

BATCH_ROUNDS = 2048
FAULT_INTERVAL = 10

_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1)

Planted = list[tuple[str, ...]]
"""Full ids of the requirements that each round of a batch breaks: usually none or one, several if a fault that spans
rounds meets a round with its own fault."""


def simulate(
    prepared: CompiledGame,
    simulation: Simulation,
    *,
    submission: Submission,
    rounds: int,
    seed: int,
    faults: Sequence[str] = (),
    every: int = FAULT_INTERVAL,
    batch_rounds: int = BATCH_ROUNDS,
    seats: tuple[int, int] | None = None,
) -> Iterator[tuple[Batch, Planted]]:
    """Simulate a game under a submission: yield batches of rounds in log order, with the faults planted in each.

    The same seed and arguments give the same rounds on every machine; another `batch_rounds` gives other rounds. Rounds
    without a fault are the same with and without `faults`.

    With faults, every `every`-th round, beginning with the first, breaks one of the requirements in turn. Such a round
    is dealt again until the fault fits. If that takes too long, the round stays clean. So a fault that fits no round is
    never planted.

    Raises ValueError with a message for users, before the first batch. Causes are invalid arguments, requirements that
    do not exist or cannot be broken, and submissions under which the game cannot be played.

    Args:
        prepared: the game.
        simulation: habits and chances of the simulation.
        submission: choices of the house.
        rounds: number of rounds.
        seed: seed of the random numbers.
        faults: requirements to break, by name or full id.
        every: distance between rounds with a fault.
        batch_rounds: number of rounds in a batch.
        seats: smallest and largest number of hands in a round; None for those of the simulation.
    """
    if rounds < 0 or seed < 0 or every < 1 or batch_rounds < 1:
        raise ValueError("rounds and seed must be at least 0, every and batch_rounds at least 1")
    wanted = plan_faults(prepared, faults)
    house = set_up_house(prepared, simulation, submission, faults=[planting.fault for planting in wanted], seats=seats)
    require_playable_wagers(house)
    return _play_batches(house, wanted, rounds=rounds, seed=seed, every=every, batch_rounds=batch_rounds)


def _play_batches(
    house: SimulatedHouse,
    plantings_wanted: Sequence[PlannedFault],
    *,
    rounds: int,
    seed: int,
    every: int,
    batch_rounds: int,
) -> Iterator[tuple[Batch, Planted]]:
    houses = [house, *list_eventful_houses(house)]
    supplies = [
        None if spans_rounds(house, planting) else FaultyRounds(houses, planting, seed) for planting in plantings_wanted
    ]
    session = house.simulation.session
    sessions = None if session is None else SimulatedSessions(house, session)
    stacks = None if house.simulation.stacks is None else TableStacks(house)
    reads = {(table, meter.name): meter.start for table in range(len(house.tables)) for meter in house.meters}
    for number, first in enumerate(range(0, rounds, batch_rounds)):
        count = min(batch_rounds, rounds - first)
        batch, pools = play_rounds(house, count, seed_stream(seed, 0, number)), RoundPool(seed, 1, number)
        begins = range(-first % every, count, every)
        spanning = list[SpanningFault]()
        for turn, (planting, supply) in enumerate(zip(plantings_wanted, supplies, strict=True)):
            places = [at for at in begins if (first + at) // every % len(plantings_wanted) == turn]
            if supply is None:
                spanning.append(SpanningFault(planting=planting, planned_rounds={batch[at] for at in places}))
                continue
            for at, round_ in zip(places, supply.take(len(places), pools), strict=False):
                batch[at] = round_
        for at, round_ in enumerate(batch, start=first):
            _label_round(house, round_, at)
        if house.meters:
            carry_meters(house, batch, reads)
        if stacks is not None:
            stacks.link_rounds(batch, spanning, seed_stream(seed, 2, number))
        view = RoundView(house, batch, events=True) if sessions is None else sessions.arrange_rounds(batch, spanning)
        recorded, planted = state_numbers(view), [round_.planted for round_ in batch]
        del batch, pools, spanning, view  # free the memory of the rounds while the caller writes the batch
        yield recorded, planted


def _label_round(house: SimulatedHouse, round_: SimulatedRound, number: int) -> None:
    """Set the id, table, time and line of a round from its number in the run.

    Tables take turns, each a little later than the previous one.
    """
    hand, round_.table = divmod(number, len(house.tables))
    start = max(house.simulation.start, datetime.combine(house.submission.effective, time())) - _EPOCH
    step = house.simulation.seconds * _SECOND
    round_.time = start // timedelta(microseconds=1) + hand * step + round_.table * step // len(house.tables)
    round_.name, round_.line = f"{house.tables[round_.table]}-{hand + 1:06d}", number + 1
