"""Comparisons of a quantity with a bound, and the interface of their operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from validator.language.conditions import Quantity, RoundOperator
from validator.language.words import OperatorModel
from validator.propositions.formula import Span

if TYPE_CHECKING:
    from validator.arrays import Bounds, Truths


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
