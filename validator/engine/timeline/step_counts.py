"""Number of events of a step, the number that the last one states, and ambiguity about both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR
from validator.engine.timeline.step_events import doubtful_of, events_of, events_perhaps_of, steps_recorded
from validator.language.grains import Grain


@fact
def count_of_step(scope: Scope, name: str, grain: Grain) -> Bounds:
    """Return the least and the largest number of events of a step in each round or at each seat.

    If the log does not record the order of the deal, it shows that there were cards, but not in how many packets.
    """
    rounds = scope.round_of(grain)
    recorded = steps_recorded(scope, [name])[rounds]
    least = _count(scope, events_of(scope, name), grain)
    doubtful = doubtful_of(scope, name)
    most = least + _count(scope, doubtful, grain) if len(doubtful) else least
    if recorded.all():
        return least, most
    there = (least > 0) & steps_recorded(scope, [name], ordered=False)[rounds]
    return np.where(recorded, least, np.where(there, 1, -FAR)), np.where(recorded, most, FAR)


def _count(scope: Scope, chosen: Ints, grain: Grain) -> Ints:
    if grain == "round":
        return np.bincount(scope.batch.events.round.take(chosen), minlength=scope.length("round"))
    seat = scope.batch.events.seat.take(chosen)
    return np.bincount(seat.compress(seat != ABSENT), minlength=scope.length("seat"))


@fact
def number_of_step(scope: Scope, name: str, grain: Grain) -> Ints:
    """Return the number or amount that the last event of a step states in each round or at each seat.

    Returns:
        int64[n]; ABSENT if the event states none, if there is no such event or it is ambiguous, or if the log does not
        record the step.
    """
    chosen = events_perhaps_of(scope, name)
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    chosen = chosen[owner[chosen] != ABSENT]
    stated = np.where(np.isin(chosen, doubtful_of(scope, name)), ABSENT, events.amount[chosen])
    numbers = np.full(scope.length(grain), ABSENT, np.int64)
    numbers[owner[chosen]] = stated
    recorded = steps_recorded(scope, [name])[scope.round_of(grain)]
    return np.where(recorded, numbers, ABSENT)


def any_doubtful(scope: Scope, steps: Sequence[str]) -> bool:
    """Return whether some event may or may not belong to one of the steps."""
    return any(events_of(scope, step) is not events_perhaps_of(scope, step) for step in steps)


def rounds_in_doubt(scope: Scope, steps: Sequence[str]) -> Flags:
    """Return whether each round has an event that may or may not belong to one of the steps.

    Returns:
        bool[rounds].
    """
    result = np.zeros(scope.length("round"), bool)
    for step in steps:
        result[scope.batch.events.round[doubtful_of(scope, step)]] = True
    return result
