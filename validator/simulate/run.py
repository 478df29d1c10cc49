"""A run: batches of rounds with ids, tables and times, and here and there a planted fault."""

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
"""For each round of a batch, the full ids of the requirements it was made to break: none or one, or several where a
fault that spans rounds comes to light in a round that has one of its own."""


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
    """Play a game forward under a submission: batches of rounds in log order, and what was planted in each.

    The same seed and arguments give the same rounds on every machine; another `batch_rounds` gives other
    rounds. With `faults`, requirements by name or full id, every `every`-th round, beginning with the first,
    breaks one of them in turn: it is dealt anew until the fault fits. A round for which that takes too long
    stays clean, as does every other round, which is the same with faults as without; so a fault that fits no
    round is one that is never planted. `seats` is the fewest and the most hands in a round, in place of the
    simulation's.

    Raises ValueError, with a sentence for people and before the first batch, for arguments that make no sense,
    a requirement that does not exist or is not plantable, and a submission the game cannot be played under.
    """
    if rounds < 0 or seed < 0 or every < 1 or batch_rounds < 1:
        raise ValueError("rounds and seed are not below 0, every and batch_rounds not below 1")
    wanted = plantings(prepared, faults)
    house = furnish(prepared, simulation, submission, faults=[planting.fault for planting in wanted], seats=seats)
    see_to_wagers(house)
    return _batches(house, wanted, rounds=rounds, seed=seed, every=every, batch_rounds=batch_rounds)


def _batches(
    house: House, wanted: Sequence[Planting], *, rounds: int, seed: int, every: int, batch_rounds: int
) -> Iterator[tuple[Batch, Planted]]:
    houses = [house, *eventful(house)]
    supplies = [None if spans_rounds(house, planting) else Supply(houses, planting, seed) for planting in wanted]
    session = house.simulation.session
    sessions = None if session is None else Sessions(house, session)
    stacks = None if house.simulation.stacks is None else Stacks(house)
    reads = {(table, meter.name): meter.start for table in range(len(house.tables)) for meter in house.meters}
    for number, first in enumerate(range(0, rounds, batch_rounds)):
        count = min(batch_rounds, rounds - first)
        batch, pools = play(house, count, stream(seed, 0, number)), Pools(seed, 1, number)
        begins = range(-first % every, count, every)
        spanning = list[Turn]()
        for turn, (planting, supply) in enumerate(zip(wanted, supplies, strict=True)):
            places = [at for at in begins if (first + at) // every % len(wanted) == turn]
            if supply is None:
                spanning.append(Turn(planting=planting, at={batch[at] for at in places}))
                continue
            for at, round_ in zip(places, supply.take(len(places), pools), strict=False):
                batch[at] = round_
        for at, round_ in enumerate(batch, start=first):
            _sign(house, round_, at)
        if house.meters:
            carry(house, batch, reads)
        if stacks is not None:
            stacks.go_on(batch, spanning, stream(seed, 2, number))
        view = View(house, batch, events=True) if sessions is None else sessions.keep(batch, spanning)
        told, planted = with_numbers_stated(view), [round_.planted for round_ in batch]
        del batch, pools, spanning, view  # nobody needs the rounds while the batch is written
        yield told, planted


def _sign(house: House, one: Round, number: int) -> None:
    """Tell a round from all others by its number in the run. Tables take turns, each starting a little after the one
    before it."""
    hand, one.table = divmod(number, len(house.tables))
    start = max(house.simulation.start, datetime.combine(house.submission.effective, time())) - _EPOCH
    step = house.simulation.seconds * _SECOND
    one.time = start // timedelta(microseconds=1) + hand * step + one.table * step // len(house.tables)
    one.name, one.line = f"{house.tables[one.table]}-{hand + 1:06d}", number + 1
