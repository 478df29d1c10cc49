"""Simulation run: batches of rounds with ids, tables and times, some with a planted fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta

from validator.engine.compiled.game import Prepared
from validator.evidence.columns.batch import Batch
from validator.evidence.submission.model import Submission
from validator.rules.simulation.simulation import Simulation
from validator.simulate.faults.planting import Planting, plantings
from validator.simulate.procedure.steps import with_numbers_stated
from validator.simulate.sessions.lapses import Sessions, Turn, spans_rounds
from validator.simulate.sessions.stacks import Stacks
from validator.simulate.stakes.settlement import carry
from validator.simulate.supply import Pools, Supply, eventful, play, see_to_wagers
from validator.simulate.table.chance import stream
from validator.simulate.table.house import House, furnish
from validator.simulate.table.records import Round
from validator.simulate.table.view import View

BATCH_ROUNDS = 2048
EVERY = 10

_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1)

Planted = list[tuple[str, ...]]
"""Full ids of the requirements that each round of a batch breaks: usually none or one, several if a fault that spans
rounds meets a round with its own fault."""


def simulate(
    prepared: Prepared,
    simulation: Simulation,
    *,
    submission: Submission,
    rounds: int,
    seed: int,
    faults: Sequence[str] = (),
    every: int = EVERY,
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
    wanted = plantings(prepared, faults)
    house = furnish(prepared, simulation, submission, faults=[planting.fault for planting in wanted], seats=seats)
    see_to_wagers(house)
    return _play_batches(house, wanted, rounds=rounds, seed=seed, every=every, batch_rounds=batch_rounds)


def _play_batches(
    house: House, plantings_wanted: Sequence[Planting], *, rounds: int, seed: int, every: int, batch_rounds: int
) -> Iterator[tuple[Batch, Planted]]:
    houses = [house, *eventful(house)]
    supplies = [
        None if spans_rounds(house, planting) else Supply(houses, planting, seed) for planting in plantings_wanted
    ]
    session = house.simulation.session
    sessions = None if session is None else Sessions(house, session)
    stacks = None if house.simulation.stacks is None else Stacks(house)
    reads = {(table, meter.name): meter.start for table in range(len(house.tables)) for meter in house.meters}
    for number, first in enumerate(range(0, rounds, batch_rounds)):
        count = min(batch_rounds, rounds - first)
        batch, pools = play(house, count, stream(seed, 0, number)), Pools(seed, 1, number)
        begins = range(-first % every, count, every)
        spanning = list[Turn]()
        for turn, (planting, supply) in enumerate(zip(plantings_wanted, supplies, strict=True)):
            places = [at for at in begins if (first + at) // every % len(plantings_wanted) == turn]
            if supply is None:
                spanning.append(Turn(planting=planting, at={batch[at] for at in places}))
                continue
            for at, round_ in zip(places, supply.take(len(places), pools), strict=False):
                batch[at] = round_
        for at, round_ in enumerate(batch, start=first):
            _label_round(house, round_, at)
        if house.meters:
            carry(house, batch, reads)
        if stacks is not None:
            stacks.go_on(batch, spanning, stream(seed, 2, number))
        view = View(house, batch, events=True) if sessions is None else sessions.keep(batch, spanning)
        recorded, planted = with_numbers_stated(view), [round_.planted for round_ in batch]
        del batch, pools, spanning, view  # free the memory of the rounds while the caller writes the batch
        yield recorded, planted


def _label_round(house: House, round_: Round, number: int) -> None:
    """Set the id, table, time and line of a round from its number in the run.

    Tables take turns, each a little later than the previous one.
    """
    hand, round_.table = divmod(number, len(house.tables))
    start = max(house.simulation.start, datetime.combine(house.submission.effective, time())) - _EPOCH
    step = house.simulation.seconds * _SECOND
    round_.time = start // timedelta(microseconds=1) + hand * step + round_.table * step // len(house.tables)
    round_.name, round_.line = f"{house.tables[round_.table]}-{hand + 1:06d}", number + 1
