"""A batch whose items are described one after the other, without computing anything again for each."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from msgspec import field

from validator.arrays import Bounds, Tri
from validator.engine.core.context import Scope
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain


class Recalled(Scope, kw_only=True):
    """The `whole` batch, for which truths and bounds are computed once for each grain at which they are described.

    They take up much memory: this must not outlive the description of one requirement.
    """

    whole: Scope
    found: dict[Hashable, Any] = field(default_factory=dict)
    """Results by condition or quantity and grain."""

    def truth(self, condition: Condition | None, grain: Grain) -> Tri:
        """uint8[n]: whether a condition holds for each item of a grain."""
        if condition is None:
            return self.whole.truth(condition, grain)
        key = condition.identity, grain
        if key not in self.found:
            self.found[key] = self.whole.truth(condition, grain)
        truth: Tri = self.found[key]
        return truth

    def bounds(self, quantity: Quantity, grain: Grain) -> Bounds:
        """The least and the most a quantity may be for each item of a grain, int64[n] both."""
        key = quantity.identity, grain
        if key not in self.found:
            self.found[key] = self.whole.bounds(quantity, grain)
        bounds: Bounds = self.found[key]
        return bounds


def recall(scope: Scope) -> Recalled:
    """Return a scope of the same batch that describes its items."""
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
