"""Operators that turn a condition on seats into a condition on the round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from validator.language.conditions import Condition, ConditionOperator
from validator.language.grains import Grain
from validator.language.wording import describe_condition, format_seats
from validator.propositions.formula import Formula
from validator.text.truth import YES

if TYPE_CHECKING:
    from validator.arrays import Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.operators.terms import PropositionBuilder
    from validator.rules.model.game import Game


class _SeatQuantifier(ConditionOperator[Condition]):
    """A condition on the round that quantifies over its seats."""

    is_compound = True
    quantifier_words: str
    """The quantifier in words."""
    negated_quantifier_words: str
    """The opposite of the quantifier in words."""

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        never = not terms.may_hold(terms.build_formula(condition.operand))
        return False if never else terms.build_opaque(condition)

    def describe(self, prepared: CompiledGame, operand: Condition) -> str:
        return f"at {self.quantifier_words} seat: {describe_condition(prepared, operand)}"

    def describe_negation(self, prepared: CompiledGame, operand: Condition, description: str) -> str:
        return f"{self.negated_quantifier_words} seat: {describe_condition(prepared, operand)}"

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()


class SomeSeat(_SeatQuantifier):
    """At least one seat of the round satisfies this condition."""

    key = "some-seat"
    operand = Condition
    sample = "{some-seat: {decided: fold}}"
    quantifier_words, negated_quantifier_words = "some", "at no"

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        from validator.engine.core import kleene

        return kleene.take_highest(scope.evaluate(operand, "seat"), scope.batch.seats.round, scope.count_items("round"))

    def show_evidence_that_holds(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[str]:
        from validator.engine.text.evidence_text import explain_holding

        inner, seats = condition.operand, scope.batch.seats
        here = seats.round == scope.rounds_of(grain)[index]
        for seat in (here & (scope.evaluate(inner, "seat") == YES)).nonzero()[0].tolist():
            yield f"seat {seats.number[seat]}: {'; '.join(explain_holding(scope, inner, 'seat', seat))}"

    def show_seats(self, scope: EvaluationContext, operand: Condition, round_: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_position

        leaves = operand.meaning.iterate_leaves(operand, scope.compiled_game.game)
        positions = [leaf.operand for leaf in leaves if leaf.operator == "position"]
        yield from (describe_position(scope, name, round_) for name in positions)
        if not positions:
            yield "no such seat"


class EverySeat(_SeatQuantifier):
    """Every seat of the round satisfies this condition."""

    key = "every-seat"
    operand = Condition
    sample = "{every-seat: {placed: main}}"
    quantifier_words, negated_quantifier_words = "every", "not at every"

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        from validator.engine.core import kleene

        negated = kleene.negate(scope.evaluate(operand, "seat"))
        return kleene.negate(kleene.take_highest(negated, scope.batch.seats.round, scope.count_items("round")))

    def show_seats(self, scope: EvaluationContext, operand: Condition, round_: int) -> Iterator[str]:
        seats, fulfil = scope.batch.seats, scope.evaluate(operand, "seat")
        numbers = seats.number[(seats.round == round_) & (fulfil != YES)].tolist()
        yield f"not satisfied by {format_seats(numbers)}"
