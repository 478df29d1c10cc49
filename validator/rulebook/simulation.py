"""The file that says how a regulation's game is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from validator.rulebook.grain import MixedGrains, covers, grain_of_condition
from validator.rulebook.language.simulation import Simulation
from validator.rulebook.library import rules_folder
from validator.rulebook.names import Namespace, unknown_names
from validator.rulebook.regulation import Regulation
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.source import read_source
from validator.text.tree import Path
from validator.text.validate import validate
from validator.text.yaml_tree import load_yaml

FILE = "simulation.yaml"


def load_simulation(regulation: Regulation, folder: FilePath | None = None) -> Simulation:
    """How the game of a regulation is simulated, from its folder in a rules folder (the shipped one where
    none is named).

    Raises InputError: there is no such file, it breaks its schema, or it names what the game does not have.
    """
    path = (folder or rules_folder()) / regulation.id / FILE
    if regulation.game is None or not path.exists():
        message = f"{regulation.id} cannot be simulated: it has no {'game' if regulation.game is None else FILE}"
        raise InputError((Diagnostic(code="no-simulation", message=message, file=str(path)),))
    tree = load_yaml(read_source(str(path)))
    simulation = validate(tree, Simulation)
    problems = [*unknown_names(tree, simulation, Namespace.of(regulation))]
    problems = problems or [
        tree.diagnostic(place, "no-sense", message) for place, message in _nonsense(regulation, simulation)
    ]
    if problems:
        raise InputError(at_most(problems))
    return simulation


def _nonsense(regulation: Regulation, simulation: Simulation) -> Iterator[tuple[Path, str]]:
    game = regulation.game
    assert game is not None
    if simulation.submission.document != regulation.id:
        yield ("submission", "document"), f"the submission must be for {regulation.id}"
    for name in simulation.chances.wagers:
        if name not in game.wagers or game.wagers[name].placed != "before-the-deal":
            yield ("chances", "wagers", name), f"`{name}` is not a wager that is placed before the deal"
    known = {one.place for one in game.irregularities.miscounts}
    for place in simulation.chances.miscounts:
        if place not in known:
            yield ("chances", "miscounts", place), f"the game knows no miscount at the place `{place}`"
    if simulation.chances.exposure and not game.irregularities.exposures:
        yield ("chances", "exposure"), "the game does not say what happens to a card that is shown"
    for index, habit in enumerate(simulation.habits):
        if habit.when is None:
            continue
        here: Path = ("habits", index, "when")
        try:
            grain = grain_of_condition(habit.when, game)
        except MixedGrains as error:
            yield here, str(error)
            continue
        if not covers("seat", grain):
            yield here, f"speaks of each {grain}, but is asked of each seat"
