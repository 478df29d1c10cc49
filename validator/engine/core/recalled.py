"""Cached evaluation for the description of many items, one after the other."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import field

from validator.arrays import Bounds, Truths
from validator.engine.core.context import EvaluationContext
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain


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
