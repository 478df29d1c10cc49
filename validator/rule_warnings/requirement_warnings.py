"""Warnings about requirements and their faults: checks without effect, checks that differ from the game, faults that
cannot be planted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from pydantic import BaseModel

from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.odds.rounds.decision_points import NoOdds, list_decision_points
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.logic_operators import AnyOf
from fairdeal.validator.operators.number_operators import NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.propositions import Formula, conjoin, negate
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rule_warnings.rule_warning import RuleWarning
from fairdeal.validator.rulebook.lint.dependencies import find_needed_readings
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.fault_model import AlterFault, Fault
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import (
    Check,
    PhaseCheck,
    Repeat,
    Requirement,
    RequirementFile,
    RoundCheck,
    SequenceCheck,
)
from fairdeal.validator.simulate.fault_planting import plan_faults
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

__all__ = ["find_requirement_warnings", "find_undefined_requirements", "find_unnamed_readings"]


_EVENT_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change only events, which conditions of a rule seldom refer to."""


def find_fault_warnings(
    regulation: Regulation, terms: PropositionBuilder | None, requirement: Requirement, fault: Fault, here: DataPath
) -> Iterator[RuleWarning]:
    """Yield warnings about a fault that can be planted nowhere, or that does not break its requirement."""
    if requirement.evidence not in (Evidence.ROUND, Evidence.SESSION) or terms is None:
        yield RuleWarning(
            code="ineffective-fault",
            path=here,
            message=f"no round can break a requirement that is judged on {requirement.evidence.value} evidence",
            help="remove the fault, and show by examples what submissions break",
        )
        return
    if not find_needed_readings(regulation, requirement):
        try:
            plan_faults(terms.prepared, [requirement.requirement])
        except ValueError as error:
            yield RuleWarning(
                code="ineffective-fault",
                path=here,
                message=str(error),
                help="plant a fault that breaks this requirement",
            )
            return
    reason = _explain_no_change(terms.game, requirement.check, fault) or _explain_no_breach(
        terms.game, requirement.check, fault
    )
    if reason is not None:
        yield RuleWarning(
            code="ineffective-fault",
            path=(*here, *reason[0]),
            message=reason[1],
            help="alter what the requirement checks",
        )
    if fault.where is not None and _never_applies_to(terms, requirement.check.operand, fault, fault.where):
        yield RuleWarning(
            code="ineffective-fault",
            path=(*here, "where"),
            message="the requirement does not apply where this holds",
            help="compare it with `when` of the requirement",
        )
    where = None if fault.where is None else terms.build_formula(fault.where)
    if where is None or fault.operator != "pay" or requirement.check.operator != "settled":
        return
    if not any(
        terms.may_hold(conjoin([where, reached]))
        for reached in _list_case_formulas(terms, requirement.check.operand.cases)
    ):
        yield RuleWarning(
            code="ineffective-fault",
            path=(*here, "where"),
            message="no seat for which this holds reaches a case that the requirement judges",
            help="compare it with the conditions of the cases and of those before them",
        )


def _list_case_formulas(terms: PropositionBuilder, cases: Collection[str]) -> Iterator[Formula]:
    """Yield, line by line, the formula of the stakes that reach some cases of settlement."""
    for line in terms.game.settlement.order:
        remaining: Formula = True
        for case in terms.game.settlement.cases:
            if line in case.lines:
                applies = True if case.when is None else terms.build_formula(case.when)
                if case.case in cases:
                    yield conjoin([remaining, applies])
                remaining = conjoin([remaining, negate(applies)])


def _explain_no_change(game: Game, check: Check, fault: Fault) -> tuple[DataPath, str] | None:
    """Return where and why a fault changes nothing; None if it changes something."""
    steps = {step.step: step for step in game.procedure}
    operand = fault.operand
    if fault.operator == "pay" and operand == "under" and check.operator == "settled":
        judged = [case for case in game.settlement.cases if case.case in check.operand.cases]
        if all(
            case.due.operand == "lost" or (case.due.operand == "nothing" and {*case.lines} <= game.bonuses.keys())
            for case in judged
        ):
            return ("pay",), "nothing is paid in any of these cases, so no payment can fall short"
    if fault.operator == "swap" and steps[operand].each == "round" and "deal" not in steps[operand].events:
        return ("swap",), f"the step {operand} is not a step of each seat, so no two seats can be swapped"
    if fault.operator == "move" and operand.step == operand.operand:
        return ("move", operand.operator), f"the step {operand.step} cannot come before or after itself"
    if isinstance(operand, AlterFault):
        changed = {key: value for key, value in operand if key != "step" and value is not None}
        if not changed:
            return ("alter",), "the fault alters nothing of the step"
        step = steps[operand.step]
        for key in ("face", "by", "what", "place"):
            if key in changed and getattr(step, key) == changed[key]:
                return ("alter", key), f"the step {step.step} already has `{key}: {changed[key]}`"
        if set(changed) == {"face"} and collect_dealt_faces(game, step) == {changed["face"]}:
            return ("alter", "face"), f"all cards are already dealt face {changed['face']}"
    return None


