"""Runs as the records of their log, which is all that the oracles of these tests look at."""

from __future__ import annotations

from functools import cache

from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import find_needed_readings, load_regulation
from tests.facade.simulation import Simulation, change_fields, is_plantable, load_simulation
from tests.facade.submissions import Submission

GAME = "co-rule10-3card-shine"


@cache
def shipped() -> tuple[CompiledGame, Simulation]:
    """The first game, and how it is simulated."""
    regulation = load_regulation(GAME)
    return compile_game(regulation), load_simulation(regulation)


def read_otherwise() -> set[str]:
    """What the first game asks, and a fault could break, only as the text is not read."""
    regulation = load_regulation(GAME)
    return {
        one.requirement
        for one in regulation.requirements
        if is_plantable(one) and find_needed_readings(regulation, one)
    }


def planted_as_read() -> list[str]:
    """The requirements of the first game that a fault can break as the text is read."""
    every = [one.requirement for one in load_regulation(GAME).requirements if is_plantable(one)]
    return [name for name in every if name not in read_otherwise()]


IN_ANOTHER_HOUSE = ("wager-is-offered", "single-cards-by-the-dealer")
"""Requirements that no round of the first game's house can break: it offers every wager and deals packets."""
FOLLOWS = {"folded-hand-keeps-its-play-wager": {"play-only-when-staying"}}
"""Requirements of the first game that are broken along with the one a fault is for."""


@cache
def house_for(fault: str | None) -> Submission:
    """The house of the first game in which a fault can be planted."""
    submission = shipped()[1].submission
    if fault == "single-cards-by-the-dealer":
        return change_fields(submission, dealing="one-at-a-time")
    if fault == "wager-is-offered":
        return change_fields(submission, wagers=[one for one in submission.wagers or [] if one.wager != "super-6"])
    return submission
