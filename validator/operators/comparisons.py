"""Numbers held against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.language.comparison import Bound, Comparison
from validator.language.conditions import Condition, ConditionOperator, Quantity
from validator.language.grains import Grain, joined
from validator.language.wording import comparison_in_words, is_money, required_in_sentence
from validator.operators.arithmetic import Exactly
from validator.propositions.formula import FAR, Formula, Span

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.across import Across
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.rules.model.game import Game


class Equals(Bound):
    """It must be the same."""

    key = "equals"
    sample = "{of: {amount: raise}, equals: {amount: main}}"
    words, beyond = "the same as", "other than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.equal(value, bound)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound, bound + 1)]


class DiffersFrom(Bound):
    """It must not be the same."""

    key = "differs-from"
    sample = "{of: {cards: player}, differs-from: 3}"
    words, beyond = "other than", "the same as"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.equal(value, bound))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound), (bound + 1, FAR)]


class AtLeast(Bound):
    """It must not be less."""

    key = "at-least"
    sample = "{of: {amount: this}, at-least: {minimum: this}}"
    words, beyond = "at least", "less than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.at_least(value, bound)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound, FAR)]


class AtMost(Bound):
    """It must not be more."""

    key = "at-most"
    sample = "{of: {hands-of-player: so-far}, at-most: 2}"
    words, beyond = "at most", "more than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.at_least(bound, value)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound + 1)]


class MoreThan(Bound):
    """It must be more."""

    key = "more-than"
    sample = "{of: {events: reveal}, more-than: 0}"
    words, beyond = "more than", "at most"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.at_least(bound, value))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound + 1, FAR)]


class LessThan(Bound):
    """It must be less."""

    key = "less-than"
    sample = "{of: {amount: this}, less-than: {stack: start}}"
    words, beyond = "less than", "at least"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.at_least(value, bound))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound)]


class NumberIs(ConditionOperator[Comparison]):
    """A quantity held against another."""

    key = "number"
    operand = Comparison
    sample = "{number: {of: {cards: player}, equals: 3}}"
    may_hold_back = True
    itemwise = True

    def grain(self, operand: Comparison, game: Game) -> Grain:
        return joined(operand.of.grain(game), operand.operand.grain(game))

    def truth(self, scope: Scope, operand: Comparison, grain: Grain) -> Tri:
        return operand.bound.holds(scope.bounds(operand.of, grain), scope.bounds(operand.operand, grain))

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        operand: Comparison = condition.operand
        one, other = operand.of, operand.operand
        if one.identity == other.identity:
            return any(low <= 0 < high for low, high in operand.bound.spans(0))
        if isinstance(other.meaning, Exactly):
            return terms.quantity(one, operand.bound.spans(other.operand))
        return terms.difference(one, other, operand.bound.spans(0))

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        from validator.engine.core.across import columns_of_quantity, spans

        if not spans(condition):
            yield from super().columns(scope, condition, grain, name)
            return
        yield from columns_of_quantity(scope, condition.operand.of, grain, f"{name}.of")
        yield from columns_of_quantity(scope, condition.operand.operand, grain, f"{name}.bound")

    def across(self, rounds: Across, operand: Comparison, name: str) -> Tri:
        from validator.engine.core.across import spans

        if not spans(operand):
            return super().across(rounds, operand, name)
        return operand.bound.holds(
            rounds.bounds(operand.of, f"{name}.of"), rounds.bounds(operand.operand, f"{name}.bound")
        )

    def asked(self, prepared: Prepared, operand: Comparison) -> str:
        return comparison_in_words(prepared, operand, operand.bound.words)

    def asked_there(self, scope: Scope, operand: Comparison, grain: Grain, index: int) -> str:
        return required_in_sentence(scope.prepared, operand)

    def denied(self, prepared: Prepared, operand: Comparison, asked: str) -> str:
        return comparison_in_words(prepared, operand, operand.bound.beyond)

    def figure_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        from validator.engine.text.evidence_text import figure

        operand: Comparison = condition.operand
        if isinstance(operand.operand.meaning, Exactly):
            return ""
        return figure(scope, operand.operand, grain, index, money=is_money(scope.prepared, operand))

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        yield condition

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import measured

        operand: Comparison = condition.operand
        quantities: Sequence[Quantity] = (operand.of, operand.operand)
        money = is_money(scope.prepared, operand)
        for quantity in quantities:
            if not isinstance(quantity.meaning, Exactly):
                yield measured(scope, quantity, grain, index, money=money)