def _never_applies_to(terms: PropositionBuilder, check: Any, fault: Fault, where: Condition) -> bool:
    """Return whether a rule never applies to the rounds or seats in which a fault is planted."""
    if not isinstance(check, RoundCheck) or check.when is None or fault.operator not in _EVENT_FAULTS:
        return False
    if check.each not in ("round", "seat") or OPERATORS.find(where).find_grain(where.operand, terms.game) not in (
        "round",
        check.each,
    ):
        return False
    return not terms.may_hold(conjoin([terms.build_formula(where), terms.build_formula(check.when)]))


def _explain_no_breach(game: Game, check: Check, fault: Fault) -> tuple[DataPath, str] | None:
    """Return why omitted or reordered events do not break a check of their order; None if they do."""
    operand, step = check.operand, fault.operand
    if fault.operator == "swap" and isinstance(operand, InTurnCheck):
        events = {kind for game_step in game.procedure if game_step.step in operand.steps for kind in game_step.events}
        if not events & {kind for game_step in game.procedure if game_step.step == step for kind in game_step.events}:
            return ("swap",), f"the requirement does not check {step}"
    if fault.operator != "omit" or not isinstance(step, str):
        return None
    message = f"omitting {step} does not break the requirement: it checks only the order"
    if isinstance(operand, InTurnCheck):
        return ("omit",), message
    if isinstance(operand, PhaseCheck):
        return ("omit",), message
    if isinstance(operand, MilestoneCheck) and not any(bounds.must_happen for bounds in operand.milestones):
        return ("omit",), message
    if isinstance(operand, SequenceCheck) and all(
        not isinstance(item, Repeat) and item.times in ("any", "optional") for item in operand.steps
    ):
        return ("omit",), message
    return None


def collect_dealt_faces(game: Game, step: Step) -> set[str | None]:
    """Return the faces of the cards that a step deals, None for a card whose face is not stated.

    A step that deals a single stage, or that does not deal, has none.
    """
    if step.events != ["deal"] or step.stage is not None:
        return set()
    return {
        deal_pass.face or stage.face
        for stage in game.deal.stages
        for way in stage.permitted_ways.values()
        for deal_pass in way.passes
    }


def find_requirement_warnings(
    regulation: Regulation, terms: PropositionBuilder | None, file: RequirementFile
) -> Iterator[RuleWarning]:
    """Yield warnings about single requirements of a file."""
    messages: dict[str, str] = {}
    for index, requirement in enumerate(file.requirements):
        here: DataPath = ("requirements", index)
        if requirement.message in messages:
            yield RuleWarning(
                code="duplicate",
                path=(*here, "message"),
                severity="warning",
                message=f"{messages[requirement.message]} has the same message: readers cannot know which one failed",
                help="state what is wrong if this requirement fails",
            )
        messages.setdefault(requirement.message, requirement.requirement)
        if requirement.broken is None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield RuleWarning(
                code="missing-broken",
                path=here,
                severity="warning",
                message=f"{requirement.requirement} does not state what went wrong if it fails",
                help="add `broken`, a sentence in the past tense that begins with who acted: "
                "`The dealer paid a hand that lost.`",
                at_key=True,
            )
        yield from _find_unnamed_reading(requirement.check, requirement.readings, (*here, "check"))
        if isinstance(requirement.check.operand, RoundCheck) and terms is not None:
            rule: DataPath = (*here, "check", "rule", "must")
            yield from _find_mismatches(terms, requirement.check.operand, rule)
            yield from _find_missing_decisions(terms, requirement.check.operand, rule)
        if terms is not None:
            yield from _find_lines_without_table(terms.game, requirement.check, (*here, "check"))
            yield from _find_reversed_order(terms.game, requirement.check.operand, (*here, "check", "same-order"))
        if isinstance(requirement.check.operand, MilestoneCheck):
            yield from _find_unbounded_acts(requirement.check.operand, (*here, "check", "order", "milestones"))
        if isinstance(requirement.check.operand, SequenceCheck):
            yield from _check_sequence(requirement.check.operand, (*here, "check", "sequence", "steps"))
        if requirement.fault is not None:
            yield from find_fault_warnings(regulation, terms, requirement, requirement.fault, (*here, "fault"))


