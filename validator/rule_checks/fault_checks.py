"""Checks of faults: faults that no round can have, that change nothing, or that do not break their requirement."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.propositions import Formula, conjoin
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rule_checks.check_context import DocumentContext
from fairdeal.validator.rule_checks.logic_checks import iterate_stakes
from fairdeal.validator.rule_checks.requirement_checks import RequirementCheck, collect_dealt_faces
from fairdeal.validator.rulebook.lint.dependencies import find_needed_readings
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.fault_model import AlterFault, Fault
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.rules.requirement_model import Check, PhaseCheck, Repeat, Requirement, RoundCheck, SequenceCheck
from fairdeal.validator.simulate.fault_planting import plan_faults
from fairdeal.validator.text.positioned_document import DataPath

_EVENT_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change only events, which conditions of a rule seldom refer to."""

Reason = tuple[DataPath, str]
"""Place within a fault, and why the fault has no effect."""


class FaultCheck(RequirementCheck):
    """A check of the fault of a requirement that rounds can break."""

    code = "ineffective-fault"
    needs_game = True

    def find_in(self, context: DocumentContext, requirement: Requirement, here: DataPath) -> Iterator[RuleMistake]:
        if requirement.fault is not None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            reason = self.explain(context, requirement, requirement.fault)
            if reason is not None:
                yield RuleMistake(
                    path=(*here, "fault", *reason[0]), message=reason[1], help="alter what the requirement checks"
                )

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        """Return why the fault has no effect; None if it has one."""
        raise NotImplementedError


class FaultWithoutRounds(RequirementCheck):
    """A requirement that no round can break has a fault."""

    code = "ineffective-fault"
    needs_game = True

    def find_in(self, context: DocumentContext, requirement: Requirement, here: DataPath) -> Iterator[RuleMistake]:
        if requirement.fault is not None and requirement.evidence not in (Evidence.ROUND, Evidence.SESSION):
            yield RuleMistake(
                path=(*here, "fault"),
                message=f"no round can break a requirement that is judged on {requirement.evidence.value} evidence",
                help="remove the fault, and show by examples what submissions break",
            )


def _explain_impossible(context: DocumentContext, requirement: Requirement) -> str | None:
    """Return why no round of the game can have the fault of a requirement; None if one can."""
    if find_needed_readings(context.regulation, requirement):
        return None
    try:
        plan_faults(context.terms.prepared, [requirement.requirement])
    except ValueError as error:
        return str(error)
    return None


class ImpossibleFault(FaultCheck):
    """No round of the game can have a fault."""

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        reason = _explain_impossible(context, requirement)
        return None if reason is None else ((), reason)


class FaultWithoutChange(FaultCheck):
    """A fault leaves the round as it is."""

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        if _explain_impossible(context, requirement) is not None:
            return None
        game, operand = context.game, fault.operand
        if fault.operator == "pay" and operand == "under":
            return _explain_unpaid(game, requirement.check)
        steps = {step.step: step for step in game.procedure}
        if fault.operator == "swap" and steps[operand].each == "round" and "deal" not in steps[operand].events:
            return ("swap",), f"the step {operand} is not a step of each seat, so no two seats can be swapped"
        if fault.operator == "move":
            return _explain_same_place(game, operand.step, operand.operator, operand.operand)
        return _explain_unaltered(game, operand) if isinstance(operand, AlterFault) else None


def _explain_unpaid(game: Game, check: Check) -> Reason | None:
    names = check.operand.cases if check.operator == "settled" else ()
    judged = [case for case in game.settlement.cases if case.case in names]
    is_unpaid = [
        case.due.operand == "lost" or (case.due.operand == "nothing" and {*case.lines} <= game.bonuses.keys())
        for case in judged
    ]
    if judged and all(is_unpaid):
        return ("pay",), "nothing is paid in any of these cases, so no payment can fall short"
    return None


