"""The file that says how a game is simulated, and checks that the simulation can play the game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.rulebook.dependencies import Namespace, find_grain_problems, find_undefined_names
from fairdeal.validator.rulebook.game_requirements import RuleFile
from fairdeal.validator.rulebook.semantic_errors import NUMBERED_EVENTS, ROUND_EVENTS, SIMULATED_EVENTS
from fairdeal.validator.rulebook.short_forms import expand_printed_tables
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.rule_files import GAME_FILE, RuleFileCache, rules_folder
from fairdeal.validator.rules.simulation_model import CompanionHand, Occurrence, Simulation, StackedHand
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import DataPath


def find_unplayable_steps(game: Game) -> Iterator[tuple[DataPath, str]]:
    """Yield places of the file of a game that no simulated round can show, with the reason."""
    deciding = [act for act in game.acts.values() if "decide" in act.events and not act.said_again]
    discarding_places: set[str] = set()
    for name, step in game.acts.items():
        here: DataPath = ("acts", name)
        unplayed = sorted({*step.events} - SIMULATED_EVENTS)
        if unplayed:
            yield (*here, "event"), f"the act `{name}` cannot be simulated: {', '.join(unplayed)}"
        if len(step.words) > 1:
            yield (*here, "what"), f"the act `{name}` cannot be simulated: it has several values of `what`"
        if game.betting is None and step.stage is None:
            yield from _check_house_step(step, here, deciding, discarding_places)
            discarding_places |= {_get_place(step)} if "discard" in step.events else set()


def find_unplaced_wagers(game: Game) -> Iterator[tuple[DataPath, str]]:
    """Yield wagers of the file of a game that no simulated round has, with the reason."""
    if game.betting is None:
        placed = {decision.places for decision in game.decisions.values()}
        for name, wager in game.wagers.items():
            if wager.placed == "with-a-decision" and name not in placed:
                yield ("wagers", name), f"the wager `{name}` cannot be simulated: no decision places it"


def _check_house_step(
    step: Act, here: DataPath, deciding: list[Act], discarding_places: set[str]
) -> Iterator[tuple[DataPath, str]]:
    """Yield problems with a step of a game against the house.

    Each seat takes each decision in one act, and draws as many cards as it discarded before.

    Args:
        step: The step.
        here: Its place in the file.
        deciding: All steps of deciding.
        discarding_places: The places that discarded cards in earlier steps.
    """
    prefix = f"the act `{step.name}` cannot be simulated"
    others = [other for other in deciding if other is not step] if step in deciding else []
    if others and not step.decisions:
        yield (*here, "event"), f"{prefix}: several acts have decisions, so it must list its own"
    for decision in step.decisions:
        if any(decision in other.decisions for other in others):
            yield (*here, "decisions"), f"{prefix}: the decision `{decision}` belongs to several acts"
    if "draw" in step.events and _get_place(step) not in discarding_places:
        yield (*here, "event"), f"{prefix}: a draw replaces cards that the same place discarded before"
    if "tuck" in step.events and not step.of:
        yield here, f"{prefix}: it lacks `of`, the wagers under which cards are tucked"


def _get_place(step: Act) -> str:
    return step.place or ("table" if step.grain == "round" else "player")


def find_unstated_steps(game: Game, simulation: Simulation) -> Iterator[tuple[DataPath, str]]:
    """Yield places of the file of a simulation where steps cannot occur as stated, with the reason."""
    steps = game.all_acts
    now_and_then = {
        name: ("occurrences", at, "steps", number)
        for at, occurrence in enumerate(simulation.occurrences)
        for number, name in enumerate(occurrence.steps)
        if occurrence.operator != "chance"
    }
    for name, step in steps.items():
        if not NUMBERED_EVENTS & {*step.events} or (name not in game.acts and name not in now_and_then):
            continue
        habit = simulation.steps.get(name)
        if habit is None or habit.states is None:
            yield ("steps",), f"the act `{name}` states a number, but the simulation does not define it"
    for name, here in now_and_then.items():
        is_burn = steps[name].events == ("deal",) and steps[name].place == "burn"
        if steps[name].grain != "round" or not (is_burn or {*steps[name].events} <= {*ROUND_EVENTS}):
            yield here, f"the act `{name}` cannot occur now and then: it does not concern the whole round"


SIMULATION_FILE = "simulation.yaml"
"""Name of the file."""
_REMEDY = "without simulation.yaml the game is judged but not simulated"

_CARD_KINDS = frozenset({"expose", "draw"})
_MISHAP_KINDS = _CARD_KINDS | {"fault", "count"}
"""Kinds of event that may go wrong in a deal."""
_CHANCE_SCALE = 1000
"""Number of rounds to which chances refer."""
_EXPOSURE_KINDS = {"expose", "turn-down"}
"""Kinds of event in which the dealer handles a card that was shown by mistake."""


def load_simulation(regulation: Regulation, folder: FilePath | None = None) -> Simulation:
    """Return how the game of a regulation is simulated.

    Args:
        regulation: The regulation.
        folder: The rules folder; by default the shipped one.

    Raises InputError if there is no such file, if it breaks its schema, or if it names what the game does not have.
    """
    return read_simulation(regulation, folder)[1]


def read_simulation(
    regulation: Regulation, folder: FilePath | None = None, trees: RuleFileCache | None = None
) -> tuple[RuleFile, Simulation]:
    """Return the file of `load_simulation` as read, and its model. Raises InputError as that does."""
    path = (folder or rules_folder()) / regulation.id / SIMULATION_FILE
    if regulation.game is None or not path.exists():
        message = (
            f"{regulation.id} cannot be simulated: it has no {'game' if regulation.game is None else SIMULATION_FILE}"
        )
        raise InputError((Diagnostic(code="no-simulation", message=message, file=str(path)),))
    trees = trees or RuleFileCache()
    sha256, tree = trees.read(path)
    simulation = validate(expand_printed_tables(tree, regulation.game, ("submission",)), Simulation)
    problems = [*find_undefined_names(tree, simulation, Namespace.from_regulation(regulation))]
    problems = problems or [
        tree.build_diagnostic(place, "semantic-error", message)
        for place, message in _find_problems(regulation, simulation)
    ]
    unplayable_parts = [*find_unplayable_steps(regulation.game), *find_unplaced_wagers(regulation.game)]
    if unplayable_parts:
        _, game_tree = trees.read(path.parent / GAME_FILE)
        problems += [
            game_tree.build_diagnostic(place, "not-playable", message, help=_REMEDY)
            for place, message in unplayable_parts
        ]
    if problems:
        raise InputError(limit_diagnostics(problems))
    return RuleFile(name=f"{regulation.id}/{SIMULATION_FILE}", sha256=sha256, tree=tree, model=simulation), simulation


def _find_problems(regulation: Regulation, simulation: Simulation) -> Iterator[Problem]:
    game = regulation.game
    assert game is not None
    if simulation.submission.document != regulation.id:
        yield ("submission", "document"), f"the submission must be for {regulation.id}"
    if simulation.start.date() < simulation.submission.effective:
        yield ("start",), f"the submission is not in force before {simulation.submission.effective.isoformat()}"
    for name in simulation.chances.wagers:
        if name not in game.wagers or game.wagers[name].placed == "with-a-decision":
            yield ("chances", "wagers", name), f"`{name}` is no debt, and not placed before the deal"
    known = {miscount.place for miscount in game.miscounts}
    for place in simulation.chances.miscounts:
        if place not in known:
            yield (
                ("chances", "miscounts", place),
                f"the game has no `{place}` among its `miscounts`",
            )
    for name in simulation.chances.claims:
        if name not in game.wagers:
            yield ("chances", "claims", name), f"`{name}` is not a wager"
    yield from _check_occurrences(game, simulation)
    if (game.betting is None) != (simulation.stacks is None):
        yield ("stacks",), "`stacks` is required if players bet against each other, and not allowed otherwise"
    if game.betting is None:
        for name in sorted({"never", "manners", "dead_button"} & simulation.model_fields_set):
            yield (to_key(name),), "players do not bet against each other"
    if simulation.stacks is not None and simulation.session is not None:
        yield ("session",), "`session` cannot be combined with `stacks`"
    yield from find_unstated_steps(game, simulation)
    for here, part in walk_models(simulation, ()):
        yield from find_grain_problems(game, part, here)
    yield from _check_stacked_cards(regulation, game, simulation)


def _check_occurrences(game: Game, simulation: Simulation) -> Iterator[Problem]:
    steps = game.all_acts
    total = sum(mishap.chance for mishap in simulation.irregular_occurrences)
    if total > _CHANCE_SCALE:
        yield ("occurrences",), f"mishaps occur in {total} of {_CHANCE_SCALE} rounds, but a round has at most one"
    for index, occurrence in enumerate(simulation.occurrences):
        here, occurrence_steps = ("occurrences", index), [steps[name] for name in occurrence.steps]
        by_chance = occurrence.operator == "chance"
        if not by_chance and simulation.session is None:
            yield here, "without `session` rounds have no numbers, so nothing can occur now and then"
        for key in ("when", "of", "states", "before"):
            of_chance = key in ("when", "states") or (key == "of" and occurrence.of != "each-deck")
            if key in occurrence.model_fields_set and of_chance is not by_chance:
                other_kind = "regular occurrences" if by_chance else "mishaps by chance"
                yield (*here, key), f"applies only to {other_kind}"
        if by_chance and occurrence.after is not None:
            yield from _check_mishap_after_step(game, occurrence, occurrence_steps, here)
        elif by_chance:
            yield from _check_mishap_in_deal(game, occurrence, occurrence_steps, here)


def _check_mishap_in_deal(game: Game, mishap: Occurrence, mishap_steps: list[Act], here: DataPath) -> Iterator[Problem]:
    kinds = {kind for step in mishap_steps for kind in step.events}
    known = kinds <= _MISHAP_KINDS or kinds == _EXPOSURE_KINDS
    if not known or any(
        step.name in game.acts or step.grain != "round" or len(step.events) != 1 for step in mishap_steps
    ):
        yield (*here, "steps"), "a mishap is a single one of the `other-events`, of the whole round"
    elif kinds == _EXPOSURE_KINDS:
        if not any(step.covers is not None for step in game.all_acts.values()):
            yield (*here, "steps"), "the game does not state what happens to an exposed card"
    elif any(_CARD_KINDS.issuperset(step.events) and step.place != "burn" for step in mishap_steps):
        yield (*here, "steps"), "a mishap with a card of the deck has the place `burn`"
    elif ("expose" in kinds) != (mishap.of == "unused-card"):
        yield here, "an exposed card of the deck requires `of: unused-card`, and the reverse"
    elif ("count" in kinds) != (mishap.states is not None):
        yield here, "`states` is required for a count, and not allowed otherwise"


def _check_mishap_after_step(
    game: Game, mishap: Occurrence, mishap_steps: list[Act], here: DataPath
) -> Iterator[Problem]:
    if mishap.after not in game.acts:
        yield (*here, "after"), f"`{mishap.after}` is not an act of a usual round"
    if mishap.of == "bystander" and game.betting is None:
        yield (*here, "of"), "a bystander is dealt cards only if players bet against each other"
    if mishap.of == "bystander" and mishap_steps[0].grain != "seat":
        yield (*here, "steps", 0), "a mishap of a bystander is a step of each seat"
    if mishap.of == "bystander" and mishap.when is not None:
        yield (*here, "when"), "a bystander is dealt cards before anybody bets, so no condition applies"
    if (mishap.of == "bystander" or mishap.when is not None) and any("misdeal" in step.events for step in mishap_steps):
        yield (*here, "steps"), "a misdeal concerns only participants, before they bet"


def _check_stacked_cards(regulation: Regulation, game: Game, simulation: Simulation) -> Iterator[Problem]:
    for index, stacked in enumerate(simulation.stacked):
        hands: list[tuple[DataPath, StackedHand | CompanionHand]] = [((), stacked)]
        hands += [(("beside", number), companion) for number, companion in enumerate(stacked.beside)]
        for where, stack in hands:
            if stack.hand not in game.hands:
                continue
            ranking = regulation.vocabulary.rankings[game.hands[stack.hand].rank_by]
            if stack.is_ not in ranking.list_names():
                here = ("stacked", index, *where, "is")
                yield here, f"the ranking of `{stack.hand}` has no `{stack.is_}`"
