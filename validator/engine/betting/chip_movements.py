"""Chips that seats put in, add or remove, and the number of seats, over columns."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.intervals import UNBOUNDED, bounds_where_known
from validator.engine.seats.seat_order import is_playing, may_seats_follow
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.engine.timeline.truncated_records import extend_if_truncated, is_truncated
from validator.evidence.handlog.events import KIND_CODES

MOVEMENT_KINDS = {"added": "chips-in", "removed": "chips-out"}
"""Kind of event for chips in each direction."""


def sum_staked(scope: EvaluationContext, whose: str) -> Ints:
    """Return the sum of the stakes on all wagers, tips included.

    Returns:
        int64[seats] for `this-seat`, else int64[rounds].
    """
    stakes = scope.batch.stakes
    result = np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(result, stakes.seat, stakes.amount)
    if whose == "this-seat":
        return result
    total = np.zeros(len(scope.batch), np.int64)
    np.add.at(total, scope.batch.seats.round, result)
    return total


class ChipMovement(Struct, frozen=True, kw_only=True):
    """Chips that each seat added, or removed, in the record of the round, int64[seats] in minor units."""

    before_play: Ints
    """Chips moved before anybody wagered."""
    during_play: Ints
    """Chips moved later."""
    is_recorded: Flags
    """True if the log records such movements, bool[seats]."""


@cached_fact
def collect_chip_movement(scope: EvaluationContext, way: str) -> ChipMovement:
    """Return the chips added, or removed. Movements of a player who has left the seat do not count."""
    return _collect_movement(scope, MOVEMENT_KINDS[way])


def _collect_movement(scope: EvaluationContext, kind: str) -> ChipMovement:
    events, seats = scope.batch.events, scope.count_items("seat")
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    left, came = find_last_seat_changes(scope)
    # A returning player may have bought chips before arriving, and cashed out after leaving.
    since = np.where((left != ABSENT) & (came > left), left if kind == MOVEMENT_KINDS["added"] else came, ABSENT)
    chosen = chosen[chosen > since[events.seat[chosen]]]
    before, during = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    late = ~_is_before_play(scope, chosen)
    np.add.at(before, events.seat[chosen[~late]], events.amount[chosen[~late]])
    np.add.at(during, events.seat[chosen[late]], events.amount[chosen[late]])
    return ChipMovement(
        before_play=before, during_play=during, is_recorded=are_kinds_recorded(scope, (kind,))[scope.batch.seats.round]
    )


def find_last_seat_changes(scope: EvaluationContext) -> tuple[Ints, Ints]:
    """Return the last departure of a player from each seat, and the last arrival at it, before anybody wagered.

    Returns:
        int64[seats] each, the events; ABSENT if there is none.
    """
    events, seats = scope.batch.events, scope.count_items("seat")
    result = []
    for kind in ("leave", "arrive"):
        chosen = events_of_kinds(scope, (kind,))
        chosen = chosen[events.seat[chosen] != ABSENT]
        chosen = chosen[_is_before_play(scope, chosen)]
        last = np.full(seats, ABSENT, np.int64)
        last[events.seat[chosen]] = chosen
        result.append(last)
    return result[0], result[1]


def _is_before_play(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether events come before anybody wagers or decides."""
    return chosen < _find_first_wager(scope)[scope.batch.events.round[chosen]]


@cached_fact
def _find_first_wager(scope: EvaluationContext) -> Ints:
    """Return the first wager or decision of each round; a number beyond all events if there is none."""
    events = scope.batch.events
    first = np.full(scope.count_items("round"), np.iinfo(np.int64).max)
    placed = np.flatnonzero((events.kind == KIND_CODES["wager"]) | (events.kind == KIND_CODES["decide"]))[::-1]
    first[events.round[placed]] = placed
    return first


def bound_chips_moved(scope: EvaluationContext, way: str) -> Bounds:
    """Return bounds of the chips added or removed at each seat in the record of the round.

    Movements during the round may be counted before it or not. More may follow a truncated record.
    """
    chips = collect_chip_movement(scope, way)
    low, high = bounds_where_known(chips.is_recorded, chips.before_play)
    if chips.during_play.any():
        high = high + chips.during_play
    return extend_if_truncated(scope, "seat", (low, high))


def count_players(scope: EvaluationContext, which: str) -> Bounds:
    """Return bounds of the number of seats that play in each round, or are at the table."""
    owner = scope.batch.seats.round
    counted = owner[is_playing(scope)] if which == "dealt-in" else owner
    listed = np.bincount(counted, minlength=len(scope.batch))
    follow = may_seats_follow(scope) if which == "dealt-in" else is_truncated(scope, "round")
    return listed, np.where(follow, UNBOUNDED, listed) if follow.any() else listed
