"""Conditions on rounds of play, quantities, and the interface of their operators.

A condition is a mapping with one operator, never a string to be parsed. It is yes, no or unknown; it is unknown if the
log does not show it. Each operator has a grain: a round, a seat, a stake or an event. A condition on a round holds for
all its seats. `some-seat` and `every-seat` turn a condition on seats into one on the round.

Operators are objects of `validator.operators`, a package above the engine. The loader of rule files imports that
package, which adds a field to these models for each operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pydantic import model_validator

from validator.language.grains import Grain, MixedGrains, covers
from validator.language.words import Operand, OperatorModel, Word, in_full
from validator.propositions.formula import Formula
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.arrays import Bounds, Column, Ints, Tri

# Types of packages above this one. Operators annotate their methods with the real types.
Game: TypeAlias = Any
Regulation: TypeAlias = Any
Prepared: TypeAlias = Any
Scope: TypeAlias = Any
Across: TypeAlias = Any
Terms: TypeAlias = Any

Problem: TypeAlias = tuple[Path, str]
"""A semantic error in a rule file: its place and a message."""

TO_PLAYERS, FROM_PLAYERS, NEITHER = 1, -1, 0
"""Directions of an amount: it grows with payments to players, with takings from them, or with neither."""

OTHERS = ""
"""Key in `words` for all operands that are not listed."""
NOTHING = "nothing, by the readings in force"
"""Description of a condition that cannot hold under the readings in force."""
ANYTHING = "anything"
"""Description of a condition that always holds under the readings in force."""


class Operator(Word[Operand]):
    """An operator of conditions or quantities on rounds of play."""

    words: ClassVar[str | Mapping[Any, str]] = ""
    """The condition or quantity in words, with `{}` for the operand. A mapping gives the words by operand, with
    `OTHER_OPERANDS` for those that are not listed. Operators that need more override `describe`."""
    speaks_of: ClassVar[Grain] = "round"
    """The grain of the operator. Operators whose grain depends on the operand override `find_grain`."""
    looks_at: ClassVar[Literal["record", "events", "submission"]] = "record"
    """The evidence that it needs in addition to the summary of the round: events, or the submission."""
    of_betting: ClassVar[bool] = False
    """True if it needs the state of the betting, the positions of seats or the division of the pots."""
    looks_back: ClassVar[bool] = False
    """True if it reads the previous round at the table."""
    may_hold_back: ClassVar[bool] = False
    """True if its operand may contain an operator that reads the previous round."""
    asks_seating: ClassVar[bool] = False
    """True if it needs to know which seats a round has."""
    itemwise: ClassVar[bool] = False
    """True if each of its values depends only on its parts for the same item. It can then be evaluated for some items
    only."""

    def grain(self, operand: Operand, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if the operand mixes stakes and events.
        """
        return self.speaks_of

    def facts(self, operand: Operand) -> Sequence[str]:
        """Return the facts of the game that the operand names."""
        return ()

    def steps(self, operand: Operand) -> Sequence[str]:
        """Return the steps of the game whose events it examines."""
        return ()

    def title(self, prepared: Prepared, operand: Operand) -> str:
        """Return the operand as people read it."""
        return str(operand)

    def in_words(self, prepared: Prepared, operand: Operand) -> str:
        """Return its `words` with the operand filled in."""
        words = self.words
        if not isinstance(words, str):
            words = words[operand] if operand in words else words[OTHERS]
        return words.format(self.title(prepared, operand))

    def problems(self, regulation: Regulation, game: Game, operand: Operand, here: Path) -> Iterator[Problem]:
        """Yield semantic errors of an operand whose names are all defined.

        Args:
            regulation: the document of the rule.
            game: the game of the document.
            operand: the operand.
            here: place of the operand in the file.
        """
        yield from ()


