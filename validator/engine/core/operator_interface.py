"""Base classes of operators, and phrases that describe conditions and quantities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, overload

from pydantic import BaseModel

from fairdeal.validator.arrays import Bounds, Column, Ints, Truths
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext, PreviousRoundEvaluator
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, Evaluator
from fairdeal.validator.engine.core.formula_builder import FormulaBuilder
from fairdeal.validator.language.grammar import (
    Grain,
    Keyword,
    MixedGrainsError,
    Operand,
    includes_grain,
    iterate_models,
)
from fairdeal.validator.language.phrases import SAME_AS, describe_frequency
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.propositions import Formula, Span
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import IdentifiedModel
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES
from fairdeal.validator.text.positioned_document import DataPath

Problem: TypeAlias = tuple[DataPath, str]
"""A semantic error in a rule file: its place and a message."""

TO_PLAYERS, FROM_PLAYERS, NO_DIRECTION = 1, -1, 0
"""Directions of an amount: it grows with payments to players, with takings from them, or with neither."""

OTHER_OPERANDS = ""
"""Key in `words` for all operands that are not listed."""
NOTHING_SATISFIES = "not permitted by the readings in force"
"""Description of a condition that cannot hold under the readings in force."""
ANYTHING_SATISFIES = "anything"
"""Description of a condition that always holds under the readings in force."""


class RoundOperator(Keyword[Operand]):
    """An operator of conditions or quantities on rounds of play."""

    def __init__(self, operators: RoundOperators) -> None:
        """Create the operator for a table, through which it finds the operators of its parts."""
        self.operators = operators

    words: ClassVar[str | Mapping[Any, str]] = ""
    """The condition or quantity in words, with `{}` for the operand. A mapping gives the words by operand, with
    `OTHER_OPERANDS` for those that are not listed. Operators that need more override `describe`."""
    native_grain: ClassVar[Grain] = "round"
    """The grain of the operator. Operators whose grain depends on the operand override `find_grain`."""
    evidence_needed: ClassVar[Literal["record", "events", "submission"]] = "record"
    """The evidence that it needs in addition to the summary of the round: events, or the submission."""
    depends_on_betting: ClassVar[bool] = False
    """True if it needs the state of the betting, the positions of seats or the division of the pots."""
    reads_previous_round: ClassVar[bool] = False
    """True if it reads the previous round at the table."""
    parts_may_read_previous_round: ClassVar[bool] = False
    """True if its operand may contain an operator that reads the previous round."""
    needs_seating: ClassVar[bool] = False
    """True if it needs to know which seats a round has."""
    itemwise: ClassVar[bool] = False
    """True if each of its values depends only on its parts for the same item. It can then be evaluated for some items
    only."""

    def find_grain(self, operand: Operand, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if the operand mixes stakes and events.
        """
        return self.native_grain

    def list_facts(self, operand: Operand) -> Sequence[str]:
        """Return the facts of the game that the operand names."""
        return ()

    def list_steps(self, operand: Operand) -> Sequence[str]:
        """Return the steps of the game whose events it examines."""
        return ()

    def format_operand(self, prepared: CompiledGame, operand: Operand) -> str:
        """Return the operand as people read it."""
        return str(operand)

    def format_words(self, prepared: CompiledGame, operand: Operand) -> str:
        """Return its `words` with the operand filled in."""
        words = self.words
        if not isinstance(words, str):
            words = words[operand] if operand in words else words[OTHER_OPERANDS]
        return words.format(self.format_operand(prepared, operand))

    def find_problems(self, regulation: Regulation, game: Game, operand: Operand, here: DataPath) -> Iterator[Problem]:
        """Yield semantic errors of an operand whose names are all defined.

        Args:
            regulation: the document of the rule.
            game: the game of the document.
            operand: the operand.
            here: place of the operand in the file.
        """
        yield from ()


