"""Conditions on rounds of play, quantities, comparisons, and the interface of their operators.

A condition is a mapping with one operator, never a string to be parsed. It is yes, no or unknown; it is unknown if
the log does not show it. Each operator has a grain: a round, a seat, a stake or an event. A condition on a round
holds for all its seats. `some-seat` and `every-seat` turn a condition on seats into one on the round.

Operators are objects of `fairdeal.validator.operators`, a package above the engine. The loader of rule files
imports that package, which adds a field to these models for each operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pydantic import model_validator

from fairdeal.validator.language.grammar import (
    Grain,
    Keyword,
    MixedGrainsError,
    Operand,
    OperatorModel,
    expand_short_form,
    includes_grain,
)
from fairdeal.validator.propositions import Formula, Span
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.arrays import Bounds, Column, Ints, Truths


# Types of packages above this one. Operators annotate their methods with the real types.
Game: TypeAlias = Any
Regulation: TypeAlias = Any
CompiledGame: TypeAlias = Any
EvaluationContext: TypeAlias = Any
PreviousRoundContext: TypeAlias = Any
PropositionBuilder: TypeAlias = Any

Problem: TypeAlias = tuple[DataPath, str]
"""A semantic error in a rule file: its place and a message."""

TO_PLAYERS, FROM_PLAYERS, NO_DIRECTION = 1, -1, 0
"""Directions of an amount: it grows with payments to players, with takings from them, or with neither."""

OTHER_OPERANDS = ""
"""Key in `words` for all operands that are not listed."""
NOTHING_SATISFIES = "nothing, by the readings in force"
"""Description of a condition that cannot hold under the readings in force."""
ANYTHING_SATISFIES = "anything"
"""Description of a condition that always holds under the readings in force."""


class RoundOperator(Keyword[Operand]):
    """An operator of conditions or quantities on rounds of play."""

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
        unknown: Truths = scope.unknown_values("round")
        return unknown

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

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
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
            yield from leaf.meaning.show_evidence(scope, leaf, grain, index)

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
        return any(part.meaning.may_be_negative(part.operand) for part in self.list_parts(operand))

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
        return self.format_words(prepared, operand)


class Quantity(OperatorModel):
    """A number taken from a round: an amount in minor currency units, or a count. A bare number means itself."""

    OPERATORS: ClassVar[Mapping[str, QuantityOperator[Any]]] = {}

    @property
    def meaning(self) -> QuantityOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def find_grain(self, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if it mixes stakes and events.
        """
        return self.meaning.find_grain(self.operand, game)

    def list_parts(self) -> list[Quantity]:
        """Return the quantities that it is computed from item by item, if any."""
        return list(self.meaning.list_parts(self.operand))

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_number(cls, value: object) -> object:
        return {"exactly": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Condition(OperatorModel):
    """A condition on a round of play: yes, no, or unknown if the log does not show it."""

    OPERATORS: ClassVar[Mapping[str, ConditionOperator[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _expand_short_form(cls, value: object) -> object:
        return expand_short_form(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> ConditionOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def find_grain(self, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if it mixes stakes and events.
        """
        return self.meaning.find_grain(self.operand, game)


def find_grain_problems(
    part: Condition | Quantity | None, grain: Grain, game: Game, here: DataPath
) -> Iterator[Problem]:
    """Yield an error if a condition or quantity cannot be evaluated at a grain."""
    if part is None:
        return
    try:
        inner = part.find_grain(game)
    except MixedGrainsError as error:
        yield here, str(error)
        return
    if not includes_grain(grain, inner):
        yield here, f"applies to each {inner}, but is used for each {grain}"


class ComparisonOperator(RoundOperator[Quantity]):
    """An operator of `Comparison`."""

    operand = Quantity
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


class Comparison(OperatorModel):
    """A comparison of a quantity with a bound. It has `of` and exactly one bound."""

    COMPANIONS = frozenset({"of"})
    OPERATORS: ClassVar[Mapping[str, ComparisonOperator]] = {}

    of: Quantity
    """The quantity that is compared."""

    @property
    def bound_operator(self) -> ComparisonOperator:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]
