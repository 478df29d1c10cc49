"""Parts of a game that the simulation cannot play, reported at their place in the file."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rulebook.lint.simulated_kinds import OF_THE_ROUND, PLAYED, STATING
from validator.rules.model.game import Game, Step
from validator.rules.simulation.simulation import Simulation
from validator.text.trees.tree import Path


def unplayable(game: Game) -> Iterator[tuple[Path, str]]:
    """Yield places of the file of a game that no simulated round can show, with the reason."""
    deciding_step: str | None = None
    discarding_places: set[str] = set()
    for index, step in enumerate(game.procedure):
        if step.aside:
            continue
        here: Path = ("procedure", index)
        unplayed = sorted({*step.events} - PLAYED)
        if unplayed:
            yield (*here, "events"), f"the step `{step.step}` cannot be simulated: {', '.join(unplayed)}"
        if step.what_is is not None:
            yield (*here, "what-is"), f"the step `{step.step}` cannot be simulated: it has several values of `what`"
        if game.betting is None and step.stage is None:
            yield from _check_house_step(step, here, deciding_step, discarding_places)
            deciding_step = step.step if "decide" in step.events else deciding_step
            discarding_places |= {_get_place(step)} if "discard" in step.events else set()


def unplaced(game: Game) -> Iterator[tuple[Path, str]]:
    """Yield wagers of the file of a game that no simulated round has, with the reason."""
    if game.betting is None:
        placed = {decision.places for decision in game.decisions.values()}
        for name, wager in game.wagers.items():
            if wager.placed == "with-a-decision" and name not in placed:
                yield ("wagers", name), f"the wager `{name}` cannot be simulated: no decision places it"


def _check_house_step(
    step: Step, here: Path, deciding_step: str | None, discarding_places: set[str]
) -> Iterator[tuple[Path, str]]:
    """Yield problems with a step of a game against the house.

    Each seat decides once, and draws as many cards as it discarded before.

    Args:
        step: The step.
        here: Its place in the file.
        deciding_step: The earlier step of deciding, if any.
        discarding_places: The places that discarded cards in earlier steps.
    """
    prefix = f"the step `{step.step}` cannot be simulated"
    if step.decisions:
        yield (*here, "decisions"), f"{prefix}: it has decisions of its own, but seats decide in a single step"
    elif "decide" in step.events and deciding_step is not None:
        yield (*here, "events"), f"{prefix}: a seat decides once, in the step `{deciding_step}`"
    if "draw" in step.events and _get_place(step) not in discarding_places:
        yield (*here, "events"), f"{prefix}: a draw replaces cards that the same place discarded before"
    if "tuck" in step.events and not step.of:
        yield here, f"{prefix}: it lacks `of`, the wagers under which cards are tucked"


def _get_place(step: Step) -> str:
    return step.place or ("table" if step.each == "round" else "player")


def unstated(game: Game, simulation: Simulation) -> Iterator[tuple[Path, str]]:
    """Yield places of the file of a simulation where steps cannot occur as stated, with the reason."""
    steps = {step.step: step for step in game.procedure}
    now_and_then = {
        name: ("occurrences", at, "steps", number)
        for at, occurrence in enumerate(simulation.occurrences)
        for number, name in enumerate(occurrence.steps)
        if occurrence.operator != "chance"
    }
    for name, step in steps.items():
        if not STATING & {*step.events} or (step.aside and name not in now_and_then):
            continue
        habit = simulation.steps.get(name)
        if habit is None or habit.states is None:
            yield ("steps",), f"the step `{name}` states a number, but the simulation does not define it"
    for name, here in now_and_then.items():
        if steps[name].each != "round" or not {*steps[name].events} <= {*OF_THE_ROUND}:
            yield here, f"the step `{name}` cannot occur now and then: it does not concern the whole round"
