"""Warnings about turns and visits: steps out of order or missing, turns of one step, a house that takes the wrong
direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from validator.cautions.caution import Caution
from validator.rules.core.regulation import Regulation
from validator.rules.model.betting import InTurnCheck
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.text.diagnostics import did_you_mean
from validator.text.trees.tree import Path

_SETTLING = frozenset({"pay", "collect", "return"})


def lonely_turns(game: Game) -> Iterator[Caution]:
    """Yield warnings about turns of a single step whose name resembles another turn."""
    turns = [step.turn for step in game.procedure]
    for index, step in enumerate(game.procedure):
        if step.turn is not None and turns.count(step.turn) == 1:
            near = did_you_mean(step.turn, {turn for turn in turns if turn not in (None, step.turn)})
            if near is not None:
                yield Caution(
                    code="unknown-name",
                    at=("procedure", index, "turn"),
                    severity="warning",
                    message=f"no other step has the turn {step.turn}",
                    help=f"did you mean `{near}`?",
                )


def visit_cautions(game: Game, file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about visits whose steps are duplicate, missing or out of the order of play."""
    procedure = [step.step for step in game.procedure]
    turns = {step.step: step.turn for step in game.procedure if not step.aside}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck):
            continue
        here: Path = ("requirements", index, "check", "in-turn", "steps")
        places = [procedure.index(name) for name in check.steps]
        for number, name in enumerate(check.steps):
            if name in check.steps[:number]:
                yield Caution(
                    code="duplicate-entry",
                    at=(*here, number),
                    message=f"the step {name} is listed twice in the visit",
                    help="name each step once, in the order of play",
                )
            elif number and places[number] < places[number - 1]:
                yield Caution(
                    code="order-mismatch",
                    at=(*here, number),
                    message=f"the game is played in the other order: {name} before {check.steps[number - 1]}",
                    help="compare both orders with the text: this one, and that of `procedure` in game.yaml",
                )
        kinds = {kind for name in check.steps for kind in game.procedure[procedure.index(name)].events}
        for played_at, name in enumerate(procedure):
            if name in check.steps or turns.get(name) is None or turns[name] != turns.get(check.steps[0]):
                continue
            if min(places) < played_at < max(places) or kinds & {*game.procedure[played_at].events}:
                yield Caution(
                    code="missing-entry",
                    at=here,
                    severity="warning",
                    message=f"{name} happens in the same turn as these steps, but is not listed",
                    help=f"add {name} at its position in a visit, or give it another `turn`",
                )


def order_cautions(game: Game) -> Iterator[Caution]:
    """Yield warnings about lines that are listed in another order than the steps that settle them."""
    settled = {
        name: [
            at
            for at, step in enumerate(game.procedure)
            if name in step.of and not step.aside and _SETTLING & {*step.events}
        ]
        for name in game.settlement.order
    }
    places = {name: at[0] for name, at in settled.items() if len(at) == 1}
    lines = [name for name in game.settlement.order if name in places]
    for earlier, later in pairwise(lines):
        if places[later] < places[earlier]:
            yield Caution(
                code="order-mismatch",
                at=("settlement", "order", game.settlement.order.index(later)),
                severity="warning",
                message=f"{later} is listed after {earlier}, but the game is played in the other order: "
                f"{game.procedure[places[later]].step} before {game.procedure[places[earlier]].step}",
                help="compare both orders with the text: this one, and that of `procedure`",
            )


def side_cautions(regulation: Regulation, game: Game, simulation: Simulation) -> Iterator[Caution]:
    """Yield warnings about a simulated house that goes round the table in another direction than the rules require."""
    sides = {name: habit.from_ for name, habit in simulation.steps.items() if isinstance(habit.from_, str)}
    for requirement in regulation.requirements:
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck) or check.when is not None:
            continue
        turns = {step.turn for step in game.procedure if step.step in check.steps} - {None}
        steps = [step for step in game.procedure if step.step in check.steps or step.turn in turns]
        name = next((step.step for step in steps if not step.aside and step.each != "round"), None)
        side = next((sides[step.step] for step in steps if step.step in sides), game.deal.stages[0].first)
        if name is not None and side in ("dealer-left", "dealer-right") and side != check.from_:
            yield Caution(
                code="direction-mismatch",
                at=("steps",),
                severity="warning",
                message=f"the simulated house takes {name} from {side}, but {requirement.requirement} requires "
                f"{check.from_}",
                help=f"write `steps: {{{name}: {{from: {check.from_}}}}}`, or compare the requirement with the text",
            )
