"""Requirements that ask for nothing, faults that cannot be planted, readings that are not named, copied texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.language.conditions import Condition
from validator.language.operands import ReadingIs
from validator.operators.terms import Terms
from validator.propositions.formula import every, some
from validator.results.statuses import Evidence
from validator.rulebook.lint.other_readings import asked_under
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.faults import Alter, Fault
from validator.rules.model.game import Game
from validator.rules.model.requirement import Repeat, Requirement, RequirementFile, SequenceCheck
from validator.simulate.faults.planting import plantings
from validator.text.trees.tree import Path


def requirement_cautions(regulation: Regulation, terms: Terms | None, file: RequirementFile) -> Iterator[Caution]:
    """Everything that single requirements of a file can hardly mean."""
    same: dict[str, str] = {}
    for index, requirement in enumerate(file.requirements):
        here: Path = ("requirements", index)
        if requirement.message in same:
            yield Caution(
                code="told-twice",
                at=(*here, "message"),
                severity="warning",
                message=f"{same[requirement.message]} has the same message: readers cannot tell which is broken",
                help="say what is wrong when this one is broken",
            )
        same.setdefault(requirement.message, requirement.requirement)
        yield from _readings(requirement.check, requirement.readings, (*here, "check"))
        if isinstance(requirement.check.operand, SequenceCheck):
            yield from _sequence(requirement.check.operand, (*here, "check", "sequence", "steps"))
        if requirement.fault is not None:
            yield from _fault(regulation, terms, requirement, requirement.fault, (*here, "fault"))


def case_readings(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Readings that conditions of cases and limits ask for are named beside them, or by the requirement that judges."""
    named: dict[str, list[str]] = {}
    for requirement in regulation.requirements:
        check = requirement.check
        judged = check.operand.cases if check.operator == "settled" else []
        for name in [check.operand.cap] if check.operator == "capped" else judged:
            named[name] = requirement.readings
    for index, case in enumerate(game.settlement.cases):
        if case.when is not None:
            here: Path = ("settlement", "cases", index, "when")
            yield from _readings(case.when, [*case.readings, *named.get(case.case, ())], here)
    for index, cap in enumerate(game.settlement.caps):
        if cap.when is not None:
            here = ("settlement", "caps", index, "when")
            yield from _readings(cap.when, [*cap.readings, *named.get(cap.cap, ())], here)


def _readings(model: BaseModel, named: list[str], here: Path) -> Iterator[Caution]:
    for path, found in walk(model, here):
        if isinstance(found, ReadingIs) and found.name not in named:
            yield Caution(
                code="reading-not-named",
                at=(*path, "name"),
                severity="warning",
                message=f"this rests on the reading {found.name}, and no finding says so: `readings` does not name it",
                help=f"put {found.name} among the `readings`",
            )
            return


def _sequence(check: SequenceCheck, here: Path) -> Iterator[Caution]:
    steps = check.steps
    if len(steps) == 1 and not isinstance(steps[0], Repeat) and steps[0].times == "any":
        yield Caution(
            code="asks-nothing",
            at=here,
            message="one step by itself, any number of times, is always in order",
            help="name the steps it comes before or after, or say how often with `times`",
        )
    for index, (one, other) in enumerate(pairwise(steps), 1):
        if not isinstance(one, Repeat) and not isinstance(other, Repeat) and one.step == other.step:
            yield Caution(
                code="listed-twice",
                at=(*here, index),
                message=f"the step {other.step} stands twice running",
                help="say it once, with `times` for how often it may come",
            )


def _fault(
    regulation: Regulation, terms: Terms | None, requirement: Requirement, fault: Fault, here: Path
) -> Iterator[Caution]:
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
    why = _changes_nothing(terms.game, fault)
    if why is not None:
        yield Caution(
            code="never-planted", at=(*here, *why[0]), message=why[1], help="alter what the requirement asks for"
        )
    where = None if fault.where is None else terms.formula(fault.where)
    if where is not None and fault.operator == "pay" and requirement.check.operator == "settled":
        cases: Mapping[str, Condition | None] = {case.case: case.when for case in terms.game.settlement.cases}
        asked = [cases[name] for name in requirement.check.operand.cases]
        if not terms.may_hold(every([where, some(True if one is None else terms.formula(one) for one in asked)])):
            yield Caution(
                code="never-planted",
                at=(*here, "where"),
                message="no seat of which this holds comes to a case that the requirement judges",
                help="hold it against what the cases ask",
            )


def _changes_nothing(game: Game, fault: Fault) -> tuple[Path, str] | None:
    steps = {step.step: step for step in game.procedure}
    operand = fault.operand
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
        faces = {
            one.face or stage.face
            for stage in game.deal.stages
            for way in stage.permitted.values()
            for one in way.passes
        }
        if set(changed) == {"face"} and step.events == ["deal"] and step.stage is None and faces == {changed["face"]}:
            return ("alter", "face"), f"all cards are dealt face {changed['face']} as it is"
    return None


__all__ = ["case_readings", "requirement_cautions"]
