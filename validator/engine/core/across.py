"""Evaluation of statements that refer to the previous round.

Each such statement is split into parts that a single round shows. The audit collects these parts from every batch and
combines them once all rounds are in order of play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from pydantic import BaseModel

from validator.arrays import ABSENT, Bounds, Column, Flags, Ints, Tri
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR, where_told
from validator.engine.core.kleene import YES
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain
from validator.rules.core.visitor import walk


def spans(model: BaseModel) -> bool:
    """Return whether a condition or quantity refers to the previous round."""
    return any(isinstance(part, Condition | Quantity) and part.meaning.looks_back for _, part in walk(model, ()))


def asks_for_seats(model: BaseModel) -> bool:
    """Return whether a model needs the seats of each round although it is evaluated per round."""
    return any(isinstance(part, Quantity) and part.meaning.asks_seating for _, part in walk(model, ()))


def columns_of(scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
    """Yield the columns of a condition over the rounds or seats of a batch; their names begin with `name`."""
    return condition.meaning.columns(scope, condition, grain, name)


def columns_of_quantity(scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
    """Yield the columns of a quantity over the rounds or seats of a batch; their names begin with `name`."""
    if spans(quantity):
        yield from quantity.meaning.columns(scope, quantity, grain, name)
        return
    low, high = scope.bounds(quantity, grain)
    yield f"{name}.low", low
    yield f"{name}.high", high


class Across(Struct, frozen=True, kw_only=True):
    """Columns of all rounds, or of all seats, with the link from each item to the previous one."""

    column: Callable[[str], NDArray[Any]]
    """Returns the column of a name."""
    before: Ints
    """Index of the previous round or seat of each item; ABSENT if unknown."""
    new: Tri
    """True if the player is new at the table, and so had nothing in the previous round."""
    same_deck: Tri
    """True if the deck in play was also in play in the previous round."""
    next_seat: Callable[[Ints], Ints]
    """Returns the number of the next seat clockwise after each given seat number."""
    passed_over: Callable[[Ints, Ints], Bounds]
    """Returns bounds on how many players are between two seat numbers."""

    def truth(self, condition: Condition, name: str) -> Tri:
        """Evaluate a condition for each item.

        Returns:
            uint8[n].
        """
        return condition.meaning.across(self, condition.operand, name)

    def bounds(self, quantity: Quantity, name: str) -> Bounds:
        """Evaluate a quantity for each item, as bounds."""
        if spans(quantity):
            return quantity.meaning.across(self, quantity.operand, name)
        return self.column(f"{name}.low"), self.column(f"{name}.high")

    def before_each(self, of: Bounds) -> Bounds:
        """Return the bounds of the previous item for each item; 0 for a new player."""
        known, new = self.before != ABSENT, self.new == YES
        low, high = of
        return (
            np.where(known, low[self.before], np.where(new, 0, -FAR)),
            np.where(known, high[self.before], np.where(new, 0, FAR)),
        )

    def next_to(self, start: Bounds) -> Bounds:
        """Return the numbers of the next seats after given seat numbers."""
        known = _is_exact(start)
        number = self.next_seat(np.where(known, start[0], 0))
        return where_told(number, number, known & (number != ABSENT))

    def between(self, start: Bounds, end: Bounds) -> Bounds:
        """Return how many players are between two seats."""
        known = _is_exact(start) & _is_exact(end)
        low, high = self.passed_over(*(np.where(known, number, 0) for number, _ in (start, end)))
        return np.where(known, low, -FAR), np.where(known, high, FAR)


def _is_exact(of: Bounds) -> Flags:
    low, high = of
    return low == high
