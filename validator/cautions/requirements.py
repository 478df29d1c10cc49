"""Requirements that ask for nothing or for another thing than the game, readings that are not named, copied texts."""

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
        if requirement.broken is None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield Caution(
                code="left-out",
                at=here,
                severity="warning",
                message=f"{requirement.requirement} does not say what went wrong where it failed",
                help="add `broken`, a sentence in the past tense that begins with who acted: "
                "`The dealer paid a hand that lost.`",
                at_key=True,
            )
        yield from _readings(requirement.check, requirement.readings, (*here, "check"))
        if isinstance(requirement.check.operand, RoundCheck) and terms is not None:
            rule: Path = (*here, "check", "rule", "must")
            yield from _against_the_game(terms, requirement.check.operand, rule)
            yield from _decides(terms, requirement.check.operand, rule)
        if terms is not None:
            yield from _without_table(terms.game, requirement.check, (*here, "check"))
            yield from _same_order(terms.game, requirement.check.operand, (*here, "check", "same-order"))
        if isinstance(requirement.check.operand, PhaseCheck):
            yield from _asked_besides(requirement.check.operand, (*here, "check", "phase", "at-least-one"))
        if isinstance(requirement.check.operand, SequenceCheck):
            yield from _sequence(requirement.check.operand, (*here, "check", "sequence", "steps"))
        if requirement.fault is not None:
            yield from fault_cautions(regulation, terms, requirement, requirement.fault, (*here, "fault"))


def unspoken(game: Tree) -> Iterator[Caution]:
    """Bare names of requirements beside statements of a game whose words stand at none of them."""
    bare: dict[str, Path] = {}
    spoken: set[str] = set()
    for path in game.positions:
        if len(path) > 1 and path[-2] == "requirements":
            entry: Any = game.value(path)
            if isinstance(entry, str):
                bare.setdefault(entry, path)
            elif isinstance(entry, dict):
                spoken.add(str(entry.get("requirement")))
    for name, here in bare.items():
        if name not in spoken:
            near = did_you_mean(name, spoken)
            yield Caution(
                code="unknown-name",
                at=here,
                message=f"no statement of the game has the words of the requirement {name}",
                help=f"did you mean `{near}`?" if near else "say `requirement`, and what else there is to say, here",
            )


def case_readings(regulation: Regulation, game: Game) -> Iterator[Caution]:
    """Readings that conditions of cases and limits ask for are named beside them, or by the requirement that judges;
    those that facts ask for, by something."""
    named: dict[str, list[str]] = {}
    anywhere = {name for one in game.settlement.cases for name in one.readings}
    anywhere.update(name for one in game.settlement.caps for name in one.readings)
    for requirement in regulation.requirements:
        anywhere.update(requirement.readings)
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
    for name, fact in game.facts.items():
        for path, found in walk(fact, ("facts", name)):
            if isinstance(found, ReadingIs) and found.name not in anywhere:
                yield _not_named(found.name, path)


def _readings(model: BaseModel, named: list[str], here: Path) -> Iterator[Caution]:
    for path, found in walk(model, here):
        if isinstance(found, ReadingIs) and found.name not in named:
            yield _not_named(found.name, path)
            return


def _not_named(name: str, here: Path) -> Caution:
    return Caution(
        code="reading-not-named",
        at=(*here, "name"),
        severity="warning",
        message=f"this rests on the reading {name}, and no finding says so: `readings` does not name it",
        help=f"put {name} among the `readings`",
    )


def _asked_besides(check: PhaseCheck, here: Path) -> Iterator[Caution]:
    """Steps that must come are among those that the requirement is about."""
    for index, name in enumerate(check.at_least_one):
        if check.of and name not in check.of:
            yield Caution(
                code="left-out",
                at=(*here, index),
                severity="warning",
                message=f"{name} must come, and is none of the steps that this is about",
                help=f"name {name} under `of` too, or ask for it where its place is",
            )


