"""Operators that refer to something by name: facts of the game and readings of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.language.conditions import Condition, ConditionOperator
from validator.language.grains import Grain
from validator.language.operands import ReadingIs
from validator.language.refs import FactName
from validator.language.wording import spaced
from validator.operators.logic import All
from validator.propositions.formula import Formula
from validator.text.truth import NO, YES

if TYPE_CHECKING:
    from validator.arrays import Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


class Fact(ConditionOperator[str]):
    """A fact of the game holds: a condition that the game file defines under a name."""

    key = "fact"
    operand = FactName
    sample = "{fact: dealer-qualifies}"
    words = "{}"

    def facts(self, operand: str) -> Sequence[str]:
        return (operand,)

    def grain(self, operand: str, game: Game) -> Grain:
        return game.facts[operand].grain(game)

    def truth(self, scope: Scope, operand: str, grain: Grain) -> Tri:
        return scope.truth(scope.prepared.game.facts[operand], grain)

    def throughout(self, scope: Scope, operand: str) -> Tri:
        return scope.throughout(scope.prepared.game.facts[operand])

    def by_readings(self, operand: str, regulation: Regulation, needed: dict[str, str]) -> int:
        named = None if regulation.game is None else regulation.game.facts.get(operand)
        if named is None:
            return super().by_readings(operand, regulation, needed)
        return named.meaning.by_readings(named.operand, regulation, needed)

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        return terms.formula(terms.game.facts[condition.operand])

    def title(self, prepared: Prepared, operand: str) -> str:
        return spaced(operand)

    def asked(self, prepared: Prepared, operand: str) -> str | bool:
        named = prepared.game.facts[operand]
        decided = named.meaning.asked(prepared, named.operand)
        return decided if isinstance(decided, bool) else self.in_words(prepared, operand)

    def denied(self, prepared: Prepared, operand: str, description: str) -> str:
        return f"not “{description}”"

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        named = game.facts[condition.operand]
        yield from named.meaning.leaves(named, game)

    def unmet(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
        named = scope.prepared.game.facts[condition.operand]
        return named.meaning.unmet(scope, named, grain, index) if isinstance(named.meaning, All) else [condition]

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        named = scope.prepared.game.facts[condition.operand]
        yield from named.meaning.grounds(scope, named, grain, index)

    def holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        named = scope.prepared.game.facts[condition.operand]
        yield from named.meaning.holding(scope, named, grain, index)


class Reading(ConditionOperator[ReadingIs]):
    """An option of a reading is in force."""

    key = "reading"
    operand = ReadingIs
    sample = "{reading: {name: after-a-fold, is: lost}}"

    def truth(self, scope: Scope, operand: ReadingIs, grain: Grain) -> Tri:
        from validator.engine.core import kleene

        return kleene.constant(self.by_readings(operand, scope.prepared.regulation, {}), scope.length(grain))

    def by_readings(self, operand: ReadingIs, regulation: Regulation, needed: dict[str, str]) -> int:
        if regulation.applies(operand.name, operand.is_):
            return YES
        needed[operand.name] = operand.is_
        return NO

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        return terms.reading(condition.operand)

    def asked(self, prepared: Prepared, operand: ReadingIs) -> bool:
        return prepared.regulation.applies(operand.name, operand.is_)

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        yield from ()  # a reading is no evidence
