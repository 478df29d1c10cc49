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

from validator.arrays import ABSENT, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR, Bounds, reckoned
from validator.engine.core.kleene import YES
from validator.engine.expressions.conditions import compared, truth
from validator.engine.expressions.quantities import bounds
from validator.rules.conditions.conditions import Condition, Quantity
from validator.rules.core.grain import Grain
from validator.rules.core.visitor import walk
from validator.rules.model.sessions import SuccessionCheck

Column = Callable[[str], NDArray[Any]]


def spans(model: Condition | Quantity) -> bool:
    """Whether something speaks of the round before."""
    return any(
        (isinstance(one, Quantity) and one.operator in ("previous", "passed-over"))
        or (isinstance(one, Condition) and one.operator == "new-player")
        for _, one in walk(model, ())
    )


def asks_for_seats(check: SuccessionCheck) -> bool:
    """Whether a check must know which seats there are, though it judges rounds."""
    return any(isinstance(one, Quantity) and one.operator in ("next-seat", "passed-over") for _, one in walk(check, ()))


def columns_of(scope: Scope, condition: Condition, grain: Grain, name: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """What the rounds or seats of a batch show of a statement, by names that begin with `name`."""
    operand = condition.operand
    match condition.operator:
        case "all" | "any":
            for number, part in enumerate(operand):
                yield from columns_of(scope, part, grain, f"{name}.{number}")
        case "not":
            yield from columns_of(scope, operand, grain, f"{name}.0")
        case "number" if spans(condition):
            yield from _of_quantity(scope, operand.of, grain, f"{name}.of")
            yield from _of_quantity(scope, operand.operand, grain, f"{name}.bound")
        case "new-player":
            return
        case _:
            yield name, truth(scope, condition, grain)


def _of_quantity(scope: Scope, quantity: Quantity, grain: Grain, name: str) -> Iterator[tuple[str, NDArray[Any]]]:
    if quantity.operator == "previous":
        yield from _of_quantity(scope, quantity.operand, grain, name)
    elif not spans(quantity):
        low, high = bounds(scope, quantity, grain)
        yield f"{name}.low", low
        yield f"{name}.high", high
    else:
        for number, part in enumerate(quantity.parts()):
            yield from _of_quantity(scope, part, grain, f"{name}.{number}")


class Across(Struct, frozen=True, kw_only=True):
    """What all rounds, or seats, show of a statement (`column`); `before` int64, which one each is held against,
    ABSENT where none is known; `new` uint8, whether it is a player who was not there, and had nothing; `next_seat`
    gives the numbers of the seats that come next after others, `passed_over` how many players are between two."""

    column: Column
    before: Ints
    new: Tri
    next_seat: Callable[[Ints], Ints]
    passed_over: Callable[[Ints, Ints], Bounds]

    def truth(self, condition: Condition, name: str) -> Tri:
        """uint8: whether a statement holds."""
        operand = condition.operand
        match condition.operator:
            case "all":
                return kleene.every([self.truth(part, f"{name}.{number}") for number, part in enumerate(operand)])
            case "any":
                return kleene.some([self.truth(part, f"{name}.{number}") for number, part in enumerate(operand)])
            case "not":
                return kleene.negated(self.truth(operand, f"{name}.0"))
            case "number" if spans(condition):
                of, bound = self.bounds(operand.of, f"{name}.of"), self.bounds(operand.operand, f"{name}.bound")
                return compared(operand.operator, of, bound)
            case "new-player":
                return self.new
            case _:
                return self.column(name)

    def bounds(self, quantity: Quantity, name: str) -> Bounds:
        """A quantity, as bounds."""
        if quantity.operator == "previous":
            low, high = self.bounds(quantity.operand, name)
            known, new = self.before != ABSENT, self.new == YES
            return (
                np.where(known, low[self.before], np.where(new, 0, -FAR)),
                np.where(known, high[self.before], np.where(new, 0, FAR)),
            )
        if not spans(quantity):
            return self.column(f"{name}.low"), self.column(f"{name}.high")
        parts = [self.bounds(part, f"{name}.{number}") for number, part in enumerate(quantity.parts())]
        if quantity.operator == "next-seat":
            return self._next(*parts[0])
        if quantity.operator == "passed-over":
            return self._passed(*parts)
        return reckoned(quantity, parts)

    def _passed(self, start: Bounds, end: Bounds) -> Bounds:
        known = (start[0] == start[1]) & (end[0] == end[1])
        low, high = self.passed_over(*(np.where(known, number, 0) for number, _ in (start, end)))
        return np.where(known, low, -FAR), np.where(known, high, FAR)

    def _next(self, low: Ints, high: Ints) -> Bounds:
        known = low == high
        number = self.next_seat(np.where(known, low, 0))
        known &= number != ABSENT
        return np.where(known, number, -FAR), np.where(known, number, FAR)
