"""Seats that come up one after the other: in the order of an earlier step, or in a direction round the table. Events
that are out of place in a course are not looked at: they are found there; nor those that repeat an earlier act."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.acts.repeated_acts import repetitions
from validator.engine.core.context import Scope
from validator.engine.timeline.course import misplaced
from validator.engine.timeline.step_events import events_of, events_of_recorded_kinds, events_perhaps_of


class Followed(Struct, frozen=True, kw_only=True):
    """Per round: `broke_at`, the first event that should have come before the event ahead of it (-1 where none
    should), and `ahead`, that earlier event. Both are int64[rounds]. `several`, bool[rounds]: whether events came up
    that have an order among them at all: of one seat alone they have none."""

    broke_at: Ints
    ahead: Ints
    several: Flags


def same_order(scope: Scope, first: str, then: str, *, perhaps: bool = False) -> Followed:
    """Hold the seats of a step's events against the order in which the seats came up in another step. With `perhaps`
    the events that may belong to the later step count among them, here as below."""
    events = scope.batch.events
    rounds = scope.length("round")
    setting = _at_seats(scope, events_of(scope, first))
    rank = np.full(scope.length("seat"), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(rank, events.seat[setting], setting)
    following = _at_seats(scope, _events(scope, then, perhaps))
    following = following.compress(rank.take(events.seat.take(following)) != np.iinfo(np.int64).max)
    return _followed(rounds, events.round[following], following, rank[events.seat[following]])


def in_turn(scope: Scope, steps: Sequence[str], *, falling: bool, perhaps: bool = False) -> Followed:
    """Hold the events of some steps against a course round the table: seats in rising (or falling) order of their
    numbers, each in one visit, and within a visit the steps in the order given."""
    events, rounds = scope.batch.events, scope.length("round")
    symbols = symbols_of(scope, steps, perhaps=perhaps)
    chosen = _at_seats(scope, events_of_any(scope, steps, perhaps=perhaps))
    owner = events.round.take(chosen)
    number = scope.batch.seats.number.take(events.seat.take(chosen)).astype(np.int64) * (-1 if falling else 1)
    place = number * len(steps) + symbols.take(chosen)
    return _followed(rounds, owner, chosen, place)


def clockwise(scope: Scope, step: str, rank: Ints, told: Flags, *, perhaps: bool = False) -> Followed:
    """Hold the seats of a step's events against an order of seats: `rank`, int64[seats], is the place of each in it, -1
    where it has none. `told`, bool[events], are events that something else tells, which are not looked at either."""
    events, rounds = scope.batch.events, scope.length("round")
    chosen = _at_seats(scope, _events(scope, step, perhaps))
    chosen = chosen.compress(~told.take(chosen))
    chosen = chosen[rank[events.seat[chosen]] >= 0]
    return _followed(rounds, events.round[chosen], chosen, rank[events.seat[chosen]])


def symbols_of(scope: Scope, steps: Sequence[str], *, perhaps: bool = False) -> Ints8:
    """int8[events]: which of some steps each event belongs to, the first that fits, -1 where none does."""
    symbols = np.full(scope.length("event"), -1, np.int8)
    for number, step in reversed(list(enumerate(steps))):
        symbols[_events(scope, step, perhaps)] = number
    return symbols


def events_of_any(scope: Scope, steps: Sequence[str], *, perhaps: bool = False) -> Ints:
    """int64[m]: the events that belong to any of some steps, in log order."""
    # A stable sort merges runs that are in order, which takes less than to look through all events.
    result = np.sort(np.concatenate([_events(scope, step, perhaps) for step in steps]), kind="stable")
    fresh = np.ones(len(result), bool)
    fresh[1:] = result[1:] != result[:-1]
    return result if fresh.all() else result.compress(fresh)


def _events(scope: Scope, step: str, perhaps: bool) -> Ints:
    return events_perhaps_of(scope, step) if perhaps else events_of(scope, step)


def _at_seats(scope: Scope, events: Ints) -> Ints:
    """Return the events of a seat among some, int64[m].

    Events that are out of place in a course are left out, as are those that repeat an earlier act or are of a kind that
    the log does not record.
    """
    passed_over = misplaced(scope).take(events) | repetitions(scope).take(events)
    passed_over |= ~events_of_recorded_kinds(scope).take(events)
    return events.compress((scope.batch.events.seat.take(events) != ABSENT) & ~passed_over)


def _followed(rounds: int, owner: Ints32, events: Ints, place: Ints) -> Followed:
    """Events, in log order, each of a round (`owner`) and with its place in an order that must not fall."""
    beside = owner[1:] == owner[:-1]
    late = np.flatnonzero((place[1:] < place[:-1]) & beside) + 1
    broke_at, ahead = np.full(rounds, -1, np.int64), np.full(rounds, -1, np.int64)
    broke_at[owner[late[::-1]]] = events[late[::-1]]
    ahead[owner[late[::-1]]] = events[late[::-1] - 1]
    several = np.zeros(rounds, bool)
    several[owner[1:][(place[1:] != place[:-1]) & beside]] = True
    return Followed(broke_at=broke_at, ahead=ahead, several=several)
