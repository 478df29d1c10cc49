"""The order of things judged: steps in sequence, seats in an order set before."""

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
    """The order of steps, of the whole round or of each seat."""
    automaton = scope.prepared.automaton(check)
    grain: Grain = check.per
    events = scope.batch.events
    applies = scope.truth(check.when, grain)
    asked = np.append(applies != NO, False)  # the last stands for no seat
    symbols = symbols_of(scope, automaton.steps)
    chosen = events_of_any(scope, automaton.steps)
    owner = events.round if grain == "round" else events.seat
    chosen = chosen.compress(asked.take(owner.take(chosen)))
    if grain == "seat":
        chosen = chosen.take(np.argsort(events.seat.take(chosen), kind="stable"))
    group = owner.take(chosen)
    runs = run(automaton, symbols.take(chosen), group, scope.length(grain))
    unfinished = (runs.broke_at < 0) & ~automaton.accepts[runs.state]
    rounds, recorded = scope.round_of(grain), steps_recorded(scope, automaton.steps)
    told = recorded[rounds] & ~(unfinished & breaks_off(scope, grain))
    if any_doubtful(scope, automaton.steps):
        told &= ~left_open(scope, automaton, grain)
    told |= is_out_of_reach(scope, automaton, grain)
    arose = _may_fail(scope, automaton, symbols, grain) if asked.any() else asked[:-1]
    marks = judged_from((runs.broke_at >= 0) | unfinished, applies, told, arose)
    return Judged(
        marks=marks,
        round=rounds,
        tell=lambda item: _sequence_told(scope, check, automaton, runs, chosen, symbols, item),
        gap=lambda item: Told(
            where=item_place(scope, grain, item),
            expected=f"in this order: {_course(scope, check.steps)}",
            observed=_missing(scope, recorded, int(rounds[item])),
        ),
    )


def _may_fail(scope: Scope, automaton: Automaton, symbols: Ints8, grain: Grain) -> Flags:
    """bool[n]: whether the steps that happened in a round or at a seat, or may have, could have been a wrong course."""
    events = scope.batch.events
    owner = events.round if grain == "round" else events.seat
    happened = np.zeros(scope.length(grain) + 1, np.int64)  # the last stands for no seat
    for number in range(len(automaton.steps)):
        chosen = events_perhaps_of(scope, automaton.steps[number])
        earlier = (symbols.take(chosen) >= 0) & (symbols.take(chosen) < number)  # surely of another step than this
        came = np.zeros(len(happened), bool)
        came[owner.take(chosen.compress(~earlier))] = True
        happened |= came.astype(np.int64) << number
    examples, codes = alike(happened[:-1])
    return np.array([automaton.may_fail(one) for one in happened[examples].tolist()], bool)[codes]


def _missing(scope: Scope, recorded: Flags, round_: int) -> str:
    if not recorded[round_]:
        return NO_EVENTS
    return IN_DOUBT if scope.batch.complete[round_] else BREAKS_OFF


def _sequence_told(
    scope: Scope, check: SequenceCheck, automaton: Automaton, runs: Runs, chosen: Any, symbols: Any, item: int
) -> Told:
    round_ = int(scope.round_of(check.per)[item])
    at = int(runs.broke_at[item])
    if at < 0:
        return Told(
            where=place_of(scope, round_, seat=item if check.per == "seat" else ABSENT),
            expected=_titles(scope, automaton.allowed(int(runs.state[item])), " or "),
            observed="it did not happen",
        )
    event = int(chosen[at])
    owner = scope.batch.events.seat if check.per == "seat" else scope.batch.events.round
    title = _title(scope, automaton.steps[symbols[event]])
    before = None
    if at == 0 or owner[chosen[at - 1]] != owner[event]:
        observed = f"first of these: {at_event(scope, title, event)}"
    else:
        before = _title(scope, automaton.steps[symbols[chosen[at - 1]]])
        again = f"{title} again" if title == before else title
        observed = f"in this order: {at_event(scope, before, int(chosen[at - 1]))}; {at_event(scope, again, event)}"
    due = [_title(scope, one) for one in automaton.allowed(int(runs.before[item]))]
    return Told(
        where=place_of(scope, round_, seat=int(scope.batch.events.seat[event]), event=event),
        expected=_expected(scope, check, title, before, [one for one in due if one != before]),
        observed=observed,
    )


