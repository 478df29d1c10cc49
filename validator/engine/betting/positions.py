"""Where the named positions of a table are, in every round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.engine.betting.opens_by_upcards import best_showing, worst_showing
from validator.engine.core.context import Scope
from validator.engine.core.first_case import first_holding
from validator.engine.seats.seat_order import seating
from validator.language.refs import BUTTON
from validator.rules.model.table import Position

Where = tuple[Ints8, Flags]
"""Rows int8[rounds], ABSENT where no seat has the position, and where that is known."""
Bettors = Callable[[str], Where]
"""The last bettor of a span of play."""


def position(scope: Scope, name: str, bettors: Bettors) -> Where:
    """Where a position is. `bettors` is asked for those positions that betting decides."""
    return scope.once(("position", name), lambda: _position(scope, name, bettors))


def _position(scope: Scope, name: str, bettors: Bettors) -> Where:
    seats = seating(scope)
    if name == BUTTON:
        return seats.button, seats.turning
    table = scope.prepared.game.table
    cases = [] if table is None else table.positions[name]

    def place(case: Position) -> Where:
        match case.operator:
            case "at":
                return position(scope, case.operand, bettors)
            case "after":
                return _after(scope, case.operand, bettors)
            case "first-with":
                there, known = _with(scope, case.operand)
                return _row(there, there.argmax(axis=0)), known
            case "last-with":
                there, known = _with(scope, case.operand)
                return _row(there, len(there) - 1 - there[::-1].argmax(axis=0)), known
            case "best-showing":
                return best_showing(scope, case.operand)
            case "worst-showing":
                return worst_showing(scope, case.operand)
            case _:
                return bettors(case.operand)

    rows, known = first_holding(scope, cases, place, np.full(len(scope.batch), ABSENT, np.int8))
    return rows, known & seats.turning


def _with(scope: Scope, wager: str) -> tuple[Flags, Flags]:
    """bool[S, rounds]: the rows with a stake on a wager; and bool[rounds], where that is known."""
    seats = seating(scope)
    stakes = scope.batch.stakes
    listed = np.zeros(scope.length("seat") + 1, bool)
    listed[stakes.seat[(stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.bonus & ~stakes.tip]] = True
    return listed[seats.seats], seats.turning  # where no seat is, the last entry is taken


def _row(there: Flags, row: Ints) -> Ints8:
    return np.where(there.any(axis=0), row, ABSENT).astype(np.int8)


def _after(scope: Scope, name: str, bettors: Bettors) -> Where:
    """The next seat from a position; from the button also where it lies at no seat that takes part."""
    seats = seating(scope)
    some = seats.count > 0
    if name == BUTTON:
        return np.where(some, np.int8(0), np.int8(ABSENT)), seats.turning
    rows, known = position(scope, name, bettors)
    following = (rows.astype(np.int64) + 1) % np.maximum(seats.count, 1)
    return np.where(some & (rows != ABSENT), following, ABSENT).astype(np.int8), known
