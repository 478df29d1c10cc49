"""Statements that speak of a round and of the one before it: what each round shows of them, and how they come out.

A statement is taken apart into what one round can tell by itself. That is asked of each batch, and put together
once all rounds stand in the order of play.
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
    """Whether something speaks of the round before."""
    return any(isinstance(part, Condition | Quantity) and part.meaning.looks_back for _, part in walk(model, ()))


def asks_for_seats(model: BaseModel) -> bool:
    """Whether something must know of each round which seats there are, though it is asked of rounds."""
    return any(isinstance(part, Quantity) and part.meaning.asks_seating for _, part in walk(model, ()))


def columns_of(scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[Column]:
    """What the rounds or seats of a batch show of a statement, by names that begin with `name`."""
    return condition.meaning.columns(scope, condition, grain, name)


def columns_of_quantity(scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[Column]:
    """What the rounds or seats of a batch show of a quantity, by names that begin with `name`."""
    if spans(quantity):
        yield from quantity.meaning.columns(scope, quantity, grain, name)
        return
    low, high = scope.bounds(quantity, grain)
    yield f"{name}.low", low
    yield f"{name}.high", high


class Across(Struct, frozen=True, kw_only=True):
    """What all rounds, or seats, show of a statement (`column`); `before` int64, which one each is held against,
    ABSENT where none is known; `new` uint8, whether it is a player who was not there, and had nothing; `same_deck`
    uint8, whether the deck in play was in play there too; `next_seat` gives the numbers of the seats that come next
    after others, `passed_over` how many players are between two."""

    column: Callable[[str], NDArray[Any]]
    before: Ints
    new: Tri
    same_deck: Tri
    next_seat: Callable[[Ints], Ints]
    passed_over: Callable[[Ints, Ints], Bounds]

    def truth(self, condition: Condition, name: str) -> Tri:
        """uint8: whether a statement holds."""
        return condition.meaning.across(self, condition.operand, name)

    def bounds(self, quantity: Quantity, name: str) -> Bounds:
        """A quantity, as bounds."""
        if spans(quantity):
            return quantity.meaning.across(self, quantity.operand, name)
        return self.column(f"{name}.low"), self.column(f"{name}.high")

    def before_each(self, of: Bounds) -> Bounds:
        """Bounds as they were in what each one is held against."""
        known, new = self.before != ABSENT, self.new == YES
        low, high = of
        return (
            np.where(known, low[self.before], np.where(new, 0, -FAR)),
            np.where(known, high[self.before], np.where(new, 0, FAR)),
        )

    def next_to(self, start: Bounds) -> Bounds:
        """The numbers of the seats that come next after others."""
        known = _known(start)
        number = self.next_seat(np.where(known, start[0], 0))
        return where_told(number, number, known & (number != ABSENT))

    def between(self, start: Bounds, end: Bounds) -> Bounds:
        """How many players are between two seats."""
        known = _known(start) & _known(end)
        low, high = self.passed_over(*(np.where(known, number, 0) for number, _ in (start, end)))
        return np.where(known, low, -FAR), np.where(known, high, FAR)


def _known(of: Bounds) -> Flags:
    low, high = of
    return low == high
