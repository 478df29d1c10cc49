"""Operators on the choices of the licensee: offered wagers, posted limits, options, submitted values and meters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from validator.language.conditions import OTHER_OPERANDS, Condition, ConditionOperator, QuantityOperator
from validator.language.grains import Grain
from validator.language.refs import LineName, MeterName, SubmissionPath
from validator.language.submission.conditions import SubmissionCondition
from validator.language.submission.wording import describe_place, format_value
from validator.language.wording import replace_hyphens
from validator.operators.stakes import JUDGED_STAKE, LineCondition
from validator.text.models.model import ClosedModel
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.arrays import Bounds, Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.rules.model.game import Game


class WagerIsOffered(LineCondition):
    """The submission offers this wager. `this`: the wager of the judged stake."""

    key = "offered"
    operand = LineName
    sample = "{offered: side}"
    evidence_needed = "submission"
    words = {JUDGED_STAKE: "a wager that is offered", OTHER_OPERANDS: "{} offered"}
    judged_line_words = "the licensee offers"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.submission.in_force import evaluate_per_line

        offers = None if scope.configuration is None else scope.configuration.offers

        def state(line: str) -> int:
            return UNKNOWN if offers is None else YES if line in offers else NO

        return evaluate_per_line(scope, operand, state)


class WagerTakesTips(LineCondition):
    """The submission states that tips are taken on this wager. `this`: the wager of the judged stake."""

    key = "takes-tips"
    operand = LineName
    sample = "{takes-tips: this}"
    evidence_needed = "submission"
    words = "tips taken on {}"
    judged_line_words = "the licensee takes tips on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from validator.engine.submission.in_force import evaluate_per_line

        offers = {} if scope.configuration is None else scope.configuration.offers or {}

        def state(line: str) -> int:
            tips = offers[line].tips if line in offers else None
            return UNKNOWN if tips is None else YES if tips else NO

        return evaluate_per_line(scope, operand, state)


class OptionIs(ClosedModel):
    """An option of the submission and its required value."""

    name: str
    """The option: a key under `options` in the submission."""
    is_: bool | str
    """The required value."""


class OptionIsChosen(ConditionOperator[OptionIs]):
    """An option of the submission has this value; unknown if the submission does not state it."""

    key = "option"
    operand = OptionIs
    sample = "{option: {name: second-deck, is: true}}"
    evidence_needed = "submission"

    def evaluate(self, scope: EvaluationContext, operand: OptionIs, grain: Grain) -> Truths:
        from validator.engine.core import kleene

        options = {} if scope.configuration is None else scope.configuration.options
        chosen = options.get(operand.name)
        value = UNKNOWN if chosen is None else YES if chosen == operand.is_ else NO
        return kleene.constant(value, scope.count_items(grain))

    def describe(self, prepared: CompiledGame, operand: OptionIs) -> str:
        return f"the option {replace_hyphens(operand.name)}: {format_value(operand.is_)}"


class SubmissionStates(ConditionOperator[SubmissionCondition]):
    """The submission in force satisfies this condition; unknown if there is no submission."""

    key = "submitted"
    operand = SubmissionCondition
    sample = "{submitted: {value: {at: deck.decks, equals: 2}}}"
    evidence_needed = "submission"

    def evaluate(self, scope: EvaluationContext, operand: SubmissionCondition, grain: Grain) -> Truths:
        from validator.engine.core import kleene
        from validator.engine.submission.in_force import build_submission_view

        view = build_submission_view(scope)
        value = UNKNOWN if view is None else operand.answer(view).value
        return kleene.constant(value, scope.count_items(grain))

    def describe(self, prepared: CompiledGame, operand: SubmissionCondition) -> str | bool:
        read = operand.apply_readings(prepared.regulation)
        return read if isinstance(read, bool) else f"as submitted, {read.describe()}"

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.submission.in_force import build_submission_view

        view = build_submission_view(scope)
        if view is None:
            yield "no submission is in force"
            return
        reasons = condition.operand.answer(view).reasons
        places = [describe_place(".".join(key for key in reason.path if isinstance(key, str))) for reason in reasons]
        texts = [f"{place}: {reason.observed}" for place, reason in zip(places, reasons, strict=True) if reason.path]
        yield f"as submitted, {', '.join(texts) or condition.operand.describe_for_item(view)}"


class _PostedLimit(QuantityOperator[str]):
    """A posted limit of a line, or of the line of the judged stake."""

    operand = LineName
    evidence_needed = "submission"
    is_amount = True

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else "round"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.facts.wagers import bound_posted_limit

        return bound_posted_limit(scope, "minimum" if self.key == "minimum" else "maximum", operand)


class PostedMinimum(_PostedLimit):
    """The posted minimum of a wager, from the submission. `this`: of the judged stake."""

    key = "minimum"
    sample = "{minimum: this}"
    words = "the posted minimum"


class PostedMaximum(_PostedLimit):
    """The posted maximum of a wager, from the submission. `this`: of the judged stake."""

    key = "maximum"
    sample = "{maximum: main}"
    words = "the posted maximum"


class NumberSubmitted(QuantityOperator[str]):
    """A whole number in the submission; its path is keys joined by dots."""

    key = "submitted"
    operand = SubmissionPath
    sample = "{submitted: hands-per-player}"
    words = "{} as submitted"
    evidence_needed = "submission"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.submission.in_force import bound_constant, build_submission_view

        view = build_submission_view(scope)
        return bound_constant(scope, None if view is None else view.find_value(view.resolve_path(operand)))

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return describe_place(operand)

    def measures_money(self, prepared: CompiledGame, operand: str) -> bool:
        from validator.evidence.submission.view import find_money_keys

        return operand.rpartition(".")[2] in find_money_keys()


class MeterAt(ClosedModel):
    """A meter, and a point in the round at which it is read."""

    name: MeterName
    """The meter, by its name in a pay table of the game."""
    at: Literal["opening", "shown", "closing"]
    """`opening`: before the wagers of the round. `shown`: when awards are made, after all wagers and before any award.
    `closing`: after the round."""


_POINT_WORDS = {"opening": "before the wagers", "shown": "when awards are made", "closing": "after the round"}


class MeterValue(QuantityOperator[MeterAt]):
    """The value of a meter in minor currency units."""

    key = "meter"
    operand = MeterAt
    sample = "{meter: {name: jackpot, at: shown}}"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: MeterAt, grain: Grain) -> Bounds:
        from validator.engine.core.intervals import bounds_where_known
        from validator.engine.facts.meters import read_meter

        values, known = read_meter(scope, operand.name, operand.at)
        return bounds_where_known(known, values)

    def describe(self, prepared: CompiledGame, operand: MeterAt, *, money: bool) -> str:
        return f"the meter {operand.name} {_POINT_WORDS[operand.at]}"


class MeterTerm(ClosedModel):
    """A meter, and one of its submitted terms."""

    meter: MeterName
    """The meter, by its name in a pay table of the game."""
    is_: Literal["seed", "increment"]
    """`seed`: the amount that it starts from. `increment`: the amount that a wager adds."""


class MeterTermValue(QuantityOperator[MeterTerm]):
    """A submitted term of a meter."""

    key = "term"
    operand = MeterTerm
    sample = "{term: {meter: jackpot, is: seed}}"
    evidence_needed = "submission"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: MeterTerm, grain: Grain) -> Bounds:
        from validator.engine.submission.in_force import bound_constant

        submitted = [] if scope.configuration is None else scope.configuration.data.get("meters") or []
        stated = [terms.get(operand.is_) for terms in submitted if terms["meter"] == operand.meter]
        return bound_constant(scope, stated[0] if len(stated) == 1 else None)

    def describe(self, prepared: CompiledGame, operand: MeterTerm, *, money: bool) -> str:
        return f"the submitted {operand.is_} of the meter {operand.meter}"