def _without_table(game: Game, check: BaseModel, here: Path) -> Iterator[Caution]:
    """Lines whose pay tables are judged have one."""
    paid = {table.for_ for table in game.pay_tables.values()}
    for path, every_one in walk(check, here):
        if not (isinstance(every_one, Every) and every_one.in_ == "pay-tables"):
            continue
        for _, value in walk(every_one, ()):
            named = value.operand if _names_lines(value) else []
            wrong = [name for name in named if name not in paid]
            if wrong:
                yield Caution(
                    code="asks-nothing",
                    at=path,
                    severity="warning",
                    message=f"{wrong[0]} is paid by no pay table, so nothing is asked of it here",
                    help=f"name the wagers and bonuses that are: {', '.join(sorted(paid))}",
                )


def _names_lines(value: BaseModel) -> TypeGuard[Value]:
    return isinstance(value, Value) and value.at == ".pays" and value.operator == "one-of"


def _same_order(game: Game, check: BaseModel, here: Path) -> Iterator[Caution]:
    """What sets the order of seats comes before what must follow it."""
    if isinstance(check, SameOrderCheck):
        played = [step.step for step in game.procedure]
        if played.index(check.first) > played.index(check.then):
            yield Caution(
                code="other-order",
                at=(*here, "then"),
                severity="warning",
                message=f"the game is played the other way round: {check.then} before {check.first}",
                help="turn them round: `first` sets the order that `then` must follow",
            )


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


def _against_the_game(terms: Terms, check: RoundCheck, here: Path) -> Iterator[Caution]:
    """What a rule asks for and the game says otherwise: the multiple that a wager must be, how dealt cards lie."""
    game = terms.game
    must = check.must
    if isinstance(must.meaning, NumberIs):
        said = _multiple(must.operand)
        wager = None if said is None else game.wagers.get(said[0])
        if said is not None and wager is not None and wager.of is not None and said[1:] != (wager.amount, wager.of):
            yield Caution(
                code="other-multiple",
                at=here,
                severity="warning",
                message=f"{said[0]} is to be {said[2]} times {said[1]} here, and the game says: {wager.of} times "
                f"{wager.amount}",
                help="hold both against the text",
            )
    step = next((one for one in game.procedure if one.step == check.of), None)
    if check.each == "event" and isinstance(must.meaning, Event) and must.operand.face is not None and step is not None:
        faces, face = dealt_faces(game, step), must.operand.face
        if faces and not {None, face} & faces:
            yield Caution(
                code="other-face",
                at=here,
                severity="warning",
                message=f"cards are to lie face {face} here, and the game deals none of them so",
                help="hold both against the text: this, and `face` of the deal in game.yaml",
            )


def _multiple(asked: Comparison) -> tuple[str, int, str] | None:
    """The wager, the number and the other wager, where a comparison says that one is a multiple of the other."""
    if asked.operator != "equals" or asked.of.operator != "amount":
        return None
    other, by = asked.operand, 1
    if other.operator == "times":
        other, by = other.operand.of, other.operand.by
    return (asked.of.operand, by, other.operand) if other.operator == "amount" else None


def _decided_instead(terms: Terms, named: Sequence[str]) -> set[str]:
    """Return the decisions that a seat may take at the same point of a round as those that are named."""
    try:
        points = decision_points(terms.prepared)
    except NotWorkedOut:
        return set(terms.game.decisions)
    return {name for point in points if not {*named}.isdisjoint(point.decisions) for name in point.decisions}


def _decides(terms: Terms, check: RoundCheck, here: Path) -> Iterator[Caution]:
    """Where seats must take one of some decisions, another is not open to all of them."""
    asked = check.must.operand if isinstance(check.must.meaning, AnyOf) else [check.must]
    named = [one.operand for one in asked if isinstance(one.meaning, Decided)]
    if check.each != "seat" or check.when is None or terms.game.betting is not None or len(named) < len(asked):
        return
    instead = _decided_instead(terms, named)
    for name, decision in terms.game.decisions.items():
        if name not in instead:
            continue
        open_to = True if decision.open_to is None else terms.formula(decision.open_to)
        if name not in named and not terms.may_hold(every([terms.formula(check.when), denied(open_to)])):
            yield Caution(
                code="left-out",
                at=here,
                severity="warning",
                message=f"{name} is open to all of these seats, and whoever takes it breaks the requirement",
                help=f"name {name} too, or hold `open-to` of {name} against the text",
            )


__all__ = ["case_readings", "requirement_cautions", "unspoken"]
