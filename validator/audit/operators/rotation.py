"""Check that seats act clockwise from a position of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints8
from validator.audit.statuses.status_codes import (
    NO_EVENTS,
    NOT_APPLICABLE,
    CheckResult,
    FindingDetails,
    build_place,
    combine_order_status,
)
from validator.engine.core.context import EvaluationContext
from validator.engine.seats.seat_order import seat_layout
from validator.engine.text.evidence_text import format_step_at_two_events
from validator.engine.timeline.seat_order import check_clockwise
from validator.engine.timeline.step_counts import has_ambiguous_events
from validator.engine.timeline.step_events import are_steps_recorded
from validator.engine.turns.action_text import describe_seat
from validator.engine.turns.left_open import reported_by_betting
from validator.engine.turns.predicates import find_position_rows
from validator.rules.model.betting import TurnsCheck


def check_rotation(scope: EvaluationContext, check: TurnsCheck) -> CheckResult:
    """Check that the seats of a step come clockwise from a position.

    The check does not apply if no seat has one of the positions.
    """
    starting = check.starting
    for other in check.otherwise:
        if scope.compiled_game.regulation.is_option_in_force(other.reading.name, other.reading.is_):
            starting = other.starting
    start, chosen, known = _find_start(scope, starting)
    ranks = _distances_from_start(scope, start)
    is_undecidable = reported_by_betting(scope)
    order = check_clockwise(scope, check.step, ranks, is_undecidable)
    step = scope.compiled_game.steps[check.step]
    recorded, has_several = are_steps_recorded(scope, [check.step]), order.has_several_seats
    is_broken = order.broke_at >= 0
    if has_ambiguous_events(scope, [check.step]):
        others = check_clockwise(scope, check.step, ranks, is_undecidable, perhaps=True)
        known &= is_broken | (others.broke_at < 0)
        has_several = has_several | others.has_several_seats
    statuses = combine_order_status(is_broken, scope.evaluate(check.when, "round"), recorded & known, has_several)
    nothing = (recorded & ~has_several) | (known & (start == ABSENT))
    statuses = np.where(nothing, np.uint8(NOT_APPLICABLE), statuses)

    def describe_failure(round_: int) -> FindingDetails:
        events, numbers = scope.batch.events, scope.batch.seats.number
        event, ahead = int(order.broke_at[round_]), int(order.event_before[round_])
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        begins = describe_seat(scope, round_, int(start[round_]))
        course = f"clockwise from {begins} ({starting[chosen[round_]].replace('-', ' ')})"
        return FindingDetails(
            where=build_place(scope, round_, seat=seat, event=event),
            expected=f"{course}: seat {numbers[seat]} before seat {numbers[earlier]}",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}: {format_step_at_two_events(scope, step.title, ahead, event)}",
        )

    def describe_gap(round_: int) -> FindingDetails:
        observed = "the log does not show the seat that comes first" if recorded[round_] else NO_EVENTS
        return FindingDetails(where=build_place(scope, round_), expected=f"clockwise: {step.title}", observed=observed)

    return CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=describe_gap,
    )


def _find_start(scope: EvaluationContext, positions: Sequence[str]) -> tuple[Ints8, Ints, Flags]:
    """Return the seat at which the turns of each round start.

    Returns:
        The row of the first position that a seat has, ABSENT if there is none; the index of that position; whether both
        are known. Each has an entry for each round.
    """
    rounds = len(scope.batch)
    start, index = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int64)
    known = np.ones(rounds, bool)
    for number, name in enumerate(positions):
        rows, known_rows = find_position_rows(scope, name)
        is_undecided = known & (start == ABSENT)
        known &= known_rows | ~is_undecided
        is_found = is_undecided & known_rows & (rows != ABSENT)
        start[is_found], index[is_found] = rows[is_found], number
    return start, index, known


def _distances_from_start(scope: EvaluationContext, start: Ints8) -> Ints:
    """Return the clockwise distance of each seat from the seat at which its round starts.

    Returns:
        int64[seats]; ABSENT for seats that take no part.
    """
    seats, owner = seat_layout(scope), scope.batch.seats.round
    count = np.maximum(seats.seat_count[owner].astype(np.int64), 1)
    distance = (seats.row_of_seat.astype(np.int64) - start[owner]) % count
    return np.where(seats.row_of_seat == ABSENT, ABSENT, distance)
