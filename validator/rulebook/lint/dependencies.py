"""Dependencies of conditions and quantities: facts, steps, readings, and the grain of their evaluation."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from fairdeal.validator.engine.core.operator_interface import Problem
from fairdeal.validator.language.grammar import Grain, grain_of_place
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rules.betting_model import Betting, BettingRound, Pots
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Check, PhaseCheck, Requirement
from fairdeal.validator.text.plain_values import NO
from fairdeal.validator.text.positioned_document import DataPath


def iterate_dependencies(game: Game, model: BaseModel) -> Iterator[BaseModel]:
    """Yield all models within a model and within the facts and step conditions it depends on, and those steps, each
    once."""
    steps = {step.step: step for step in game.procedure}
    seen: set[tuple[str, str]] = set()
    pending = [model]
    while pending:
        for _, part in walk_models(pending.pop(), ()):
            yield part
            for kind, name in _list_references(part):
                if (kind, name) in seen:
                    continue
                seen.add((kind, name))
                if kind == "fact":
                    pending.append(game.facts[name])
                else:
                    yield steps[name]
                    pending += [] if (when := steps[name].when) is None else [when]


def is_step_by_pot_result(part: BaseModel) -> bool:
    """Return whether a part is a step of the seats that win pots, or of those that do not."""
    return isinstance(part, Step) and part.of_seats is not None


def _list_references(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts that a part names, and the steps whose events it uses."""
    if isinstance(part, Condition | Quantity):
        yield from (("fact", name) for name in OPERATORS.find(part).list_facts(part.operand))
        yield from (("step", name) for name in OPERATORS.find(part).list_steps(part.operand))
    elif isinstance(part, BettingRound) and part.after is not None:
        yield "step", part.after


GrainedExpression = tuple[Condition | Quantity | None, Grain, DataPath]
"""A condition or quantity (or None), the grain it is evaluated at, and its place."""


def list_grain_problems(game: Game) -> Iterator[Problem]:
    """Yield conditions and quantities of a game that refer to another grain than they are evaluated at."""
    for part, grain, here in _list_game_expressions(game):
        yield from OPERATORS.find_grain_problems(part, grain, game, here)


def find_check_grain_problems(check: Check, game: Game) -> Iterator[Problem]:
    """Yield conditions and quantities of a check that refer to another grain than they are evaluated at."""
    for part, grain, here in _list_check_expressions(check, game):
        yield from OPERATORS.find_grain_problems(part, grain, game, here)


def list_betting_expressions(betting: Betting) -> Iterator[GrainedExpression]:
    """Yield the conditions and quantities that limit bets and raises."""
    for index, betting_round in enumerate(betting.rounds):
        here: DataPath = ("betting", "rounds", index)
        yield betting_round.size, "round", (*here, "size")
        if betting_round.or_larger is not None:
            yield betting_round.or_larger.size, "round", (*here, "or-larger", "size")
            yield betting_round.or_larger.when, "round", (*here, "or-larger", "when")
    sizes = betting.sizes
    yield sizes.limit, "round", ("betting", "sizes", "limit")
    yield sizes.fixed, "round", ("betting", "sizes", "fixed")
    yield sizes.half_counts, "round", ("betting", "sizes", "half-counts")
    for index, least in enumerate(sizes.opening):
        yield least.at_least, "round", ("betting", "sizes", "opening", index, "at-least")
        yield least.when, "round", ("betting", "sizes", "opening", index, "when")
    for index, more in enumerate(sizes.raise_):
        if more.operator == "at-least":
            yield more.at_least, "round", ("betting", "sizes", "raise", index, "at-least")
        yield more.when, "round", ("betting", "sizes", "raise", index, "when")
    yield betting.words_after_chips, "round", ("betting", "words-after-chips")
    for index, reopens in enumerate(betting.reopens):
        yield reopens.when, "round", ("betting", "reopens", index, "when")


