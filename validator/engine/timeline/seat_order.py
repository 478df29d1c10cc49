"""Order of seats: as in an earlier step, or around the table.

Events that a course already reports as out of order are ignored, and so are repetitions of earlier acts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.acts.repeated_acts import find_repetitions
from validator.engine.core.context import EvaluationContext
from validator.engine.timeline.course import reported_out_of_order
from validator.engine.timeline.step_events import certain_events, is_kind_recorded, possible_events


class SeatOrderCheck(Struct, frozen=True, kw_only=True):
    """Comparison of the events of each round with an order of seats."""

    broke_at: Ints
    """First event that should have come before the event ahead of it, int64[rounds]; -1 if there is none."""
    event_before: Ints
    """Event ahead of it, int64[rounds]."""
    has_several_seats: Flags
    """True if the round has events of several seats, which alone have an order, bool[rounds]."""


def check_same_order(scope: EvaluationContext, first: str, then: str, *, perhaps: bool = False) -> SeatOrderCheck:
    """Compare the seats of a step with the order in which the seats came up in another step.

    Args:
        first: the step that sets the order.
        then: the step to compare.
        perhaps: count events that may belong to the later step.
    """
    events = scope.batch.events
    rounds = scope.count_items("round")
    setting = _select_at_seats(scope, certain_events(scope, first))
    rank = np.full(scope.count_items("seat"), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(rank, events.seat[setting], setting)
    following = _select_at_seats(scope, _select_events(scope, then, perhaps))
    following = following.compress(rank.take(events.seat.take(following)) != np.iinfo(np.int64).max)
    return _compare_order(rounds, events.round[following], following, rank[events.seat[following]])


def check_rotation(
    scope: EvaluationContext, steps: Sequence[str], *, falling: bool, perhaps: bool = False
) -> SeatOrderCheck:
    """Compare the events of some steps with a tour around the table.

    Seats come in ascending (or `falling`) order of their numbers, each once. Within a seat, the steps come in the given
    order.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    symbols = step_symbols(scope, steps, perhaps=perhaps)
    chosen = _select_at_seats(scope, events_of_steps(scope, steps, perhaps=perhaps))
    owner = events.round.take(chosen)
    number = scope.batch.seats.number.take(events.seat.take(chosen)).astype(np.int64) * (-1 if falling else 1)
    place = number * len(steps) + symbols.take(chosen)
    return _compare_order(rounds, owner, chosen, place)


def check_clockwise(
    scope: EvaluationContext, step: str, rank: Ints, reported: Flags, *, perhaps: bool = False
) -> SeatOrderCheck:
    """Compare the seats of a step with an order of seats.

    Args:
        rank: int64[seats], the position of each seat in the order, -1 if it has none.
        reported: bool[events], events that another requirement reports, to be ignored.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    chosen = _select_at_seats(scope, _select_events(scope, step, perhaps))
    chosen = chosen.compress(~reported.take(chosen))
    chosen = chosen[rank[events.seat[chosen]] >= 0]
    return _compare_order(rounds, events.round[chosen], chosen, rank[events.seat[chosen]])


def step_symbols(scope: EvaluationContext, steps: Sequence[str], *, perhaps: bool = False) -> Ints8:
    """Return the first step that each event belongs to, as an index; -1 if none.

    Returns:
        int8[events].
    """
    symbols = np.full(scope.count_items("event"), -1, np.int8)
    for number, step in reversed(list(enumerate(steps))):
        symbols[_select_events(scope, step, perhaps)] = number
    return symbols


def events_of_steps(scope: EvaluationContext, steps: Sequence[str], *, perhaps: bool = False) -> Ints:
    """Return the events that belong to any of some steps, in log order.

    Returns:
        int64[m].
    """
    # A stable sort merges sorted runs, which is faster than a pass over all events.
    result = np.sort(np.concatenate([_select_events(scope, step, perhaps) for step in steps]), kind="stable")
    fresh = np.ones(len(result), bool)
    fresh[1:] = result[1:] != result[:-1]
    return result if fresh.all() else result.compress(fresh)


def _select_events(scope: EvaluationContext, step: str, perhaps: bool) -> Ints:
    return possible_events(scope, step) if perhaps else certain_events(scope, step)


def _select_at_seats(scope: EvaluationContext, events: Ints) -> Ints:
    """Return the events that have a seat.

    Events that a course reports as out of order, repetitions, and events of kinds that the log does not record are left
    out.
    """
    passed_over = reported_out_of_order(scope).take(events) | find_repetitions(scope).take(events)
    passed_over |= ~is_kind_recorded(scope).take(events)
    return events.compress((scope.batch.events.seat.take(events) != ABSENT) & ~passed_over)


def _compare_order(rounds: int, owner: Ints32, events: Ints, place: Ints) -> SeatOrderCheck:
    """Compare events, in log order, with an order in which their places must not decrease."""
    same_round = owner[1:] == owner[:-1]
    late = np.flatnonzero((place[1:] < place[:-1]) & same_round) + 1
    broke_at, ahead = np.full(rounds, -1, np.int64), np.full(rounds, -1, np.int64)
    broke_at[owner[late[::-1]]] = events[late[::-1]]
    ahead[owner[late[::-1]]] = events[late[::-1] - 1]
    several = np.zeros(rounds, bool)
    several[owner[1:][(place[1:] != place[:-1]) & same_round]] = True
    return SeatOrderCheck(broke_at=broke_at, event_before=ahead, has_several_seats=several)
