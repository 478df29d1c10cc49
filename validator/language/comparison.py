"""A quantity held against another, and what there is to hold it against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from validator.language.conditions import Operator, Quantity
from validator.language.words import OperatorModel
from validator.propositions.formula import Span

if TYPE_CHECKING:
    from validator.arrays import Bounds, Tri


class Bound(Operator[Quantity]):
    """A bound of `Comparison`."""

    operand = Quantity
    words: ClassVar[str]
    """It in words."""
    beyond: ClassVar[str]
    """The words of the bound that holds where this one does not."""

    def holds(self, value: Bounds, bound: Bounds) -> Tri:
        """uint8[n]: whether quantities keep to it."""
        raise NotImplementedError

    def spans(self, bound: int) -> Sequence[Span]:
        """The numbers that keep to it, where it is a fixed one."""
        raise NotImplementedError


class Comparison(OperatorModel):
    """A quantity held against a bound. Exactly one bound stands beside `of`."""

    BESIDE = frozenset({"of"})
    OPERATORS: ClassVar[Mapping[str, Bound]] = {}

    of: Quantity
    """The quantity that is judged."""

    @property
    def bound(self) -> Bound:
        """The bound that stands here."""
        return self.OPERATORS[self.operator]
