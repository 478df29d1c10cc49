"""Rows of the named positions of a table, in every round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8
from validator.engine.betting.opens_by_upcards import find_first_showing
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.first_case import select_first_case
from validator.engine.seats.seat_order import SeatLayout, seat_layout
from validator.language.refs import BUTTON
from validator.rules.model.table import Position

PositionRows = tuple[Ints8, Flags]
"""Row of a position, int8[rounds], ABSENT if no seat has it, and whether it is known."""
LastBettorLookup = Callable[[EvaluationContext, str], PositionRows]
"""Function that returns the last bettor of a span of play."""


def find_row_before_opener(scope: EvaluationContext, name: str) -> tuple[Bits32, Flags]:
    """Return the row before the row of the position that opens, and whether it is known.

    Returns:
        uint32[rounds]; bool[rounds].
    """
    row, recorded = locate_position(scope, name, _refuse_last_bettor)
    count = np.maximum(seat_layout(scope).seat_count, 1)
    return ((row.astype(np.int64) + count - 1) % count).astype(np.uint32), recorded & (row != ABSENT)


def _refuse_last_bettor(_: EvaluationContext, span: str) -> PositionRows:
    """Refuse to evaluate an opening seat that depends on the betting; rules with such a seat are invalid."""
    raise ValueError(f"the opening seat depends on the last bettor of the {span}")


@cached_fact
def locate_position(scope: EvaluationContext, name: str, bettors: LastBettorLookup) -> PositionRows:
    """Return the rows of a position.

    Args:
        bettors: returns the last bettor, for positions that depend on the betting.
    """
    seats = seat_layout(scope)
    if name == BUTTON:
        return seats.button_row, seats.is_order_known
    table = scope.compiled_game.game.table
    cases = [] if table is None else table.positions[name]

    def place(case: Position) -> PositionRows:
        match case.operator:
            case "at":
                return locate_position(scope, case.operand, bettors)
            case "after":
                return _next_after(seats, case.operand, locate_position(scope, case.operand, bettors))
            case "first-with":
                there = _has_stake(scope, seats, case.operand)
                return _select_row(there, there.argmax(axis=0)), seats.is_order_known
            case "last-with":
                there = _has_stake(scope, seats, case.operand)
                return _select_row(there, len(there) - 1 - there[::-1].argmax(axis=0)), seats.is_order_known
            case "best-showing" | "worst-showing":
                return find_first_showing(scope, seats, case.operand, best=case.operator == "best-showing")
            case _:
                return bettors(scope, case.operand)

    rows, known = select_first_case(scope, cases, place, np.full(len(scope.batch), ABSENT, np.int8))
    return rows, known & seats.is_order_known


def _has_stake(scope: EvaluationContext, seats: SeatLayout, wager: str) -> Flags:
    """Return the rows with a stake on a wager."""
    stakes = scope.batch.stakes
    listed = np.zeros(scope.count_items("seat") + 1, bool)
    listed[stakes.seat[(stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.bonus & ~stakes.tip]] = True
    return listed[seats.seat_of_row]  # ABSENT selects the last entry


def _select_row(there: Flags, row: Ints) -> Ints8:
    return np.where(there.any(axis=0), row, ABSENT).astype(np.int8)


def _next_after(seats: SeatLayout, name: str, where: PositionRows) -> PositionRows:
    """Return the next seat after a position; after the button, also if the button is at no playing seat."""
    rows, known = where
    some = seats.seat_count > 0
    if name == BUTTON:
        return np.where(some, np.int8(0), np.int8(ABSENT)), known
    following = (rows.astype(np.int64) + 1) % np.maximum(seats.seat_count, 1)
    return np.where(some & (rows != ABSENT), following, ABSENT).astype(np.int8), known
