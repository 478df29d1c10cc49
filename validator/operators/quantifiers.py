"""Operators that turn a condition on seats into a condition on the round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from validator.language.conditions import Condition, ConditionOperator
from validator.language.grains import Grain
from validator.language.wording import demanded, seats_named
from validator.propositions.formula import Formula
from validator.text.truth import YES

if TYPE_CHECKING:
    from validator.arrays import Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.rules.model.game import Game


class _SeatQuantifier(ConditionOperator[Condition]):
    """A condition on the round that quantifies over its seats."""

    several = True
    quantifier: str
    """The quantifier in words."""
    no_longer: str
    """The opposite of the quantifier in words."""

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        never = not terms.may_hold(terms.formula(condition.operand))
        return False if never else terms.whether(condition)

    def asked(self, prepared: Prepared, operand: Condition) -> str:
        return f"at {self.quantifier} seat: {demanded(prepared, operand)}"

    def denied(self, prepared: Prepared, operand: Condition, description: str) -> str:
        return f"{self.no_longer} seat: {demanded(prepared, operand)}"

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()


class SomeSeat(_SeatQuantifier):
    """At least one seat of the round satisfies this condition."""

    key = "some-seat"
    operand = Condition
    sample = "{some-seat: {decided: fold}}"
    quantifier, no_longer = "some", "at no"

    def truth(self, scope: Scope, operand: Condition, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        return kleene.highest(scope.truth(operand, "seat"), scope.batch.seats.round, scope.length("round"))

    def shown_holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import why

        inner, seats = condition.operand, scope.batch.seats
        here = seats.round == scope.round_of(grain)[index]
        for seat in (here & (scope.truth(inner, "seat") == YES)).nonzero()[0].tolist():
            yield f"seat {seats.number[seat]}: {'; '.join(why(scope, inner, 'seat', seat))}"

    def shown_of_seats(self, scope: Scope, operand: Condition, round_: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import who_has

        leaves = operand.meaning.leaves(operand, scope.prepared.game)
        positions = [leaf.operand for leaf in leaves if leaf.operator == "position"]
        yield from (who_has(scope, name, round_) for name in positions)
        if not positions:
            yield "no such seat"


class EverySeat(_SeatQuantifier):
    """Every seat of the round satisfies this condition."""

    key = "every-seat"
    operand = Condition
    sample = "{every-seat: {placed: main}}"
    quantifier, no_longer = "every", "not at every"

    def truth(self, scope: Scope, operand: Condition, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        negated = kleene.negated(scope.truth(operand, "seat"))
        return kleene.negated(kleene.highest(negated, scope.batch.seats.round, scope.length("round")))

    def shown_of_seats(self, scope: Scope, operand: Condition, round_: int) -> Iterator[str]:
        seats, fulfil = scope.batch.seats, scope.truth(operand, "seat")
        numbers = seats.number[(seats.round == round_) & (fulfil != YES)].tolist()
        yield f"not satisfied by {seats_named(numbers)}"
