"""Seats that come up clockwise from a position of the table."""

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
    """The seats of a step held against the course clockwise from a position. Where nobody has one of the positions
    asked for there is no course, and nothing to judge."""
    starting = check.starting
    for other in check.otherwise:
        if scope.prepared.regulation.applies(other.reading.name, other.reading.is_):
            starting = other.starting
    start, chosen, known = _beginning(scope, starting)
    ranks = _ranks(scope, start)
    told = told_by_the_betting(scope)
    followed = clockwise(scope, check.step, ranks, told)
    step = scope.prepared.steps[check.step]
    recorded, arose = steps_recorded(scope, [check.step]), followed.several
    broken = followed.broke_at >= 0
    if any_doubtful(scope, [check.step]):
        others = clockwise(scope, check.step, ranks, told, perhaps=True)
        known &= broken | (others.broke_at < 0)
        arose = arose | others.several
    marks = judged_from(broken, scope.truth(check.when, "round"), recorded & known, arose)
    nothing = (recorded & ~arose) | (known & (start == ABSENT))
    marks = np.where(nothing, np.uint8(NOT_APPLICABLE), marks)

    def tell(round_: int) -> Told:
        events, numbers = scope.batch.events, scope.batch.seats.number
        event, ahead = int(followed.broke_at[round_]), int(followed.ahead[round_])
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        begins = seat_in_words(scope, round_, int(start[round_]))
        course = f"clockwise from {begins} ({starting[chosen[round_]].replace('-', ' ')})"
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=f"{course}: seat {numbers[seat]} before seat {numbers[earlier]}",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}: {twice(scope, step.title, ahead, event)}",
        )

    def gap(round_: int) -> Told:
        told = "where the seats begin is not shown" if recorded[round_] else NO_EVENTS
        return Told(where=place_of(scope, round_), expected=f"clockwise: {step.title}", observed=told)

    return Judged(marks=marks, round=scope.round_of("round"), tell=tell, gap=gap)


def _beginning(scope: Scope, positions: Sequence[str]) -> tuple[Ints8, Ints, Flags]:
    """Per round: the row of the first position that a seat has (ABSENT where none has), which of them it is, and where
    that is known."""
    rounds = len(scope.batch)
    start, which = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int64)
    known = np.ones(rounds, bool)
    for number, name in enumerate(positions):
        rows, told = where(scope, name)
        open_ = known & (start == ABSENT)
        known &= told | ~open_
        found = open_ & told & (rows != ABSENT)
        start[found], which[found] = rows[found], number
    return start, which, known


def _ranks(scope: Scope, start: Ints8) -> Ints:
    """int64[seats]: how far clockwise each seat is from the one where its round begins, -1 where it takes no part."""
    seats, owner = seating(scope), scope.batch.seats.round
    count = np.maximum(seats.count[owner].astype(np.int64), 1)
    far = (seats.row.astype(np.int64) - start[owner]) % count
    return np.where(seats.row == ABSENT, ABSENT, far)
