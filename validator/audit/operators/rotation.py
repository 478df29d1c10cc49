"""Check that seats act clockwise from a position of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.audit.statuses.status_codes import NO_EVENTS, NOT_APPLICABLE, Judged, Told, judged_from, place_of
from validator.engine.core.context import Scope
from validator.engine.seats.seat_order import seating
from validator.engine.text.evidence_text import twice
from validator.engine.timeline.seat_order import clockwise
from validator.engine.timeline.step_counts import any_doubtful
from validator.engine.timeline.step_events import steps_recorded
from validator.engine.turns.action_text import seat_in_words
from validator.engine.turns.left_open import told_by_the_betting
from validator.engine.turns.predicates import where
from validator.rules.model.betting import TurnsCheck


def turns(scope: Scope, check: TurnsCheck) -> Judged:
    """Check that the seats of a step come clockwise from a position.

    The check does not apply if no seat has one of the positions.
    """
    starting = check.starting
    for other in check.otherwise:
        if scope.prepared.regulation.applies(other.reading.name, other.reading.is_):
            starting = other.starting
    start, chosen, known = _find_start(scope, starting)
    ranks = _distances_from_start(scope, start)
    is_undecidable = told_by_the_betting(scope)
    order = clockwise(scope, check.step, ranks, is_undecidable)
    step = scope.prepared.steps[check.step]
    recorded, has_several = steps_recorded(scope, [check.step]), order.several
    is_broken = order.broke_at >= 0
    if any_doubtful(scope, [check.step]):
        others = clockwise(scope, check.step, ranks, is_undecidable, perhaps=True)
        known &= is_broken | (others.broke_at < 0)
        has_several = has_several | others.several
    statuses = judged_from(is_broken, scope.truth(check.when, "round"), recorded & known, has_several)
    nothing = (recorded & ~has_several) | (known & (start == ABSENT))
    statuses = np.where(nothing, np.uint8(NOT_APPLICABLE), statuses)

    def describe_failure(round_: int) -> Told:
        events, numbers = scope.batch.events, scope.batch.seats.number
        event, ahead = int(order.broke_at[round_]), int(order.ahead[round_])
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        begins = seat_in_words(scope, round_, int(start[round_]))
        course = f"clockwise from {begins} ({starting[chosen[round_]].replace('-', ' ')})"
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=f"{course}: seat {numbers[seat]} before seat {numbers[earlier]}",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}: {twice(scope, step.title, ahead, event)}",
        )

    def describe_gap(round_: int) -> Told:
        observed = "the log does not show the seat that comes first" if recorded[round_] else NO_EVENTS
        return Told(where=place_of(scope, round_), expected=f"clockwise: {step.title}", observed=observed)

    return Judged(marks=statuses, round=scope.round_of("round"), tell=describe_failure, gap=describe_gap)


def _find_start(scope: Scope, positions: Sequence[str]) -> tuple[Ints8, Ints, Flags]:
    """Return the seat at which the turns of each round start.

    Returns:
        The row of the first position that a seat has, ABSENT if there is none; the index of that position; whether both
        are known. Each has an entry for each round.
    """
    rounds = len(scope.batch)
    start, index = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int64)
    known = np.ones(rounds, bool)
    for number, name in enumerate(positions):
        rows, known_rows = where(scope, name)
        is_undecided = known & (start == ABSENT)
        known &= known_rows | ~is_undecided
        is_found = is_undecided & known_rows & (rows != ABSENT)
        start[is_found], index[is_found] = rows[is_found], number
    return start, index, known


def _distances_from_start(scope: Scope, start: Ints8) -> Ints:
    """Return the clockwise distance of each seat from the seat at which its round starts.

    Returns:
        int64[seats]; ABSENT for seats that take no part.
    """
    seats, owner = seating(scope), scope.batch.seats.round
    count = np.maximum(seats.count[owner].astype(np.int64), 1)
    distance = (seats.row.astype(np.int64) - start[owner]) % count
    return np.where(seats.row == ABSENT, ABSENT, distance)
