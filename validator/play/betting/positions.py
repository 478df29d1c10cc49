"""Where the named positions of a table are, in every round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.event_values import PLACES
from validator.play.betting.acts import CONCEDE, FOLD
from validator.play.betting.cases import first_holding
from validator.play.betting.masks import NONE, Flags, Rows
from validator.play.betting.record import record_of
from validator.play.betting.seating import seating, taking_part
from validator.play.scope import UNRANKED, Scope
from validator.play.stages import stage_of_events
from validator.play.steps import kinds_recorded
from validator.rulebook.language.refs import BUTTON
from validator.rulebook.language.table import Position

Where = tuple[Rows, Flags]
"""Rows int8[rounds], NONE where no seat has the position, and where that is known."""
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
                return _showing(scope, case.operand, np.iinfo(np.int32).min)
            case "worst-showing":
                return _showing(scope, case.operand, np.iinfo(np.int32).max)
            case _:
                return bettors(case.operand)

    rows, known = first_holding(scope, cases, place, np.full(len(scope.batch), NONE, np.int8))
    return rows, known & seats.turning


def _with(scope: Scope, wager: str) -> tuple[NDArray[np.bool_], Flags]:
    """bool[S, rounds]: the rows with a stake on a wager; and bool[rounds], where that is known."""
    seats = seating(scope)
    stakes = scope.batch.stakes
    listed = np.zeros(scope.length("seat") + 1, bool)
    listed[stakes.seat[(stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.bonus & ~stakes.tip]] = True
    return listed[seats.seats], seats.turning  # where no seat is, the last entry is taken


def _showing(scope: Scope, hand: str, out: int) -> Where:
    """The first row with the best hand of open cards of those still in, or with the worst; seats that are out count as
    `out`, which is beyond the other end. Where the cards were never dealt nobody has it, and that is known."""
    table, rounds = seating(scope), len(scope.batch)
    strength = scope.strength(hand)
    dealt, still_in = in_when_dealt(scope, scope.prepared.hands[hand].through)
    shown = np.append(np.where(still_in, strength, np.int32(out)), np.int32(out))[table.seats]
    known = np.ones(rounds, bool)
    known[scope.batch.seats.round[still_in & (strength == UNRANKED)]] = False
    row = (shown.argmax(axis=0) if out < 0 else shown.argmin(axis=0)).astype(np.int64)
    some = np.zeros(rounds, bool)
    some[scope.batch.seats.round[still_in]] = True
    told = kinds_recorded(scope, ("deal",), "player")
    return np.where(dealt & known & some, row, NONE).astype(np.int8), told & (known | ~dealt)


def in_when_dealt(scope: Scope, stage: int) -> tuple[Flags, Flags]:
    """bool[rounds]: where players were dealt cards in a stage of the deal; bool[seats]: those that take part and had
    not given up their hands when the last of those cards was dealt."""
    events, record = scope.batch.events, record_of(scope)
    chosen = np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    last = np.full(len(scope.batch), ABSENT, np.int64)
    last[events.round[chosen]] = chosen
    gone = record.events[(record.op == FOLD) | (record.op == CONCEDE)]
    gone = gone[(gone < last[events.round[gone]]) & (events.seat[gone] != ABSENT)]
    still_in = taking_part(scope).copy()
    still_in[events.seat[gone]] = False
    return last != ABSENT, still_in


def _row(there: NDArray[np.bool_], row: NDArray[np.int64]) -> Rows:
    return np.where(there.any(axis=0), row, NONE).astype(np.int8)


def _after(scope: Scope, name: str, bettors: Bettors) -> Where:
    """The next seat from a position; from the button also where it lies at no seat that takes part."""
    seats = seating(scope)
    some = seats.count > 0
    if name == BUTTON:
        return np.where(some, np.int8(0), np.int8(NONE)), seats.turning
    rows, known = position(scope, name, bettors)
    following = (rows.astype(np.int64) + 1) % np.maximum(seats.count, 1)
    return np.where(some & (rows != NONE), following, NONE).astype(np.int8), known
