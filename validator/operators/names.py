"""Operators that refer to something by name: facts of the game and readings of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.language.conditions import Condition, ConditionOperator
from validator.language.grains import Grain
from validator.language.operands import ReadingIs
from validator.language.refs import FactName
from validator.language.wording import replace_hyphens
from validator.operators.logic import AllOf
from validator.propositions.formula import Formula
from validator.text.truth import NO, YES

if TYPE_CHECKING:
    from validator.arrays import Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.operators.terms import PropositionBuilder
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


class NamedFact(ConditionOperator[str]):
    """A fact of the game holds: a condition that the game file defines under a name."""

    key = "fact"
    operand = FactName
    sample = "{fact: dealer-qualifies}"
    words = "{}"

    def list_facts(self, operand: str) -> Sequence[str]:
        return (operand,)

    def find_grain(self, operand: str, game: Game) -> Grain:
        return game.facts[operand].find_grain(game)

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        return scope.evaluate(scope.compiled_game.game.facts[operand], grain)

    def evaluate_whole_round(self, scope: EvaluationContext, operand: str) -> Truths:
        return scope.evaluate_whole_round(scope.compiled_game.game.facts[operand])

    def evaluate_readings(self, operand: str, regulation: Regulation, needed: dict[str, str]) -> int:
        named = None if regulation.game is None else regulation.game.facts.get(operand)
        if named is None:
            return super().evaluate_readings(operand, regulation, needed)
        return named.meaning.evaluate_readings(named.operand, regulation, needed)

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        return terms.build_formula(terms.game.facts[condition.operand])

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return replace_hyphens(operand)

    def describe(self, prepared: CompiledGame, operand: str) -> str | bool:
        named = prepared.game.facts[operand]
        decided = named.meaning.describe(prepared, named.operand)
        return decided if isinstance(decided, bool) else self.format_words(prepared, operand)

    def describe_negation(self, prepared: CompiledGame, operand: str, description: str) -> str:
        return f"not “{description}”"

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        named = game.facts[condition.operand]
        yield from named.meaning.iterate_leaves(named, game)

    def find_unmet_parts(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> list[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        return (
            named.meaning.find_unmet_parts(scope, named, grain, index)
            if isinstance(named.meaning, AllOf)
            else [condition]
        )

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        yield from named.meaning.iterate_comparisons(scope, named, grain, index)

    def iterate_parts_that_hold(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        named = scope.compiled_game.game.facts[condition.operand]
        yield from named.meaning.iterate_parts_that_hold(scope, named, grain, index)


class ReadingInForce(ConditionOperator[ReadingIs]):
    """An option of a reading is in force."""

    key = "reading"
    operand = ReadingIs
    sample = "{reading: {name: after-a-fold, is: lost}}"

    def evaluate(self, scope: EvaluationContext, operand: ReadingIs, grain: Grain) -> Truths:
        from validator.engine.core import kleene

        return kleene.constant(
            self.evaluate_readings(operand, scope.compiled_game.regulation, {}), scope.count_items(grain)
        )

    def evaluate_readings(self, operand: ReadingIs, regulation: Regulation, needed: dict[str, str]) -> int:
        if regulation.is_option_in_force(operand.name, operand.is_):
            return YES
        needed[operand.name] = operand.is_
        return NO

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        return terms.build_reading(condition.operand)

    def describe(self, prepared: CompiledGame, operand: ReadingIs) -> bool:
        return prepared.regulation.is_option_in_force(operand.name, operand.is_)

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()  # a reading is no evidence