class ConditionOperator(Operator[Operand]):
    """An operator of `Condition`."""

    opposite: ClassVar[str] = ""
    """The opposite of the condition in words; empty for `not (...)`."""
    several: ClassVar[bool] = False
    """True if its description may join several parts by "and" or "or"."""
    never_unknown: ClassVar[bool] = False
    """True if it treats an unknown part as no."""

    def truth(self, scope: Scope, operand: Operand, grain: Grain) -> Tri:
        """Evaluate the condition for every item of its own grain.

        Args:
            scope: the batch, the game and the submission in force.
            operand: the operand.
            grain: the grain at which the whole condition is evaluated.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each item.
        """
        raise NotImplementedError

    def truth_of(self, scope: Scope, condition: Condition, grain: Grain, items: Ints) -> Tri:
        """Evaluate the condition for some items of its own grain.

        Args:
            scope: the batch, the game and the submission in force.
            condition: the condition.
            grain: its grain.
            items: int64[n], indices of the items.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each of them.
        """
        return scope.truth(condition, grain).take(items)

    def throughout(self, scope: Scope, operand: Operand) -> Tri:
        """Evaluate a condition of a finer grain for the whole round, if the round alone decides it.

        Returns:
            uint8[rounds]: UNKNOWN if the value depends on seats, stakes or events.
        """
        unknown: Tri = scope.unknown("round")
        return unknown

    def by_readings(self, operand: Operand, regulation: Regulation, needed: dict[str, str]) -> int:
        """Evaluate the condition by the readings in force alone.

        Args:
            operand: the operand.
            regulation: the document with its readings in force.
            needed: receives each reading that makes the condition NO, with the option under which it could hold.

        Returns:
            NO, UNKNOWN or YES; UNKNOWN if it depends on evidence.
        """
        return UNKNOWN

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        """Return the condition as a formula about complete evidence, for finding contradictions between rules.

        By default the formula is one variable of which nothing else is known.
        """
        return terms.whether(condition)

    # Comparison with the previous round

    def columns(self, scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
        """Yield the columns that `evaluate_across_rounds` needs, under names that begin with `name`."""
        yield name, scope.truth(condition, grain)

    def across(self, rounds: Across, operand: Operand, name: str) -> Tri:
        """Evaluate the condition from the columns collected of all rounds.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each round or player.
        """
        return rounds.column(name)

    # Descriptions

    def asked(self, prepared: Prepared, operand: Operand) -> str | bool:
        """Describe the condition as a requirement; return a bool if the readings alone decide it."""
        return self.in_words(prepared, operand)

    def demanded(self, prepared: Prepared, operand: Operand) -> str:
        """Describe the condition as a requirement under the readings in force."""
        worded = self.asked(prepared, operand)
        return worded if isinstance(worded, str) else ANYTHING if worded else NOTHING

    def denied(self, prepared: Prepared, operand: Operand, description: str) -> str:
        """Describe the opposite of the condition; `description` is the description of the condition."""
        return self.opposite or f"not ({description})"

    def asked_there(self, scope: Scope, operand: Operand, grain: Grain, index: int) -> str | None:
        """Describe the requirement for one item from the state of play; None if that says no more than `describe`."""
        return None

    def unmet_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        """Describe a requirement that one item does not satisfy, with the required figure."""
        description = self.asked_there(scope, condition.operand, grain, index)
        description = description or self.demanded(scope.prepared, condition.operand)
        figure = self.figure_there(scope, condition, grain, index)
        return f"{description} ({figure})" if figure else description

    def figure_there(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
        """Return the required figure for one item, if it is known and the description does not state it; else empty."""
        return ""

    def purpose(self, scope: Scope, grain: Grain, index: int) -> str:
        """Return words to put before unsatisfied parts: the purpose for which they are required."""
        return ""

    def leaves(self, condition: Condition, game: Game) -> Iterator[Condition]:
        """Yield the innermost conditions that it consists of: those that examine evidence of one item."""
        yield condition

    def unmet(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
        """Return the parts of a conjunction that one item does not satisfy; the condition itself if it is none."""
        return [condition]

    def grounds(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        """Yield the comparisons because of which it holds for one item."""
        yield from ()

    def holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
        """Yield the parts because of which it holds for one item; of alternatives, those that hold."""
        yield condition

    def shown_holding(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        """Yield the evidence, in words, for one item for which it holds."""
        for leaf in self.leaves(condition, scope.prepared.game):
            yield from leaf.meaning.shown(scope, leaf, grain, index)

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        """Yield the evidence, in words, for one item."""
        answer = answered(int(scope.truth(condition, grain)[index]))
        yield f"{self.demanded(scope.prepared, condition.operand)}: {answer}"

    def shown_of_seats(self, scope: Scope, operand: Operand, round_: int) -> Iterator[str]:
        """Yield the seats of a round, in words, that do not satisfy it."""
        yield from ()


def answered(value: int) -> str:
    """Format a truth value: `yes`, `no` or `not shown`."""
    return {NO: "no", YES: "yes"}.get(value, "not shown")


class QuantityOperator(Operator[Operand]):
    """An operator of `Quantity`."""

    money: ClassVar[bool] = False
    """True if it is an amount in minor units. Operators for which that depends on the operand override
    `measures_money`."""
    counts: ClassVar[bool] = False
    """True if it counts how often something happens; `format_operand` then names what happens."""
    anywhere: ClassVar[bool] = False
    """True if it is the same for all items; `compute_bounds` then returns it at the grain of the whole condition."""

    def bounds(self, scope: Scope, operand: Operand, grain: Grain) -> Bounds:
        """Return the lowest and the highest possible value for each item of its own grain, int64[n] each."""
        raise NotImplementedError

    def bounds_of(self, scope: Scope, operand: Operand, grain: Grain, items: Ints) -> Bounds:
        """Return its bounds for some items of its own grain; `items`: int64[n], their indices."""
        low, high = self.bounds(scope, operand, grain)
        least = low.take(items)
        return least, least if low is high else high.take(items)

    def parts(self, operand: Operand) -> Sequence[Quantity]:
        """Return the quantities that it is computed from item by item, if any."""
        return ()

    def is_money(self, prepared: Prepared, operand: Operand) -> bool:
        """Return whether it is an amount in minor units."""
        return self.money

    def below_zero(self, operand: Operand) -> bool:
        """Return whether it may be less than 0."""
        return any(part.meaning.below_zero(part.operand) for part in self.parts(operand))

    def asks_pots(self, operand: Operand) -> bool:
        """Return whether it needs the amounts of the pots."""
        return False

    def direction(self, operand: Operand) -> int:
        """Return whether it grows with payments to players (`TO_PLAYERS`), with takings from them, or with neither."""
        return NEITHER

    def columns(self, scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
        """Yield the columns that `compute_bounds_across_rounds` needs, under names that begin with `name`."""
        raise NotImplementedError

    def across(self, rounds: Across, operand: Operand, name: str) -> Bounds:
        """Return its bounds, computed from the columns collected of all rounds."""
        raise NotImplementedError

    def asked(self, prepared: Prepared, operand: Operand, *, money: bool) -> str:
        """Describe the quantity; with `money`, fixed numbers are amounts in minor units."""
        return self.in_words(prepared, operand)


class Quantity(OperatorModel):
    """A number taken from a round: an amount in minor currency units, or a count. A bare number means itself."""

    OPERATORS: ClassVar[Mapping[str, QuantityOperator[Any]]] = {}

    @property
    def meaning(self) -> QuantityOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def grain(self, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if it mixes stakes and events.
        """
        return self.meaning.grain(self.operand, game)

    def parts(self) -> list[Quantity]:
        """Return the quantities that it is computed from item by item, if any."""
        return list(self.meaning.parts(self.operand))

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
        return in_full(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> ConditionOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def grain(self, game: Game) -> Grain:
        """Return the coarsest grain at which it can be evaluated.

        Raises:
            MixedGrainsError: if it mixes stakes and events.
        """
        return self.meaning.grain(self.operand, game)


def asked_at(part: Condition | Quantity | None, grain: Grain, game: Game, here: Path) -> Iterator[Problem]:
    """Yield an error if a condition or quantity cannot be evaluated at a grain."""
    if part is None:
        return
    try:
        inner = part.grain(game)
    except MixedGrains as error:
        yield here, str(error)
        return
    if not covers(grain, inner):
        yield here, f"applies to each {inner}, but is used for each {grain}"
