"""Runs as the records of their log, which is all that the oracles of these tests look at."""

from __future__ import annotations

from functools import cache

from tests.facade.rounds import Prepared, prepare
from tests.facade.rules import load_regulation
from tests.facade.simulation import Simulation, changed, load_simulation
from tests.facade.submissions import Submission

GAME = "co-rule10-3card-shine"


@cache
def shipped() -> tuple[Prepared, Simulation]:
    """The first game, and how it is simulated."""
    regulation = load_regulation(GAME)
    return prepare(regulation), load_simulation(regulation)


WITHOUT_SUPER_6 = "wager-is-offered"
FOLLOWS = {"folded-hand-keeps-its-play-wager": {"play-only-when-staying"}}
"""Requirements of the first game that are broken along with the one a fault is for."""


@cache
def house_for(fault: str | None) -> Submission:
    """The house of the first game in which a fault can be planted: the shipped one offers every wager."""
    submission = shipped()[1].submission
    if fault != WITHOUT_SUPER_6:
        return submission
    return changed(submission, wagers=[one for one in submission.wagers or [] if one.wager != "super-6"])
