"""Operators that combine, negate or name conditions, and quantifiers over seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairdeal.validator.arrays import are_all, has_any
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.operator_interface import (
    ConditionOperator,
    describe_condition,
    describe_required_comparison,
)
from fairdeal.validator.language.grammar import Grain, Operand, ReadingIs, find_common_grain
from fairdeal.validator.language.phrases import replace_hyphens
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.propositions import Formula, conjoin, disjoin, negate
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.arrays import Column, Truths
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.formula_builder import FormulaBuilder
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


class Connective(ConditionOperator[Operand]):
    """A condition that combines others for the same item."""

    parts_may_read_previous_round = True
    itemwise = True

    def list_parts(self, operand: Operand) -> Sequence[Condition]:
        """Return the conditions that it combines."""
        raise NotImplementedError

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

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        for part in self.list_parts(condition.operand):
            yield from self.operators.find(part).iterate_leaves(part, game)


class _CompoundCondition(Connective[list[Condition]]):
    """A conjunction or disjunction of several conditions."""

    is_compound = True
    joint_words: str
    """The word between the descriptions of parts, with spaces."""
    deciding_value: bool
    """The answer of a single part that decides the whole."""

    def list_parts(self, operand: list[Condition]) -> Sequence[Condition]:
        return operand

    def evaluate(self, scope: EvaluationContext, operand: list[Condition], grain: Grain) -> Truths:
        readings: list[Condition] = []
        others: list[Condition] = []
        for part in operand:
            (readings if type(part.operand) is ReadingIs else others).append(part)
        first, *rest = readings + others
        truth, deciding = scope.evaluate(first, grain), YES if self.deciding_value else NO
        for part in rest:
            if are_all(truth == deciding):
                break  # the remaining parts cannot change the result
            truth = self.combine_truths([truth, scope.evaluate(part, grain)])
        return truth

    def describe(self, prepared: CompiledGame, operand: list[Condition]) -> str | bool:
        return self.join_descriptions(
            [(part, self.operators.find(part).describe(prepared, part.operand)) for part in operand]
        )

    def describe_unmet(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        def describe_part(part: Condition) -> str | bool:
            description = self.operators.find(part).describe(scope.compiled_game, part.operand)
            return (
                description
                if isinstance(description, bool)
                else self.operators.find(part).describe_unmet(scope, part, grain, index)
            )

        whole = self.join_descriptions([(part, describe_part(part)) for part in condition.operand])
        return whole if isinstance(whole, str) else super().describe_unmet(scope, condition, grain, index)

    def join_descriptions(self, described: Sequence[tuple[Condition, str | bool]]) -> str | bool:
        """Join the descriptions of the parts; return a bool if the readings alone decide the whole."""
        if any(text is self.deciding_value for _, text in described):
            return self.deciding_value
        texts = [(part, text) for part, text in described if isinstance(text, str)]
        if not texts:
            return not self.deciding_value
        if len(texts) == 1:
            return texts[0][1]
        return self.joint_words.join(f"({text})" if self._is_compound(part, text) else text for part, text in texts)

    def describe_negation(self, prepared: CompiledGame, operand: list[Condition], description: str) -> str:
        described = [(part, self.operators.find(part).describe(prepared, part.operand)) for part in operand]
        texts = [(part, text) for part, text in described if isinstance(text, str)]
        if len(texts) == 1:
            ((part, text),) = texts
            return self.operators.find(part).describe_negation(prepared, part.operand, text)
        if not self.deciding_value or any(self.operators.find(part).is_compound for part, _ in texts):
            return super().describe_negation(prepared, operand, description)
        named = [f"“{text}”" if isinstance(self.operators.find(part), NamedFact) else text for part, text in texts]
        return f"neither {' nor '.join(named)}"

    def _is_compound(self, condition: Condition, description: str) -> bool:
        """Return whether the description of a condition joins several parts."""
        return self.operators.find(condition).is_compound and (" and " in description or " or " in description)

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        for part in condition.operand:
            if scope.evaluate(part, grain)[index] == YES:
                yield from self.operators.find(part).iterate_comparisons(scope, part, grain, index)

    def iterate_parts_that_hold(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        for part in condition.operand:
            if scope.evaluate(part, grain)[index] == YES:
                yield from self.operators.find(part).iterate_parts_that_hold(scope, part, grain, index)


class AllOf(_CompoundCondition):
    """The condition `all`."""

    key = "all"
    sample = "{all: [{placed: main}, {not: {decided: fold}}]}"
    joint_words = " and "
    deciding_value = False

    def combine_truths(self, truths: Sequence[Truths]) -> Truths:
        return kleene.every(truths)

    def combine_formulas(self, parts: Sequence[Formula]) -> Formula:
        return conjoin(parts)

    def combine_values(self, values: Sequence[int]) -> int:
        return min(values)

    def find_unmet_parts(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> list[Condition]:
        truths = [int(scope.evaluate(part, grain)[index]) for part in condition.operand]
        lowest = min(truths)  # an open part is no reason for a failure
        return [
            unmet
            for part, truth in zip(condition.operand, truths, strict=True)
            if truth == lowest != YES
            for unmet in self.operators.find(part).find_unmet_parts(scope, part, grain, index)
        ] or [condition]


class AnyOf(_CompoundCondition):
    """The condition `any`."""

    key = "any"
    sample = "{any: [{placed: main}, {placed: side}]}"
    joint_words = " or "
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

    def describe(self, prepared: CompiledGame, operand: Condition) -> str | bool:
        inner = self.operators.find(operand).describe(prepared, operand.operand)
        return (
            self.operators.find(operand).describe_negation(prepared, operand.operand, inner)
            if isinstance(inner, str)
            else not inner
        )

    def describe_negation(self, prepared: CompiledGame, operand: Condition, description: str) -> str:
        return describe_condition(prepared, operand)

    def iterate_parts_that_hold(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        # The absence of irregular events explains nothing, so it is not shown.
        leaves = list(self.iterate_leaves(condition, scope.compiled_game.game))
        if not leaves or not all(map(self._counts_events, leaves)):
            yield condition

    def _counts_events(self, leaf: Condition) -> bool:
        """Return whether a condition examines only the number of events, or of cards of events."""
        if leaf.operator == "number":
            comparison: Comparison = leaf.operand
            return self.operators.find(comparison.of).evidence_needed == "events"
        return isinstance(self.operators.find(leaf), IsEvident)

    def describe_for_item(self, scope: EvaluationContext, operand: Condition, grain: Grain, index: int) -> str | None:
        if isinstance(operand.operand, Comparison):
            return describe_required_comparison(scope.compiled_game, operand.operand, negated=True)
        return self.operators.find(operand).describe_for_item(scope, operand.operand, grain, index)

    def describe_figure(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        inner: Condition = condition.operand
        return self.operators.find(inner).describe_figure(scope, inner, grain, index)


class IsEvident(ConditionOperator[Condition]):
    """The condition `evident`."""

    key = "evident"
    sample = "{evident: {number: {of: {events: card-shown}, at-least: 1}}}"
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

    def describe(self, prepared: CompiledGame, operand: Condition) -> str | bool:
        return self.operators.find(operand).describe(prepared, operand.operand)

    def describe_negation(self, prepared: CompiledGame, operand: Condition, description: str) -> str:
        return self.operators.find(operand).describe_negation(prepared, operand.operand, description)

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        inner: Condition = condition.operand
        yield from self.operators.find(inner).iterate_comparisons(scope, inner, grain, index)

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        inner: Condition = condition.operand
        for leaf in self.operators.find(inner).iterate_leaves(inner, scope.compiled_game.game):
            if scope.evaluate(leaf, grain)[index] != UNKNOWN:
                yield from self.operators.find(leaf).show_evidence(scope, leaf, grain, index)


class NamedFact(ConditionOperator[str]):
    """The condition `fact`."""

    key = "fact"
    sample = "{fact: dealer-qualifies}"
    words = "{}"

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

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return replace_hyphens(operand)

    def describe(self, prepared: CompiledGame, operand: str) -> str | bool:
        named = prepared.game.facts[operand]
        decided = self.operators.find(named).describe(prepared, named.operand)
        return decided if isinstance(decided, bool) else self.format_words(prepared, operand)

    def describe_negation(self, prepared: CompiledGame, operand: str, description: str) -> str:
        return f"not “{description}”"

    def describe_unmet(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        named = scope.compiled_game.game.facts[condition.operand]
        is_figure = (
            isinstance(named.operand, Comparison) and not self.operators.find(named.operand.of).counts_occurrences
        )
        if not is_figure and list(self.operators.find(named).iterate_leaves(named, scope.compiled_game.game)) == [
            named
        ]:
            return self.operators.find(named).describe_unmet(scope, named, grain, index)
        return super().describe_unmet(scope, condition, grain, index)

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        named = game.facts[condition.operand]
        yield from self.operators.find(named).iterate_leaves(named, game)

    def find_unmet_parts(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> list[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        return (
            self.operators.find(named).find_unmet_parts(scope, named, grain, index)
            if isinstance(self.operators.find(named), AllOf)
            else [condition]
        )

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        yield from self.operators.find(named).iterate_comparisons(scope, named, grain, index)

    def iterate_parts_that_hold(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        yield from self.operators.find(named).iterate_parts_that_hold(scope, named, grain, index)


class ReadingInForce(ConditionOperator[ReadingIs]):
    """The condition `reading`."""

    key = "reading"
    sample = "{reading: {name: after-a-fold, is: lost}}"

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

    def describe(self, prepared: CompiledGame, operand: ReadingIs) -> bool:
        return prepared.regulation.is_option_in_force(operand.name, operand.is_)

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()  # a reading is no evidence


class _SeatQuantifier(ConditionOperator[Condition]):
    """A condition on the round that quantifies over its seats."""

    is_compound = True
    quantifier_words: str
    """The quantifier in words."""
    negated_quantifier_words: str
    """The opposite of the quantifier in words."""

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        never = not terms.may_hold(terms.build_formula(condition.operand))
        return False if never else terms.build_opaque(condition)

    def describe(self, prepared: CompiledGame, operand: Condition) -> str:
        return f"at {self.quantifier_words} seat: {describe_condition(prepared, operand)}"

    def describe_negation(self, prepared: CompiledGame, operand: Condition, description: str) -> str:
        return f"{self.negated_quantifier_words} seat: {describe_condition(prepared, operand)}"

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()


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

    def show_evidence_that_holds(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[str]:
        from fairdeal.validator.engine.evidence_text import explain_holding

        inner, seats = condition.operand, scope.batch.seats
        here = seats.round == scope.rounds_of(grain)[index]
        for seat in (here & (scope.evaluate(inner, "seat") == YES)).nonzero()[0].tolist():
            yield f"seat {seats.number[seat]}: {'; '.join(explain_holding(scope, inner, 'seat', seat))}"

    def show_seats(self, scope: EvaluationContext, operand: Condition, round_: int) -> Iterator[str]:
        from fairdeal.validator.engine.evidence_text import describe_position

        leaves = self.operators.find(operand).iterate_leaves(operand, scope.compiled_game.game)
        positions = [leaf.operand for leaf in leaves if leaf.operator == "position"]
        yield from (describe_position(scope, name, round_) for name in positions)
        if not positions:
            yield "no such seat"


class EverySeat(_SeatQuantifier):
    """The condition `every-seat`."""

    key = "every-seat"
    sample = "{every-seat: {placed: main}}"
    quantifier_words, negated_quantifier_words = "every", "not at every"

    def evaluate(self, scope: EvaluationContext, operand: Condition, grain: Grain) -> Truths:
        return kleene.negate(_holds_at_some_seat(scope, kleene.negate(scope.evaluate(operand, "seat"))))

    def show_seats(self, scope: EvaluationContext, operand: Condition, round_: int) -> Iterator[str]:
        from fairdeal.validator.engine.evidence_text import describe_evidence

        seats, fulfil = scope.batch.seats, scope.evaluate(operand, "seat")
        for seat in ((seats.round == round_) & (fulfil == NO)).nonzero()[0].tolist():
            yield f"seat {seats.number[seat]}: {describe_evidence(scope, operand, 'seat', seat)}"
