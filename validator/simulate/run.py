"""A run: batches of rounds with ids, tables and times, and here and there a planted fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np
from msgspec.structs import replace

from validator.arrays import Ints
from validator.engine.compiled.game import Prepared
from validator.evidence.columns.batch import Batch, Coded
from validator.evidence.submission.model import Submission
from validator.rules.simulation.simulation import Simulation
from validator.simulate.carrying import carry, first_readings
from validator.simulate.draws import stream
from validator.simulate.gather import pick
from validator.simulate.going_on import Tables
from validator.simulate.house import House, furnish
from validator.simulate.lapses import Sessions, Turn, spans_rounds
from validator.simulate.planting import Planting, plantings
from validator.simulate.playing import play
from validator.simulate.supply import Supply

BATCH_ROUNDS = 2048
EVERY = 10

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
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
    house = furnish(
        prepared,
        simulation,
        submission,
        other_names=[one.new_name for one in wanted if one.new_name is not None],
        other_decisions=[one.new_decision for one in wanted if one.new_decision is not None],
        other_what=[one.new_what for one in wanted if one.new_what is not None],
        other_spots=[one.new_spots for one in wanted if one.new_spots is not None],
        other_seats=[one.new_seats for one in wanted if one.new_seats is not None],
        other_ways=any(one.other_ways for one in wanted),
        seats=seats,
    )
    return _batches(house, wanted, rounds=rounds, seed=seed, every=every, batch_rounds=batch_rounds)


def _batches(
    house: House, wanted: Sequence[Planting], *, rounds: int, seed: int, every: int, batch_rounds: int
) -> Iterator[tuple[Batch, Planted]]:
    supplies = [None if spans_rounds(house, one) else Supply(house, one, seed) for one in wanted]
    session = house.simulation.session
    tables = None if session is None else Sessions(house=house, session=session)
    reads = first_readings(house)
    tables_of_players = None if house.simulation.stacks is None else Tables(house)
    for number, first in enumerate(range(0, rounds, batch_rounds)):
        count = min(batch_rounds, rounds - first)
        numbers = np.arange(first, first + count)
        clean = play(house, count, stream(seed, 0, number))
        turn = np.where(numbers % every == 0, numbers // every % max(len(wanted), 1), -1)
        batch, planted = _planted(clean, supplies, turn)
        batch = _signed(house, batch, first)
        if house.meters:
            batch, reads = carry(house, batch, reads)
        turns = [Turn(planting=one, at=turn == index) for index, one in enumerate(wanted) if supplies[index] is None]
        if tables_of_players is not None:
            luck = stream(seed, 2, number)
            batch, lapses = tables_of_players.go_on(batch, numbers // len(house.tables), turns, luck)
            for at, requirement in lapses:
                planted[at] = (*planted[at], requirement)
        if tables is not None:
            batch, lapses = tables.keep(batch, numbers // len(house.tables), turns)
            for at, requirement in lapses:
                planted[at] = (*planted[at], requirement)
        yield batch, planted


def _planted(clean: Batch, supplies: Sequence[Supply | None], turn: Ints) -> tuple[Batch, Planted]:
    """A clean batch with planted rounds in place of some; `turn` is int64[rounds], which supply gives the round, -1
    where none does. Where a supply is None, its turn is another's to use."""
    pieces = [clean]
    source = np.arange(len(turn))
    labels = np.zeros(len(turn), np.int64)
    for index, supply in enumerate(supplies):
        at = np.flatnonzero(turn == index)
        piece = supply.take(len(at)) if supply is not None and len(at) else None
        if piece is not None:
            at = at[: len(piece)]
            source[at] = sum(len(one) for one in pieces) + np.arange(len(piece))
            labels[at] = index + 1
            pieces.append(piece)
    names: list[tuple[str, ...]] = [
        (),
        *(() if supply is None else (supply.planting.requirement,) for supply in supplies),
    ]
    batch = clean if len(pieces) == 1 else pick(pieces, source)
    return batch, [names[label] for label in labels.tolist()]


def _signed(house: House, batch: Batch, first: int) -> Batch:
    """The batch with everything that tells its rounds apart; `first` is the number of its first round.

    Tables take turns, each starting a little after the one before it.
    """
    numbers = np.arange(first, first + len(batch))
    hand, table = np.divmod(numbers, len(house.tables))
    step = house.simulation.seconds * _SECOND
    start = (house.start - _EPOCH) // timedelta(microseconds=1)
    time = start + hand * step + table * step // len(house.tables)
    ids = [f"{house.tables[at]}-{number:06d}" for at, number in zip(table.tolist(), (hand + 1).tolist(), strict=True)]
    return replace(
        batch,
        file=replace(batch.file, names=("simulated",)),
        round=tuple(ids),
        line=numbers + 1,
        table=Coded(codes=table.astype(np.int32), names=house.tables),
        day=(time // _DAY).astype(np.int32),
        time=time,
    )