def find_undefined_requirements(game: PositionedDocument) -> Iterator[RuleWarning]:
    """Yield a warning for every bare requirement name in a game that no statement of the game defines."""
    bare: dict[str, DataPath] = {}
    defined: set[str] = set()
    for path in game.positions:
        if len(path) > 1 and path[-2] == "requirements":
            entry: Any = game.get_value(path)
            if isinstance(entry, str):
                bare.setdefault(entry, path)
            elif isinstance(entry, dict):
                defined.add(str(entry.get("requirement")))
    for name, here in bare.items():
        if name not in defined:
            near = find_similar(name, defined)
            yield RuleWarning(
                code="unknown-name",
                path=here,
                message=f"no statement of the game defines the requirement {name}",
                help=f"did you mean `{near}`?"
                if near
                else "define it here, as a mapping with `requirement` and its other keys",
            )


def find_unnamed_readings(regulation: Regulation, game: Game) -> Iterator[RuleWarning]:
    """Yield warnings about readings that a condition depends on but that nothing names.

    A case or cap names its readings itself, or the requirement that judges it does. Some case, cap or requirement names
    the readings of facts.
    """
    named: dict[str, list[str]] = {}
    named_anywhere = {name for cap in game.settlement.cases for name in cap.readings}
    named_anywhere.update(name for condition in game.settlement.caps for name in condition.readings)
    for requirement in regulation.requirements:
        named_anywhere.update(requirement.readings)
        check = requirement.check
        judged = check.operand.cases if check.operator == "settled" else []
        for name in [check.operand.cap] if check.operator == "capped" else judged:
            named[name] = requirement.readings
    for index, case in enumerate(game.settlement.cases):
        if case.when is not None:
            here: DataPath = ("settlement", "cases", index, "when")
            yield from _find_unnamed_reading(case.when, [*case.readings, *named.get(case.case, ())], here)
    for index, cap in enumerate(game.settlement.caps):
        if cap.when is not None:
            here = ("settlement", "caps", index, "when")
            yield from _find_unnamed_reading(cap.when, [*cap.readings, *named.get(cap.cap, ())], here)
    for name, fact in game.facts.items():
        for path, part in walk_models(fact, ("facts", name)):
            if isinstance(part, ReadingIs) and part.name not in named_anywhere:
                yield _build_reading_warning(part.name, path)


def _find_unnamed_reading(model: BaseModel, named: list[str], here: DataPath) -> Iterator[RuleWarning]:
    for path, requirement in walk_models(model, here):
        if isinstance(requirement, ReadingIs) and requirement.name not in named:
            yield _build_reading_warning(requirement.name, path)
            return


def _build_reading_warning(name: str, here: DataPath) -> RuleWarning:
    return RuleWarning(
        code="reading-not-named",
        path=(*here, "name"),
        severity="warning",
        message=f"this depends on the reading {name}, but `readings` does not name it, so no finding will",
        help=f"add {name} to `readings`",
    )


