"""Comparisons of a quantity with a bound, and the interface of their operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from validator.language.conditions import Operator, Quantity
from validator.language.words import OperatorModel
from validator.propositions.formula import Span

if TYPE_CHECKING:
    from validator.arrays import Bounds, Tri


class Bound(Operator[Quantity]):
    """An operator of `Comparison`."""

    operand = Quantity
    words: ClassVar[str]
    """The comparison in words: `at least`."""
    beyond: ClassVar[str]
    """The opposite comparison in words: `less than`."""

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        """Compare quantities with bounds.

        Returns:
            uint8[n]: NO, UNKNOWN or YES for each item.
        """
        raise NotImplementedError

    def spans(self, bound: int) -> Sequence[Span]:
        """Return the ranges of numbers that satisfy the comparison with a fixed bound."""
        raise NotImplementedError


class Comparison(OperatorModel):
    """A comparison of a quantity with a bound. It has `of` and exactly one bound."""

    BESIDE = frozenset({"of"})
    OPERATORS: ClassVar[Mapping[str, Bound]] = {}

    of: Quantity
    """The quantity that is compared."""

    @property
    def bound(self) -> Bound:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]
