"""Operators that compute quantities from others, and operators that compare quantities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from fairdeal.validator.arrays import Bounds, Column, Ints, Ints32, Truths, np
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES, clip_to_unbounded, exact_bounds
from fairdeal.validator.engine.core.propositions import VALUE_LIMIT, Formula, Span
from fairdeal.validator.language import round_conditions
from fairdeal.validator.language.grammar import Grain, Operand, find_common_grain
from fairdeal.validator.operators import operator_interface
from fairdeal.validator.operators.rule_renderer import (
    compares_money,
    describe_comparison,
    describe_condition,
    describe_quantity,
)
from fairdeal.validator.text.plain_values import format_money
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.propositions import FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


class FixedNumber(operator_interface.QuantityOperator[int]):
    """The quantity `exactly`."""

    key = "exactly"
    sample = "{exactly: 2}"
    is_constant = True

    def compute_bounds(self, scope: EvaluationContext, operand: int, grain: Grain) -> Bounds:
        return exact_bounds(np.full(scope.count_items(grain), operand, np.int64))

    def describe(self, prepared: CompiledGame, operand: int, *, money: bool) -> str:
        return format_money(operand) if money else str(operand)


class FixedAmount(FixedNumber):
    """The quantity `money`."""

    key = "money"
    sample = "{money: 5}"
    is_amount = True


class DerivedQuantity(operator_interface.QuantityOperator[Operand]):
    """A quantity that is computed from others."""

    parts_may_read_previous_round = True

    def find_grain(self, operand: Operand, game: Game) -> Grain:
        return find_common_grain(*(self.operators.find_grain(part, game) for part in self.list_parts(operand)))

    def collect_columns(
        self, scope: EvaluationContext, quantity: round_conditions.Quantity, grain: Grain, name: str
    ) -> Iterator[Column]:
        for number, part in enumerate(self.list_parts(quantity.operand)):
            yield from self.operators.collect_quantity_columns(scope, part, grain, f"{name}.{number}")


class ItemwiseQuantity(DerivedQuantity[Operand]):
    """A quantity that is computed from others item by item."""

    itemwise = True

    def combine_bounds(self, operand: Operand, parts: Sequence[Bounds]) -> Bounds:
        """Return its bounds, given those of its parts."""
        raise NotImplementedError

    def compute_bounds(self, scope: EvaluationContext, operand: Operand, grain: Grain) -> Bounds:
        return self.combine_bounds(operand, [scope.compute_bounds(part, grain) for part in self.list_parts(operand)])

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, operand: Operand, name: str) -> Bounds:
        parts = enumerate(self.list_parts(operand))
        return self.combine_bounds(operand, [rounds.compute_bounds(part, f"{name}.{number}") for number, part in parts])

    def measures_money(self, prepared: CompiledGame, operand: Operand) -> bool:
        return any(
            self.operators.find(part).measures_money(prepared, part.operand) for part in self.list_parts(operand)
        )


class SumOf(ItemwiseQuantity[list[round_conditions.Quantity]]):
    """The quantity `sum`."""

    key = "sum"
    sample = "{sum: [{cards: player}, {cards: dealer}]}"

    def list_parts(self, operand: list[round_conditions.Quantity]) -> Sequence[round_conditions.Quantity]:
        return operand

    def combine_bounds(self, operand: list[round_conditions.Quantity], parts: Sequence[Bounds]) -> Bounds:
        return reduce(kleene.add_bounds, parts)

    def find_direction(self, operand: list[round_conditions.Quantity]) -> int:
        # Rake next to awards is part of the required total, so the direction of the awards decides.
        return max(
            (self.operators.find(part).find_direction(part.operand) for part in operand),
            key=lambda way: (abs(way), way),
        )

    def describe(self, prepared: CompiledGame, operand: list[round_conditions.Quantity], *, money: bool) -> str:
        return " plus ".join(describe_quantity(prepared, part, money=money) for part in operand)


class DifferenceOf(ItemwiseQuantity[round_conditions.Difference]):
    """The quantity `difference`."""

    key = "difference"
    sample = "{difference: {length: player}, less: {length: dealer}}"
    words = "{} less {}"

    def list_parts(self, operand: round_conditions.Difference) -> Sequence[round_conditions.Quantity]:
        return [operand.from_, operand.less]

    def may_be_negative(self, operand: round_conditions.Difference) -> bool:
        return True

    def combine_bounds(self, operand: round_conditions.Difference, parts: Sequence[Bounds]) -> Bounds:
        return kleene.add_bounds(parts[0], kleene.negate_bounds(parts[1]))

    def find_direction(self, operand: round_conditions.Difference) -> int:
        from_, less = (self.operators.find(part).find_direction(part.operand) for part in self.list_parts(operand))
        return from_ or -less


class SmallestOf(ItemwiseQuantity[list[round_conditions.Quantity]]):
    """The quantity `smaller`."""

    key = "smaller"
    sample = "{smaller: [{betting: to-call}, {betting: behind}]}"

    def list_parts(self, operand: list[round_conditions.Quantity]) -> Sequence[round_conditions.Quantity]:
        return operand

    def combine_bounds(self, operand: list[round_conditions.Quantity], parts: Sequence[Bounds]) -> Bounds:
        return reduce(kleene.take_smaller, parts)

    def describe(self, prepared: CompiledGame, operand: list[round_conditions.Quantity], *, money: bool) -> str:
        return f"the smaller of {' and '.join(describe_quantity(prepared, part, money=money) for part in operand)}"


class TimesOf(ItemwiseQuantity[round_conditions.Times]):
    """The quantity `times`."""

    key = "times"
    sample = "{times: {amount: main}, by: 3}"

    def list_parts(self, operand: round_conditions.Times) -> Sequence[round_conditions.Quantity]:
        return [operand.of]

    def combine_bounds(self, operand: round_conditions.Times, parts: Sequence[Bounds]) -> Bounds:
        return kleene.multiply_bounds(parts[0], operand.by)

    def describe(self, prepared: CompiledGame, operand: round_conditions.Times, *, money: bool) -> str:
        factor = "" if operand.by == 1 else f"{operand.by} times "
        return f"{factor}{describe_quantity(prepared, operand.of, money=money)}"


class RemainderOf(ItemwiseQuantity[round_conditions.Remainder]):
    """The quantity `remainder`."""

    key = "remainder"
    sample = "{remainder: {events: reveal}, by: 2}"

    def list_parts(self, operand: round_conditions.Remainder) -> Sequence[round_conditions.Quantity]:
        return [operand.of]

    def combine_bounds(self, operand: round_conditions.Remainder, parts: Sequence[Bounds]) -> Bounds:
        return kleene.compute_remainder(parts[0], operand.by)

    def describe(self, prepared: CompiledGame, operand: round_conditions.Remainder, *, money: bool) -> str:
        return f"the remainder of {describe_quantity(prepared, operand.of, money=money)}, divided by {operand.by}"


def _allow_more_seats(scope: EvaluationContext, low: Ints, high: Ints, *, falls: bool = False) -> Bounds:
    """Return the bounds of a number of each round with those seats that may follow after a truncated record.

    Args:
        scope: the rounds.
        low: lower bound by the recorded seats.
        high: upper bound by the recorded seats.
        falls: whether a further seat may make the number smaller.
    """
    from fairdeal.validator.engine.facts.seat_layout import may_seats_follow

    follow = may_seats_follow(scope)
    if not follow.any():
        return exact_bounds(low) if high is low else (low, high)
    return np.where(follow & falls, -kleene.UNBOUNDED, low), np.where(follow, kleene.UNBOUNDED, high)


class _SeatAggregate(operator_interface.QuantityOperator[round_conditions.OverSeats]):
    """A quantity of the round that is computed from a quantity of each seat."""

    def aggregate(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        """Combine the values of the seats of each round.

        Args:
            owner: int32[seats], the round of each seat.
            values: int64[seats], 0 for seats that are not included.
            rounds: number of rounds.

        Returns:
            int64[rounds].
        """
        raise NotImplementedError

    def find_problems(
        self, regulation: Regulation, game: Game, operand: round_conditions.OverSeats, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from self.operators.find_grain_problems(operand.when, "seat", game, (*here, "when"))
        yield from self.operators.find_grain_problems(operand.of, "seat", game, (*here, "of"))

    def compute_bounds(self, scope: EvaluationContext, operand: round_conditions.OverSeats, grain: Grain) -> Bounds:
        fulfil = scope.evaluate(operand.when, "seat")
        low, high = scope.compute_bounds(operand.of, "seat")
        # A seat that may or may not be included adds its number or nothing.
        low = np.where(fulfil == YES, low, np.where(fulfil == UNKNOWN, np.minimum(low, 0), 0))
        high = np.where(fulfil == YES, high, np.where(fulfil == UNKNOWN, np.maximum(high, 0), 0))
        owner, rounds = scope.batch.seats.round, scope.count_items("round")
        totals = (self.aggregate(owner, bound, rounds) for bound in (low, high))
        return _allow_more_seats(scope, *map(clip_to_unbounded, totals), falls=self.may_be_negative(operand))

    def may_be_negative(self, operand: round_conditions.OverSeats) -> bool:
        return self.operators.find(operand.of).may_be_negative(operand.of.operand)

    def measures_money(self, prepared: CompiledGame, operand: round_conditions.OverSeats) -> bool:
        return self.operators.find(operand.of).measures_money(prepared, operand.of.operand)

    def find_direction(self, operand: round_conditions.OverSeats) -> int:
        return self.operators.find(operand.of).find_direction(operand.of.operand)


class TotalOf(_SeatAggregate):
    """The quantity `total`."""

    key = "total"
    sample = "{total: {paid: side}, when: {placed: side}}"

    def aggregate(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        # The floats of bincount are exact up to 2**53, far more than any sum of known numbers.
        return np.bincount(owner, values, rounds)

    def describe(self, prepared: CompiledGame, operand: round_conditions.OverSeats, *, money: bool) -> str:
        of = describe_quantity(prepared, operand.of, money=money)
        if operand.when.operator == "placed" and operand.when.operand == operand.of.operand:
            return f"{of} of all seats together"
        seats = f"seats with {describe_condition(prepared, operand.when)}"
        if operand.of.operator == FixedNumber.key and operand.of.operand == 1:
            return f"the number of {seats}"
        return f"{of}, added up over all {seats}"


class LargestOf(_SeatAggregate):
    """The quantity `largest`."""

    key = "largest"
    sample = "{largest: {amount: main}, when: {placed: main}}"

    def aggregate(self, owner: Ints32, values: Ints, rounds: int) -> Ints:
        largest = np.zeros(rounds, np.int64)
        np.maximum.at(largest, owner, values)
        return largest

    def describe(self, prepared: CompiledGame, operand: round_conditions.OverSeats, *, money: bool) -> str:
        of = describe_quantity(prepared, operand.of, money=money)
        return f"the largest of {of} at the seats with {describe_condition(prepared, operand.when)}"


class SeatCount(operator_interface.QuantityOperator[round_conditions.Condition]):
    """The quantity `seats`."""

    key = "seats"
    sample = "{seats: {placed: side}}"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: round_conditions.Condition, here: DataPath
    ) -> Iterator[operator_interface.Problem]:
        yield from self.operators.find_grain_problems(operand, "seat", game, here)

    def compute_bounds(self, scope: EvaluationContext, operand: round_conditions.Condition, grain: Grain) -> Bounds:
        fulfil = scope.evaluate(operand, "seat")
        owner, rounds = scope.batch.seats.round, scope.count_items("round")
        low = np.bincount(owner[fulfil == YES], minlength=rounds)
        doubtful = owner[fulfil == UNKNOWN]
        high = low + np.bincount(doubtful, minlength=rounds) if len(doubtful) else low
        return _allow_more_seats(scope, low, high)

    def describe(self, prepared: CompiledGame, operand: round_conditions.Condition, *, money: bool) -> str:
        return f"the number of seats with {describe_condition(prepared, operand)}"


class Equals(operator_interface.ComparisonOperator):
    """The comparison `equals`."""

    key = "equals"
    sample = "{amount: raise, equals: {amount: main}}"
    words, negated_words = "the same as", "other than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.are_equal(value, bound)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound, bound + 1)]


class DiffersFrom(operator_interface.ComparisonOperator):
    """The comparison `differs-from`."""

    key = "differs-from"
    sample = "{cards: player, differs-from: 3}"
    words, negated_words = "other than", "the same as"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.negate(kleene.are_equal(value, bound))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound), (bound + 1, VALUE_LIMIT)]


class AtLeast(operator_interface.ComparisonOperator):
    """The comparison `at-least`."""

    key = "at-least"
    sample = "{amount: this, at-least: {minimum: this}}"
    words, negated_words = "at least", "less than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.is_at_least(value, bound)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound, VALUE_LIMIT)]


class AtMost(operator_interface.ComparisonOperator):
    """The comparison `at-most`."""

    key = "at-most"
    sample = "{hands-of-player: so-far, at-most: 2}"
    words, negated_words = "at most", "more than"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.is_at_least(bound, value)

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound + 1)]


class MoreThan(operator_interface.ComparisonOperator):
    """The comparison `more-than`."""

    key = "more-than"
    sample = "{events: reveal, more-than: 0}"
    words, negated_words = "more than", "at most"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.negate(kleene.is_at_least(bound, value))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(bound + 1, VALUE_LIMIT)]


class LessThan(operator_interface.ComparisonOperator):
    """The comparison `less-than`."""

    key = "less-than"
    sample = "{amount: this, less-than: {stack: start}}"
    words, negated_words = "less than", "at least"

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        return kleene.negate(kleene.is_at_least(value, bound))

    def list_spans(self, bound: int) -> Sequence[Span]:
        return [(-VALUE_LIMIT, bound)]


class NumberIs(operator_interface.ConditionOperator[round_conditions.Comparison]):
    """The condition `number`."""

    key = "number"
    sample = "{cards: player, equals: 3}"
    parts_may_read_previous_round = True
    itemwise = True

    def find_grain(self, operand: round_conditions.Comparison, game: Game) -> Grain:
        return find_common_grain(
            self.operators.find_grain(operand.of, game), self.operators.find_grain(operand.operand, game)
        )

    def evaluate(self, scope: EvaluationContext, operand: round_conditions.Comparison, grain: Grain) -> Truths:
        return self.operators.find(operand).compare(
            scope.compute_bounds(operand.of, grain), scope.compute_bounds(operand.operand, grain)
        )

    def to_formula(self, terms: FormulaBuilder, condition: round_conditions.Condition) -> Formula:
        operand: round_conditions.Comparison = condition.operand
        quantity, bound = operand.of, operand.operand
        if quantity.identity == bound.identity:
            return any(low <= 0 < high for low, high in self.operators.find(operand).list_spans(0))
        if isinstance(self.operators.find(bound), FixedNumber):
            return terms.build_quantity(quantity, self.operators.find(operand).list_spans(bound.operand))
        return terms.build_difference(quantity, bound, self.operators.find(operand).list_spans(0))

    def collect_columns(
        self, scope: EvaluationContext, condition: round_conditions.Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        if not self.operators.refers_to_previous_round(condition):
            yield from super().collect_columns(scope, condition, grain, name)
            return
        yield from self.operators.collect_quantity_columns(scope, condition.operand.of, grain, f"{name}.of")
        yield from self.operators.collect_quantity_columns(scope, condition.operand.operand, grain, f"{name}.bound")

    def evaluate_across_rounds(
        self, rounds: PreviousRoundContext, operand: round_conditions.Comparison, name: str
    ) -> Truths:
        if not self.operators.refers_to_previous_round(operand):
            return super().evaluate_across_rounds(rounds, operand, name)
        return self.operators.find(operand).compare(
            rounds.compute_bounds(operand.of, f"{name}.of"), rounds.compute_bounds(operand.operand, f"{name}.bound")
        )

    def describe(self, prepared: CompiledGame, operand: round_conditions.Comparison) -> str:
        return describe_comparison(prepared, operand)

    def negate(self, prepared: CompiledGame, operand: round_conditions.Comparison) -> str:
        return describe_comparison(prepared, operand, negated=True)

    def describe_required(
        self, item: ItemEvidence, condition: round_conditions.Condition, *, negated: bool = False
    ) -> str:
        operand: round_conditions.Comparison = condition.operand
        text = describe_comparison(item.game, operand, negated=negated, required=True)
        if isinstance(self.operators.find(operand.operand), FixedNumber):
            return text
        least, most = item.find_bounds(operand.operand)
        figure = format_money(least) if compares_money(item.game, operand) else str(least)
        return f"{text} ({figure})" if least == most else text

    def describe_observed(self, item: ItemEvidence, condition: round_conditions.Condition) -> Iterator[str]:
        operand: round_conditions.Comparison = condition.operand
        money, sides = compares_money(item.game, operand), (operand.of, operand.operand)
        for quantity in sides:
            operator: operator_interface.QuantityOperator[Any] = self.operators.find(quantity)
            if not isinstance(operator, FixedNumber):
                yield operator.describe_observed(item, quantity, money=money)
