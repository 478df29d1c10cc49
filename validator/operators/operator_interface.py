"""Base classes of operators: what each of them evaluates, and the four kinds of text that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, overload

from pydantic import BaseModel

from fairdeal.validator.arrays import ABSENT, Bounds, Column, Ints, Truths
from fairdeal.validator.engine.core.compiled_game import CompiledCondition, CompiledGame, CompiledQuantity, PartCompiler
from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext, PreviousRoundEvaluator
from fairdeal.validator.engine.core.evaluation_context import ConditionEvaluator, EvaluationContext, QuantityEvaluator
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.core.propositions import Formula, FormulaBuilder, Span
from fairdeal.validator.language.grammar import (
    Grain,
    Keyword,
    MixedGrainsError,
    Operand,
    includes_grain,
    iterate_models,
)
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.language.submission_conditions import format_range, format_times, replace_hyphens
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation, line_title_or_it
from fairdeal.validator.text.closed_model import IdentifiedModel
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.item_evidence import ItemEvidence

Problem: TypeAlias = tuple[DataPath, str]
"""A semantic error in a rule file: its place and a message."""

TO_PLAYERS, FROM_PLAYERS, NO_DIRECTION = 1, -1, 0
"""Directions of an amount: it grows with payments to players, with takings from them, or with neither."""

OTHER_OPERANDS = ""
"""Key in `words` for all operands that are not listed."""


class RoundOperator(Keyword[Operand]):
    """An operator of conditions or quantities on rounds of play."""

    def __init__(self, operators: RoundOperators) -> None:
        """Create the operator for a table, through which it finds the operators of its parts."""
        self.operators = operators

    words: ClassVar[str | Mapping[Any, str]] = ""
    """The condition or quantity in words, with `{}` for the operand, or for each quantity that it is computed from. A
    mapping gives the words by operand, with `OTHER_OPERANDS` for those that are not listed. Operators that need more
    override `describe`."""
    operand_names: ClassVar[Literal["", "hand", "step", "line", "decision", "name"]] = ""
    """The kind of thing that its operand names, which its words call by its title."""
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

    def fill_words(self, prepared: CompiledGame, operand: Operand, words: str | Mapping[Any, str] | None = None) -> str:
        """Return words with the operand filled in: `words`, or others of the same form; empty if there are none."""
        words = self.words if words is None else words
        if not isinstance(words, str):
            words = words.get(operand) or words.get(OTHER_OPERANDS, "")
        return words.format(self.name_operand(prepared, operand))

    def name_operand(self, prepared: CompiledGame, operand: Operand) -> str:
        """Return the title of the thing that its operand names."""
        name, game = str(operand), prepared.game
        match self.operand_names:
            case "hand":
                return game.hands[name].title
            case "step":
                return prepared.steps[name].title
            case "line":
                return line_title_or_it(game, name)
            case "decision":
                return game.decisions[name].title
            case _:
                return replace_hyphens(name)

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

    negated_words: ClassVar[str | Mapping[Any, str]] = ""
    """The opposite of the condition in words, in the form of `words`; without it, see `negate`."""
    joint: ClassVar[Literal["", "and", "or"]] = ""
    """The word that joins its parts, if it may have several."""
    examines_item: ClassVar[bool] = True
    """True if it examines evidence of one item, itself or by its parts."""
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

    def leave_undecided(self, operand: Operand, regulation: Regulation) -> Operand:
        """Return the operand without the conditions that the readings in force decide.

        It is evaluated only if the readings do not decide the whole condition.
        """
        return operand

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

    # Parts, and the four kinds of text

    def list_parts(self, operand: Operand) -> Sequence[Condition]:
        """Return the conditions on the same item that it combines, if any."""
        return ()

    def describe(self, prepared: CompiledGame, operand: Operand) -> str:
        """Describe the condition as a requirement. The readings alone do not decide it, nor in the other texts."""
        return self.fill_words(prepared, operand)

    def negate(self, prepared: CompiledGame, operand: Operand) -> str:
        """Describe the opposite of the condition."""
        return self.fill_words(prepared, operand, self.negated_words) or f"not ({self.describe(prepared, operand)})"

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        """Describe what the condition, or its opposite, requires of one item, with the required figure."""
        return (self.negate if negated else self.describe)(item.game, condition.operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        """Yield what the evidence shows of the condition for one item."""
        yield f"{self.describe(item.game, condition.operand)}: {format_truth(item.find_truth(condition))}"


def format_truth(value: int) -> str:
    """Format a truth value: `yes`, `no` or `not shown`."""
    return {NO: "no", YES: "yes"}.get(value, "not shown")


class QuantityOperator(RoundOperator[Operand]):
    """An operator of `Quantity`."""

    is_amount: ClassVar[bool] = False
    """True if it is an amount in minor units. Operators for which that depends on the operand override
    `measures_money`."""
    counts_occurrences: ClassVar[bool] = False
    """True if it counts how often something happens; its operand then names what happens."""
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

    def describe(self, prepared: CompiledGame, operand: Operand, *, money: bool) -> str:
        """Describe the quantity; with `money`, fixed numbers are amounts in minor units."""
        parts = [
            self.operators.find(part).describe(prepared, part.operand, money=money) for part in self.list_parts(operand)
        ]
        return str(self.words).format(*parts) if parts else self.fill_words(prepared, operand)

    def describe_observed(self, item: ItemEvidence, quantity: Quantity, *, money: bool) -> str:
        """Describe what the evidence shows of the quantity for one item: its known bounds."""
        least, most = item.find_bounds(quantity)
        known = [bound if abs(bound) < UNBOUNDED // 2 else None for bound in (least, most)]
        text = format_range(*known, money=money)
        if least == most:
            text = format_times(least) if self.counts_occurrences else text
        elif item.grain == "event" and item.seat == ABSENT and item.game.find_grain(quantity) == "seat":
            text = "no player is named"
        elif None not in known:
            text = f"{text}{' times' if self.counts_occurrences else ''}, exact value unknown"
        if self.counts_occurrences:
            return f"{self.name_operand(item.game, quantity.operand)}: {text}"
        return f"{self.describe(item.game, quantity.operand, money=money)}: {text}"


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


class RoundOperators(PartCompiler, PreviousRoundEvaluator):
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

    def compile_condition(self, prepared: CompiledGame, condition: Condition) -> CompiledCondition:
        """Compile a condition of a game."""
        operator, operand = self.find(condition), condition.operand
        evaluator: ConditionEvaluator = operator
        return CompiledCondition(
            identity=condition.identity,
            grain=operator.find_grain(operand, prepared.game),
            operand=operator.leave_undecided(operand, prepared.regulation),
            is_itemwise=operator.itemwise,
            condition=condition,
            operator=evaluator,
            decided=operator.evaluate_readings(operand, prepared.regulation, {}),
        )

    def compile_quantity(self, prepared: CompiledGame, quantity: Quantity) -> CompiledQuantity:
        """Compile a quantity of a game."""
        operator = self.find(quantity)
        evaluator: QuantityEvaluator = operator
        return CompiledQuantity(
            identity=quantity.identity,
            grain=operator.find_grain(quantity.operand, prepared.game),
            operand=quantity.operand,
            is_itemwise=operator.itemwise,
            operator=evaluator,
            is_constant=operator.is_constant,
        )

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
