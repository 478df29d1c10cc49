"""Contexts derived from another context: some items of a batch, cached descriptions, and links to the previous round.

A statement that refers to the previous round is split into parts that a single round shows. The audit collects these
parts from every batch and combines them once all rounds are in order of play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from pydantic import BaseModel

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Ints32, Truths, np
from fairdeal.validator.engine.core.compiled_game import CompiledCondition, CompiledQuantity
from fairdeal.validator.engine.core.evaluation_context import (
    AssumedCondition,
    ConditionEvaluator,
    EvaluationContext,
    Item,
    QuantityEvaluator,
)
from fairdeal.validator.engine.core.kleene import UNBOUNDED, UNKNOWN, YES, keep_where_known
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.round_conditions import Condition, Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SubsetContext(EvaluationContext, kw_only=True):
    """Context of some items of one grain. Conditions at this grain are evaluated for these items only, all others for
    the parent's whole batch.
    """

    parent: EvaluationContext
    """Context of the whole batch."""
    subset_grain: Grain
    """Grain of the selected items."""
    items: Ints
    """Indices of the selected items in the whole batch, int64[n]."""

    def assumed_conditions(self) -> dict[bytes, AssumedCondition]:
        """Return the conditions that were taken as false without evidence in the whole batch."""
        return self.parent.assumed_conditions()

    def count_items(self, grain: Grain) -> int:
        """Return the number of items of a grain."""
        return len(self.items) if grain == self.subset_grain else self.parent.count_items(grain)

    def rounds_of(self, grain: Grain) -> Ints32:
        """Return the round of each item of a grain.

        Returns:
            int32[n].
        """
        if grain != self.subset_grain:
            return self.parent.rounds_of(grain)
        return self.compute_once(("rounds",), lambda: self.parent.rounds_of(grain).take(self.items))

    def seats_of(self, grain: Grain) -> Ints32:
        """Return the seat of each item of a grain; ABSENT for an event without a seat.

        Returns:
            int32[n].
        """
        if grain != self.subset_grain:
            return self.parent.seats_of(grain)
        return self.compute_once(("seats",), lambda: self.parent.seats_of(grain).take(self.items))

    def broadcast(self, values: NDArray[Item], own: Grain, grain: Grain) -> NDArray[Item]:
        """Carry values of a coarser grain to the items of a finer one."""
        if grain == self.subset_grain and own == "round" != grain:
            return values.take(self.rounds_of(grain))
        return super().broadcast(values, own, grain)

    def _truth(self, condition: CompiledCondition) -> Truths:
        own = condition.grain
        if own != self.subset_grain:
            return self.parent._truth(condition)
        if self.parent.has_evaluated(condition):
            return self.parent._truth(condition).take(self.items)
        if condition.is_itemwise or condition.decided != UNKNOWN:
            return super()._truth(condition)
        evaluator: ConditionEvaluator = condition.operator
        return self.compute_once(
            condition, lambda: evaluator.evaluate_items(self.parent, condition.condition, own, self.items)
        )

    def _bounds(self, quantity: CompiledQuantity) -> Bounds:
        own = quantity.grain
        if own != self.subset_grain:
            return self.parent._bounds(quantity)
        if quantity.is_itemwise:
            return super()._bounds(quantity)
        evaluator: QuantityEvaluator = quantity.operator
        return evaluator.compute_bounds_of_items(self.parent, quantity.operand, own, self.items)


def restrict(
    scope: EvaluationContext, grain: Grain, items: Ints, known: dict[Hashable, Any] | None = None
) -> SubsetContext:
    """Return a context that evaluates conditions for some items only.

    Args:
        items: indices of the items, int64[n] in ascending order.
        known: cache of an earlier context for the same items.
    """
    if isinstance(scope, SubsetContext):
        items = scope.items.take(items)
        scope = scope.parent
    memory = {} if known is None else known
    return SubsetContext(
        scope.batch,
        scope.compiled_game,
        scope.configuration,
        memory,
        scope.waived_checks,
        scope.open_assumption,
        scope.denied_conditions,
        parent=scope,
        subset_grain=grain,
        items=items,
    )


class CachedContext(EvaluationContext, kw_only=True):
    """Context that caches results at every grain at which items are described.

    The cache takes much memory: it must not outlive the description of one requirement.
    """

    parent: EvaluationContext
    """Context that computes the results."""
    results: dict[Hashable, Any] = field(default_factory=dict)
    """Results by identity of the condition or quantity, and by grain."""

    def evaluate(self, condition: Condition | None, grain: Grain) -> Truths:
        """Evaluate a condition for each item of a grain.

        Returns:
            uint8[n].
        """
        if condition is None:
            return self.parent.evaluate(condition, grain)
        key = condition.identity, grain
        if key not in self.results:
            self.results[key] = self.parent.evaluate(condition, grain)
        truth: Truths = self.results[key]
        return truth

    def compute_bounds(self, quantity: Quantity, grain: Grain) -> Bounds:
        """Return the least and the largest possible value of a quantity for each item of a grain.

        Returns:
            int64[n] each.
        """
        key = quantity.identity, grain
        if key not in self.results:
            self.results[key] = self.parent.compute_bounds(quantity, grain)
        bounds: Bounds = self.results[key]
        return bounds


def cache_descriptions(scope: EvaluationContext) -> CachedContext:
    """Return a context of the same batch for the description of its items."""
    return CachedContext(
        scope.batch,
        scope.compiled_game,
        scope.configuration,
        scope._memory,
        scope.waived_checks,
        scope.open_assumption,
        scope.denied_conditions,
        parent=scope,
    )


class PreviousRoundEvaluator(ABC):
    """Operators of the rule language, as they compare each round with the previous one."""

    @abstractmethod
    def refers_to_previous_round(self, model: BaseModel) -> bool:
        """Return whether a model refers to the previous round."""

    @abstractmethod
    def evaluate_across_rounds(self, rounds: PreviousRoundContext, condition: Condition, name: str) -> Truths:
        """Evaluate a condition from the columns collected of all rounds."""

    @abstractmethod
    def compute_bounds_across_rounds(self, rounds: PreviousRoundContext, quantity: Quantity, name: str) -> Bounds:
        """Return the bounds of a quantity from the columns collected of all rounds."""


class PreviousRoundContext(Struct, frozen=True, kw_only=True):
    """Columns of all rounds, or of all seats, with the link from each item to the previous one."""

    operators: PreviousRoundEvaluator
    """Operators of conditions and quantities."""
    column: Callable[[str], NDArray[Any]]
    """Returns the column of a name."""
    previous_index: Ints
    """Index of the previous round or seat of each item; ABSENT if unknown."""
    is_new_player: Truths
    """True if the player is new at the table, and so had nothing in the previous round."""
    has_same_deck: Truths
    """True if the deck in play was also in play in the previous round."""
    find_next_seat: Callable[[Ints], Ints]
    """Returns the number of the next seat clockwise after each given seat number."""
    count_between: Callable[[Ints, Ints], Bounds]
    """Returns bounds on how many players are between two seat numbers."""

    def evaluate(self, condition: Condition, name: str) -> Truths:
        """Evaluate a condition for each item.

        Returns:
            uint8[n].
        """
        return self.operators.evaluate_across_rounds(self, condition, name)

    def compute_bounds(self, quantity: Quantity, name: str) -> Bounds:
        """Evaluate a quantity for each item, as bounds."""
        if self.operators.refers_to_previous_round(quantity):
            return self.operators.compute_bounds_across_rounds(self, quantity, name)
        return self.column(f"{name}.low"), self.column(f"{name}.high")

    def previous_bounds(self, of: Bounds) -> Bounds:
        """Return the bounds of the previous item for each item; 0 for a new player."""
        known, new = self.previous_index != ABSENT, self.is_new_player == YES
        low, high = of
        return (
            np.where(known, low[self.previous_index], np.where(new, 0, -UNBOUNDED)),
            np.where(known, high[self.previous_index], np.where(new, 0, UNBOUNDED)),
        )

    def next_seat_bounds(self, start: Bounds) -> Bounds:
        """Return the numbers of the next seats after given seat numbers."""
        known = _is_exact(start)
        number = self.find_next_seat(np.where(known, start[0], 0))
        return keep_where_known(number, number, known & (number != ABSENT))

    def bounds_between(self, start: Bounds, end: Bounds) -> Bounds:
        """Return how many players are between two seats."""
        known = _is_exact(start) & _is_exact(end)
        low, high = self.count_between(*(np.where(known, number, 0) for number, _ in (start, end)))
        return np.where(known, low, -UNBOUNDED), np.where(known, high, UNBOUNDED)


def _is_exact(of: Bounds) -> Flags:
    low, high = of
    return low == high
