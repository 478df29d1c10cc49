"""Evaluation of conditions for some items of a batch only."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.typing import NDArray

from validator.arrays import Bounds, Ints, Ints32, Truths
from validator.engine.core.context import AssumedCondition, EvaluationContext, Item
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain


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

    def _truth(self, condition: Condition, own: Grain) -> Truths:
        if own != self.subset_grain:
            return self.parent._truth(condition, own)
        if self.parent.has_evaluated(condition):
            return self.parent._truth(condition, own).take(self.items)
        if condition.meaning.itemwise:
            return super()._truth(condition, own)
        return self.compute_once(
            ("truth", condition.identity),
            lambda: condition.meaning.evaluate_items(self.parent, condition, own, self.items),
        )

    def _bounds(self, quantity: Quantity, own: Grain) -> Bounds:
        if own != self.subset_grain:
            return self.parent._bounds(quantity, own)
        if quantity.meaning.itemwise:
            return super()._bounds(quantity, own)
        return quantity.meaning.compute_bounds_of_items(self.parent, quantity.operand, own, self.items)


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
