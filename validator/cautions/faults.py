"""Faults that cannot be planted, or that leave their requirement unbroken."""

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

_OF_EVENTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change nothing but events, which conditions of a rule seldom look at."""


def fault_cautions(
    regulation: Regulation, terms: Terms | None, requirement: Requirement, fault: Fault, here: Path
) -> Iterator[Caution]:
    """Why a fault can be planted nowhere, or does not break the requirement that it stands at."""
    if requirement.evidence not in (Evidence.ROUND, Evidence.SESSION) or terms is None:
        yield Caution(
            code="never-planted",
            at=here,
            message=f"no round can break what is judged on {requirement.evidence.value} evidence",
            help="take the fault away: what submissions break is shown by examples",
        )
        return
    if not asked_under(regulation, requirement):
        try:
            plantings(terms.prepared, [requirement.requirement])
        except ValueError as error:
            yield Caution(code="never-planted", at=here, message=str(error), help="plant what breaks this requirement")
            return
    why = _changes_nothing(terms.game, requirement.check, fault) or _breaks_nothing(
        terms.game, requirement.check, fault
    )
    if why is not None:
        yield Caution(
            code="never-planted", at=(*here, *why[0]), message=why[1], help="alter what the requirement asks for"
        )
    if fault.where is not None and _speaks_elsewhere(terms, requirement.check.operand, fault, fault.where):
        yield Caution(
            code="never-planted",
            at=(*here, "where"),
            message="where this holds the requirement asks for nothing",
            help="hold it against the `when` of the requirement",
        )
    where = None if fault.where is None else terms.formula(fault.where)
    if where is None or fault.operator != "pay" or requirement.check.operator != "settled":
        return
    if not any(terms.may_hold(every([where, come])) for come in _coming(terms, requirement.check.operand.cases)):
        yield Caution(
            code="never-planted",
            at=(*here, "where"),
            message="no seat of which this holds comes to a case that the requirement judges",
            help="hold it against what the cases ask, and those before them",
        )


def _coming(terms: Terms, cases: Collection[str]) -> Iterator[Formula]:
    """Of what comes to some cases of settlement, line by line."""
    for line in terms.game.settlement.order:
        left: Formula = True
        for case in terms.game.settlement.cases:
            if line in case.lines:
                asked = True if case.when is None else terms.formula(case.when)
                if case.case in cases:
                    yield every([left, asked])
                left = every([left, denied(asked)])


def _changes_nothing(game: Game, check: Check, fault: Fault) -> tuple[Path, str] | None:
    steps = {step.step: step for step in game.procedure}
    operand = fault.operand
    if fault.operator == "pay" and operand == "under" and check.operator == "settled":
        judged = [case for case in game.settlement.cases if case.case in check.operand.cases]
        if all(
            case.due.operand == "lost" or (case.due.operand == "nothing" and {*case.lines} <= game.bonuses.keys())
            for case in judged
        ):
            return ("pay",), "nothing is paid in any of these cases, so that no payment can fall short"
    if fault.operator == "swap" and steps[operand].each == "round" and "deal" not in steps[operand].events:
        return ("swap",), f"the step {operand} is none of seats, so no two of them can be swapped"
    if fault.operator == "move" and operand.step == operand.operand:
        return ("move", operand.operator), f"the step {operand.step} cannot come before or after itself"
    if isinstance(operand, Alter):
        changed = {key: value for key, value in operand if key != "step" and value is not None}
        if not changed:
            return ("alter",), "nothing of the step is altered"
        step = steps[operand.step]
        for key in ("face", "by", "what", "place"):
            if key in changed and getattr(step, key) == changed[key]:
                return ("alter", key), f"the step {step.step} has `{key}: {changed[key]}` as it is"
        if set(changed) == {"face"} and dealt_faces(game, step) == {changed["face"]}:
            return ("alter", "face"), f"all cards are dealt face {changed['face']} as it is"
    return None


def _speaks_elsewhere(terms: Terms, check: Any, fault: Fault, where: Condition) -> bool:
    """Whether a rule asks for nothing in the rounds or seats in which a fault is planted."""
    if not isinstance(check, RoundCheck) or check.when is None or fault.operator not in _OF_EVENTS:
        return False
    if check.each not in ("round", "seat") or where.meaning.grain(where.operand, terms.game) not in (
        "round",
        check.each,
    ):
        return False
    return not terms.may_hold(every([terms.formula(where), terms.formula(check.when)]))


def _breaks_nothing(game: Game, check: Check, fault: Fault) -> tuple[Path, str] | None:
    """Why events that are left out, or come in another order, leave a check of their order unbroken."""
    asked, step = check.operand, fault.operand
    if fault.operator == "swap" and isinstance(asked, InTurnCheck):
        events = {kind for one in game.procedure if one.step in asked.steps for kind in one.events}
        if not events & {kind for one in game.procedure if one.step == step for kind in one.events}:
            return ("swap",), f"the requirement does not look at {step}"
    if fault.operator != "omit" or not isinstance(step, str):
        return None
    message = f"the requirement is not broken where {step} is left out: it asks for the order alone"
    if isinstance(asked, InTurnCheck):
        return ("omit",), message
    if isinstance(asked, PhaseCheck) and not asked.at_least_one:
        return ("omit",), message
    if isinstance(asked, SequenceCheck) and all(
        not isinstance(one, Repeat) and one.times in ("any", "optional") for one in asked.steps
    ):
        return ("omit",), message
    return None


def dealt_faces(game: Game, step: Step) -> set[str | None]:
    """How cards lie that are dealt in a step of any stage, None where it is not said; empty for another step."""
    if step.events != ["deal"] or step.stage is not None:
        return set()
    return {
        one.face or stage.face for stage in game.deal.stages for way in stage.permitted.values() for one in way.passes
    }
