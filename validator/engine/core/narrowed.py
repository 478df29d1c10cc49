"""Evaluation of conditions for some items of a batch only."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from numpy.typing import NDArray

from validator.arrays import Bounds, Ints, Ints32, Tri
from validator.engine.core.context import Doubt, Item, Scope
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain


class Narrowed(Scope, kw_only=True):
    """Context of some items of one grain. Conditions at this grain are evaluated for these items only, all others for
    the parent's whole batch.
    """

    whole: Scope
    """Context of the whole batch."""
    own: Grain
    """Grain of the selected items."""
    items: Ints
    """Indices of the selected items in the whole batch, int64[n]."""

    def assumed(self) -> dict[bytes, Doubt]:
        """Return the conditions that were taken as false without evidence in the whole batch."""
        return self.whole.assumed()

    def length(self, grain: Grain) -> int:
        """Return the number of items of a grain."""
        return len(self.items) if grain == self.own else self.whole.length(grain)

    def round_of(self, grain: Grain) -> Ints32:
        """Return the round of each item of a grain.

        Returns:
            int32[n].
        """
        if grain != self.own:
            return self.whole.round_of(grain)
        return self.once(("rounds",), lambda: self.whole.round_of(grain).take(self.items))

    def seat_of(self, grain: Grain) -> Ints32:
        """Return the seat of each item of a grain; ABSENT for an event without a seat.

        Returns:
            int32[n].
        """
        if grain != self.own:
            return self.whole.seat_of(grain)
        return self.once(("seats",), lambda: self.whole.seat_of(grain).take(self.items))

    def spread(self, values: NDArray[Item], own: Grain, grain: Grain) -> NDArray[Item]:
        """Carry values of a coarser grain to the items of a finer one."""
        if grain == self.own and own == "round" != grain:
            return values.take(self.round_of(grain))
        return super().spread(values, own, grain)

    def _truth(self, condition: Condition, own: Grain) -> Tri:
        if own != self.own:
            return self.whole._truth(condition, own)
        if self.whole.knows(condition):
            return self.whole._truth(condition, own).take(self.items)
        if condition.meaning.itemwise:
            return super()._truth(condition, own)
        return self.once(
            ("truth", condition.identity), lambda: condition.meaning.truth_of(self.whole, condition, own, self.items)
        )

    def _bounds(self, quantity: Quantity, own: Grain) -> Bounds:
        if own != self.own:
            return self.whole._bounds(quantity, own)
        if quantity.meaning.itemwise:
            return super()._bounds(quantity, own)
        return quantity.meaning.bounds_of(self.whole, quantity.operand, own, self.items)


def among(scope: Scope, grain: Grain, items: Ints, known: dict[Hashable, Any] | None = None) -> Narrowed:
    """Return a context that evaluates conditions for some items only.

    Args:
        items: indices of the items, int64[n] in ascending order.
        known: cache of an earlier context for the same items.
    """
    if isinstance(scope, Narrowed):
        items = scope.items.take(items)
        scope = scope.whole
    memory = {} if known is None else known
    return Narrowed(
        scope.batch,
        scope.prepared,
        scope.configuration,
        memory,
        scope.waived,
        scope.supposed,
        scope.denied,
        whole=scope,
        own=grain,
        items=items,
    )
