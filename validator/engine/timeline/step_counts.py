"""Number of events of a step, the number that the last one states, and ambiguity about both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.intervals import UNBOUNDED
from validator.engine.timeline.step_events import ambiguous_events, are_steps_recorded, certain_events, possible_events
from validator.language.grains import Grain


@cached_fact
def count_step_events(scope: EvaluationContext, name: str, grain: Grain) -> Bounds:
    """Return the least and the largest number of events of a step in each round or at each seat.

    If the log does not record the order of the deal, it shows that there were cards, but not in how many packets.
    """
    rounds = scope.rounds_of(grain)
    recorded = are_steps_recorded(scope, [name])[rounds]
    least = _count(scope, certain_events(scope, name), grain)
    doubtful = ambiguous_events(scope, name)
    most = least + _count(scope, doubtful, grain) if len(doubtful) else least
    if recorded.all():
        return least, most
    there = (least > 0) & are_steps_recorded(scope, [name], ordered=False)[rounds]
    return np.where(recorded, least, np.where(there, 1, -UNBOUNDED)), np.where(recorded, most, UNBOUNDED)


def _count(scope: EvaluationContext, chosen: Ints, grain: Grain) -> Ints:
    if grain == "round":
        return np.bincount(scope.batch.events.round.take(chosen), minlength=scope.count_items("round"))
    seat = scope.batch.events.seat.take(chosen)
    return np.bincount(seat.compress(seat != ABSENT), minlength=scope.count_items("seat"))


@cached_fact
def stated_numbers(scope: EvaluationContext, name: str, grain: Grain) -> Ints:
    """Return the number or amount that the last event of a step states in each round or at each seat.

    Returns:
        int64[n]; ABSENT if the event states none, if there is no such event or it is ambiguous, or if the log does not
        record the step.
    """
    chosen = possible_events(scope, name)
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    chosen = chosen[owner[chosen] != ABSENT]
    stated = np.where(np.isin(chosen, ambiguous_events(scope, name)), ABSENT, events.amount[chosen])
    numbers = np.full(scope.count_items(grain), ABSENT, np.int64)
    numbers[owner[chosen]] = stated
    recorded = are_steps_recorded(scope, [name])[scope.rounds_of(grain)]
    return np.where(recorded, numbers, ABSENT)


def has_ambiguous_events(scope: EvaluationContext, steps: Sequence[str]) -> bool:
    """Return whether some event may or may not belong to one of the steps."""
    return any(certain_events(scope, step) is not possible_events(scope, step) for step in steps)


def find_rounds_with_ambiguity(scope: EvaluationContext, steps: Sequence[str]) -> Flags:
    """Return whether each round has an event that may or may not belong to one of the steps.

    Returns:
        bool[rounds].
    """
    result = np.zeros(scope.count_items("round"), bool)
    for step in steps:
        result[scope.batch.events.round[ambiguous_events(scope, step)]] = True
    return result
