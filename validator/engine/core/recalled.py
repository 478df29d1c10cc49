"""Cached evaluation for the description of many items, one after the other."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import field

from validator.arrays import Bounds, Tri
from validator.engine.core.context import Scope
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain


class Recalled(Scope, kw_only=True):
    """Context that caches results at every grain at which items are described.

    The cache takes much memory: it must not outlive the description of one requirement.
    """

    whole: Scope
    """Context that computes the results."""
    found: dict[Hashable, Any] = field(default_factory=dict)
    """Results by identity of the condition or quantity, and by grain."""

    def truth(self, condition: Condition | None, grain: Grain) -> Tri:
        """Evaluate a condition for each item of a grain.

        Returns:
            uint8[n].
        """
        if condition is None:
            return self.whole.truth(condition, grain)
        key = condition.identity, grain
        if key not in self.found:
            self.found[key] = self.whole.truth(condition, grain)
        truth: Tri = self.found[key]
        return truth

    def bounds(self, quantity: Quantity, grain: Grain) -> Bounds:
        """Return the least and the largest possible value of a quantity for each item of a grain.

        Returns:
            int64[n] each.
        """
        key = quantity.identity, grain
        if key not in self.found:
            self.found[key] = self.whole.bounds(quantity, grain)
        bounds: Bounds = self.found[key]
        return bounds


def recall(scope: Scope) -> Recalled:
    """Return a context of the same batch for the description of its items."""
    return Recalled(
        scope.batch,
        scope.prepared,
        scope.configuration,
        scope._memory,
        scope.waived,
        scope.supposed,
        scope.denied,
        whole=scope,
    )
