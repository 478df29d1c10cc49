"""What seats put in, and chips that came to the table or left it, over columns; and how many seats there are."""

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
"""The kind of event that tells of chips, by the way they go."""


def staked(scope: Scope, whose: str) -> Ints:
    """What was staked on all wagers, tips included: int64[seats] for `this-seat`, else int64[rounds]."""
    stakes = scope.batch.stakes
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, stakes.seat, stakes.amount)
    if whose == "this-seat":
        return result
    total = np.zeros(len(scope.batch), np.int64)
    np.add.at(total, scope.batch.seats.round, result)
    return total


class Moved(Struct, frozen=True, kw_only=True):
    """Chips of each seat that came to the table, or left it, in the record of the round, int64[seats] minor units:
    `before` anybody wagered, and `during` what followed. `recorded` is bool[seats], whether the log records that."""

    before: Ints
    during: Ints
    recorded: Flags


@fact
def moved(scope: Scope, way: str) -> Moved:
    """Chips added, or removed. Where a player has left a seat and somebody has come to it since, what was done before
    is not of the player who sits there."""
    return _moved(scope, MOVED[way])


def _moved(scope: Scope, kind: str) -> Moved:
    events, seats = scope.batch.events, scope.length("seat")
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    left, came = last_moves(scope)
    # Who comes back may have bought chips on the way to the seat, and may have cashed out on the way from it.
    since = np.where((left != ABSENT) & (came > left), left if kind == MOVED["added"] else came, ABSENT)
    chosen = chosen[chosen > since[events.seat[chosen]]]
    before, during = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    late = ~_before_play(scope, chosen)
    np.add.at(before, events.seat[chosen[~late]], events.amount[chosen[~late]])
    np.add.at(during, events.seat[chosen[late]], events.amount[chosen[late]])
    return Moved(before=before, during=during, recorded=kinds_recorded(scope, (kind,))[scope.batch.seats.round])


def last_moves(scope: Scope) -> tuple[Ints, Ints]:
    """int64[seats] both: the last event by which a player left each seat before anybody wagered, and by which one came
    to it; ABSENT where there is none."""
    events, seats = scope.batch.events, scope.length("seat")
    result = []
    for kind in ("leave", "arrive"):
        chosen = events_of_kinds(scope, (kind,))
        chosen = chosen[events.seat[chosen] != ABSENT]
        chosen = chosen[_before_play(scope, chosen)]
        last = np.full(seats, ABSENT, np.int64)
        last[events.seat[chosen]] = chosen
        result.append(last)
    return result[0], result[1]


def _before_play(scope: Scope, chosen: Ints) -> Flags:
    """bool[m]: whether events come before anybody wagers or decides."""
    return chosen < _begun(scope)[scope.batch.events.round[chosen]]


@fact
def _begun(scope: Scope) -> Ints:
    """int64[rounds]: the first event in which anybody wagers or decides, beyond all events where nobody does."""
    events = scope.batch.events
    first = np.full(scope.length("round"), np.iinfo(np.int64).max)
    placed = np.flatnonzero((events.kind == KIND["wager"]) | (events.kind == KIND["decide"]))[::-1]
    first[events.round[placed]] = placed
    return first


def chips_moved(scope: Scope, way: str) -> Bounds:
    """Return the chips added at each seat in the round's record, or removed.

    Chips that came or went while the round was played may be counted before it or not. More may follow where the record
    stops.
    """
    chips = moved(scope, way)
    low, high = unless(chips.recorded, chips.before)
    if chips.during.any():
        high = high + chips.during
    return so_far(scope, "seat", (low, high))


def players(scope: Scope, which: str) -> Bounds:
    """Return how many seats take part in each round, or are at the table."""
    owner = scope.batch.seats.round
    counted = owner[taking_part(scope)] if which == "dealt-in" else owner
    listed = np.bincount(counted, minlength=len(scope.batch))
    follow = seats_follow(scope) if which == "dealt-in" else breaks_off(scope, "round")
    return listed, np.where(follow, FAR, listed) if follow.any() else listed
