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

from validator.arrays import ABSENT, Bounds, Column, Flags, Ints, Truths
from validator.engine.core.context import EvaluationContext
from validator.engine.core.intervals import UNBOUNDED, keep_where_known
from validator.engine.core.kleene import YES
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain
from validator.rules.core.visitor import walk_models


def refers_to_previous_round(model: BaseModel) -> bool:
    """Return whether a condition or quantity refers to the previous round."""
    return any(
        isinstance(part, Condition | Quantity) and part.meaning.reads_previous_round
        for _, part in walk_models(model, ())
    )


def requires_seats(model: BaseModel) -> bool:
    """Return whether a model needs the seats of each round although it is evaluated per round."""
    return any(isinstance(part, Quantity) and part.meaning.needs_seating for _, part in walk_models(model, ()))


def collect_columns(scope: EvaluationContext, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
    """Yield the columns of a condition over the rounds or seats of a batch; their names begin with `name`."""
    return condition.meaning.collect_columns(scope, condition, grain, name)


def collect_quantity_columns(scope: EvaluationContext, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
    """Yield the columns of a quantity over the rounds or seats of a batch; their names begin with `name`."""
    if refers_to_previous_round(quantity):
        yield from quantity.meaning.collect_columns(scope, quantity, grain, name)
        return
    low, high = scope.compute_bounds(quantity, grain)
    yield f"{name}.low", low
    yield f"{name}.high", high


class PreviousRoundContext(Struct, frozen=True, kw_only=True):
    """Columns of all rounds, or of all seats, with the link from each item to the previous one."""

    column: Callable[[str], NDArray[Any]]
    """Returns the column of a name."""
    previous_index: Ints
    """Index of the previous round or seat of each item; ABSENT if unknown."""
    is_new_player: Truths
    """True if the player is new at the table, and so had nothing in the previous round."""
    has_same_deck: Truths
    """True if the deck in play was also in play in the previous round."""
    find_next_seat: Callable[[Ints], Ints]
    """Returns the number of the next seat clockwise after each given seat number."""
    count_between: Callable[[Ints, Ints], Bounds]
    """Returns bounds on how many players are between two seat numbers."""

    def evaluate(self, condition: Condition, name: str) -> Truths:
        """Evaluate a condition for each item.

        Returns:
            uint8[n].
        """
        return condition.meaning.evaluate_across_rounds(self, condition.operand, name)

    def compute_bounds(self, quantity: Quantity, name: str) -> Bounds:
        """Evaluate a quantity for each item, as bounds."""
        if refers_to_previous_round(quantity):
            return quantity.meaning.compute_bounds_across_rounds(self, quantity.operand, name)
        return self.column(f"{name}.low"), self.column(f"{name}.high")

    def previous_bounds(self, of: Bounds) -> Bounds:
        """Return the bounds of the previous item for each item; 0 for a new player."""
        known, new = self.previous_index != ABSENT, self.is_new_player == YES
        low, high = of
        return (
            np.where(known, low[self.previous_index], np.where(new, 0, -UNBOUNDED)),
            np.where(known, high[self.previous_index], np.where(new, 0, UNBOUNDED)),
        )

    def next_seat_bounds(self, start: Bounds) -> Bounds:
        """Return the numbers of the next seats after given seat numbers."""
        known = _is_exact(start)
        number = self.find_next_seat(np.where(known, start[0], 0))
        return keep_where_known(number, number, known & (number != ABSENT))

    def bounds_between(self, start: Bounds, end: Bounds) -> Bounds:
        """Return how many players are between two seats."""
        known = _is_exact(start) & _is_exact(end)
        low, high = self.count_between(*(np.where(known, number, 0) for number, _ in (start, end)))
        return np.where(known, low, -UNBOUNDED), np.where(known, high, UNBOUNDED)


def _is_exact(of: Bounds) -> Flags:
    low, high = of
    return low == high