def _expected(scope: Scope, check: SequenceCheck, title: str, before: str | None, due: Sequence[str]) -> str:
    """What should have come instead of a step out of place: all in order, or, where steps come round again, those that
    were `due` after the one `before`."""
    if title != before and any(isinstance(part, Repeat) for part in check.steps):
        if due:
            return f"{' or '.join(due)}, and only then {title}"
        if before is not None:
            return f"{title} only before {before}"
    return f"in this order: {_course(scope, check.steps)}"


def _course(scope: Scope, steps: Sequence[SequenceStep | Repeat]) -> str:
    parts = []
    for part in steps:
        if isinstance(part, Repeat):
            parts.append(f"({_course(scope, part.repeat)}) any number of times")
        else:
            parts.append(_title(scope, part.step))
    return "; ".join(parts)


def _title(scope: Scope, step: str) -> str:
    return scope.prepared.steps[step].title


def _titles(scope: Scope, steps: Sequence[str], joint: str) -> str:
    return joint.join(_title(scope, step) for step in steps)


def in_same_order(scope: Scope, check: SameOrderCheck) -> Judged:
    """Two steps in one order of seats."""
    followed = same_order(scope, check.first, check.then)
    steps = scope.prepared.steps
    known = steps_recorded(scope, [check.first]) & ~rounds_in_doubt(scope, [check.first])
    recorded = known & (steps_recorded(scope, [check.then]) | (followed.broke_at >= 0))
    arose = followed.several
    if any_doubtful(scope, [check.then]):
        others = same_order(scope, check.first, check.then, perhaps=True)
        recorded &= (followed.broke_at >= 0) | (others.broke_at < 0)
        arose = arose | others.several
    marks = judged_from(followed.broke_at >= 0, kleene.constant(YES, len(scope.batch)), recorded, arose)

    def tell(round_: int) -> Told:
        events = scope.batch.events
        event, ahead = int(followed.broke_at[round_]), int(followed.ahead[round_])
        numbers = scope.batch.seats.number
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        came = twice(scope, steps[check.then].title, ahead, event)
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=f"seat {numbers[seat]} before seat {numbers[earlier]}, as in: {steps[check.first].title}",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}: {came}",
        )

    return Judged(
        marks=marks,
        round=scope.round_of("round"),
        tell=tell,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=f"{steps[check.first].title}, then {steps[check.then].title}",
            observed=NO_EVENTS,
        ),
    )


def in_turn_round_the_table(scope: Scope, check: InTurnCheck) -> Judged:
    """Seats come up round the table in one direction, each in one visit."""
    side = check.from_
    for other in check.otherwise:
        if scope.prepared.regulation.applies(other.reading.name, other.reading.is_):
            side = other.from_
    followed = in_turn(scope, check.steps, falling=side == "dealer-right")
    symbols = symbols_of(scope, check.steps)
    # Seats that are out of their turn stay so, whatever the log does not record.
    recorded, arose = steps_recorded(scope, check.steps) | (followed.broke_at >= 0), followed.several
    if any_doubtful(scope, check.steps):
        others = in_turn(scope, check.steps, falling=side == "dealer-right", perhaps=True)
        recorded &= (followed.broke_at >= 0) | (others.broke_at < 0)
        arose = arose | others.several
    marks = judged_from(followed.broke_at >= 0, scope.truth(check.when, "round"), recorded, arose)
    course = f"one seat after the other from the {_SIDES[side]}"

    def tell(round_: int) -> Told:
        events, numbers = scope.batch.events, scope.batch.seats.number
        event, ahead = int(followed.broke_at[round_]), int(followed.ahead[round_])
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        title, before = (_title(scope, check.steps[symbols[one]]) for one in (event, ahead))
        if seat == earlier:
            expected = f"at each seat in this order: {_titles(scope, check.steps, '; ')}"
            observed = "in this order"
        else:
            expected = f"{course}: seat {numbers[seat]} before seat {numbers[earlier]}"
            observed = f"seat {numbers[earlier]} before seat {numbers[seat]}"
        where = place_of(scope, round_, seat=seat, event=event)
        told = (
            twice(scope, title, ahead, event)
            if title == before
            else f"{at_event(scope, before, ahead)}; {at_event(scope, title, event)}"
        )
        return Told(where=where, expected=expected, observed=f"{observed}: {told}")

    return Judged(
        marks=marks,
        round=scope.round_of("round"),
        tell=tell,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=f"{course}: {_titles(scope, check.steps, '; ')}",
            observed=NO_EVENTS,
        ),
    )


_SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}
