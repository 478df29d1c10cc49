"""Check of the order of events: steps in sequence, and seats in a given order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Flags, Ints8, alike
from validator.audit.statuses.status_codes import (
    BREAKS_OFF,
    IN_DOUBT,
    NO_EVENTS,
    Judged,
    Told,
    item_place,
    judged_from,
    place_of,
)
from validator.engine.compiled.step_automaton import Automaton, Runs, run
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.text.evidence_text import at_event, twice
from validator.engine.timeline.ambiguous_runs import is_out_of_reach, left_open
from validator.engine.timeline.seat_order import (
    events_of_any,
    in_turn,
    same_order,
    symbols_of,
)
from validator.engine.timeline.step_counts import any_doubtful, rounds_in_doubt
from validator.engine.timeline.step_events import events_perhaps_of, steps_recorded
from validator.engine.timeline.truncated_records import breaks_off
from validator.language.grains import Grain
from validator.rules.model.betting import InTurnCheck
from validator.rules.model.deal import SameOrderCheck
from validator.rules.model.requirement import Repeat, SequenceCheck, SequenceStep


def sequence(scope: Scope, check: SequenceCheck) -> Judged:
    """Check the order of steps, of the whole round or of each seat."""
    automaton = scope.prepared.automaton(check)
    grain: Grain = check.per
    events = scope.batch.events
    applies = scope.truth(check.when, grain)
    is_applicable = np.append(applies != NO, False)  # the last entry is for events without a seat
    symbols = symbols_of(scope, automaton.steps)
    chosen = events_of_any(scope, automaton.steps)
    owner = events.round if grain == "round" else events.seat
    chosen = chosen.compress(is_applicable.take(owner.take(chosen)))
    if grain == "seat":
        chosen = chosen.take(np.argsort(events.seat.take(chosen), kind="stable"))
    group = owner.take(chosen)
    runs = run(automaton, symbols.take(chosen), group, scope.length(grain))
    unfinished = (runs.broke_at < 0) & ~automaton.accepts[runs.state]
    rounds, recorded = scope.round_of(grain), steps_recorded(scope, automaton.steps)
    is_decidable = recorded[rounds] & ~(unfinished & breaks_off(scope, grain))
    if any_doubtful(scope, automaton.steps):
        is_decidable &= ~left_open(scope, automaton, grain)
    is_decidable |= is_out_of_reach(scope, automaton, grain)
    may_break = _may_break_sequence(scope, automaton, symbols, grain) if is_applicable.any() else is_applicable[:-1]
    statuses = judged_from((runs.broke_at >= 0) | unfinished, applies, is_decidable, may_break)
    return Judged(
        marks=statuses,
        round=rounds,
        tell=lambda item: _describe_wrong_step(scope, check, automaton, runs, chosen, symbols, item),
        gap=lambda item: Told(
            where=item_place(scope, grain, item),
            expected=f"in this order: {_describe_sequence(scope, check.steps)}",
            observed=_describe_missing_record(scope, recorded, int(rounds[item])),
        ),
    )


def _may_break_sequence(scope: Scope, automaton: Automaton, symbols: Ints8, grain: Grain) -> Flags:
    """Return whether the steps that happened, or may have happened, could be in a wrong order.

    Returns:
        bool[n], for rounds or seats.
    """
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    happened = np.zeros(scope.length(grain) + 1, np.int64)  # the last entry is for events without a seat
    for number in range(len(automaton.steps)):
        chosen = events_perhaps_of(scope, automaton.steps[number])
        earlier = (symbols.take(chosen) >= 0) & (symbols.take(chosen) < number)  # certainly events of an earlier step
        has_step = np.zeros(len(happened), bool)
        has_step[owner.take(chosen.compress(~earlier))] = True
        happened |= has_step.astype(np.int64) << number
    examples, codes = alike(happened[:-1])
    return np.array([automaton.may_fail(steps) for steps in happened[examples].tolist()], bool)[codes]


def _describe_missing_record(scope: Scope, recorded: Flags, round_: int) -> str:
    if not recorded[round_]:
        return NO_EVENTS
    return IN_DOUBT if scope.batch.complete[round_] else BREAKS_OFF


def _describe_wrong_step(
    scope: Scope, check: SequenceCheck, automaton: Automaton, runs: Runs, chosen: Any, symbols: Any, item: int
) -> Told:
    round_ = int(scope.round_of(check.per)[item])
    position = int(runs.broke_at[item])
    if position < 0:
        return Told(
            where=place_of(scope, round_, seat=item if check.per == "seat" else ABSENT),
            expected=_titles_of_steps(scope, automaton.allowed(int(runs.state[item])), " or "),
            observed="it did not happen",
        )
    event = int(chosen[position])
    owner = scope.batch.events.seat if check.per == "seat" else scope.batch.events.round
    title = _title_of_step(scope, automaton.steps[symbols[event]])
    previous = None
    if position == 0 or owner[chosen[position - 1]] != owner[event]:
        observed = f"first of these: {at_event(scope, title, event)}"
    else:
        previous = _title_of_step(scope, automaton.steps[symbols[chosen[position - 1]]])
        repeated = f"{title} again" if title == previous else title
        observed = (
            f"in this order: {at_event(scope, previous, int(chosen[position - 1]))}; {at_event(scope, repeated, event)}"
        )
    due = [_title_of_step(scope, step) for step in automaton.allowed(int(runs.before[item]))]
    return Told(
        where=place_of(scope, round_, seat=int(scope.batch.events.seat[event]), event=event),
        expected=_describe_expected_step(
            scope, check, title, previous, [step_title for step_title in due if step_title != previous]
        ),
        observed=observed,
    )


def _describe_expected_step(
    scope: Scope, check: SequenceCheck, title: str, previous: str | None, due: Sequence[str]
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


def _describe_sequence(scope: Scope, steps: Sequence[SequenceStep | Repeat]) -> str:
    parts = []
    for part in steps:
        if isinstance(part, Repeat):
            parts.append(f"({_describe_sequence(scope, part.repeat)}) any number of times")
        else:
            parts.append(_title_of_step(scope, part.step))
    return "; ".join(parts)


def _title_of_step(scope: Scope, step: str) -> str:
    return scope.prepared.steps[step].title


def _titles_of_steps(scope: Scope, steps: Sequence[str], joint: str) -> str:
    return joint.join(_title_of_step(scope, step) for step in steps)


def in_same_order(scope: Scope, check: SameOrderCheck) -> Judged:
    """Check that two steps come in one order of seats."""
    order = same_order(scope, check.first, check.then)
    steps = scope.prepared.steps
    known = steps_recorded(scope, [check.first]) & ~rounds_in_doubt(scope, [check.first])
    recorded = known & (steps_recorded(scope, [check.then]) | (order.broke_at >= 0))
    has_several = order.several
    if any_doubtful(scope, [check.then]):
        others = same_order(scope, check.first, check.then, perhaps=True)
        recorded &= (order.broke_at >= 0) | (others.broke_at < 0)
        has_several = has_several | others.several
    statuses = judged_from(order.broke_at >= 0, kleene.constant(YES, len(scope.batch)), recorded, has_several)

    def describe_failure(round_: int) -> Told:
        events = scope.batch.events
        event, ahead = int(order.broke_at[round_]), int(order.ahead[round_])
        numbers = scope.batch.seats.number
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        came = twice(scope, steps[check.then].title, ahead, event)
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=f"seat {numbers[seat]} before seat {numbers[earlier]}, as in: {steps[check.first].title}",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}: {came}",
        )

    return Judged(
        marks=statuses,
        round=scope.round_of("round"),
        tell=describe_failure,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=f"{steps[check.first].title}, then {steps[check.then].title}",
            observed=NO_EVENTS,
        ),
    )


def in_turn_round_the_table(scope: Scope, check: InTurnCheck) -> Judged:
    """Check that seats come in one direction round the table, each in one visit."""
    side = check.from_
    for other in check.otherwise:
        if scope.prepared.regulation.applies(other.reading.name, other.reading.is_):
            side = other.from_
    order = in_turn(scope, check.steps, falling=side == "dealer-right")
    symbols = symbols_of(scope, check.steps)
    # Seats out of turn are out of turn even if the log is incomplete.
    recorded, has_several = steps_recorded(scope, check.steps) | (order.broke_at >= 0), order.several
    if any_doubtful(scope, check.steps):
        others = in_turn(scope, check.steps, falling=side == "dealer-right", perhaps=True)
        recorded &= (order.broke_at >= 0) | (others.broke_at < 0)
        has_several = has_several | others.several
    statuses = judged_from(order.broke_at >= 0, scope.truth(check.when, "round"), recorded, has_several)
    course = f"one seat after the other from the {_SIDES[side]}"

    def describe_failure(round_: int) -> Told:
        events, numbers = scope.batch.events, scope.batch.seats.number
        event, ahead = int(order.broke_at[round_]), int(order.ahead[round_])
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        title, earlier_title = (_title_of_step(scope, check.steps[symbols[place]]) for place in (event, ahead))
        if seat == earlier:
            expected = f"at each seat in this order: {_titles_of_steps(scope, check.steps, '; ')}"
            observed = "in this order"
        else:
            expected = f"{course}: seat {numbers[seat]} before seat {numbers[earlier]}"
            observed = f"seat {numbers[earlier]} before seat {numbers[seat]}"
        where = place_of(scope, round_, seat=seat, event=event)
        events_text = (
            twice(scope, title, ahead, event)
            if title == earlier_title
            else f"{at_event(scope, earlier_title, ahead)}; {at_event(scope, title, event)}"
        )
        return Told(where=where, expected=expected, observed=f"{observed}: {events_text}")

    return Judged(
        marks=statuses,
        round=scope.round_of("round"),
        tell=describe_failure,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=f"{course}: {_titles_of_steps(scope, check.steps, '; ')}",
            observed=NO_EVENTS,
        ),
    )


_SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}
