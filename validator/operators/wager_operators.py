"""Operators on stakes and on the choices of the licensee: amounts, payments, offered wagers, limits, options and
meters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.kleene import bounds_where_known, exact_bounds
from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.language.grammar import Grain, MeterAt, OptionIs
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import (
    ANY_VALUE,
    SubmissionCondition,
    describe_place,
    format_value,
    replace_hyphens,
)
from fairdeal.validator.operators import operator_interface
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.arrays import Bounds, Truths
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.propositions import Formula, FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


JUDGED_STAKE = "this"
"""Operand for the line of the judged stake."""


class LineCondition(operator_interface.ConditionOperator[str]):
    """A condition on a line, or on the line of the judged stake."""

    operand_names = "line"
    judged_line_words: ClassVar[str] = ""
    """Words to put before the title of the line of the judged stake; empty to show the description instead."""

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else self.native_grain

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        if condition.operand != JUDGED_STAKE or not self.judged_line_words:
            yield from super().describe_observed(item, condition)
            return
        line = line_title(item.game.game, item.scope.batch.stakes.wager.text(item.index) or "")
        yield f"{self.judged_line_words} {line}: {operator_interface.format_truth(item.find_truth(condition))}"


class WagerIsPlaced(LineCondition):
    """The condition `placed`."""

    key = "placed"
    sample = "{placed: main}"
    words = {JUDGED_STAKE: "a wager of the player's own next to it", operator_interface.OTHER_OPERANDS: "a wager on {}"}
    negated_words = {
        JUDGED_STAKE: "no wager of the player's own next to it",
        operator_interface.OTHER_OPERANDS: "no wager on {}",
    }
    native_grain = "seat"
    judged_line_words = "a wager of the player's own on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.stake_outcomes import is_staked

        return is_staked(scope, operand, tip=False)


class TipIsPlaced(LineCondition):
    """The condition `tipped`."""

    key = "tipped"
    sample = "{tipped: main}"
    words = "a tip on {}"
    negated_words = "no tip on {}"
    native_grain = "seat"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.stake_outcomes import is_staked

        return is_staked(scope, operand, tip=True)


class WinIsDeclared(LineCondition):
    """The condition `claimed`."""

    key = "claimed"
    sample = "{claimed: side}"
    words = "a win declared on {}"
    negated_words = "no win declared on {}"
    native_grain = "seat"
    judged_line_words = "a win declared on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.stake_outcomes import is_claimed

        return is_claimed(scope, operand)


class WagerIsPaidAsDue(LineCondition):
    """The condition `paid-as-due`."""

    key = "paid-as-due"
    sample = "{paid-as-due: side}"
    words = "a payment of the amount due on {}"
    negated_words = "no payment of the amount due on {}"
    native_grain = "seat"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.payouts.line_settlement import is_paid_as_due

        return is_paid_as_due(scope, operand)


class WagerIs(operator_interface.ConditionOperator["list[str]"]):
    """The condition `wager-is`."""

    key = "wager-is"
    sample = "{wager-is: [main, side]}"
    native_grain = "stake"

    def evaluate(self, scope: EvaluationContext, operand: list[str], grain: Grain) -> Truths:
        stakes, bonuses = scope.batch.stakes, scope.compiled_game.game.bonuses
        as_wager = stakes.wager.is_one_of([line for line in operand if line not in bonuses]) & ~stakes.bonus
        as_bonus = stakes.wager.is_one_of([line for line in operand if line in bonuses]) & stakes.bonus
        return kleene.from_flags(as_wager | as_bonus)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        return terms.build_one_of("the stake's line", condition.operand, "the stake on {}")

    def describe(self, prepared: CompiledGame, operand: list[str]) -> str:
        return f"the stake is on {' or '.join(_format_lines(prepared.game, operand))}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_stake()


def _format_lines(game: Game, lines: Sequence[str]) -> Iterator[str]:
    wagers = [line_title(game, line) for line in lines if line not in game.bonuses]
    if wagers:
        yield " or ".join(wagers)
    yield from (f"the bonus {line_title(game, line)}" for line in lines if line in game.bonuses)


class IsTip(operator_interface.ConditionOperator[bool]):
    """The condition `is-tip`."""

    key = "is-tip"
    sample = "{is-tip: true}"
    words = "the stake is a tip"
    negated_words = "the stake is no tip"
    native_grain = "stake"

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        tips = any(wager.tip is not None for wager in terms.game.wagers.values())
        return tips and terms.build_opaque(condition)

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: Grain) -> Truths:
        return kleene.from_flags(scope.batch.stakes.tip)


class _LineAmount(operator_interface.QuantityOperator[str]):
    """An amount of a seat on a line, or of the judged stake."""

    is_amount = True
    operand_names = "line"

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else "seat"


class AmountStaked(_LineAmount):
    """The quantity `amount`."""

    key = "amount"
    sample = "{amount: main}"
    words = {JUDGED_STAKE: "the stake", operator_interface.OTHER_OPERANDS: "the {} wager"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_staked_on, bound_stakes

        return bound_stakes(scope) if operand == JUDGED_STAKE else bound_staked_on(scope, operand, tip=False)


class TipAmount(_LineAmount):
    """The quantity `tip`."""

    key = "tip"
    sample = "{tip: main}"
    words = {JUDGED_STAKE: "the tip", operator_interface.OTHER_OPERANDS: "the tip on {}"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_staked_on

        return bound_staked_on(scope, operand, tip=True)


class AmountPaid(_LineAmount):
    """The quantity `paid`."""

    key = "paid"
    sample = "{paid: main}"
    words = "the amount paid on {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_outcome

        return bound_outcome(scope, "paid", operand)

    def find_direction(self, operand: str) -> int:
        return operator_interface.TO_PLAYERS


class AmountBrought(_LineAmount):
    """The quantity `brought`."""

    key = "brought"
    sample = "{brought: main}"
    words = {
        JUDGED_STAKE: "the part brought from an earlier round",
        operator_interface.OTHER_OPERANDS: "the brought part of the {} wager",
    }

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import bound_brought, bound_brought_on

        return bound_brought(scope) if operand == JUDGED_STAKE else bound_brought_on(scope, operand)


class AmountBehind(operator_interface.QuantityOperator[str]):
    """The quantity `behind`."""

    key = "behind"
    sample = "{behind: this}"
    words = "the stake behind which it lies"
    native_grain = "stake"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import bound_behind

        return bound_behind(scope)


class AmountLeft(_LineAmount):
    """The quantity `left`."""

    key = "left"
    sample = "{left: main}"
    words = "the part of the {} wager left on the table"
    native_grain = "seat"

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "seat"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.payouts.line_settlement import bound_left_on

        return bound_left_on(scope, operand)


class AmountOwed(AmountLeft):
    """The quantity `owed`."""

    key = "owed"
    sample = "{owed: main}"
    words = "the commission of the round that is owed as {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.payouts.line_settlement import bound_owed_on

        return bound_owed_on(scope, operand)


class AmountTaken(_LineAmount):
    """The quantity `taken`."""

    key = "taken"
    sample = "{taken: side}"
    words = "the amount taken on {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_outcome

        return bound_outcome(scope, "taken", operand)

    def find_direction(self, operand: str) -> int:
        return operator_interface.FROM_PLAYERS


class TotalStaked(operator_interface.QuantityOperator[str]):
    """The quantity `staked`."""

    key = "staked"
    sample = "{staked: this-seat}"
    words = {"this-seat": "the total amount put in by the seat", "all-seats": "the total amount put in"}
    is_amount = True

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "seat" if operand == "this-seat" else "round"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.player_facts import sum_staked

        return exact_bounds(sum_staked(scope, operand))


class WagerIsOffered(LineCondition):
    """The condition `offers`."""

    key = "offers"
    sample = "{offers: side}"
    evidence_needed = "submission"
    words = {JUDGED_STAKE: "a wager that is offered", operator_interface.OTHER_OPERANDS: "{} offered"}
    judged_line_words = "the licensee offers"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.stake_outcomes import evaluate_per_line

        offers = None if scope.configuration is None else scope.configuration.offers

        def state(line: str) -> int:
            return UNKNOWN if offers is None else YES if line in offers else NO

        return evaluate_per_line(scope, operand, state)


class WagerTakesTips(LineCondition):
    """The condition `takes-tips`."""

    key = "takes-tips"
    sample = "{takes-tips: this}"
    evidence_needed = "submission"
    words = "tips taken on {}"
    judged_line_words = "the licensee takes tips on"

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.stake_outcomes import evaluate_per_line

        offers = {} if scope.configuration is None else scope.configuration.offers or {}

        def state(line: str) -> int:
            tips = offers[line].tips if line in offers else None
            return UNKNOWN if tips is None else YES if tips else NO

        return evaluate_per_line(scope, operand, state)


class OptionIsChosen(operator_interface.ConditionOperator[OptionIs]):
    """The condition `option`."""

    key = "option"
    sample = "{option: {second-deck: true}}"
    evidence_needed = "submission"

    def evaluate(self, scope: EvaluationContext, operand: OptionIs, grain: Grain) -> Truths:
        options = {} if scope.configuration is None else scope.configuration.options
        chosen = options.get(operand.name)
        value = UNKNOWN if chosen is None else YES if chosen == operand.is_ else NO
        return kleene.constant(value, scope.count_items(grain))

    def describe(self, prepared: CompiledGame, operand: OptionIs) -> str:
        return f"the option {replace_hyphens(operand.name)}: {format_value(operand.is_)}"


class SubmissionStates(operator_interface.ConditionOperator[SubmissionCondition]):
    """The condition `submitted`."""

    key = "submitted"
    sample = "{submitted: {at: deck.decks, equals: 2}}"
    evidence_needed = "submission"

    def evaluate(self, scope: EvaluationContext, operand: SubmissionCondition, grain: Grain) -> Truths:
        answers = scope.compiled_game.terms.recall(scope.configuration)
        value: int | None = answers.get(operand.identity)
        if value is None:
            value = answers[operand.identity] = self._answer(scope, operand)
        return kleene.constant(value, scope.count_items(grain))

    def _answer(self, scope: EvaluationContext, operand: SubmissionCondition) -> int:
        """Return whether it holds for the submission in force; UNKNOWN if there is none."""
        from fairdeal.validator.engine.facts.stake_outcomes import build_submission_view

        view = build_submission_view(scope)
        return UNKNOWN if view is None else SUBMISSION_OPERATORS.answer(operand, view).value

    def evaluate_readings(self, operand: SubmissionCondition, regulation: Regulation, needed: dict[str, str]) -> int:
        read = SUBMISSION_OPERATORS.apply_readings(operand, regulation)
        return UNKNOWN if not isinstance(read, bool) else YES if read else NO

    def describe(self, prepared: CompiledGame, operand: SubmissionCondition) -> str:
        read = SUBMISSION_OPERATORS.apply_readings(operand, prepared.regulation)
        return f"as submitted, {ANY_VALUE if isinstance(read, bool) else SUBMISSION_OPERATORS.describe(read)}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        from fairdeal.validator.engine.facts.stake_outcomes import build_submission_view

        view = build_submission_view(item.scope)
        if view is None:
            yield "no submission is in force"
            return
        submitted: SubmissionCondition = condition.operand
        reasons = SUBMISSION_OPERATORS.answer(submitted, view).reasons
        places = [describe_place(".".join(key for key in reason.path if isinstance(key, str))) for reason in reasons]
        texts = [f"{place}: {reason.observed}" for place, reason in zip(places, reasons, strict=True) if reason.path]
        yield f"as submitted, {', '.join(texts) or SUBMISSION_OPERATORS.describe_required(submitted, view)}"


class _PostedLimit(operator_interface.QuantityOperator[str]):
    """A posted limit of a line, or of the line of the judged stake."""

    evidence_needed = "submission"
    is_amount = True

    def find_grain(self, operand: str, game: Game) -> Grain:
        return "stake" if operand == JUDGED_STAKE else "round"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_posted_limit

        return bound_posted_limit(scope, "minimum" if self.key == "minimum" else "maximum", operand)


class PostedMinimum(_PostedLimit):
    """The quantity `minimum`."""

    key = "minimum"
    sample = "{minimum: this}"
    words = "the posted minimum"


class PostedMaximum(_PostedLimit):
    """The quantity `maximum`."""

    key = "maximum"
    sample = "{maximum: main}"
    words = "the posted maximum"


class NumberSubmitted(operator_interface.QuantityOperator[str]):
    """The quantity `submitted`."""

    key = "submitted"
    sample = "{submitted: hands-per-player}"
    evidence_needed = "submission"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_constant, build_submission_view

        view = build_submission_view(scope)
        return bound_constant(scope, None if view is None else view.find_value(view.resolve_path(operand)))

    def measures_money(self, prepared: CompiledGame, operand: str) -> bool:
        return operand.rpartition(".")[2] in find_money_keys()

    def describe(self, prepared: CompiledGame, operand: str, *, money: bool) -> str:
        return f"{describe_place(operand)} as submitted"


_POINT_WORDS = {"opening": "before the wagers", "shown": "when awards are made", "closing": "after the round"}


class MeterValue(operator_interface.QuantityOperator[MeterAt]):
    """The quantity `meter`."""

    key = "meter"
    sample = "{meter: {jackpot: shown}}"
    is_amount = True

    def compute_bounds(self, scope: EvaluationContext, operand: MeterAt, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.stake_outcomes import bound_constant, read_meter

        match operand.at:
            case "seed" | "increment":
                submitted = [] if scope.configuration is None else scope.configuration.data.get("meters") or []
                stated = [terms.get(operand.at) for terms in submitted if terms["meter"] == operand.name]
                return bound_constant(scope, stated[0] if len(stated) == 1 else None)
            case point:
                values, known = read_meter(scope, operand.name, point)
                return bounds_where_known(known, values)

    def describe(self, prepared: CompiledGame, operand: MeterAt, *, money: bool) -> str:
        if operand.at not in _POINT_WORDS:
            return f"the submitted {operand.at} of the meter {operand.name}"
        return f"the meter {operand.name} {_POINT_WORDS[operand.at]}"
