"""The file that says how a regulation's game is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from validator.language.conditions import Problem, asked_at
from validator.language.grains import Grain
from validator.rulebook.lint.playable import unplaced, unplayable, unstated
from validator.rulebook.lint.references import Namespace, unknown_names
from validator.rulebook.loading.rule_file import RuleFile
from validator.rulebook.vocabulary.printed_tables import with_printed_rows
from validator.rules.core.library import GAME_FILE, rules_folder
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game, Step
from validator.rules.simulation.simulation import Occurrence, Simulation, Stacked, StackedBeside
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.models.model import hyphenated
from validator.text.models.validate import validate
from validator.text.source import read_source
from validator.text.trees.tree import Path
from validator.text.trees.yaml_tree import load_yaml

FILE = "simulation.yaml"
_HELP = "without simulation.yaml the game is judged, and not simulated"

_OF_CARDS = frozenset({"expose", "draw"})
_MISHAPS = _OF_CARDS | {"fault", "count"}
"""The kinds of event that may go wrong in a deal."""
_ALL = 1000
"""Chances are so many in as many rounds."""
_SHOWN = {"expose", "turn-down"}
"""The kinds of what the dealer does with a card that is shown by mistake."""


def load_simulation(regulation: Regulation, folder: FilePath | None = None) -> Simulation:
    """How the game of a regulation is simulated, from its folder in a rules folder (the shipped one where
    none is named).

    Raises InputError: there is no such file, it breaks its schema, or it names what the game does not have.
    """
    return read_simulation(regulation, folder)[1]


def read_simulation(regulation: Regulation, folder: FilePath | None = None) -> tuple[RuleFile, Simulation]:
    """The file of `load_simulation` as it was read, and what it says. Raises InputError as that does."""
    path = (folder or rules_folder()) / regulation.id / FILE
    if regulation.game is None or not path.exists():
        message = f"{regulation.id} cannot be simulated: it has no {'game' if regulation.game is None else FILE}"
        raise InputError((Diagnostic(code="no-simulation", message=message, file=str(path)),))
    source = read_source(str(path))
    tree = load_yaml(source)
    simulation = validate(with_printed_rows(tree, regulation.game, ("submission",)), Simulation)
    problems = [*unknown_names(tree, simulation, Namespace.of(regulation))]
    problems = problems or [
        tree.diagnostic(place, "semantic-error", message) for place, message in _nonsense(regulation, simulation)
    ]
    played = [*unplayable(regulation.game), *unplaced(regulation.game)]
    if played:
        told = load_yaml(read_source(str(path.parent / GAME_FILE)))
        problems += [told.diagnostic(place, "not-playable", message, help=_HELP) for place, message in played]
    if problems:
        raise InputError(at_most(problems))
    return RuleFile(name=f"{regulation.id}/{FILE}", sha256=source.sha256, tree=tree, model=simulation), simulation


def _nonsense(regulation: Regulation, simulation: Simulation) -> Iterator[Problem]:
    game = regulation.game
    assert game is not None
    if simulation.submission.document != regulation.id:
        yield ("submission", "document"), f"the submission must be for {regulation.id}"
    if simulation.start.date() < simulation.submission.effective:
        yield ("start",), f"the submission is not in force before {simulation.submission.effective.isoformat()}"
    for name in simulation.chances.wagers:
        if name not in game.wagers or game.wagers[name].placed != "before-the-deal":
            yield ("chances", "wagers", name), f"`{name}` is not a wager that is placed before the deal"
    known = {one.place for one in game.irregularities.miscounts}
    for place in simulation.chances.miscounts:
        if place not in known:
            yield (
                ("chances", "miscounts", place),
                f"the game has no `{place}` among the `miscounts` of its `irregularities`",
            )
    for name in simulation.chances.claims:
        if name not in game.wagers:
            yield ("chances", "claims", name), f"`{name}` is not a wager"
    yield from _occurrences(game, simulation)
    if (game.betting is None) != (simulation.stacks is None):
        yield ("stacks",), "stacks are for games with betting among players, which cannot do without"
    if game.betting is None:
        for name in sorted({"never", "manners", "dead_button"} & simulation.model_fields_set):
            yield (hyphenated(name),), "nobody bets against others"
    if simulation.stacks is not None and simulation.session is not None:
        yield ("session",), "what is done now and then is not played together with `stacks`"
    yield from unstated(game, simulation)
    yield from _grains(game, simulation)
    yield from _stacked(regulation, game, simulation)


def _occurrences(game: Game, simulation: Simulation) -> Iterator[Problem]:
    steps = {step.step: step for step in game.procedure}
    total = sum(one.chance for one in simulation.goes_wrong)
    if total > _ALL:
        yield ("occurrences",), f"something goes wrong in {total} of {_ALL} rounds, and at most one thing does in each"
    for index, one in enumerate(simulation.occurrences):
        here, told = ("occurrences", index), [steps[name] for name in one.steps]
        by_chance = one.operator == "chance"
        if not by_chance and simulation.session is None:
            yield here, "rounds have no numbers without `session`, so nothing can be done now and then"
        for key in ("when", "of", "states", "before"):
            of_chance = key in ("when", "states") or (key == "of" and one.of != "each-deck")
            if key in one.model_fields_set and of_chance is not by_chance:
                wants = "is done from round to round" if by_chance else "goes wrong by chance"
                yield (*here, key), f"that is for what {wants}"
        if by_chance and one.after is not None:
            yield from _after_a_step(game, one, told, here)
        elif by_chance:
            yield from _in_the_deal(game, one, told, here)


def _in_the_deal(game: Game, wrong: Occurrence, told: list[Step], here: Path) -> Iterator[Problem]:
    kinds = {kind for step in told for kind in step.events}
    known = kinds <= _MISHAPS or kinds == _SHOWN
    if not known or any(not step.aside or step.each != "round" or len(step.events) != 1 for step in told):
        yield (*here, "steps"), "a mishap is one kind of event aside from the course, about the round as a whole"
    elif kinds == _SHOWN:
        if not game.irregularities.exposures:
            yield (*here, "steps"), "the game does not say what happens to a card that is shown"
    elif any(_OF_CARDS.issuperset(step.events) and step.place != "burn" for step in told):
        yield (*here, "steps"), "a card that goes wrong in the deck is at the place `burn`"
    elif ("expose" in kinds) != (wrong.of == "unused-card"):
        yield here, "a card that comes to light in the deck is an unused one (`of: unused-card`), and no other is"
    elif ("count" in kinds) != (wrong.states is not None):
        yield here, "a count states a number, and nothing else does"


def _after_a_step(game: Game, wrong: Occurrence, told: list[Step], here: Path) -> Iterator[Problem]:
    if wrong.after not in {step.step for step in game.procedure if not step.aside}:
        yield (*here, "after"), f"`{wrong.after}`, after which something goes wrong, is not in the course of a round"
    if wrong.of == "bystander" and game.betting is None:
        yield (*here, "of"), "who takes no part is dealt cards only where players bet against each other"
    if wrong.of == "bystander" and told[0].each != "seat":
        yield (*here, "steps", 0), "what concerns a bystander is a step of each seat"
    if wrong.of == "bystander" and wrong.when is not None:
        yield (*here, "when"), "who takes no part is dealt cards before anybody bets, whatever comes of it"
    if (wrong.of == "bystander" or wrong.when is not None) and any("misdeal" in step.events for step in told):
        yield (*here, "steps"), "a misdeal is for what concerns those who take part, before they bet"


def _grains(game: Game, simulation: Simulation) -> Iterator[Problem]:
    """Conditions and quantities that speak of something else than they are asked of."""
    for index, discarding in enumerate(simulation.discards):
        yield from asked_at(discarding.when, "seat", game, ("discards", index, "when"))
    for index, forced in enumerate(simulation.forced):
        yield from asked_at(forced.when, "seat", game, ("forced", index, "when"))
    for index, occurrence in enumerate(simulation.occurrences):
        for key in ("when", "states", "following"):
            yield from asked_at(getattr(occurrence, key), "round", game, ("occurrences", index, key))
    decided: Grain = "seat" if game.betting is None else "event"
    for index, habit in enumerate(simulation.habits):
        yield from asked_at(habit.when, decided, game, ("habits", index, "when"))
        if habit.size is not None:
            yield from asked_at(habit.size.of, decided, game, ("habits", index, "size", "of"))
    for index, never in enumerate(simulation.never):
        yield from asked_at(never, "event", game, ("never", index))
    for index, manner in enumerate(simulation.manners):
        yield from asked_at(manner.when, "event", game, ("manners", index, "when"))
    if simulation.dead_button is not None:
        yield from asked_at(simulation.dead_button.when, "round", game, ("dead-button", "when"))
    steps = {step.step: step for step in game.procedure}
    for name, done in simulation.steps.items():
        if name in steps:
            grain: Grain = "round" if steps[name].each == "round" else "seat"
            yield from asked_at(done.when, grain, game, ("steps", name, "when"))
            yield from asked_at(done.states, grain, game, ("steps", name, "states"))


def _stacked(regulation: Regulation, game: Game, simulation: Simulation) -> Iterator[Problem]:
    for index, stacked in enumerate(simulation.stacked):
        asked: list[tuple[Path, Stacked | StackedBeside]] = [((), stacked)]
        asked += [(("beside", number), one) for number, one in enumerate(stacked.beside)]
        for where, one in asked:
            if one.hand not in game.hands:
                continue
            ranking = regulation.vocabulary.rankings[game.hands[one.hand].rank_by]
            if one.category not in ranking.names():
                here = ("stacked", index, *where, "category")
                yield here, f"the ranking of `{one.hand}` knows no `{one.category}`"
