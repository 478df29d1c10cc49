from __future__ import annotations

import pytest

from tests.facade.rounds import CompiledGame
from tests.facade.simulation import Simulation
from tests.simulate.helpers import load_first


@pytest.fixture(scope="session")
def first_game() -> CompiledGame:
    return load_first()[0]


@pytest.fixture(scope="session")
def simulation() -> Simulation:
    return load_first()[1]


@pytest.fixture(scope="session")
def eventful(simulation: Simulation) -> Simulation:
    """Return a simulation in which everything rare happens often."""
    chances = simulation.chances.model_copy(
        update={"tip": 400, "second_hand": 500, "miscounts": {"player": 60, "dealer": 60}}
    )
    shown = [occurrence.model_copy(update={"chance": 300}) for occurrence in simulation.occurrences]
    return simulation.model_copy(update={"chances": chances, "occurrences": shown})
