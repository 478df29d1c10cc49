"""Operators that compare a quantity with a fixed number or with another quantity."""

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
    """The quantity is equal to this."""

    key = "equals"
    sample = "{of: {amount: raise}, equals: {amount: main}}"
    words, beyond = "the same as", "other than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.equal(value, bound)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound, bound + 1)]


class DiffersFrom(Bound):
    """The quantity differs from this."""

    key = "differs-from"
    sample = "{of: {cards: player}, differs-from: 3}"
    words, beyond = "other than", "the same as"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.equal(value, bound))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound), (bound + 1, FAR)]


class AtLeast(Bound):
    """The quantity is at least this."""

    key = "at-least"
    sample = "{of: {amount: this}, at-least: {minimum: this}}"
    words, beyond = "at least", "less than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.at_least(value, bound)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound, FAR)]


class AtMost(Bound):
    """The quantity is at most this."""

    key = "at-most"
    sample = "{of: {hands-of-player: so-far}, at-most: 2}"
    words, beyond = "at most", "more than"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals

        return intervals.at_least(bound, value)

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound + 1)]


class MoreThan(Bound):
    """The quantity is more than this."""

    key = "more-than"
    sample = "{of: {events: reveal}, more-than: 0}"
    words, beyond = "more than", "at most"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.at_least(bound, value))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(bound + 1, FAR)]


class LessThan(Bound):
    """The quantity is less than this."""

    key = "less-than"
    sample = "{of: {amount: this}, less-than: {stack: start}}"
    words, beyond = "less than", "at least"

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        from validator.engine.core import intervals, kleene

        return kleene.negated(intervals.at_least(value, bound))

    def spans(self, bound: int) -> Sequence[Span]:
        return [(-FAR, bound)]


class NumberIs(ConditionOperator[Comparison]):
    """A comparison of two quantities holds."""

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
        quantity, bound = operand.of, operand.operand
        if quantity.identity == bound.identity:
            return any(low <= 0 < high for low, high in operand.bound.spans(0))
        if isinstance(bound.meaning, Exactly):
            return terms.quantity(quantity, operand.bound.spans(bound.operand))
        return terms.difference(quantity, bound, operand.bound.spans(0))

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

    def denied(self, prepared: Prepared, operand: Comparison, description: str) -> str:
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
