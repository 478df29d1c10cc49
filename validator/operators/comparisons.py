"""Operators that compare a quantity with a fixed number or with another quantity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.language.comparison import Comparison, ComparisonOperator
from validator.language.conditions import Condition, ConditionOperator, Quantity
from validator.language.grains import Grain, find_common_grain
from validator.language.wording import compares_money, describe_comparison, required_in_sentence
from validator.operators.arithmetic import FixedNumber
from validator.propositions.formula import VALUE_LIMIT, Formula, Span

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.across import PreviousRoundContext
    from validator.engine.core.context import EvaluationContext
    from validator.operators.terms import PropositionBuilder
    from validator.rules.model.game import Game


class Equals(ComparisonOperator):
    """The quantity is equal to this."""

    key = "equals"
    sample = "{of: {amount: raise}, equals: {amount: main}}"
    words, negated_words = "the same as", "other than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals

        return intervals.are_equal(value, bound)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound, bound + 1)]


class DiffersFrom(ComparisonOperator):
    """The quantity differs from this."""

    key = "differs-from"
    sample = "{of: {cards: player}, differs-from: 3}"
    words, negated_words = "other than", "the same as"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals, kleene

        return kleene.negate(intervals.are_equal(value, bound))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound), (bound + 1, VALUE_LIMIT)]


class AtLeast(ComparisonOperator):
    """The quantity is at least this."""

    key = "at-least"
    sample = "{of: {amount: this}, at-least: {minimum: this}}"
    words, negated_words = "at least", "less than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals

        return intervals.is_at_least(value, bound)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound, VALUE_LIMIT)]


class AtMost(ComparisonOperator):
    """The quantity is at most this."""

    key = "at-most"
    sample = "{of: {hands-of-player: so-far}, at-most: 2}"
    words, negated_words = "at most", "more than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals

        return intervals.is_at_least(bound, value)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound + 1)]


class MoreThan(ComparisonOperator):
    """The quantity is more than this."""

    key = "more-than"
    sample = "{of: {events: reveal}, more-than: 0}"
    words, negated_words = "more than", "at most"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals, kleene

        return kleene.negate(intervals.is_at_least(bound, value))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound + 1, VALUE_LIMIT)]


class LessThan(ComparisonOperator):
    """The quantity is less than this."""

    key = "less-than"
    sample = "{of: {amount: this}, less-than: {stack: start}}"
    words, negated_words = "less than", "at least"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        from validator.engine.core import intervals, kleene

        return kleene.negate(intervals.is_at_least(value, bound))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound)]


class NumberIs(ConditionOperator[Comparison]):
    """A comparison of two quantities holds."""

    key = "number"
    operand = Comparison
    sample = "{number: {of: {cards: player}, equals: 3}}"
    parts_may_read_previous_round = True
    itemwise = True

    def find_grain(self, operand: Comparison, game: Game) -> Grain:
        return find_common_grain(operand.of.find_grain(game), operand.operand.find_grain(game))

    def evaluate(self, scope: EvaluationContext, operand: Comparison, grain: Grain) -> Truths:
        return operand.bound_operator.compare(
            scope.compute_bounds(operand.of, grain), scope.compute_bounds(operand.operand, grain)
        )

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        operand: Comparison = condition.operand
        quantity, bound = operand.of, operand.operand
        if quantity.identity == bound.identity:
            return any(low <= 0 < high for low, high in operand.bound_operator.list_spans(0))
        if isinstance(bound.meaning, FixedNumber):
            return terms.build_quantity(quantity, operand.bound_operator.list_spans(bound.operand))
        return terms.build_difference(quantity, bound, operand.bound_operator.list_spans(0))

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        from validator.engine.core.across import collect_quantity_columns, refers_to_previous_round

        if not refers_to_previous_round(condition):
            yield from super().collect_columns(scope, condition, grain, name)
            return
        yield from collect_quantity_columns(scope, condition.operand.of, grain, f"{name}.of")
        yield from collect_quantity_columns(scope, condition.operand.operand, grain, f"{name}.bound")

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, operand: Comparison, name: str) -> Truths:
        from validator.engine.core.across import refers_to_previous_round

        if not refers_to_previous_round(operand):
            return super().evaluate_across_rounds(rounds, operand, name)
        return operand.bound_operator.compare(
            rounds.compute_bounds(operand.of, f"{name}.of"), rounds.compute_bounds(operand.operand, f"{name}.bound")
        )

    def describe(self, prepared: CompiledGame, operand: Comparison) -> str:
        return describe_comparison(prepared, operand, operand.bound_operator.words)

    def describe_for_item(self, scope: EvaluationContext, operand: Comparison, grain: Grain, index: int) -> str:
        return required_in_sentence(scope.compiled_game, operand)

    def describe_negation(self, prepared: CompiledGame, operand: Comparison, description: str) -> str:
        return describe_comparison(prepared, operand, operand.bound_operator.negated_words)

    def describe_figure(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        from validator.engine.text.evidence_text import format_figure

        operand: Comparison = condition.operand
        if isinstance(operand.operand.meaning, FixedNumber):
            return ""
        return format_figure(scope, operand.operand, grain, index, money=compares_money(scope.compiled_game, operand))

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        yield condition

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_known_quantity

        operand: Comparison = condition.operand
        quantities: Sequence[Quantity] = (operand.of, operand.operand)
        money = compares_money(scope.compiled_game, operand)
        for quantity in quantities:
            if not isinstance(quantity.meaning, FixedNumber):
                yield describe_known_quantity(scope, quantity, grain, index, money=money)
