"""Some items of a batch alone, asked what they come to."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Bounds, Ints, Ints32, Tri
from validator.engine.core.context import Doubt, Scope
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain

Item = TypeVar("Item", bound=np.generic)


class Narrowed(Scope, kw_only=True):
    """Some items of a grain, by their places in the `whole` batch, int64[n]. Truths and bounds asked of it at that
    grain are of these items: what is put together item by item is put together for them alone, all else is asked of
    the whole batch, once."""

    whole: Scope
    own: Grain
    items: Ints

    def assumed(self) -> dict[bytes, Doubt]:
        """Return which conditions were taken as no without evidence in the whole batch."""
        return self.whole.assumed()

    def length(self, grain: Grain) -> int:
        """How many items there are of a grain."""
        return len(self.items) if grain == self.own else self.whole.length(grain)

    def round_of(self, grain: Grain) -> Ints32:
        """int32[n]: the round of each item of a grain."""
        if grain != self.own:
            return self.whole.round_of(grain)
        return self.once(("rounds",), lambda: self.whole.round_of(grain).take(self.items))

    def seat_of(self, grain: Grain) -> Ints32:
        """int32[n]: the seat of each item of a grain, ABSENT for an event of none."""
        if grain != self.own:
            return self.whole.seat_of(grain)
        return self.once(("seats",), lambda: self.whole.seat_of(grain).take(self.items))

    def spread(self, values: NDArray[Item], own: Grain, grain: Grain) -> NDArray[Item]:
        """Values of a coarser grain carried down to the items of a finer one."""
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
    """Some items of a scope, by their places among its own, int64[n] in ascending order; `known` is what was found of
    the same ones before."""
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