def _explain_same_place(game: Game, step: str, side: str, other: str) -> Reason | None:
    if step == other:
        return ("move", side), f"the step {step} cannot come before or after itself"
    if game.betting is not None:
        return None  # the steps of betting come several times
    played = [regular.step for regular in game.procedure if not regular.aside]
    neighbours = (other, step) if side == "after" else (step, other)
    if neighbours in pairwise(played):
        return ("move", side), f"the step {step} already comes immediately {side} {other}"
    return None


def _explain_unaltered(game: Game, fault: AlterFault) -> Reason | None:
    changed = {key: value for key, value in fault if key != "step" and value is not None}
    if not changed:
        return ("alter",), "the fault alters nothing of the step"
    step = next(step for step in game.procedure if step.step == fault.step)
    for key in ("face", "by", "what", "place"):
        if key in changed and getattr(step, key) == changed[key]:
            return ("alter", key), f"the step {step.step} already has `{key}: {changed[key]}`"
    if set(changed) == {"face"} and collect_dealt_faces(game, step) == {changed["face"]}:
        return ("alter", "face"), f"all cards are already dealt face {changed['face']}"
    return None


class HarmlessFault(FaultCheck):
    """A fault omits or swaps steps whose omission or order the requirement does not check."""

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        check, step, game = requirement.check.operand, fault.operand, context.game
        if fault.operator == "swap" and isinstance(check, InTurnCheck):
            swapped = {kind for other in game.procedure if other.step == step for kind in other.events}
            checked = {kind for other in game.procedure if other.step in check.steps for kind in other.events}
            return None if swapped & checked else (("swap",), f"the requirement does not check {step}")
        may_be_missing = (
            isinstance(check, InTurnCheck | PhaseCheck)
            or (isinstance(check, MilestoneCheck) and not any(bounds.must_happen for bounds in check.milestones))
            or (
                isinstance(check, SequenceCheck)
                and all(not isinstance(item, Repeat) and item.times in ("any", "optional") for item in check.steps)
            )
        )
        if fault.operator == "omit" and isinstance(step, str) and may_be_missing:
            return ("omit",), f"omitting {step} does not break the requirement: it checks only the order"
        return None


class FaultOutsideRule(FaultCheck):
    """A fault is planted where its requirement does not apply."""

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        check, where, terms = requirement.check.operand, fault.where, context.terms
        if where is None or not isinstance(check, RoundCheck) or check.when is None:
            return None
        if fault.operator not in _EVENT_FAULTS or check.each not in ("round", "seat"):
            return None
        if OPERATORS.find_grain(where, terms.game) not in ("round", check.each):
            return None
        if terms.may_hold(conjoin([terms.build_formula(where), terms.build_formula(check.when)])):
            return None
        return ("where",), "the requirement does not apply where this holds"


class FaultOutsideCases(FaultCheck):
    """A fault of payment is planted on seats that reach no case which the requirement judges."""

    def explain(self, context: DocumentContext, requirement: Requirement, fault: Fault) -> Reason | None:
        check, where, terms = requirement.check, fault.where, context.terms
        if where is None or fault.operator != "pay" or check.operator != "settled":
            return None
        formula = terms.build_formula(where)
        if any(terms.may_hold(conjoin([formula, reached])) for reached in _list_reached(terms, check.operand.cases)):
            return None
        return ("where",), "no seat for which this holds reaches a case that the requirement judges"


def _list_reached(terms: PropositionBuilder, cases: Collection[str]) -> Iterator[Formula]:
    """Yield, line by line, the formula of the stakes that reach some cases of settlement."""
    for line in terms.game.settlement.order:
        for _, case, remaining, condition in iterate_stakes(terms, line):
            if case.case in cases:
                yield conjoin([remaining, condition])


CHECKS = (
    FaultWithoutRounds,
    ImpossibleFault,
    FaultWithoutChange,
    HarmlessFault,
    FaultOutsideRule,
    FaultOutsideCases,
)
"""Checks of faults."""
