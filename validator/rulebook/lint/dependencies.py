"""Names of a document, and which names depend on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.engine.core.operator_interface import Problem
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import Grain, grain_of_place, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rules.betting_model import Betting, BettingRound, Pots
from fairdeal.validator.rules.deal_model import SIDES
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Check, PhaseCheck, Requirement
from fairdeal.validator.text.closed_model import ClosedModel, to_key
from fairdeal.validator.text.diagnostics import Diagnostic, find_similar
from fairdeal.validator.text.plain_values import NO
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

JUDGED_STAKE = "this"
"""Name of the wager of the judged stake."""
NON_STEP_OCCASIONS = ("table-opens", "round-dealt")
"""Occasions other than steps from which steps may be needed."""
_EARLIER_PREFIX = f"{EARLIER}."
"""Prefix of a path into the submission that the judged one replaces."""

_OPTIONS_PREFIX = "options."


class Namespace(Struct, frozen=True):
    """The names a regulation defines, by kind."""

    names: Mapping[str, frozenset[str]]
    """The defined names, by kind."""

    @classmethod
    def from_regulation(cls, regulation: Regulation) -> Namespace:
        """Return the namespace of a regulation."""
        rankings = regulation.vocabulary.rankings
        defined: dict[str, set[str]] = {
            "clause": {clause.clause for clause in regulation.document.clauses},
            "reading": set(regulation.readings),
            "requirement": {requirement.requirement for requirement in regulation.requirements},
            "deck": set(regulation.vocabulary.decks),
            "list": set(regulation.document.lists),
            "ranking": set(rankings),
            "category": {name for ranking in rankings.values() for name in ranking.list_names()},
        }
        game = regulation.game
        if game is not None:
            defined["wager"] = {*game.wagers, JUDGED_STAKE}
            defined["line"] = {*game.wagers, *game.bonuses, JUDGED_STAKE}
            defined["hand"] = set(game.hands)
            defined["fact"] = set(game.facts)
            defined["step"] = {step.step for step in game.procedure}
            defined["course"] = set(game.courses)
            defined["phase"] = {phase.phase for course in game.courses.values() for phase in course.phases}
            defined["occasion"] = {*defined["step"], *NON_STEP_OCCASIONS}
            defined["case"] = {case.case for case in game.settlement.cases}
            defined["decision"] = set(game.decisions)
            defined["stage"] = {stage.stage for stage in game.deal.stages}
            defined["way"] = {*(name for stage in game.deal.stages for name in stage.ways), grammar.SUBMITTED}
            defined["pay-table"] = set(game.pay_tables)
            defined["drawing"] = set(game.drawing)
            defined["drawing-rule"] = {rule.rule for drawing in game.drawing.values() for rule in drawing.rules}
            defined["position"] = {grammar.BUTTON, *(game.table.positions if game.table is not None else ())}
            defined["first-seat"] = {*SIDES, *defined["position"]}
            defined["betting-round"] = (
                {betting_round.round for betting_round in game.betting.rounds} if game.betting is not None else set()
            )
            defined["meter"] = {table.meter for table in game.pay_tables.values() if table.meter is not None}
            defined["decision-taken"] = {*game.decisions, grammar.DECLARED}
            defined["scale"] = set(game.scales)
            defined["row"] = {
                *defined["category"],
                *(band.band for scale in game.scales.values() for band in scale.bands),
            }
            defined["cap"] = {cap.cap for cap in game.settlement.caps}
        return cls({kind: frozenset(names) for kind, names in defined.items()})

    def is_defined(self, kind: str, name: str) -> bool:
        """Return whether a name of a kind is defined."""
        if kind == "submission-path":
            return _is_submission_path(name)
        return name in self.names.get(kind, frozenset())

    def list_names(self, kind: str) -> frozenset[str]:
        """Return all names of a kind."""
        return _list_submission_paths() if kind == "submission-path" else self.names.get(kind, frozenset())


def find_undefined_names(tree: PositionedDocument, model: ClosedModel, names: Namespace) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every undefined name in a file."""
    for path, kind, name in grammar.iterate_references(model, ()):
        if not names.is_defined(kind, name):
            near = find_similar(name, names.list_names(kind))
            yield tree.build_diagnostic(
                path,
                "unknown-name",
                f"there is no {kind.replace('-', ' ')} `{name}`",
                help=f"did you mean `{near}`?" if near else None,
            )


def _is_submission_path(text: str) -> bool:
    """Return whether a dotted path leads to a place of a submission; names of options are not checked."""
    if text.startswith("."):
        return text.lstrip(".") in _list_submission_keys() or not text.strip(".")
    here = text.removeprefix(_EARLIER_PREFIX)
    return (
        text == EARLIER
        or here in _list_submission_paths()
        or (here.startswith(_OPTIONS_PREFIX) and len(here) > len(_OPTIONS_PREFIX))
    )


@cache
def _list_submission_paths() -> frozenset[str]:
    """Return every place in a submission as dotted keys; places inside lists are relative to their item."""
    return frozenset(_walk_paths(Submission, ""))


@cache
def _list_submission_keys() -> frozenset[str]:
    keys: set[str] = set()
    pending: list[Any] = [Submission]
    while pending:
        model = pending.pop()
        for field, info in model.model_fields.items():
            keys.add(to_key(field))
            pending.extend(_list_models(info.annotation))
    return frozenset(keys)


def _walk_paths(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for field, info in model.model_fields.items():
        here = prefix + to_key(field)
        yield here
        annotation: Any = info.annotation
        if get_origin(grammar.find_reference_kind(annotation)[1]) is not list:
            for inner in _list_models(info.annotation):
                yield from _walk_paths(inner, f"{here}.")


def _list_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _list_models(part)


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
    for index, milestone in enumerate(game.milestones):
        yield milestone.when, milestone.each, ("milestones", index, "when")
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
        case "order":
            yield operand.when, operand.each, (*here, "when")
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
