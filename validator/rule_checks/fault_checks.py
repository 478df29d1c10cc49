"""Checks of faults: faults that no round can have, that change nothing, or that do not break their requirement."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.propositions import Formula, conjoin
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rule_checks.logic_checks import iterate_stakes
from fairdeal.validator.rulebook.lint.dependencies import find_needed_readings
from fairdeal.validator.rulebook.lint.rule_check import Mistakes, error
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.fault_model import AlterFault, Fault
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.rules.requirement_model import (
    Check,
    Requirement,
    RoundCheck,
    SequenceCheck,
    SequenceStep,
)
from fairdeal.validator.simulate.fault_planting import plan_faults
from fairdeal.validator.text.positioned_document import DataPath

_EVENT_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change only events, which conditions of a rule seldom refer to."""
_CODE = "ineffective-fault"
_ALTER = "alter what the requirement checks"


@error(_CODE, "remove the fault, and show by examples what submissions break")
def find_fault_without_rounds(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault of a requirement that no round can break."""
    if requirement.stated_fault is not None and requirement.evidence not in (Evidence.ROUND, Evidence.SESSION):
        evidence = requirement.evidence.value
        yield (*here, "fault"), f"no round can break a requirement that is judged on {evidence} evidence"


@error(_CODE, _ALTER)
def find_impossible_fault(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault that no round of the game can have."""
    reason = None if _get_fault(requirement) is None else _explain_impossible(context, requirement)
    if reason is not None:
        yield (*here, "fault"), reason


def _get_fault(requirement: Requirement) -> Fault | None:
    """Return the fault that is stated for a requirement that rounds can break."""
    return requirement.stated_fault if requirement.evidence in (Evidence.ROUND, Evidence.SESSION) else None


def _explain_impossible(context: GameContext, requirement: Requirement) -> str | None:
    """Return why no round of the game can have the fault of a requirement; None if one can."""
    if find_needed_readings(context.regulation, requirement):
        return None
    try:
        plan_faults(context.terms.prepared, [requirement.requirement])
    except ValueError as error:
        return str(error)
    return None


@error(_CODE, _ALTER)
def find_fault_without_change(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault that leaves the round as it is."""
    fault, game = _get_fault(requirement), context.game
    if fault is None or _explain_impossible(context, requirement) is not None:
        return
    at, operand = (*here, "fault"), fault.operand
    steps = game.all_acts
    if fault.operator == "pay" and operand == "under" and _is_unpaid(game, requirement.check):
        yield (*at, "pay"), "nothing is paid in any of these cases, so no payment can fall short"
    elif fault.operator == "swap" and steps[operand].grain == "round" and "deal" not in steps[operand].events:
        yield (*at, "swap"), f"the step {operand} is not a step of each seat, so no two seats can be swapped"
    elif fault.operator == "move":
        reason = _explain_same_place(game, operand.step, operand.operator, operand.operand)
        if reason is not None:
            yield (*at, "move", operand.operator), reason
    elif isinstance(operand, AlterFault):
        yield from _find_unaltered(game, operand, (*at, "alter"))


def _is_unpaid(game: Game, check: Check) -> bool:
    """Return whether a check is on cases in which nothing is paid."""
    names = check.operand.cases if check.operator == "settled" else ()
    judged = [case for case in game.settlement.cases if case.case in names]
    return bool(judged) and all(
        case.due.operand == "lost" or (case.due.operand == "nothing" and {*case.lines} <= game.bonuses.keys())
        for case in judged
    )


def _explain_same_place(game: Game, step: str, side: str, other: str) -> str | None:
    if step == other:
        return f"the step {step} cannot come before or after itself"
    if game.betting is not None:
        return None  # the steps of betting come several times
    played = list(game.acts)
    neighbours = (other, step) if side == "after" else (step, other)
    return f"the step {step} already comes immediately {side} {other}" if neighbours in pairwise(played) else None


def _find_unaltered(game: Game, fault: AlterFault, here: DataPath) -> Mistakes:
    changed = {key: value for key, value in fault if key != "step" and value is not None}
    step = game.all_acts[fault.step]
    if not changed:
        yield here, "the fault alters nothing of the step"
    elif fault.by is not None and step.by == fault.by:
        yield (*here, "by"), f"the act {step.name} already has `by: {fault.by}`"


@error(_CODE, _ALTER)
def find_harmless_fault(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault that omits or swaps steps whose omission or order the requirement does not check."""
    fault, check, game = _get_fault(requirement), requirement.check.operand, context.game
    if fault is None:
        return
    at, step = (*here, "fault", fault.operator), fault.operand
    if fault.operator == "swap" and isinstance(check, InTurnCheck):
        swapped = {*game.all_acts[step].events}
        checked = {kind for name in check.steps for kind in game.all_acts[name].events}
        if not swapped & checked:
            yield at, f"the requirement does not check {step}"
    elif fault.operator == "omit" and isinstance(step, str) and _checks_only_order(check):
        yield at, f"omitting {step} does not break the requirement: it checks only the order"


def _checks_only_order(check: object) -> bool:
    match check:
        case InTurnCheck():
            return True
        case MilestoneCheck():
            return not any(bounds.must_happen for bounds in check.milestones)
        case SequenceCheck():
            return all(isinstance(item, SequenceStep) and item.times in ("any", "optional") for item in check.steps)
        case _:
            return False


@error(_CODE, _ALTER)
def find_fault_outside_rule(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault that is planted where its requirement does not apply."""
    fault, check, terms = _get_fault(requirement), requirement.check.operand, context.terms
    if fault is None or fault.where is None or fault.operator not in _EVENT_FAULTS:
        return
    if not isinstance(check, RoundCheck) or check.each not in ("round", "seat"):
        return
    if OPERATORS.find_grain(fault.where, terms.game) not in ("round", check.each):
        return
    if not terms.may_hold(conjoin([terms.build_formula(fault.where), terms.build_formula(check.when)])):
        yield (*here, "fault", "where"), "the requirement does not apply where this holds"


@error(_CODE, _ALTER)
def find_fault_outside_cases(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault of payment that is planted on seats which reach no case that the requirement judges."""
    fault, check, terms = _get_fault(requirement), requirement.check, context.terms
    if fault is None or fault.where is None or fault.operator != "pay" or check.operator != "settled":
        return
    formula = terms.build_formula(fault.where)
    if not any(terms.may_hold(conjoin([formula, reached])) for reached in _list_reached(terms, check.operand.cases)):
        yield (*here, "fault", "where"), "no seat for which this holds reaches a case that the requirement judges"


def _list_reached(terms: PropositionBuilder, cases: Collection[str]) -> Iterator[Formula]:
    """Yield, line by line, the formula of the stakes that reach some cases of settlement."""
    for line in terms.game.settlement.order:
        for _, case, remaining, condition in iterate_stakes(terms, line):
            if case.case in cases:
                yield conjoin([remaining, condition])