class ConditionOperator(RoundOperator[Operand]):
    """An operator of `Condition`."""

    negated_words: ClassVar[str] = ""
    """The opposite of the condition in words; empty for `not (...)`."""
    is_compound: ClassVar[bool] = False
    """True if its description may join several parts by "and" or "or"."""
    never_unknown: ClassVar[bool] = False
    """True if it treats an unknown part as no."""

    def evaluate(self, scope: EvaluationContext, operand: Operand, grain: Grain) -> Truths:
        """Evaluate the condition for every item of its own grain.

        Args:
            scope: the batch, the game and the submission in force.
            operand: the operand.
            grain: the grain at which the whole condition is evaluated.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each item.
        """
        raise NotImplementedError

    def evaluate_items(self, scope: EvaluationContext, condition: Condition, grain: Grain, items: Ints) -> Truths:
        """Evaluate the condition for some items of its own grain.

        Args:
            scope: the batch, the game and the submission in force.
            condition: the condition.
            grain: its grain.
            items: int64[n], indices of the items.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each of them.
        """
        return scope.evaluate(condition, grain).take(items)

    def evaluate_whole_round(self, scope: EvaluationContext, operand: Operand) -> Truths:
        """Evaluate a condition of a finer grain for the whole round, if the round alone decides it.

        Returns:
            uint8[rounds]: UNKNOWN if the value depends on seats, stakes or events.
        """
        return scope.unknown_values("round")

    def evaluate_readings(self, operand: Operand, regulation: Regulation, needed: dict[str, str]) -> int:
        """Evaluate the condition by the readings in force alone.

        Args:
            operand: the operand.
            regulation: the document with its readings in force.
            needed: receives each reading that makes the condition NO, with the option under which it could hold.

        Returns:
            NO, UNKNOWN or YES; UNKNOWN if it depends on evidence.
        """
        return UNKNOWN

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        """Return the condition as a formula about complete evidence, for finding contradictions between rules.

        By default the formula is one variable of which nothing else is known.
        """
        return terms.build_opaque(condition)

    # Comparison with the previous round

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        """Yield the columns that `evaluate_across_rounds` needs, under names that begin with `name`."""
        yield name, scope.evaluate(condition, grain)

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, operand: Operand, name: str) -> Truths:
        """Evaluate the condition from the columns collected of all rounds.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each round or player.
        """
        return rounds.column(name)

    # Descriptions

    def describe(self, prepared: CompiledGame, operand: Operand) -> str | bool:
        """Describe the condition as a requirement; return a bool if the readings alone decide it."""
        return self.format_words(prepared, operand)

    def describe_as_read(self, prepared: CompiledGame, operand: Operand) -> str:
        """Describe the condition as a requirement under the readings in force."""
        worded = self.describe(prepared, operand)
        return worded if isinstance(worded, str) else ANYTHING_SATISFIES if worded else NOTHING_SATISFIES

    def describe_negation(self, prepared: CompiledGame, operand: Operand, description: str) -> str:
        """Describe the opposite of the condition; `description` is the description of the condition."""
        return self.negated_words or f"not ({description})"

    def describe_for_item(self, scope: EvaluationContext, operand: Operand, grain: Grain, index: int) -> str | None:
        """Describe the requirement for one item from the state of play; None if that says no more than `describe`."""
        return None

    def describe_unmet(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        """Describe a requirement that one item does not satisfy, with the required figure."""
        description = self.describe_for_item(scope, condition.operand, grain, index)
        description = description or self.describe_as_read(scope.compiled_game, condition.operand)
        figure = self.describe_figure(scope, condition, grain, index)
        return f"{description} ({figure})" if figure else description

    def describe_figure(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
        """Return the required figure for one item, if it is known and the description does not state it; else empty."""
        return ""

    def describe_purpose(self, scope: EvaluationContext, grain: Grain, index: int) -> str:
        """Return words to put before unsatisfied parts: the purpose for which they are required."""
        return ""

    def iterate_leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        """Yield the innermost conditions that it consists of: those that examine evidence of one item."""
        yield condition

    def find_unmet_parts(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> list[Condition]:
        """Return the parts of a conjunction that one item does not satisfy; the condition itself if it is none."""
        return [condition]

    def iterate_comparisons(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        """Yield the comparisons because of which it holds for one item."""
        yield from ()

    def iterate_parts_that_hold(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[Condition]:
        """Yield the parts because of which it holds for one item; of alternatives, those that hold."""
        yield condition

    def show_evidence_that_holds(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int
    ) -> Iterator[str]:
        """Yield the evidence, in words, for one item for which it holds."""
        for leaf in self.iterate_leaves(condition, scope.compiled_game.game):
            yield from self.operators.find(leaf).show_evidence(scope, leaf, grain, index)

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        """Yield the evidence, in words, for one item."""
        answer = format_truth(int(scope.evaluate(condition, grain)[index]))
        yield f"{self.describe_as_read(scope.compiled_game, condition.operand)}: {answer}"

    def show_seats(self, scope: EvaluationContext, operand: Operand, round_: int) -> Iterator[str]:
        """Yield the seats of a round, in words, that do not satisfy it."""
        yield from ()


def format_truth(value: int) -> str:
    """Format a truth value: `yes`, `no` or `not shown`."""
    return {NO: "no", YES: "yes"}.get(value, "not shown")


class QuantityOperator(RoundOperator[Operand]):
    """An operator of `Quantity`."""

    is_amount: ClassVar[bool] = False
    """True if it is an amount in minor units. Operators for which that depends on the operand override
    `measures_money`."""
    counts_occurrences: ClassVar[bool] = False
    """True if it counts how often something happens; `format_operand` then names what happens."""
    is_constant: ClassVar[bool] = False
    """True if it is the same for all items; `compute_bounds` then returns it at the grain of the whole condition."""

    def compute_bounds(self, scope: EvaluationContext, operand: Operand, grain: Grain) -> Bounds:
        """Return the lowest and the highest possible value for each item of its own grain, int64[n] each."""
        raise NotImplementedError

    def compute_bounds_of_items(self, scope: EvaluationContext, operand: Operand, grain: Grain, items: Ints) -> Bounds:
        """Return its bounds for some items of its own grain; `items`: int64[n], their indices."""
        low, high = self.compute_bounds(scope, operand, grain)
        least = low.take(items)
        return least, least if low is high else high.take(items)

    def list_parts(self, operand: Operand) -> Sequence[Quantity]:
        """Return the quantities that it is computed from item by item, if any."""
        return ()

    def measures_money(self, prepared: CompiledGame, operand: Operand) -> bool:
        """Return whether it is an amount in minor units."""
        return self.is_amount

    def may_be_negative(self, operand: Operand) -> bool:
        """Return whether it may be less than 0."""
        return any(self.operators.find(part).may_be_negative(part.operand) for part in self.list_parts(operand))

    def needs_pots(self, operand: Operand) -> bool:
        """Return whether it needs the amounts of the pots."""
        return False

    def find_direction(self, operand: Operand) -> int:
        """Return whether it grows with payments to players (`TO_PLAYERS`), with takings from them, or with neither."""
        return NO_DIRECTION

    def collect_columns(
        self, scope: EvaluationContext, quantity: Quantity, grain: Grain, name: str
    ) -> Iterator[Column]:
        """Yield the columns that `compute_bounds_across_rounds` needs, under names that begin with `name`."""
        raise NotImplementedError

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, operand: Operand, name: str) -> Bounds:
        """Return its bounds, computed from the columns collected of all rounds."""
        raise NotImplementedError

    def describe_source(self, scope: EvaluationContext, operand: Operand, grain: Grain, index: int) -> str:
        """Describe the evidence from which the quantity of one item is taken, if that says more than its number."""
        return ""

    def describe(self, prepared: CompiledGame, operand: Operand, *, money: bool) -> str:
        """Describe the quantity; with `money`, fixed numbers are amounts in minor units."""
        return self.format_words(prepared, operand)


class ComparisonOperator(RoundOperator[Quantity]):
    """An operator of `Comparison`."""

    words: ClassVar[str]
    """The comparison in words: `at least`."""
    negated_words: ClassVar[str]
    """The opposite comparison in words: `less than`."""

    def compare(self, value: Bounds, bound: Bounds) -> Truths:
        """Compare quantities with bounds.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each item.
        """
        raise NotImplementedError

    def list_spans(self, bound: int) -> Sequence[Span]:
        """Return the ranges of numbers that satisfy the comparison with a fixed bound."""
        raise NotImplementedError


class RoundOperators(Evaluator, PreviousRoundEvaluator):
    """All operators of conditions, quantities and comparisons: one object of each class."""

    def __init__(
        self,
        conditions: Sequence[type[ConditionOperator[Any]]],
        quantities: Sequence[type[QuantityOperator[Any]]],
        comparisons: Sequence[type[ComparisonOperator]],
    ) -> None:
        """Create an operator of each class."""
        self.conditions: Mapping[str, ConditionOperator[Any]] = {kind.key: kind(self) for kind in conditions}
        """Operators of conditions by key."""
        self.quantities: Mapping[str, QuantityOperator[Any]] = {kind.key: kind(self) for kind in quantities}
        """Operators of quantities by key."""
        self.comparisons: Mapping[str, ComparisonOperator] = {kind.key: kind(self) for kind in comparisons}
        """Operators of comparisons by key."""
        self._reads_previous: dict[bytes, bool] = {}
        self._operators_by_model: Mapping[type, Mapping[str, RoundOperator[Any]]] = {
            Condition: self.conditions,
            Quantity: self.quantities,
            Comparison: self.comparisons,
        }

    @overload
    def find(self, part: Condition) -> ConditionOperator[Any]: ...
    @overload
    def find(self, part: Quantity) -> QuantityOperator[Any]: ...
    @overload
    def find(self, part: Comparison) -> ComparisonOperator: ...

    def find(self, part: Condition | Quantity | Comparison) -> RoundOperator[Any]:
        """Return the operator of a condition, quantity or comparison."""
        return self._operators_by_model[type(part)][part.operator]

    # Grains

    def find_grain(self, part: Condition | Quantity, game: Game) -> Grain:
        """Return the coarsest grain at which a condition or quantity can be evaluated.

        Raises:
            MixedGrainsError: if it mixes stakes and events.
        """
        return self.find(part).find_grain(part.operand, game)

    def find_grain_problems(
        self, part: Condition | Quantity | None, grain: Grain, game: Game, here: DataPath
    ) -> Iterator[Problem]:
        """Yield an error if a condition or quantity cannot be evaluated at a grain."""
        if part is None:
            return
        try:
            inner = self.find_grain(part, game)
        except MixedGrainsError as error:
            yield here, str(error)
            return
        if not includes_grain(grain, inner):
            yield here, f"applies to each {inner}, but is used for each {grain}"

    # Evaluation

    def is_constant(self, quantity: Quantity) -> bool:
        """Return whether a quantity is the same for all items."""
        return self.find(quantity).is_constant

    def is_itemwise(self, part: Condition | Quantity) -> bool:
        """Return whether each value depends only on the parts for the same item."""
        return self.find(part).itemwise

    def evaluate(self, scope: EvaluationContext, condition: Condition, grain: Grain) -> Truths:
        """Evaluate a condition for every item of its own grain."""
        return self.find(condition).evaluate(scope, condition.operand, grain)

    def evaluate_items(self, scope: EvaluationContext, condition: Condition, grain: Grain, items: Ints) -> Truths:
        """Evaluate a condition for some items of its own grain."""
        return self.find(condition).evaluate_items(scope, condition, grain, items)

    def evaluate_whole_round(self, scope: EvaluationContext, condition: Condition) -> Truths:
        """Evaluate a condition of a finer grain for the whole round, if the round alone decides it."""
        return self.find(condition).evaluate_whole_round(scope, condition.operand)

    def compute_bounds(self, scope: EvaluationContext, quantity: Quantity, grain: Grain) -> Bounds:
        """Return the bounds of a quantity for every item of its own grain."""
        return self.find(quantity).compute_bounds(scope, quantity.operand, grain)

    def compute_bounds_of_items(
        self, scope: EvaluationContext, quantity: Quantity, grain: Grain, items: Ints
    ) -> Bounds:
        """Return the bounds of a quantity for some items of its own grain."""
        return self.find(quantity).compute_bounds_of_items(scope, quantity.operand, grain, items)

    # Amounts

    def compares_amounts(self, condition: Condition) -> bool:
        """Return whether a condition is a comparison with an amount or with parts that are amounts."""
        comparison = condition.operand
        return isinstance(comparison, Comparison) and any(map(self._has_amount, (comparison.of, comparison.operand)))

    def _has_amount(self, quantity: Quantity) -> bool:
        operator = self.find(quantity)
        return operator.is_amount or any(map(self._has_amount, operator.list_parts(quantity.operand)))

    # Comparison with the previous round

    def refers_to_previous_round(self, model: BaseModel) -> bool:
        """Return whether a model refers to the previous round; models with an identity are searched once."""
        identity = model.identity if isinstance(model, IdentifiedModel) else None
        found = None if identity is None else self._reads_previous.get(identity)
        if found is None:
            found = any(
                isinstance(part, Condition | Quantity) and self.find(part).reads_previous_round
                for part in iterate_models(model)
            )
            if identity is not None:
                self._reads_previous[identity] = found
        return found

    def requires_seats(self, model: BaseModel) -> bool:
        """Return whether a model needs the seats of each round although it is evaluated per round."""
        return any(isinstance(part, Quantity) and self.find(part).needs_seating for part in iterate_models(model))

    def collect_columns(
        self, scope: EvaluationContext, condition: Condition, grain: Grain, name: str
    ) -> Iterator[Column]:
        """Yield the columns of a condition over the rounds or seats of a batch; their names begin with `name`."""
        return self.find(condition).collect_columns(scope, condition, grain, name)

    def collect_quantity_columns(
        self, scope: EvaluationContext, quantity: Quantity, grain: Grain, name: str
    ) -> Iterator[Column]:
        """Yield the columns of a quantity over the rounds or seats of a batch; their names begin with `name`."""
        if self.refers_to_previous_round(quantity):
            yield from self.find(quantity).collect_columns(scope, quantity, grain, name)
            return
        low, high = scope.compute_bounds(quantity, grain)
        yield f"{name}.low", low
        yield f"{name}.high", high

    def evaluate_across_rounds(self, rounds: PreviousRoundContext, condition: Condition, name: str) -> Truths:
        """Evaluate a condition from the columns collected of all rounds."""
        return self.find(condition).evaluate_across_rounds(rounds, condition.operand, name)

    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, quantity: Quantity, name: str) -> Bounds:
        """Return the bounds of a quantity from the columns collected of all rounds."""
        return self.find(quantity).compute_bounds_across_rounds(rounds, quantity.operand, name)


def get_operators(prepared: CompiledGame) -> RoundOperators:
    """Return the operators with which a game was compiled."""
    if not isinstance(prepared.operators, RoundOperators):
        raise TypeError("the game was compiled with other operators")
    return prepared.operators


def describe_condition(prepared: CompiledGame, condition: Condition | None) -> str:
    """Describe the requirement of a condition under the readings in force; without a condition, anything satisfies
    it."""
    if condition is None:
        return ANYTHING_SATISFIES
    return get_operators(prepared).find(condition).describe_as_read(prepared, condition.operand)


def describe_quantity(prepared: CompiledGame, quantity: Quantity, *, money: bool) -> str:
    """Describe a quantity; with `money`, fixed numbers are amounts in minor units."""
    return get_operators(prepared).find(quantity).describe(prepared, quantity.operand, money=money)


def compares_money(prepared: CompiledGame, comparison: Comparison) -> bool:
    """Return whether a comparison compares amounts of money."""
    operators = get_operators(prepared)
    parts: tuple[Quantity, Quantity] = (comparison.of, comparison.operand)
    return any(operators.find(part).measures_money(prepared, part.operand) for part in parts)


def describe_comparison(prepared: CompiledGame, comparison: Comparison, bound: str) -> str:
    """Describe a comparison.

    Args:
        prepared: the compiled game.
        comparison: the comparison.
        bound: the words of its operator, or those of the opposite.
    """
    money, of, to = compares_money(prepared, comparison), comparison.of, comparison.operand
    fixed = to.operand if to.operator in ("exactly", "money") else None
    counted = get_operators(prepared).find(of)
    if fixed is not None and counted.counts_occurrences:
        return describe_frequency(counted.format_operand(prepared, of.operand), bound, fixed)
    if fixed is not None and bound == SAME_AS:
        return f"{describe_quantity(prepared, of, money=money)}: {describe_quantity(prepared, to, money=money)}"
    return f"{describe_quantity(prepared, of, money=money)}: {bound} {describe_quantity(prepared, to, money=money)}"


def describe_required_comparison(prepared: CompiledGame, comparison: Comparison, *, negated: bool = False) -> str:
    """Return what a comparison, or its opposite, requires: `the rake must be at most 5.00`."""
    bound_operator = get_operators(prepared).find(comparison)
    words = bound_operator.negated_words if negated else bound_operator.words
    words = describe_comparison(prepared, comparison, words)
    subject = describe_quantity(prepared, comparison.of, money=compares_money(prepared, comparison))
    if not words.startswith(f"{subject}: "):
        return words
    bound = words.removeprefix(f"{subject}: ")
    verb = "must equal" if bound.startswith(SAME_AS) else "must be"
    return f"{subject} {verb} {bound.removeprefix(SAME_AS).lstrip()}"
