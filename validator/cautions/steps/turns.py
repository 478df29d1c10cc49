"""Turns round the table: steps out of their order or forgotten, turns of one step, a house that goes the other way."""

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
    """A turn of one step whose name is nearly that of another turn."""
    turns = [step.turn for step in game.procedure]
    for index, step in enumerate(game.procedure):
        if step.turn is not None and turns.count(step.turn) == 1:
            near = did_you_mean(step.turn, {turn for turn in turns if turn not in (None, step.turn)})
            if near is not None:
                yield Caution(
                    code="unknown-name",
                    at=("procedure", index, "turn"),
                    severity="warning",
                    message=f"no other step has the turn {step.turn}, so that it is gone through by itself",
                    help=f"did you mean `{near}`?",
                )


def visit_cautions(game: Game, file: RequirementFile) -> Iterator[Caution]:
    """The steps of a visit stand in the order in which the game is played, each once, and none is left out."""
    played = [step.step for step in game.procedure]
    turns = {step.step: step.turn for step in game.procedure if not step.aside}
    for index, requirement in enumerate(file.requirements):
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck):
            continue
        here: Path = ("requirements", index, "check", "in-turn", "steps")
        places = [played.index(name) for name in check.steps]
        for nth, name in enumerate(check.steps):
            if name in check.steps[:nth]:
                yield Caution(
                    code="listed-twice",
                    at=(*here, nth),
                    message=f"the step {name} stands twice in the visit",
                    help="name each step once, in the order of play",
                )
            elif nth and places[nth] < places[nth - 1]:
                yield Caution(
                    code="other-order",
                    at=(*here, nth),
                    message=f"the game is played the other way round: {name} before {check.steps[nth - 1]}",
                    help="hold both orders against the text: this one, and that of `procedure` in game.yaml",
                )
        kinds = {kind for name in check.steps for kind in game.procedure[played.index(name)].events}
        for at, name in enumerate(played):
            if name in check.steps or turns.get(name) is None or turns[name] != turns.get(check.steps[0]):
                continue
            if min(places) < at < max(places) or kinds & {*game.procedure[at].events}:
                yield Caution(
                    code="left-out",
                    at=here,
                    severity="warning",
                    message=f"{name} is done in the same turn as these steps, and is not one of them",
                    help=f"name {name} where it comes in a visit, or give it another `turn`",
                )


def order_cautions(game: Game) -> Iterator[Caution]:
    """Lines are listed in the order in which they are settled, where each is settled in a step of its own."""
    settled = {
        name: [
            at
            for at, one in enumerate(game.procedure)
            if name in one.of and not one.aside and _SETTLING & {*one.events}
        ]
        for name in game.settlement.order
    }
    places = {name: at[0] for name, at in settled.items() if len(at) == 1}
    lines = [name for name in game.settlement.order if name in places]
    for one, other in pairwise(lines):
        if places[other] < places[one]:
            yield Caution(
                code="other-order",
                at=("settlement", "order", game.settlement.order.index(other)),
                severity="warning",
                message=f"{other} is listed after {one}, and the game is played the other way round: "
                f"{game.procedure[places[other]].step} before {game.procedure[places[one]].step}",
                help="hold both orders against the text: this one, and that of `procedure`",
            )


def side_cautions(regulation: Regulation, game: Game, simulation: Simulation) -> Iterator[Caution]:
    """A simulated house goes from seat to seat as the rules ask."""
    sides = {name: habit.from_ for name, habit in simulation.steps.items() if isinstance(habit.from_, str)}
    for requirement in regulation.requirements:
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck) or check.when is not None:
            continue
        turns = {step.turn for step in game.procedure if step.step in check.steps} - {None}
        steps = [step for step in game.procedure if step.step in check.steps or step.turn in turns]
        name = next((step.step for step in steps if not step.aside and step.each != "round"), None)
        goes = next((sides[step.step] for step in steps if step.step in sides), game.deal.stages[0].first)
        if name is not None and goes in ("dealer-left", "dealer-right") and goes != check.from_:
            yield Caution(
                code="other-side",
                at=("steps",),
                severity="warning",
                message=f"the simulated house goes through {name} from {goes}, and {requirement.requirement} asks for "
                f"{check.from_}",
                help=f"say `steps: {{{name}: {{from: {check.from_}}}}}`, or hold the requirement against the text",
            )
