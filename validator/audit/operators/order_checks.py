"""Checks of the order of events: steps in sequence, seats in a given order, and seats clockwise from a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints8, flag_items, group_equal, has_any, look_up
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.wording.sentences import SIDES
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows, reported_by_betting
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_order import AutomatonRuns, StepAutomaton, run_automaton
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.item_evidence import format_steps_at_events, name_seat
from fairdeal.validator.engine.timeline import step_events, step_sequences
from fairdeal.validator.engine.timeline.excused_acts import is_truncated
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.language.submission_conditions import replace_hyphens
from fairdeal.validator.rules.betting_model import InTurnCheck, TurnsCheck
from fairdeal.validator.rules.check_model import Repeat, SequenceCheck, SequenceStep
from fairdeal.validator.rules.deal_model import SameOrderCheck


def check_seat_rotation(scope: EvaluationContext, check: TurnsCheck) -> status_codes.CheckResult:
    """Check that the seats of a step come clockwise from a position.

    The check does not apply if no seat has one of the positions.
    """
    starting = scope.compiled_game.regulation.apply_otherwise(check).starting
    start, chosen, known = _find_start(scope, starting)
    ranks = _distances_from_start(scope, start)
    is_undecidable = reported_by_betting(scope)
    order = step_sequences.check_clockwise(scope, check.step, ranks, is_undecidable)
    step = scope.compiled_game.steps[check.step]
    recorded, has_several = step_events.are_steps_recorded(scope, [check.step]), order.has_several_seats
    is_broken = order.broke_at >= 0
    if step_events.has_ambiguous_events(scope, [check.step]):
        others = step_sequences.check_clockwise(scope, check.step, ranks, is_undecidable, include_possible=True)
        known &= is_broken | (others.broke_at < 0)
        has_several = has_several | others.has_several_seats
    statuses = status_codes.combine_order_status(
        is_broken, scope.evaluate(check.when, "round"), recorded & known, has_several
    )
    nothing = (recorded & ~has_several) | (known & (start == ABSENT))
    statuses = np.where(nothing, np.uint8(status_codes.NOT_APPLICABLE), statuses)

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        begins = name_seat(scope, round_, int(start[round_]))
        course = f"clockwise from {begins} ({replace_hyphens(starting[chosen[round_]])})"
        return _describe_seats(scope, order, round_, lambda seats: f"{course}: {seats}", lambda _: step.title)

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=lambda: f"clockwise: {step.title}",
            observed=lambda round_: _NO_FIRST_SEAT if recorded[round_] else status_codes.NO_EVENTS,
        ),
    )


def _describe_seats(
    scope: EvaluationContext,
    order: step_sequences.SeatOrderCheck,
    round_: int,
    describe_expected: Callable[[str], str],
    title_of: Callable[[int], str],
) -> status_codes.FindingDetails:
    """Describe two events whose seats, or steps at one seat, came in the wrong order.

    Args:
        scope: context of the round.
        order: order of the seats.
        round_: the round.
        describe_expected: describes what is required, with the seats in their order; empty for one seat.
        title_of: returns the title of the step of an event.
    """
    events, numbers = scope.batch.events, scope.batch.seats.number
    event, ahead = int(order.broke_at[round_]), int(order.event_before[round_])
    seat, earlier = int(events.seat[event]), int(events.seat[ahead])
    is_one_seat, titles = seat == earlier, (title_of(ahead), title_of(event))
    seats = f"seat {numbers[earlier]} before seat {numbers[seat]}"
    texts = (
        [format_steps_at_events(scope, titles[0], ahead, event)]
        if titles[0] == titles[1]
        else map(partial(format_steps_at_events, scope), titles, (ahead, event))
    )
    return status_codes.FindingDetails(
        where=status_codes.build_place(scope, round_, seat=seat, event=event),
        expected=describe_expected("" if is_one_seat else f"seat {numbers[seat]} before seat {numbers[earlier]}"),
        observed=f"{'in this order' if is_one_seat else seats}: {'; '.join(texts)}",
    )


_NO_FIRST_SEAT = "the log does not show the seat that comes first"


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


def check_sequence(scope: EvaluationContext, check: SequenceCheck) -> status_codes.CheckResult:
    """Check the order of steps, of the whole round or of each seat."""
    automaton = scope.compiled_game.get_automaton(check)
    grain: Grain = check.each
    events = scope.batch.events
    applies = scope.evaluate(check.when, grain)
    is_applicable = applies != NO
    symbols = step_sequences.step_symbols(scope, automaton.steps)
    chosen = step_sequences.events_of_steps(scope, automaton.steps)
    owner = events.round if grain == "round" else events.seat
    chosen = chosen.compress(look_up(is_applicable, owner.take(chosen), missing=False))
    if grain == "seat":
        chosen = chosen.take(np.argsort(events.seat.take(chosen), kind="stable"))
    group = owner.take(chosen)
    runs = run_automaton(automaton, symbols.take(chosen), group, scope.count_items(grain))
    unfinished = (runs.rejected_event < 0) & ~automaton.accepting[runs.last_state]
    rounds, recorded = scope.rounds_of(grain), step_events.are_steps_recorded(scope, automaton.steps)
    is_decidable = recorded[rounds] & ~(unfinished & is_truncated(scope, grain))
    if step_events.has_ambiguous_events(scope, automaton.steps):
        is_decidable &= ~step_sequences.is_sequence_ambiguous(scope, automaton, grain)
    is_decidable |= step_sequences.is_sequence_impossible(scope, automaton, grain)
    may_break = _may_break_sequence(scope, automaton, symbols, grain) if has_any(is_applicable) else is_applicable
    statuses = status_codes.combine_order_status(
        (runs.rejected_event >= 0) | unfinished, applies, is_decidable, may_break
    )
    return status_codes.CheckResult(
        status_codes=statuses,
        round=rounds,
        describe_failure=lambda item: _describe_wrong_step(scope, check, automaton, runs, chosen, symbols, item),
        describe_gap=status_codes.describe_gaps(
            scope,
            grain,
            expected=lambda: f"in this order: {_describe_sequence(scope, check.steps)}",
            observed=lambda item: status_codes.explain_missing_record(
                scope, int(rounds[item]), is_recorded=bool(recorded[rounds[item]])
            ),
        ),
    )


def _may_break_sequence(scope: EvaluationContext, automaton: StepAutomaton, symbols: Ints8, grain: Grain) -> Flags:
    """Return whether the steps that happened, or may have happened, could be in a wrong order.

    Returns:
        bool[n], for rounds or seats.
    """
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    happened = np.zeros(scope.count_items(grain), np.int64)
    for number in range(len(automaton.steps)):
        chosen = step_events.possible_events(scope, automaton.steps[number])
        earlier = (symbols.take(chosen) >= 0) & (symbols.take(chosen) < number)  # certainly events of an earlier step
        has_step = flag_items(owner.take(chosen.compress(~earlier)), len(happened))
        happened |= has_step.astype(np.int64) << number
    examples, codes = group_equal(happened)
    return np.array([automaton.may_fail(steps) for steps in happened[examples].tolist()], bool)[codes]


def _describe_wrong_step(
    scope: EvaluationContext,
    check: SequenceCheck,
    automaton: StepAutomaton,
    runs: AutomatonRuns,
    chosen: Any,
    symbols: Any,
    item: int,
) -> status_codes.FindingDetails:
    round_ = int(scope.rounds_of(check.each)[item])
    position = int(runs.rejected_event[item])
    if position < 0:
        return status_codes.FindingDetails(
            where=status_codes.build_place(scope, round_, seat=item if check.each == "seat" else ABSENT),
            expected=_titles_of_steps(scope, automaton.list_due_steps(int(runs.last_state[item])), " or "),
            observed="it did not happen",
        )
    event = int(chosen[position])
    owner = scope.batch.events.seat if check.each == "seat" else scope.batch.events.round
    title = _title_of_step(scope, automaton.steps[symbols[event]])
    previous = None
    if position == 0 or owner[chosen[position - 1]] != owner[event]:
        observed = f"first of these: {format_steps_at_events(scope, title, event)}"
    else:
        previous = _title_of_step(scope, automaton.steps[symbols[chosen[position - 1]]])
        repeated = f"{title} again" if title == previous else title
        observed = (
            f"in this order: "
            f"{format_steps_at_events(scope, previous, int(chosen[position - 1]))}; "
            f"{format_steps_at_events(scope, repeated, event)}"
        )
    due_steps = automaton.list_due_steps(int(runs.state_before[item]), automaton.steps[symbols[event]])
    due = [_title_of_step(scope, step) for step in due_steps]
    return status_codes.FindingDetails(
        where=status_codes.build_place(scope, round_, seat=int(scope.batch.events.seat[event]), event=event),
        expected=_describe_expected_step(
            scope, check, title, previous, [step_title for step_title in due if step_title != previous]
        ),
        observed=observed,
    )


def _describe_expected_step(
    scope: EvaluationContext, check: SequenceCheck, title: str, previous: str | None, due: Sequence[str]
) -> str:
    """Describe the step that was expected instead of one out of order.

    For repeated steps the text names the steps that were due, otherwise the whole order.

    Args:
        scope: context of the round.
        check: check of the order.
        title: title of the step out of order.
        previous: title of the step before it.
        due: titles of the steps that were allowed.
    """
    if title != previous and any(isinstance(part, Repeat) for part in check.steps):
        if due:
            return f"{' or '.join(due)}, and only then {title}"
        if previous is not None:
            return f"{title} only before {previous}"
    return f"in this order: {_describe_sequence(scope, check.steps)}"


def _describe_sequence(scope: EvaluationContext, steps: Sequence[SequenceStep | Repeat]) -> str:
    parts = []
    for part in steps:
        if isinstance(part, Repeat):
            parts.append(f"({_describe_sequence(scope, part.repeat)}) any number of times")
        else:
            parts.append(_title_of_step(scope, part.step))
    return "; ".join(parts)


def _title_of_step(scope: EvaluationContext, step: str) -> str:
    return scope.compiled_game.steps[step].title


def _titles_of_steps(scope: EvaluationContext, steps: Sequence[str], joint: str) -> str:
    return joint.join(_title_of_step(scope, step) for step in steps)


def check_steps_in_same_order(scope: EvaluationContext, check: SameOrderCheck) -> status_codes.CheckResult:
    """Check that two steps come in one order of seats."""
    first, then = check.steps
    order = step_sequences.check_same_order(scope, first, then)
    steps = scope.compiled_game.steps
    known = step_events.are_steps_recorded(scope, [first]) & ~step_events.find_rounds_with_ambiguity(scope, [first])
    recorded = known & (step_events.are_steps_recorded(scope, [then]) | (order.broke_at >= 0))
    has_several = order.has_several_seats
    if step_events.has_ambiguous_events(scope, [then]):
        others = step_sequences.check_same_order(scope, first, then, include_possible=True)
        recorded &= (order.broke_at >= 0) | (others.broke_at < 0)
        has_several = has_several | others.has_several_seats
    statuses = status_codes.combine_order_status(
        order.broke_at >= 0, kleene.constant(YES, len(scope.batch)), recorded, has_several
    )

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        as_before = f"as in: {steps[first].title}"
        return _describe_seats(scope, order, round_, lambda seats: f"{seats}, {as_before}", lambda _: steps[then].title)

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=lambda: f"{steps[first].title}, then {steps[then].title}",
            observed=lambda _: status_codes.NO_EVENTS,
        ),
    )


def check_table_order(scope: EvaluationContext, check: InTurnCheck) -> status_codes.CheckResult:
    """Check that seats come in one direction round the table, each in one visit."""
    side = scope.compiled_game.regulation.apply_otherwise(check).from_
    order = step_sequences.check_rotation(scope, check.steps, falling=side == "dealer-right")
    symbols = step_sequences.step_symbols(scope, check.steps)
    # Seats out of turn are out of turn even if the log is incomplete.
    recorded, has_several = (
        step_events.are_steps_recorded(scope, check.steps) | (order.broke_at >= 0),
        order.has_several_seats,
    )
    if step_events.has_ambiguous_events(scope, check.steps):
        others = step_sequences.check_rotation(
            scope, check.steps, falling=side == "dealer-right", include_possible=True
        )
        recorded &= (order.broke_at >= 0) | (others.broke_at < 0)
        has_several = has_several | others.has_several_seats
    statuses = status_codes.combine_order_status(
        order.broke_at >= 0, scope.evaluate(check.when, "round"), recorded, has_several
    )
    course = f"one seat after the other from the {SIDES[side]}"

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        return _describe_seats(
            scope,
            order,
            round_,
            lambda seats: (
                f"{course}: {seats}"
                if seats
                else f"at each seat in this order: {_titles_of_steps(scope, check.steps, '; ')}"
            ),
            lambda event: _title_of_step(scope, check.steps[symbols[event]]),
        )

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=lambda: f"{course}: {_titles_of_steps(scope, check.steps, '; ')}",
            observed=lambda _: status_codes.NO_EVENTS,
        ),
    )
