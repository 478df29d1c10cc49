"""Warnings about faults that cannot be planted, or that do not break their requirement."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.operators.terms import Terms
from validator.propositions.formula import Formula, denied, every
from validator.results.statuses import Evidence
from validator.rulebook.lint.other_readings import asked_under
from validator.rules.core.regulation import Regulation
from validator.rules.model.betting import InTurnCheck
from validator.rules.model.faults import Alter, Fault
from validator.rules.model.game import Game, Step
from validator.rules.model.requirement import Check, PhaseCheck, Repeat, Requirement, RoundCheck, SequenceCheck
from validator.simulate.faults.planting import plantings
from validator.text.trees.tree import Path

_EVENT_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change only events, which conditions of a rule seldom refer to."""


def fault_cautions(
    regulation: Regulation, terms: Terms | None, requirement: Requirement, fault: Fault, here: Path
) -> Iterator[Caution]:
    """Yield warnings about a fault that can be planted nowhere, or that does not break its requirement."""
    if requirement.evidence not in (Evidence.ROUND, Evidence.SESSION) or terms is None:
        yield Caution(
            code="ineffective-fault",
            at=here,
            message=f"no round can break a requirement that is judged on {requirement.evidence.value} evidence",
            help="remove the fault, and show by examples what submissions break",
        )
        return
    if not asked_under(regulation, requirement):
        try:
            plantings(terms.prepared, [requirement.requirement])
        except ValueError as error:
            yield Caution(
                code="ineffective-fault", at=here, message=str(error), help="plant a fault that breaks this requirement"
            )
            return
    reason = _explain_no_change(terms.game, requirement.check, fault) or _explain_no_breach(
        terms.game, requirement.check, fault
    )
    if reason is not None:
        yield Caution(
            code="ineffective-fault",
            at=(*here, *reason[0]),
            message=reason[1],
            help="alter what the requirement checks",
        )
    if fault.where is not None and _never_applies_to(terms, requirement.check.operand, fault, fault.where):
        yield Caution(
            code="ineffective-fault",
            at=(*here, "where"),
            message="the requirement does not apply where this holds",
            help="compare it with `when` of the requirement",
        )
    where = None if fault.where is None else terms.formula(fault.where)
    if where is None or fault.operator != "pay" or requirement.check.operator != "settled":
        return
    if not any(
        terms.may_hold(every([where, reached]))
        for reached in _list_case_formulas(terms, requirement.check.operand.cases)
    ):
        yield Caution(
            code="ineffective-fault",
            at=(*here, "where"),
            message="no seat for which this holds reaches a case that the requirement judges",
            help="compare it with the conditions of the cases and of those before them",
        )


def _list_case_formulas(terms: Terms, cases: Collection[str]) -> Iterator[Formula]:
    """Yield, line by line, the formula of the stakes that reach some cases of settlement."""
    for line in terms.game.settlement.order:
        remaining: Formula = True
        for case in terms.game.settlement.cases:
            if line in case.lines:
                applies = True if case.when is None else terms.formula(case.when)
                if case.case in cases:
                    yield every([remaining, applies])
                remaining = every([remaining, denied(applies)])


def _explain_no_change(game: Game, check: Check, fault: Fault) -> tuple[Path, str] | None:
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
    if isinstance(operand, Alter):
        changed = {key: value for key, value in operand if key != "step" and value is not None}
        if not changed:
            return ("alter",), "the fault alters nothing of the step"
        step = steps[operand.step]
        for key in ("face", "by", "what", "place"):
            if key in changed and getattr(step, key) == changed[key]:
                return ("alter", key), f"the step {step.step} already has `{key}: {changed[key]}`"
        if set(changed) == {"face"} and dealt_faces(game, step) == {changed["face"]}:
            return ("alter", "face"), f"all cards are already dealt face {changed['face']}"
    return None


def _never_applies_to(terms: Terms, check: Any, fault: Fault, where: Condition) -> bool:
    """Return whether a rule never applies to the rounds or seats in which a fault is planted."""
    if not isinstance(check, RoundCheck) or check.when is None or fault.operator not in _EVENT_FAULTS:
        return False
    if check.each not in ("round", "seat") or where.meaning.grain(where.operand, terms.game) not in (
        "round",
        check.each,
    ):
        return False
    return not terms.may_hold(every([terms.formula(where), terms.formula(check.when)]))


def _explain_no_breach(game: Game, check: Check, fault: Fault) -> tuple[Path, str] | None:
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
    if isinstance(operand, PhaseCheck) and not operand.at_least_one:
        return ("omit",), message
    if isinstance(operand, SequenceCheck) and all(
        not isinstance(item, Repeat) and item.times in ("any", "optional") for item in operand.steps
    ):
        return ("omit",), message
    return None


def dealt_faces(game: Game, step: Step) -> set[str | None]:
    """Return the faces of the cards that a step deals, None for a card whose face is not stated.

    A step that deals a single stage, or that does not deal, has none.
    """
    if step.events != ["deal"] or step.stage is not None:
        return set()
    return {
        deal_pass.face or stage.face
        for stage in game.deal.stages
        for way in stage.permitted.values()
        for deal_pass in way.passes
    }
