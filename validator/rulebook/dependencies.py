"""Names of a document, and which names depend on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.evidence.submission_reader import EARLIER
from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import Grain, grain_of_place, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rules import betting_model, check_model, requirement_model, simulation_model
from fairdeal.validator.rules.deal_model import SIDES, DealtCheck, DrawingRule, DrawnByCheck, Stage, Taking
from fairdeal.validator.rules.fault_model import MannerHabit
from fairdeal.validator.rules.game_model import Act, Bonus, Decision, Game, Wager
from fairdeal.validator.rules.payment_model import Cap, Case, PayTable, Scale, SharedAward
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import ClosedModel, iterate_set_keys, to_key
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
            defined["outcome"] = set(game.outcomes)
            defined["hand"] = set(game.hands)
            defined["fact"] = set(game.facts)
            defined["step"] = set(game.all_acts)
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
                *(band for scale in game.scales.values() for band in scale.bands),
            }
            defined["cap"] = {cap.cap for cap in game.settlement.caps}
        return cls({kind: frozenset(names) for kind, names in defined.items()})

    def is_defined(self, kind: str, name: str) -> bool:
        """Return whether a name of a kind is defined."""
        if kind == "submission-path":
            return _is_submission_path(name)
        return name in self.names.get(kind, frozenset())

    def find_near(self, kind: str, name: str) -> str | None:
        """Return a defined name that is probably meant; for a path, that of an item of a list if it lacks its dot."""
        if kind == "submission-path" and self.is_defined(kind, f".{name}"):
            return f".{name}"
        return find_similar(name, self.list_names(kind))

    def list_names(self, kind: str) -> frozenset[str]:
        """Return all names of a kind."""
        return _list_submission_paths() if kind == "submission-path" else self.names.get(kind, frozenset())


def find_undefined_names(tree: PositionedDocument, model: ClosedModel, names: Namespace) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every undefined name in a file."""
    for path, kind, name in grammar.iterate_references(model, ()):
        if not names.is_defined(kind, name):
            near, origin = names.find_near(kind, name), tree.get_origin(path)
            advice = [f"did you mean `{near}`?"] if near else []
            if origin is not None:
                advice.append(
                    f"if the name is that {origin}, state the parameter for it in the instance, or give yours that name"
                )
            here = tree.find_name(path, name)
            yield tree.build_diagnostic(
                here,
                "unknown-name",
                f"there is no {kind.replace('-', ' ')} `{name}`",
                help=" ".join(advice) or None,
                at_key=here[-1:] == (name,),
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
    steps = game.all_acts
    seen: set[tuple[str, str]] = set()
    pending = [model]
    while pending:
        for part in iterate_models(pending.pop()):
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
    return isinstance(part, Act) and part.of_seats is not None


def _list_references(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts that a part names, and the steps whose events it uses."""
    if isinstance(part, Condition | Quantity):
        yield from (("fact", name) for name in OPERATORS.find(part).list_facts(part.operand))
        yield from (("step", name) for name in OPERATORS.find(part).list_steps(part.operand))
    elif isinstance(part, betting_model.BettingRound) and part.after is not None:
        yield "step", part.after


_OF_SEATS = (
    *(Wager, Decision, Bonus, betting_model.FoldedBy, SharedAward, Scale, betting_model.Pots),
    *(simulation_model.Posting, simulation_model.Discarding),
)
"""Models whose conditions and quantities are evaluated for each seat."""
_OF_ROUNDS = (
    *(
        betting_model.Position,
        betting_model.BettingRound,
        betting_model.LargerSize,
        betting_model.LeastBet,
        betting_model.LeastRaise,
        betting_model.Sizes,
        betting_model.Reopens,
        betting_model.Betting,
    ),
    *(betting_model.PotPart, betting_model.PotRake, betting_model.UnrecordedChips, PayTable, Cap),
    *(
        check_model.EveryCheck,
        check_model.NeededCheck,
        check_model.AwardedCheck,
        DealtCheck,
        betting_model.InTurnCheck,
        betting_model.TurnsCheck,
    ),
    *(simulation_model.DeadButton, simulation_model.Occurrence),
)
"""Models whose conditions and quantities are evaluated for each round."""


def _find_grain(game: Game, model: BaseModel, here: DataPath) -> Grain | None:
    """Return the grain at which the conditions and quantities of a model are evaluated; None if it has none."""
    match model:
        case check_model.RoundCheck() | requirement_model.Milestone() | check_model.MilestoneCheck():
            return model.each
        case check_model.SequenceCheck():
            return model.each
        case Case():
            return "seat" if any(name in game.bonuses for name in model.lines) else "stake"
        case Act():
            return model.grain
        case simulation_model.StepHabit():
            act = game.all_acts.get(str(here[-1]))
            return None if act is None else act.grain
        case check_model.SuccessionCheck():
            return "seat" if model.each == "player" else "round"
        case Stage():
            return "seat" if {*model.count_most_cards()} == {"player"} else "round"
        case Taking():
            return "seat" if here[-1] == "player" else "round"
        case DrawingRule():
            return grain_of_place(game.drawing[str(here[1])].place)
        case DrawnByCheck():
            return grain_of_place(game.drawing[model.drawing].place)
        case simulation_model.Habit() | simulation_model.Size():
            return "seat" if game.betting is None else "event"
        case simulation_model.Simulation() | MannerHabit():
            return "event"
    return "seat" if isinstance(model, _OF_SEATS) else "round" if isinstance(model, _OF_ROUNDS) else None


def list_expressions(
    game: Game, model: BaseModel, here: DataPath
) -> Iterator[tuple[Condition | Quantity, Grain, DataPath]]:
    """Yield the conditions and quantities that keys of a part of a rule file state, each with its grain and place."""
    grain = _find_grain(game, model, here) if _states_expressions(type(model)) else None
    if grain is None:
        return
    for key, value in iterate_set_keys(model):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        if isinstance(value, Condition | Quantity):
            yield value, grain, (*here, key)
        yield from ((item, grain, (*here, key, name)) for name, item in items if isinstance(item, Condition))


@cache
def _states_expressions(model: type[BaseModel]) -> bool:
    """Return whether a model has a condition or quantity, and is none itself."""
    inner = (part for field in model.model_fields.values() for part in _list_models(field.annotation))
    return model not in (Condition, Quantity) and any(part in (Condition, Quantity) for part in inner)


def find_grain_problems(game: Game, model: BaseModel, here: DataPath) -> Iterator[Problem]:
    """Yield conditions and quantities of a model that refer to another grain than they are evaluated at."""
    for part, grain, place in list_expressions(game, model, here):
        yield from OPERATORS.find_grain_problems(part, grain, game, place)


NeededOptions = dict[str, str]
"""The option that each reading would need to have."""


def find_needed_readings(regulation: Regulation, requirement: requirement_model.Requirement) -> NeededOptions:
    """Return the options that readings would need for a requirement to apply, or for its fault to be a breach.

    The result is empty if the readings in force suffice. Other conditions of the requirement, such as conditions on
    submissions, are not considered.
    """
    conditions: list[Condition | None] = [getattr(requirement.check.operand, "when", None)]
    conditions += [] if requirement.stated_fault is None else [requirement.stated_fault.when]
    for condition in conditions:
        needed: NeededOptions = {}
        if (
            isinstance(condition, Condition)
            and OPERATORS.find(condition).evaluate_readings(condition.operand, regulation, needed) == NO
        ):
            return needed
    return {}
