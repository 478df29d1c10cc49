"""Operators that combine, negate or name conditions, and quantifiers over seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fairdeal.validator.arrays import are_all, has_any
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.propositions import Formula, conjoin, disjoin, negate
from fairdeal.validator.language.grammar import Grain, Operand, ReadingIs, find_common_grain
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.operators.operator_interface import ConditionOperator
from fairdeal.validator.operators.rule_renderer import (
    describe_condition,
    explain_holding,
    iterate_leaves,
    list_evidence,
    list_undecided,
)
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.arrays import Column, Truths
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.propositions import FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


class Connective(ConditionOperator[Operand]):
    """A condition that combines others for the same item."""

    parts_may_read_previous_round = True
    itemwise = True

    def combine_truths(self, truths: Sequence[Truths]) -> Truths:
        """Combine the truth columns of the parts, uint8[n] each."""
        raise NotImplementedError

    def combine_values(self, values: Sequence[int]) -> int:
        """Combine one truth value of each part."""
        raise NotImplementedError

    def find_grain(self, operand: Operand, game: Game) -> Grain:
        return find_common_grain(*(self.operators.find_grain(part, game) for part in self.list_parts(operand)))

    def evaluate(self, scope: EvaluationContext, operand: Operand, grain: Grain) -> Truths:
        return self.combine_truths([scope.evaluate(part, grain) for part in self.list_parts(operand)])

    def evaluate_whole_round(self, scope: EvaluationContext, operand: Operand) -> Truths:
        return self.combine_truths([scope.evaluate_whole_round(part) for part in self.list_parts(operand)])

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        for number, part in enumerate(self.list_parts(condition.operand)):
            yield from self.operators.find(part).collect_columns(scope, part, grain, f"{name}.{number}")

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, operand: Operand, name: str) -> Truths:
        return self.combine_truths(
            [rounds.evaluate(part, f"{name}.{number}") for number, part in enumerate(self.list_parts(operand))]
        )

    def combine_formulas(self, parts: Sequence[Formula]) -> Formula:
        """Combine the formulas of the parts."""
        raise NotImplementedError

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        return self.combine_formulas([terms.build_formula(part) for part in self.list_parts(condition.operand)])

    def evaluate_readings(self, operand: Operand, regulation: Regulation, needed: dict[str, str]) -> int:
        return self.combine_values(
            [
                self.operators.find(part).evaluate_readings(part.operand, regulation, needed)
                for part in self.list_parts(operand)
            ]
        )


class _CompoundCondition(Connective[list[Condition]]):
    """A conjunction or disjunction of several conditions."""

    deciding_value: bool
    """The answer of a single part that decides the whole."""

    def list_parts(self, operand: list[Condition]) -> Sequence[Condition]:
        return operand

    def evaluate(self, scope: EvaluationContext, operand: list[Condition], grain: Grain) -> Truths:
        first, *rest = operand
        truth, deciding = scope.evaluate(first, grain), YES if self.deciding_value else NO
        for part in rest:
            if are_all(truth == deciding):
                break  # the remaining parts cannot change the result
            truth = self.combine_truths([truth, scope.evaluate(part, grain)])
        return truth

    def leave_undecided(self, operand: list[Condition], regulation: Regulation) -> list[Condition]:
        return [
            part
            for part in operand
            if self.operators.find(part).evaluate_readings(part.operand, regulation, {}) == UNKNOWN
        ]

    def describe(self, prepared: CompiledGame, operand: list[Condition]) -> str:
        return self.join_parts(
            [(part, describe_condition(prepared, part)) for part in list_undecided(prepared, operand)]
        )

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        if negated:
            return self.negate(item.game, condition.operand)
        parts = list_undecided(item.game, condition.operand)
        return self.join_parts([(part, self.operators.find(part).describe_required(item, part)) for part in parts])

    def join_parts(self, parts: Sequence[tuple[Condition, str]]) -> str:
        """Join parts with their descriptions; those that join others are put in brackets."""
        if len(parts) == 1:
            return parts[0][1]
        is_joined = [self._may_join(part) and (" and " in text or " or " in text) for part, text in parts]
        texts = [f"({text})" if inner else text for (_, text), inner in zip(parts, is_joined, strict=True)]
        return f" {self.joint} ".join(texts)

    def negate(self, prepared: CompiledGame, operand: list[Condition]) -> str:
        parts = list_undecided(prepared, operand)
        if len(parts) == 1:
            return self.operators.find(parts[0]).negate(prepared, parts[0].operand)
        if self.joint == "and" or any(map(self._may_join, parts)):
            return super().negate(prepared, operand)
        texts = [(part, describe_condition(prepared, part)) for part in parts]
        named = [f"“{text}”" if self.operators.find(part).list_facts(part.operand) else text for part, text in texts]
        return f"neither {' nor '.join(named)}"

    def _may_join(self, part: Condition) -> bool:
        """Return whether a part joins others, or applies one to several seats."""
        operator = self.operators.find(part)
        return bool(operator.joint) or not operator.examines_item


class AllOf(_CompoundCondition):
    """The condition `all`."""

    key = "all"
    sample = "[{placed: main}, {not: {decided: fold}}]"
    joint = "and"
    deciding_value = False

    def combine_truths(self, truths: Sequence[Truths]) -> Truths:
        return kleene.every(truths)

    def combine_formulas(self, parts: Sequence[Formula]) -> Formula:
        return conjoin(parts)

    def combine_values(self, values: Sequence[int]) -> int:
        return min(values)


class AnyOf(_CompoundCondition):
    """The condition `any`."""

    key = "any"
    sample = "{any: [{placed: main}, {placed: side}]}"
    joint = "or"
    deciding_value = True

    def combine_truths(self, truths: Sequence[Truths]) -> Truths:
        return kleene.some(truths)

    def combine_formulas(self, parts: Sequence[Formula]) -> Formula:
        return disjoin(parts)

    def combine_values(self, values: Sequence[int]) -> int:
        return max(values)


class NotThis(Connective[Condition]):
    """The condition `not`."""

    key = "not"
    sample = "{not: {decided: fold}}"

    def list_parts(self, operand: Condition) -> Sequence[Condition]:
        return [operand]

    def combine_truths(self, truths: Sequence[Truths]) -> Truths:
        return kleene.negate(truths[0])

    def combine_formulas(self, parts: Sequence[Formula]) -> Formula:
        return negate(parts[0])

    def combine_values(self, values: Sequence[int]) -> int:
        return YES - values[0]

    def evaluate_readings(self, operand: Condition, regulation: Regulation, needed: dict[str, str]) -> int:
        return super().evaluate_readings(operand, regulation, {})

    def describe(self, prepared: CompiledGame, operand: Condition) -> str:
        return self.operators.find(operand).negate(prepared, operand.operand)

    def negate(self, prepared: CompiledGame, operand: Condition) -> str:
        return describe_condition(prepared, operand)

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        inner: Condition = condition.operand
        return self.operators.find(inner).describe_required(item, inner, negated=not negated)


class IsEvident(ConditionOperator[Condition]):
    """The condition `evident`."""

    key = "evident"
    sample = "{evident: {events: card-shown, at-least: 1}}"
    never_unknown = True
    itemwise = True

    def find_grain(self, operand: Condition, game: Game) -> Grain:
        return self.operators.find_grain(operand, game)

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        holds = scope.evaluate(operand, grain)
        unknown = holds == UNKNOWN
        if not has_any(unknown):
            return holds
        stated = scope.compiled_game.resolve_fact(operand)
        if scope.open_assumption is None:
            scope.record_open(stated, scope.rounds_of(grain)[unknown])
        elif scope.open_assumption in (b"", stated.identity):
            return holds
        return kleene.from_flags(holds == YES)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        return conjoin([terms.build_formula(condition.operand), terms.build_opaque(condition)])

    def evaluate_readings(self, operand: Condition, regulation: Regulation, needed: dict[str, str]) -> int:
        return self.operators.find(operand).evaluate_readings(operand.operand, regulation, needed)

    def describe(self, prepared: CompiledGame, operand: Condition) -> str:
        return describe_condition(prepared, operand)

    def negate(self, prepared: CompiledGame, operand: Condition) -> str:
        return self.operators.find(operand).negate(prepared, operand.operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        for leaf in iterate_leaves(item.game, condition.operand):
            if item.find_truth(leaf) != UNKNOWN:
                yield from self.operators.find(leaf).describe_observed(item, leaf)


class NamedFact(ConditionOperator[str]):
    """The condition `fact`."""

    key = "fact"
    sample = "dealer-qualifies"
    words, negated_words = "{}", "not “{}”"

    def list_facts(self, operand: str) -> Sequence[str]:
        return (operand,)

    def find_grain(self, operand: str, game: Game) -> Grain:
        return self.operators.find_grain(game.facts[operand], game)

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        return scope.evaluate(scope.compiled_game.game.facts[operand], grain)

    def evaluate_whole_round(self, scope: EvaluationContext, operand: str) -> Truths:
        return scope.evaluate_whole_round(scope.compiled_game.game.facts[operand])

    def evaluate_readings(self, operand: str, regulation: Regulation, needed: dict[str, str]) -> int:
        named = None if regulation.game is None else regulation.game.facts.get(operand)
        if named is None:
            return super().evaluate_readings(operand, regulation, needed)
        return self.operators.find(named).evaluate_readings(named.operand, regulation, needed)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        return terms.build_formula(terms.game.facts[condition.operand])

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        named = item.game.game.facts[condition.operand]
        comparison = named.operand
        is_figure = isinstance(comparison, Comparison) and not self.operators.find(comparison.of).counts_occurrences
        if negated or is_figure or list(iterate_leaves(item.game, named)) != [named]:
            return super().describe_required(item, condition, negated=negated)
        return self.operators.find(named).describe_required(item, named)


class ReadingInForce(ConditionOperator[ReadingIs]):
    """The condition `reading`."""

    key = "reading"
    examines_item = False
    sample = "{reading: {after-a-fold: lost}}"

    def evaluate(self, scope: EvaluationContext, operand: ReadingIs, grain: Grain) -> Truths:
        return kleene.constant(
            self.evaluate_readings(operand, scope.compiled_game.regulation, {}), scope.count_items(grain)
        )

    def evaluate_readings(self, operand: ReadingIs, regulation: Regulation, needed: dict[str, str]) -> int:
        if regulation.is_option_in_force(operand.name, operand.is_):
            return YES
        needed[operand.name] = operand.is_
        return NO

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        return terms.build_reading(condition.operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield from ()  # a reading is no evidence


class _SeatQuantifier(ConditionOperator[Condition]):
    """A condition on the round that quantifies over its seats."""

    examines_item = False
    quantifier_words: str
    """The quantifier in words."""
    negated_quantifier_words: str
    """The opposite of the quantifier in words."""

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        never = not terms.may_hold(terms.build_formula(condition.operand))
        return False if never else terms.build_opaque(condition)

    def describe(self, prepared: CompiledGame, operand: Condition) -> str:
        return f"at {self.quantifier_words} seat: {describe_condition(prepared, operand)}"

    def negate(self, prepared: CompiledGame, operand: Condition) -> str:
        return f"{self.negated_quantifier_words} seat: {describe_condition(prepared, operand)}"

    def list_seats(self, item: ItemEvidence, condition: Condition, truth: int) -> Iterator[tuple[str, ItemEvidence]]:
        """Yield the seats of the round for which its part has a truth value, with their names."""
        seats, truths = item.scope.batch.seats, item.scope.evaluate(condition.operand, "seat")
        for seat in ((seats.round == item.round) & (truths == truth)).nonzero()[0].tolist():
            yield f"seat {seats.number[seat]}", replace(item, grain="seat", index=seat)


def _holds_at_some_seat(scope: EvaluationContext, truths: Truths) -> Truths:
    """Return whether some seat of each round satisfies a condition, which a seat after a truncated record may do."""
    import numpy as np

    from fairdeal.validator.engine.facts.seat_layout import may_seats_follow

    holds = kleene.take_highest(truths, scope.batch.seats.round, scope.count_items("round"))
    open_rounds = may_seats_follow(scope)
    return np.where(open_rounds & (holds == NO), np.uint8(UNKNOWN), holds) if has_any(open_rounds) else holds


class SomeSeat(_SeatQuantifier):
    """The condition `some-seat`."""

    key = "some-seat"
    sample = "{some-seat: {decided: fold}}"
    quantifier_words, negated_quantifier_words = "some", "at no"

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        return _holds_at_some_seat(scope, scope.evaluate(operand, "seat"))

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        inner: Condition = condition.operand
        if item.find_truth(condition) == YES:
            for name, seat in self.list_seats(item, condition, YES):
                yield f"{name}: {'; '.join(explain_holding(seat, inner))}"
            return
        positions = [leaf.operand for leaf in iterate_leaves(item.game, inner) if leaf.operator == "position"]
        yield from map(item.describe_position, positions)
        if not positions:
            yield "no such seat"


class EverySeat(_SeatQuantifier):
    """The condition `every-seat`."""

    key = "every-seat"
    sample = "{every-seat: {placed: main}}"
    quantifier_words, negated_quantifier_words = "every", "not at every"

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        return kleene.negate(_holds_at_some_seat(scope, kleene.negate(scope.evaluate(operand, "seat"))))

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        for name, seat in self.list_seats(item, condition, NO):
            yield f"{name}: {'; '.join(list_evidence(seat, condition.operand))}"
