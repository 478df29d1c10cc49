"""Meters of a house: what feeds them, and what they read in a round by itself."""

from __future__ import annotations

from msgspec import Struct

from validator.evidence.submission.model import Submission
from validator.rules.model.game import Game
from validator.rules.simulation.simulation import Simulation


class Meter(Struct, frozen=True, kw_only=True):
    """A meter as it runs at every table of a house, amounts in minor currency units.

    It starts at `start` and, when all of it was won, again at `seed`. Each wager on `fed_by` adds `increment` and
    `per_mille` of every thousand units staked; where nothing feeds it, `fed_by` is None. `lines` are the wagers and
    bonuses whose pay tables speak of it.
    """

    name: str
    start: int
    seed: int
    fed_by: str | None
    increment: int
    per_mille: int
    lines: tuple[str, ...]


def meters_of(game: Game, simulation: Simulation, submission: Submission) -> tuple[Meter, ...]:
    """The meters of a house. What the simulation leaves open is as the submission has it. Raises ValueError."""
    found: list[Meter] = []
    for name, run in simulation.meters.items():
        submitted = next((one for one in submission.meters or [] if one.meter == name), None)
        lines = tuple(dict.fromkeys(table.for_ for table in game.pay_tables.values() if table.meter == name))
        fed_by = run.fed_by or (None if submitted is None else submitted.fed_by)
        fed_by = fed_by or next((line for line in lines if line in game.wagers), None)
        if fed_by is not None and fed_by not in game.wagers:
            raise ValueError(f"the meter `{name}` is fed by `{fed_by}`, which is not a wager")
        increment, seed = run.increment, None if submitted is None else submitted.seed
        if increment is None:
            increment = 0 if submitted is None else submitted.increment or 0
        found.append(
            Meter(
                name=name,
                start=run.start,
                seed=run.start if seed is None else seed,
                fed_by=fed_by,
                increment=increment,
                per_mille=run.per_mille,
                lines=lines,
            )
        )
    return tuple(found)
