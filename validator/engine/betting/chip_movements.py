"""Chips that seats put in, add or remove, and the number of seats, over columns."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR, unless
from validator.engine.seats.seat_order import seats_follow, taking_part
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.truncated_records import breaks_off, so_far
from validator.evidence.handlog.events import KIND

MOVED = {"added": "chips-in", "removed": "chips-out"}
"""Kind of event for chips in each direction."""


def staked(scope: Scope, whose: str) -> Ints:
    """Return the sum of the stakes on all wagers, tips included.

    Returns:
        int64[seats] for `this-seat`, else int64[rounds].
    """
    stakes = scope.batch.stakes
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, stakes.seat, stakes.amount)
    if whose == "this-seat":
        return result
    total = np.zeros(len(scope.batch), np.int64)
    np.add.at(total, scope.batch.seats.round, result)
    return total


class Moved(Struct, frozen=True, kw_only=True):
    """Chips that each seat added, or removed, in the record of the round, int64[seats] in minor units."""

    before: Ints
    """Chips moved before anybody wagered."""
    during: Ints
    """Chips moved later."""
    recorded: Flags
    """True if the log records such movements, bool[seats]."""


@fact
def moved(scope: Scope, way: str) -> Moved:
    """Return the chips added, or removed. Movements of a player who has left the seat do not count."""
    return _collect_movement(scope, MOVED[way])


def _collect_movement(scope: Scope, kind: str) -> Moved:
    events, seats = scope.batch.events, scope.length("seat")
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    left, came = last_moves(scope)
    # A returning player may have bought chips before arriving, and cashed out after leaving.
    since = np.where((left != ABSENT) & (came > left), left if kind == MOVED["added"] else came, ABSENT)
    chosen = chosen[chosen > since[events.seat[chosen]]]
    before, during = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    late = ~_is_before_play(scope, chosen)
    np.add.at(before, events.seat[chosen[~late]], events.amount[chosen[~late]])
    np.add.at(during, events.seat[chosen[late]], events.amount[chosen[late]])
    return Moved(before=before, during=during, recorded=kinds_recorded(scope, (kind,))[scope.batch.seats.round])


def last_moves(scope: Scope) -> tuple[Ints, Ints]:
    """Return the last departure of a player from each seat, and the last arrival at it, before anybody wagered.

    Returns:
        int64[seats] each, the events; ABSENT if there is none.
    """
    events, seats = scope.batch.events, scope.length("seat")
    result = []
    for kind in ("leave", "arrive"):
        chosen = events_of_kinds(scope, (kind,))
        chosen = chosen[events.seat[chosen] != ABSENT]
        chosen = chosen[_is_before_play(scope, chosen)]
        last = np.full(seats, ABSENT, np.int64)
        last[events.seat[chosen]] = chosen
        result.append(last)
    return result[0], result[1]


def _is_before_play(scope: Scope, chosen: Ints) -> Flags:
    """Return whether events come before anybody wagers or decides."""
    return chosen < _find_first_wager(scope)[scope.batch.events.round[chosen]]


@fact
def _find_first_wager(scope: Scope) -> Ints:
    """Return the first wager or decision of each round; a number beyond all events if there is none."""
    events = scope.batch.events
    first = np.full(scope.length("round"), np.iinfo(np.int64).max)
    placed = np.flatnonzero((events.kind == KIND["wager"]) | (events.kind == KIND["decide"]))[::-1]
    first[events.round[placed]] = placed
    return first


def chips_moved(scope: Scope, way: str) -> Bounds:
    """Return bounds of the chips added or removed at each seat in the record of the round.

    Movements during the round may be counted before it or not. More may follow a truncated record.
    """
    chips = moved(scope, way)
    low, high = unless(chips.recorded, chips.before)
    if chips.during.any():
        high = high + chips.during
    return so_far(scope, "seat", (low, high))


def players(scope: Scope, which: str) -> Bounds:
    """Return bounds of the number of seats that play in each round, or are at the table."""
    owner = scope.batch.seats.round
    counted = owner[taking_part(scope)] if which == "dealt-in" else owner
    listed = np.bincount(counted, minlength=len(scope.batch))
    follow = seats_follow(scope) if which == "dealt-in" else breaks_off(scope, "round")
    return listed, np.where(follow, FAR, listed) if follow.any() else listed