def _find_unbounded_acts(check: MilestoneCheck, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about acts that must happen and that their milestone, which bounds others, does not bound."""
    for number, bounds in enumerate(check.milestones):
        bounded = [*bounds.before, *bounds.after]
        for index, name in enumerate(bounds.must_happen):
            if bounded and name not in (*bounded, *bounds.at.acts):
                yield RuleWarning(
                    code="missing-entry",
                    path=(*here, number, "must-happen", index),
                    severity="warning",
                    message=f"{name} must happen, but this milestone does not bound it",
                    help=f"name {name} under `before` or `after` too, or require it at the milestone that bounds it",
                )


def _find_lines_without_table(game: Game, check: BaseModel, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about lines that have no pay table although a check judges their pay tables."""
    paid = {table.for_ for table in game.pay_tables.values()}
    for path, part in walk_models(check, here):
        if not (isinstance(part, Every) and part.in_ == "pay-tables"):
            continue
        for _, value in walk_models(part, ()):
            lines = value.operand if _is_list_of_lines(value) else []
            unpaid = [name for name in lines if name not in paid]
            if unpaid:
                yield RuleWarning(
                    code="no-effect",
                    path=path,
                    severity="warning",
                    message=f"{unpaid[0]} has no pay table, so this requires nothing of it",
                    help=f"name wagers and bonuses that have one: {', '.join(sorted(paid))}",
                )


def _is_list_of_lines(value: BaseModel) -> TypeGuard[Value]:
    return isinstance(value, Value) and value.at == ".pays" and value.operator == "one-of"


def _find_reversed_order(game: Game, check: BaseModel, here: DataPath) -> Iterator[RuleWarning]:
    """Yield a warning if the step that sets the order of seats comes after the step that follows it."""
    if isinstance(check, SameOrderCheck):
        played = [step.step for step in game.procedure]
        if played.index(check.first) > played.index(check.then):
            yield RuleWarning(
                code="order-mismatch",
                path=(*here, "then"),
                severity="warning",
                message=f"the game is played in the other order: {check.then} before {check.first}",
                help="exchange them: `first` sets the order that `then` must follow",
            )


def _check_sequence(check: SequenceCheck, here: DataPath) -> Iterator[RuleWarning]:
    steps = check.steps
    if len(steps) == 1 and not isinstance(steps[0], Repeat) and steps[0].times == "any":
        yield RuleWarning(
            code="no-effect",
            path=here,
            message="a single step, any number of times, is always in order",
            help="name the steps before or after it, or state with `times` how often it occurs",
        )
    for index, (earlier, later) in enumerate(pairwise(steps), 1):
        if not isinstance(earlier, Repeat) and not isinstance(later, Repeat) and earlier.step == later.step:
            yield RuleWarning(
                code="duplicate-entry",
                path=(*here, index),
                message=f"the step {later.step} is listed twice in a row",
                help="list it once, and state with `times` how often it may occur",
            )


def _find_mismatches(terms: PropositionBuilder, check: RoundCheck, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings if a rule differs from the game: in the multiple of a wager, or in the face of dealt cards."""
    game = terms.game
    must = check.must
    if isinstance(OPERATORS.find(must), NumberIs):
        stated = _read_multiple(must.operand)
        wager = None if stated is None else game.wagers.get(stated[0])
        if stated is not None and wager is not None and wager.of is not None and stated[1:] != (wager.amount, wager.of):
            yield RuleWarning(
                code="multiple-mismatch",
                path=here,
                severity="warning",
                message=f"{stated[0]} must be {stated[2]} times {stated[1]} here, but {wager.of} times "
                f"{wager.amount} in the game",
                help="compare both with the text",
            )
    step = next((game_step for game_step in game.procedure if game_step.step == check.of), None)
    if (
        check.each == "event"
        and isinstance(OPERATORS.find(must), EventShows)
        and must.operand.face is not None
        and step is not None
    ):
        faces, face = collect_dealt_faces(game, step), must.operand.face
        if faces and not {None, face} & faces:
            yield RuleWarning(
                code="face-mismatch",
                path=here,
                severity="warning",
                message=f"cards must lie face {face} here, but the game deals none of them face {face}",
                help="compare both with the text: this, and `face` of the deal in game.yaml",
            )


def _read_multiple(comparison: Comparison) -> tuple[str, int, str] | None:
    """Return wager, factor and base wager if a comparison states a multiple; otherwise None."""
    if comparison.operator != "equals" or comparison.of.operator != "amount":
        return None
    other, factor = comparison.operand, 1
    if other.operator == "times":
        other, factor = other.operand.of, other.operand.by
    return (comparison.of.operand, factor, other.operand) if other.operator == "amount" else None


def _list_alternative_decisions(terms: PropositionBuilder, named: Sequence[str]) -> set[str]:
    """Return the decisions that a seat may take at the same point of a round as the named ones."""
    try:
        points = list_decision_points(terms.prepared)
    except NoOdds:
        return set(terms.game.decisions)
    return {name for point in points if not {*named}.isdisjoint(point.decisions) for name in point.decisions}


def _find_missing_decisions(terms: PropositionBuilder, check: RoundCheck, here: DataPath) -> Iterator[RuleWarning]:
    """Yield warnings about decisions that are open to all seats which must decide, but that the rule does not allow."""
    conditions = check.must.operand if isinstance(OPERATORS.find(check.must), AnyOf) else [check.must]
    named = [alternative.operand for alternative in conditions if isinstance(OPERATORS.find(alternative), HasDecided)]
    if check.each != "seat" or check.when is None or terms.game.betting is not None or len(named) < len(conditions):
        return
    alternatives = _list_alternative_decisions(terms, named)
    for name, decision in terms.game.decisions.items():
        if name not in alternatives:
            continue
        open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
        if name not in named and not terms.may_hold(conjoin([terms.build_formula(check.when), negate(open_to)])):
            yield RuleWarning(
                code="missing-entry",
                path=here,
                severity="warning",
                message=f"{name} is open to all of these seats, but a seat that takes it breaks the requirement",
                help=f"name {name} too, or compare `open-to` of {name} with the text",
            )
