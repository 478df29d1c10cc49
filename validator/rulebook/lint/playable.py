"""What of a game the simulation cannot play: said where it stands, as a log without it would seem to lack it."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rulebook.lint.simulated_kinds import OF_THE_ROUND, PLAYED, STATING
from validator.rules.model.game import Game, Step
from validator.rules.simulation.simulation import Simulation
from validator.text.trees.tree import Path


def unplayable(game: Game) -> Iterator[tuple[Path, str]]:
    """Places of a game's file that ask for what no simulated round can show, and why."""
    decides: str | None = None
    aside: set[str] = set()
    for index, step in enumerate(game.procedure):
        if step.aside:
            continue
        here: Path = ("procedure", index)
        unplayed = sorted({*step.events} - PLAYED)
        if unplayed:
            yield (*here, "events"), f"the step `{step.step}` cannot be simulated: {', '.join(unplayed)}"
        if step.what_is is not None:
            yield (*here, "what-is"), f"the step `{step.step}` cannot be simulated: it may be about several things"
        if game.betting is None and step.stage is None:
            yield from _against_the_house(step, here, decides, aside)
            decides = step.step if "decide" in step.events else decides
            aside |= {_place(step)} if "discard" in step.events else set()


def unplaced(game: Game) -> Iterator[tuple[Path, str]]:
    """Wagers of a game's file that no simulated round has, and why."""
    if game.betting is None:
        placed = {decision.places for decision in game.decisions.values()}
        for name, wager in game.wagers.items():
            if wager.placed == "with-a-decision" and name not in placed:
                yield ("wagers", name), f"the wager `{name}` cannot be simulated: no decision places it"


def _against_the_house(step: Step, here: Path, decides: str | None, aside: set[str]) -> Iterator[tuple[Path, str]]:
    """A step of a game in which each seat decides once, and draws as many cards as it has put aside before; `decides`
    is the step of that decision, `aside` are places that have put cards aside, as far as they came before."""
    said = f"the step `{step.step}` cannot be simulated"
    if step.decisions:
        yield (*here, "decisions"), f"{said}: decisions are not told apart by steps"
    elif "decide" in step.events and decides is not None:
        yield (*here, "events"), f"{said}: a seat decides once, in the step `{decides}`"
    if "draw" in step.events and _place(step) not in aside:
        yield (*here, "events"), f"{said}: cards are drawn only for such as were discarded at that place before"
    if "tuck" in step.events and not step.of:
        yield here, f"{said}: it does not say (`of`) under which wagers cards are tucked"


def _place(step: Step) -> str:
    return step.place or ("table" if step.each == "round" else "player")


def unstated(game: Game, simulation: Simulation) -> Iterator[tuple[Path, str]]:
    """Places of a simulation's file where steps cannot be taken as it says, and why."""
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
            yield ("steps",), f"the step `{name}` states a number, and the simulation does not say which"
    for name, here in now_and_then.items():
        if steps[name].each != "round" or not {*steps[name].events} <= {*OF_THE_ROUND}:
            yield here, f"the step `{name}` cannot be taken now and then: it is not about a whole round"