def _list_game_expressions(game: Game) -> Iterator[GrainedExpression]:
    yield from _list_settlement_expressions(game)
    if game.pots is not None:
        yield from _list_pot_expressions(game.pots)
    for name, course in game.courses.items():
        yield course.when, course.per, ("courses", name, "when")
    for name, cases in ({} if game.table is None else game.table.positions).items():
        for index, case in enumerate(cases):
            yield case.when, "round", ("table", "positions", name, index, "when")
    if game.betting is not None:
        yield from list_betting_expressions(game.betting)
        if game.betting.folded_by is not None:
            yield game.betting.folded_by.when, "seat", ("betting", "folded-by", "when")
            yield game.betting.folded_by.out, "seat", ("betting", "folded-by", "out")
    for index, step in enumerate(game.procedure):
        yield step.when, "round" if step.each == "round" else "seat", ("procedure", index, "when")
    for name, wager in game.wagers.items():
        yield wager.needs, "seat", ("wagers", name, "needs")
        yield wager.tip, "seat", ("wagers", name, "tip")
    for name, decision in game.decisions.items():
        yield decision.open_to, "seat", ("decisions", name, "open-to")
    for name, drawing in game.drawing.items():
        for index, rule in enumerate(drawing.rules):
            yield rule.when, grain_of_place(drawing.place), ("drawing", name, "rules", index, "when")


def _list_settlement_expressions(game: Game) -> Iterator[GrainedExpression]:
    for index, case in enumerate(game.settlement.cases):
        yield case.when, "seat", ("settlement", "cases", index, "when")
    for index, cap in enumerate(game.settlement.caps):
        yield cap.when, "round", ("settlement", "caps", index, "when")
        yield cap.at_most, "round", ("settlement", "caps", index, "at-most")
    for name, scale in game.scales.items():
        yield scale.of, "seat", ("scales", name, "of")
    for name, bonus in game.bonuses.items():
        if bonus.earned_by is not None:
            yield bonus.earned_by.other_players, "seat", ("bonuses", name, "earned-by", "other-players")
    for name, table in game.pay_tables.items():
        yield table.when, "round", ("pay-tables", name, "when")
        for index, shared in enumerate(table.shared):
            yield shared.among, "seat", ("pay-tables", name, "shared", index, "among")


def _list_pot_expressions(pots: Pots) -> Iterator[GrainedExpression]:
    for index, part in enumerate(pots.parts):
        yield part.when, "round", ("pots", "parts", index, "when")
    yield pots.refunded, "seat", ("pots", "refunded")
    if pots.untold is not None:
        yield pots.untold.when, "round", ("pots", "untold", "when")
        yield pots.untold.at_most, "round", ("pots", "untold", "at-most")
    for index, rake in enumerate(pots.rake):
        for name, condition in rake.stages.items():
            yield condition, "round", ("pots", "rake", index, "stages", name)


def _list_check_expressions(check: Check, game: Game) -> Iterator[GrainedExpression]:
    operand, here = check.operand, ("check", check.operator)
    match check.operator:
        case "rule":
            yield operand.when, operand.each, (*here, "when")
            yield operand.must, operand.each, (*here, "must")
        case "sequence":
            yield operand.when, operand.per, (*here, "when")
        case "drawn-by":
            yield operand.when, grain_of_place(game.drawing[operand.drawing].place), (*here, "when")
        case "succession":
            grain: Grain = "seat" if operand.each == "player" else "round"
            yield operand.when, grain, (*here, "when")
            yield operand.must, grain, (*here, "must")
        case "every":
            yield operand.when, "round", (*here, "when")
            yield operand.counts, "round", (*here, "counts")
            yield operand.happens, "round", (*here, "happens")
        case "needed" | "awarded" | "dealt" | "in-turn" | "turns":
            yield operand.when, "round", (*here, "when")


NeededOptions = dict[str, str]
"""The option that each reading would need to have."""


def find_needed_readings(regulation: Regulation, requirement: Requirement) -> NeededOptions:
    """Return the options that readings would need for a requirement to apply, or for its fault to be a breach.

    The result is empty if the readings in force suffice. Other conditions of the requirement are not considered.
    """
    check, game = requirement.check.operand, regulation.game
    conditions: list[Condition | None] = [getattr(check, "when", None)]
    if isinstance(check, PhaseCheck) and game is not None:
        conditions.append(game.courses[check.course].when)
    conditions += [] if requirement.fault is None else [requirement.fault.where]
    for condition in conditions:
        needed: NeededOptions = {}
        if (
            condition is not None
            and OPERATORS.find(condition).evaluate_readings(condition.operand, regulation, needed) == NO
        ):
            return needed
    return {}
