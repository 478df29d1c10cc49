"""Warnings about requirements: checks without effect, checks that differ from the game, readings that are not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from pydantic import BaseModel

from validator.cautions.caution import Caution
from validator.cautions.faults import dealt_faces, fault_cautions
from validator.language.comparison import Comparison
from validator.language.operands import ReadingIs
from validator.language.submission.conditions import Value
from validator.odds.rounds.decision_points import decision_points
from validator.odds.rounds.refusals import NotWorkedOut
from validator.operators.comparisons import NumberIs
from validator.operators.events import Event
from validator.operators.logic import AnyOf
from validator.operators.seats import Decided
from validator.operators.submission.lists import Every
from validator.operators.terms import Terms
from validator.propositions.formula import denied, every
from validator.results.statuses import Evidence
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.deal import SameOrderCheck
from validator.rules.model.game import Game
from validator.rules.model.requirement import PhaseCheck, Repeat, RequirementFile, RoundCheck, SequenceCheck
from validator.text.diagnostics import did_you_mean
from validator.text.trees.tree import Path, Tree


def requirement_cautions(regulation: Regulation, terms: Terms | None, file: RequirementFile) -> Iterator[Caution]:
    """Yield warnings about single requirements of a file."""
    messages: dict[str, str] = {}
    for index, requirement in enumerate(file.requirements):
        here: Path = ("requirements", index)
        if requirement.message in messages:
            yield Caution(
                code="duplicate",
                at=(*here, "message"),
                severity="warning",
                message=f"{messages[requirement.message]} has the same message: readers cannot know which one failed",
                help="state what is wrong if this requirement fails",
            )
        messages.setdefault(requirement.message, requirement.requirement)
        if requirement.broken is None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield Caution(
                code="missing-entry",
                at=here,
                severity="warning",
                message=f"{requirement.requirement} does not state what went wrong if it fails",
                help="add `broken`, a sentence in the past tense that begins with who acted: "
                "`The dealer paid a hand that lost.`",
                at_key=True,
            )
        yield from _find_unnamed_reading(requirement.check, requirement.readings, (*here, "check"))
        if isinstance(requirement.check.operand, RoundCheck) and terms is not None:
            rule: Path = (*here, "check", "rule", "must")
            yield from _find_mismatches(terms, requirement.check.operand, rule)
            yield from _find_missing_decisions(terms, requirement.check.operand, rule)
        if terms is not None:
            yield from _find_lines_without_table(terms.game, requirement.check, (*here, "check"))
            yield from _find_reversed_order(terms.game, requirement.check.operand, (*here, "check", "same-order"))
        if isinstance(requirement.check.operand, PhaseCheck):
            yield from _find_steps_outside_check(requirement.check.operand, (*here, "check", "phase", "at-least-one"))
        if isinstance(requirement.check.operand, SequenceCheck):
            yield from _check_sequence(requirement.check.operand, (*here, "check", "sequence", "steps"))
        if requirement.fault is not None:
            yield from fault_cautions(regulation, terms, requirement, requirement.fault, (*here, "fault"))


def unspoken(game: Tree) -> Iterator[Caution]:
    """Yield a warning for every bare requirement name in a game that no statement of the game defines."""
    bare: dict[str, Path] = {}
    defined: set[str] = set()
    for path in game.positions:
        if len(path) > 1 and path[-2] == "requirements":
            entry: Any = game.value(path)
            if isinstance(entry, str):
                bare.setdefault(entry, path)
            elif isinstance(entry, dict):
                defined.add(str(entry.get("requirement")))
    for name, here in bare.items():
        if name not in defined:
            near = did_you_mean(name, defined)
            yield Caution(
                code="unknown-name",
                at=here,
                message=f"no statement of the game defines the requirement {name}",
                help=f"did you mean `{near}`?"
                if near
                else "define it here, as a mapping with `requirement` and its other keys",
            )


def case_readings(regulation: Regulation, game: Game) -> Iterator[Caution]:
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
            here: Path = ("settlement", "cases", index, "when")
            yield from _find_unnamed_reading(case.when, [*case.readings, *named.get(case.case, ())], here)
    for index, cap in enumerate(game.settlement.caps):
        if cap.when is not None:
            here = ("settlement", "caps", index, "when")
            yield from _find_unnamed_reading(cap.when, [*cap.readings, *named.get(cap.cap, ())], here)
    for name, fact in game.facts.items():
        for path, part in walk(fact, ("facts", name)):
            if isinstance(part, ReadingIs) and part.name not in named_anywhere:
                yield _build_reading_warning(part.name, path)


def _find_unnamed_reading(model: BaseModel, named: list[str], here: Path) -> Iterator[Caution]:
    for path, requirement in walk(model, here):
        if isinstance(requirement, ReadingIs) and requirement.name not in named:
            yield _build_reading_warning(requirement.name, path)
            return


def _build_reading_warning(name: str, here: Path) -> Caution:
    return Caution(
        code="reading-not-named",
        at=(*here, "name"),
        severity="warning",
        message=f"this depends on the reading {name}, but `readings` does not name it, so no finding will",
        help=f"add {name} to `readings`",
    )


def _find_steps_outside_check(check: PhaseCheck, here: Path) -> Iterator[Caution]:
    """Yield warnings about required steps that a phase check does not cover."""
    for index, name in enumerate(check.at_least_one):
        if check.of and name not in check.of:
            yield Caution(
                code="missing-entry",
                at=(*here, index),
                severity="warning",
                message=f"{name} is required, but is not among the steps that this check covers",
                help=f"name {name} under `of` too, or require it in the check that covers it",
            )


def _find_lines_without_table(game: Game, check: BaseModel, here: Path) -> Iterator[Caution]:
    """Yield warnings about lines that have no pay table although a check judges their pay tables."""
    paid = {table.for_ for table in game.pay_tables.values()}
    for path, part in walk(check, here):
        if not (isinstance(part, Every) and part.in_ == "pay-tables"):
            continue
        for _, value in walk(part, ()):
            lines = value.operand if _is_list_of_lines(value) else []
            unpaid = [name for name in lines if name not in paid]
            if unpaid:
                yield Caution(
                    code="no-effect",
                    at=path,
                    severity="warning",
                    message=f"{unpaid[0]} has no pay table, so this requires nothing of it",
                    help=f"name wagers and bonuses that have one: {', '.join(sorted(paid))}",
                )


def _is_list_of_lines(value: BaseModel) -> TypeGuard[Value]:
    return isinstance(value, Value) and value.at == ".pays" and value.operator == "one-of"


def _find_reversed_order(game: Game, check: BaseModel, here: Path) -> Iterator[Caution]:
    """Yield a warning if the step that sets the order of seats comes after the step that follows it."""
    if isinstance(check, SameOrderCheck):
        played = [step.step for step in game.procedure]
        if played.index(check.first) > played.index(check.then):
            yield Caution(
                code="order-mismatch",
                at=(*here, "then"),
                severity="warning",
                message=f"the game is played in the other order: {check.then} before {check.first}",
                help="exchange them: `first` sets the order that `then` must follow",
            )


def _check_sequence(check: SequenceCheck, here: Path) -> Iterator[Caution]:
    steps = check.steps
    if len(steps) == 1 and not isinstance(steps[0], Repeat) and steps[0].times == "any":
        yield Caution(
            code="no-effect",
            at=here,
            message="a single step, any number of times, is always in order",
            help="name the steps before or after it, or state with `times` how often it occurs",
        )
    for index, (earlier, later) in enumerate(pairwise(steps), 1):
        if not isinstance(earlier, Repeat) and not isinstance(later, Repeat) and earlier.step == later.step:
            yield Caution(
                code="duplicate-entry",
                at=(*here, index),
                message=f"the step {later.step} is listed twice in a row",
                help="list it once, and state with `times` how often it may occur",
            )


def _find_mismatches(terms: Terms, check: RoundCheck, here: Path) -> Iterator[Caution]:
    """Yield warnings if a rule differs from the game: in the multiple of a wager, or in the face of dealt cards."""
    game = terms.game
    must = check.must
    if isinstance(must.meaning, NumberIs):
        stated = _read_multiple(must.operand)
        wager = None if stated is None else game.wagers.get(stated[0])
        if stated is not None and wager is not None and wager.of is not None and stated[1:] != (wager.amount, wager.of):
            yield Caution(
                code="multiple-mismatch",
                at=here,
                severity="warning",
                message=f"{stated[0]} must be {stated[2]} times {stated[1]} here, but {wager.of} times "
                f"{wager.amount} in the game",
                help="compare both with the text",
            )
    step = next((game_step for game_step in game.procedure if game_step.step == check.of), None)
    if check.each == "event" and isinstance(must.meaning, Event) and must.operand.face is not None and step is not None:
        faces, face = dealt_faces(game, step), must.operand.face
        if faces and not {None, face} & faces:
            yield Caution(
                code="face-mismatch",
                at=here,
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


def _list_alternative_decisions(terms: Terms, named: Sequence[str]) -> set[str]:
    """Return the decisions that a seat may take at the same point of a round as the named ones."""
    try:
        points = decision_points(terms.prepared)
    except NotWorkedOut:
        return set(terms.game.decisions)
    return {name for point in points if not {*named}.isdisjoint(point.decisions) for name in point.decisions}


def _find_missing_decisions(terms: Terms, check: RoundCheck, here: Path) -> Iterator[Caution]:
    """Yield warnings about decisions that are open to all seats which must decide, but that the rule does not allow."""
    conditions = check.must.operand if isinstance(check.must.meaning, AnyOf) else [check.must]
    named = [alternative.operand for alternative in conditions if isinstance(alternative.meaning, Decided)]
    if check.each != "seat" or check.when is None or terms.game.betting is not None or len(named) < len(conditions):
        return
    alternatives = _list_alternative_decisions(terms, named)
    for name, decision in terms.game.decisions.items():
        if name not in alternatives:
            continue
        open_to = True if decision.open_to is None else terms.formula(decision.open_to)
        if name not in named and not terms.may_hold(every([terms.formula(check.when), denied(open_to)])):
            yield Caution(
                code="missing-entry",
                at=here,
                severity="warning",
                message=f"{name} is open to all of these seats, but a seat that takes it breaks the requirement",
                help=f"name {name} too, or compare `open-to` of {name} with the text",
            )


__all__ = ["case_readings", "requirement_cautions", "unspoken"]
