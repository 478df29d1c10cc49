"""Checks of requirements: checks without effect, checks that differ from the game, readings that nothing names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeGuard

from pydantic import BaseModel

from fairdeal.validator.language.grammar import ReadingIs, walk_models
from fairdeal.validator.language.round_conditions import Comparison
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.odds.rounds.decision_points import NoOdds, list_decision_points
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.logic_operators import AnyOf
from fairdeal.validator.operators.number_operators import NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.propositions import conjoin, negate
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rule_checks.check_context import DocumentCheck, DocumentContext
from fairdeal.validator.rulebook.lint.rule_check import RuleMistake
from fairdeal.validator.rules import requirement_model
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.text.positioned_document import DataPath


class DuplicateMessage(DocumentCheck[requirement_model.RequirementFile]):
    """Two requirements have the same message. Readers of a report could not know which one failed."""

    code = "duplicate"
    severity = "warning"
    on = requirement_model.RequirementFile

    def find(
        self, context: DocumentContext, part: requirement_model.RequirementFile, here: DataPath
    ) -> Iterator[RuleMistake]:
        messages: dict[str, str] = {}
        for index, requirement in enumerate(part.requirements):
            if requirement.message in messages:
                yield RuleMistake(
                    path=("requirements", index, "message"),
                    message=f"{messages[requirement.message]} has the same message: readers cannot know which one "
                    "failed",
                    help="state what is wrong if this requirement fails",
                )
            messages.setdefault(requirement.message, requirement.requirement)


class RequirementCheck(DocumentCheck[requirement_model.RequirementFile]):
    """A check of one requirement at a time."""

    on = requirement_model.RequirementFile

    def find(
        self, context: DocumentContext, part: requirement_model.RequirementFile, here: DataPath
    ) -> Iterator[RuleMistake]:
        for index, requirement in enumerate(part.requirements):
            yield from self.find_in(context, requirement, (*here, "requirements", index))

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        """Yield the mistakes of a requirement; `here` is its place in the file."""
        raise NotImplementedError


class MissingBroken(RequirementCheck):
    """A requirement on rounds does not state what went wrong if it fails. Reports need the sentence."""

    code = "missing-broken"
    severity = "warning"

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        if requirement.broken is None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield RuleMistake(
                path=here,
                message=f"{requirement.requirement} does not state what went wrong if it fails",
                help="add `broken`, a sentence in the past tense that begins with who acted: "
                "`The dealer paid a hand that lost.`",
                at_key=True,
            )


class ReadingNotNamed(RequirementCheck):
    """A requirement depends on a reading that it does not name. No finding would mention the reading."""

    code = "reading-not-named"
    severity = "warning"

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        yield from _find_unnamed_reading(requirement.check, requirement.readings, (*here, "check"))


class ReadingOfGameNotNamed(DocumentCheck[Game]):
    """A case, cap or fact depends on a reading that nothing names. No finding would mention the reading.

    A case or cap names its readings itself, or the requirement that judges it does. Some case, cap or requirement names
    the readings of facts.
    """

    code = "reading-not-named"
    severity = "warning"
    on = Game

    def find(self, context: DocumentContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        named: dict[str, list[str]] = {}
        cases, caps = part.settlement.cases, part.settlement.caps
        named_anywhere = {name for case in cases for name in case.readings}
        named_anywhere.update(name for cap in caps for name in cap.readings)
        for requirement in context.regulation.requirements:
            named_anywhere.update(requirement.readings)
            check = requirement.check
            judged = check.operand.cases if check.operator == "settled" else []
            for name in [check.operand.cap] if check.operator == "capped" else judged:
                named[name] = requirement.readings
        for index, case in enumerate(cases):
            if case.when is not None:
                readings = [*case.readings, *named.get(case.case, ())]
                yield from _find_unnamed_reading(case.when, readings, ("settlement", "cases", index, "when"))
        for index, cap in enumerate(caps):
            if cap.when is not None:
                readings = [*cap.readings, *named.get(cap.cap, ())]
                yield from _find_unnamed_reading(cap.when, readings, ("settlement", "caps", index, "when"))
        for name, fact in part.facts.items():
            for path, inner in walk_models(fact, ("facts", name)):
                if isinstance(inner, ReadingIs) and inner.name not in named_anywhere:
                    yield _build_unnamed_reading(inner.name, path)


def _find_unnamed_reading(model: BaseModel, named: Sequence[str], here: DataPath) -> Iterator[RuleMistake]:
    for path, part in walk_models(model, here):
        if isinstance(part, ReadingIs) and part.name not in named:
            yield _build_unnamed_reading(part.name, path)
            return


def _build_unnamed_reading(name: str, here: DataPath) -> RuleMistake:
    return RuleMistake(
        path=(*here, "name"),
        message=f"this depends on the reading {name}, but `readings` does not name it, so no finding will",
        help=f"add {name} to `readings`",
    )


class UnboundedAct(RequirementCheck):
    """A milestone requires an act that it does not bound, although it bounds others."""

    code = "missing-entry"
    severity = "warning"

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        check = requirement.check.operand
        for number, bounds in enumerate(check.milestones if isinstance(check, MilestoneCheck) else ()):
            bounded = [*bounds.before, *bounds.after]
            for index, name in enumerate(bounds.must_happen):
                if bounded and name not in (*bounded, *bounds.at.acts):
                    yield RuleMistake(
                        path=(*here, "check", "order", "milestones", number, "must-happen", index),
                        message=f"{name} must happen, but this milestone does not bound it",
                        help="name it under `before` or `after` too, or at the milestone that bounds it",
                    )


class LineWithoutTable(RequirementCheck):
    """A requirement judges the pay table of a line that has none. It requires nothing of the line."""

    code = "no-effect"
    severity = "warning"
    needs_game = True

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        paid = {table.for_ for table in context.game.pay_tables.values()}
        for path, part in walk_models(requirement.check, (*here, "check")):
            if not (isinstance(part, Every) and part.in_ == "pay-tables"):
                continue
            for _, value in walk_models(part, ()):
                unpaid = [name for name in value.operand if name not in paid] if _is_list_of_lines(value) else []
                if unpaid:
                    yield RuleMistake(
                        path=path,
                        message=f"{unpaid[0]} has no pay table, so this requires nothing of it",
                        help=f"name wagers and bonuses that have one: {', '.join(sorted(paid))}",
                    )


def _is_list_of_lines(value: BaseModel) -> TypeGuard[Value]:
    return isinstance(value, Value) and value.at == ".pays" and value.operator == "one-of"


class UnstatedRow(RequirementCheck):
    """A requirement permits a row of posted pay tables that no pay table of the game has.

    The settlement would not pay the row, or another row was meant. A requirement that names a reading may permit more
    rows than the text prints.
    """

    code = "unstated-payout"
    severity = "warning"
    needs_game = True

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        rows = {row for table in context.game.pay_tables.values() for row in table.rows}
        rows |= {unlisted.category for unlisted in context.game.settlement.unlisted}
        for path, part in () if requirement.readings else walk_models(requirement.check, (*here, "check")):
            if not (isinstance(part, Every) and part.in_ in (".rows", "rows") and part.where is None):
                continue
            for at, value in walk_models(part.must, (*path, "must")):
                if isinstance(value, Value) and value.at == ".hand" and value.operator == "one-of":
                    for index, name in enumerate(value.operand):
                        if name not in rows:
                            yield RuleMistake(
                                path=(*at, "one-of", index),
                                message=f"no pay table of the game has the row {name}",
                                help="name a row of a pay table, or add the row to the table that the text prints",
                            )


class IdleSequence(RequirementCheck):
    """A sequence has a single step that may occur any number of times. It is always in order."""

    code = "no-effect"

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        check = requirement.check.operand
        steps = check.steps if isinstance(check, requirement_model.SequenceCheck) else []
        if len(steps) == 1 and not isinstance(steps[0], requirement_model.Repeat) and steps[0].times == "any":
            yield RuleMistake(
                path=(*here, "check", "sequence", "steps"),
                message="a single step, any number of times, is always in order",
                help="name the steps before or after it, or state with `times` how often it occurs",
            )


class StepInARow(RequirementCheck):
    """A sequence lists a step twice in a row. Another may be missing."""

    code = "duplicate-entry"

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        check = requirement.check.operand
        steps = check.steps if isinstance(check, requirement_model.SequenceCheck) else []
        for index, (earlier, later) in enumerate(pairwise(steps), 1):
            if (
                not isinstance(earlier, requirement_model.Repeat)
                and not isinstance(later, requirement_model.Repeat)
                and earlier.step == later.step
            ):
                yield RuleMistake(
                    path=(*here, "check", "sequence", "steps", index),
                    message=f"the step {later.step} is listed twice in a row",
                    help="list it once, and state with `times` how often it may occur",
                )


class MultipleMismatch(RequirementCheck):
    """A requirement states another multiple of a wager than the game."""

    code = "multiple-mismatch"
    severity = "warning"
    needs_game = True

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        check = requirement.check.operand
        if not isinstance(check, requirement_model.RoundCheck) or not isinstance(OPERATORS.find(check.must), NumberIs):
            return
        stated = _read_multiple(check.must.operand)
        wager = None if stated is None else context.game.wagers.get(stated[0])
        if stated is not None and wager is not None and wager.of is not None and stated[1:] != (wager.amount, wager.of):
            yield RuleMistake(
                path=(*here, "check", "rule", "must"),
                message=f"{stated[0]} must be {stated[2]} times {stated[1]} here, but {wager.of} times "
                f"{wager.amount} in the game",
                help="compare both with the text",
            )


def _read_multiple(comparison: Comparison) -> tuple[str, int, str] | None:
    """Return wager, factor and base wager if a comparison states a multiple; otherwise None."""
    if comparison.operator != "equals" or comparison.of.operator != "amount":
        return None
    other, factor = comparison.operand, 1
    if other.operator == "times":
        other, factor = other.operand.of, other.operand.by
    return (comparison.of.operand, factor, other.operand) if other.operator == "amount" else None


class FaceMismatch(RequirementCheck):
    """A requirement states that dealt cards lie on another side than the game deals them."""

    code = "face-mismatch"
    severity = "warning"
    needs_game = True

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        check = requirement.check.operand
        if (
            not isinstance(check, requirement_model.RoundCheck)
            or check.each != "event"
            or not isinstance(OPERATORS.find(check.must), EventShows)
        ):
            return
        step = next((step for step in context.game.procedure if step.step == check.of), None)
        face = check.must.operand.face
        faces = set() if step is None or face is None else collect_dealt_faces(context.game, step)
        if faces and not {None, face} & faces:
            yield RuleMistake(
                path=(*here, "check", "rule", "must"),
                message=f"cards must lie face {face} here, but the game deals none of them face {face}",
                help="compare both with the text: this, and `face` of the deal in game.yaml",
            )


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


class DecisionForbidden(RequirementCheck):
    """A decision is open to all seats of a requirement, but a seat that takes it breaks the requirement."""

    code = "missing-entry"
    severity = "warning"
    needs_game = True

    def find_in(
        self, context: DocumentContext, requirement: requirement_model.Requirement, here: DataPath
    ) -> Iterator[RuleMistake]:
        """Yield the forbidden decisions; betting games are not checked."""
        check, terms = requirement.check.operand, context.terms
        if not isinstance(check, requirement_model.RoundCheck) or check.each != "seat" or check.when is None:
            return
        conditions = check.must.operand if isinstance(OPERATORS.find(check.must), AnyOf) else [check.must]
        named = [
            alternative.operand for alternative in conditions if isinstance(OPERATORS.find(alternative), HasDecided)
        ]
        if terms.game.betting is not None or len(named) < len(conditions):
            return
        alternatives = _list_alternative_decisions(context, named)
        for name, decision in terms.game.decisions.items():
            if name not in alternatives or name in named:
                continue
            open_to = True if decision.open_to is None else terms.build_formula(decision.open_to)
            if not terms.may_hold(conjoin([terms.build_formula(check.when), negate(open_to)])):
                yield RuleMistake(
                    path=(*here, "check", "rule", "must"),
                    message=f"{name} is open to all of these seats, but a seat that takes it breaks the requirement",
                    help=f"name {name} too, or compare `open-to` of {name} with the text",
                )


def _list_alternative_decisions(context: DocumentContext, named: Sequence[str]) -> set[str]:
    """Return the decisions that a seat may take at the same point of a round as the named ones."""
    try:
        points = list_decision_points(context.terms.prepared)
    except NoOdds:
        return set(context.game.decisions)
    return {name for point in points if not {*named}.isdisjoint(point.decisions) for name in point.decisions}


CHECKS = (
    DuplicateMessage,
    MissingBroken,
    ReadingNotNamed,
    ReadingOfGameNotNamed,
    UnboundedAct,
    LineWithoutTable,
    UnstatedRow,
    IdleSequence,
    StepInARow,
    MultipleMismatch,
    FaceMismatch,
    DecisionForbidden,
)
"""Checks of requirements."""
