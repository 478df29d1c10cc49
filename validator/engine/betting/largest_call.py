"""Largest bet that the other players could call."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.action_codes import DEAD
from validator.engine.betting.actions_recorded import betting_actions
from validator.engine.betting.replay import BettingReplay
from validator.engine.core.context import EvaluationContext
from validator.engine.seats.seat_order import seat_layout
from validator.engine.seats.seat_sets import mask_of_seat


def find_largest_call(scope: EvaluationContext, play: BettingReplay) -> tuple[Ints, Flags]:
    """Return the most that another seat still in has in and behind, 0 if none, and whether it is known.

    Returns:
        int64[events]; bool[events].
    """
    seats, owner = seat_layout(scope), scope.batch.events.round
    known = play.amounts_known_before & (play.row != ABSENT) & seats.are_stacks_known[owner]
    selected = np.flatnonzero(known)
    entry = play.snapshot_index.take(selected)
    others = play.snapshots.players_in.take(entry) & ~mask_of_seat(play.row.take(selected))
    chips = _stacks_at_start(scope, play)
    cell = play.snapshots.street.take(entry).astype(np.int64) * chips.shape[2] + owner.take(selected)
    most = np.zeros(len(selected), np.int64)
    for row, of_row in enumerate(chips.reshape(len(chips), -1)):
        there = (others >> np.uint32(row)) & np.uint32(1)
        np.maximum(most, of_row.take(cell) * there, out=most)
    result = np.zeros(len(owner), np.int64)
    result[selected] = most
    return result, known


def _stacks_at_start(scope: EvaluationContext, play: BettingReplay) -> Ints:
    """Return the chips of each row at the start of each betting round, less dead chips put in during it.

    Returns:
        int64[S, B, rounds].
    """
    seats, record, events = seat_layout(scope), betting_actions(scope), scope.batch.events
    streets = len(play.smallest_bet)
    spent = np.zeros((*seats.stacks.shape[:1], streets, len(scope.batch)), np.int64)
    chosen = np.flatnonzero((record.op >= DEAD) & (events.seat[record.events] != ABSENT))
    at = record.events[chosen]
    row, street = play.row[at], play.snapshots.street[play.snapshot_index[at]].astype(np.int64)
    inside = row != ABSENT
    at, row, street, amount = at[inside], row[inside], street[inside], record.amount[chosen][inside]
    # Chips of one betting round are gone when the next begins; dead chips are gone at once.
    street = street + (record.op[chosen][inside] != DEAD)
    here = street < streets
    np.add.at(spent, (row[here], street[here], events.round[at[here]]), amount[here])
    return np.maximum(seats.stacks[:, None, :] - spent.cumsum(axis=1), 0)
