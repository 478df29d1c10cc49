"""Runs as records of their log, the only input of the oracles of these tests."""

from __future__ import annotations

from functools import cache

from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import find_needed_readings, load_regulation
from tests.facade.simulation import Simulation, change_fields, is_plantable, load_simulation
from tests.facade.submissions import Submission

GAME = "co-rule10-3card-shine"


@cache
def load_first() -> tuple[CompiledGame, Simulation]:
    """Return the first game and its simulation."""
    regulation = load_regulation(GAME)
    return compile_game(regulation), load_simulation(regulation)


def list_read_otherwise() -> set[str]:
    """Return requirements of the first game that a fault can break only under another reading."""
    regulation = load_regulation(GAME)
    return {
        requirement.requirement
        for requirement in regulation.requirements
        if is_plantable(requirement) and find_needed_readings(regulation, requirement)
    }


def list_plantable() -> list[str]:
    """Return the requirements of the first game that a fault can break under the adopted readings."""
    every = [requirement.requirement for requirement in load_regulation(GAME).requirements if is_plantable(requirement)]
    return [name for name in every if name not in list_read_otherwise()]


IN_ANOTHER_HOUSE = ("wager-is-offered", "single-cards-by-the-dealer")
"""Requirements that the first game's house can never break: it offers every wager and deals packets."""
FOLLOWS = {"folded-hand-keeps-its-play-wager": {"play-only-when-staying"}}
"""Requirements of the first game that are broken along with the one a fault is for."""


@cache
def house_for(fault: str | None) -> Submission:
    """Return the submission of the first game in which a fault can be planted."""
    submission = load_first()[1].submission
    if fault == "single-cards-by-the-dealer":
        return change_fields(submission, dealing="one-at-a-time")
    if fault == "wager-is-offered":
        return change_fields(
            submission, wagers=[wager for wager in submission.wagers or [] if wager.wager != "super-6"]
        )
    return submission
