"""The operators that judge rounds: statements, settlement, sequences, turns."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from validator.checks.marks import (
    ERROR,
    FAIL,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    PASS,
    Judged,
    Told,
    item_place,
    judged_from,
    place_of,
    weigh,
)
from validator.evidence.columns import ABSENT
from validator.evidence.events import KINDS, PLACES
from validator.play import tri
from validator.play.automaton import Automaton, Runs, run
from validator.play.conditions import holds_everywhere
from validator.play.scope import Scope
from validator.play.settlement import NO_CASE, Line, settle
from validator.play.steps import events_of, step_recorded
from validator.play.tri import YES
from validator.play.turns import NOBODY, dealing, same_order
from validator.play.words import demanded, held, missing, shown, title_of
from validator.rulebook.grain import Grain
from validator.rulebook.language.requirement import (
    DealtCheck,
    RoundCheck,
    SameOrderCheck,
    SequenceCheck,
    SettledCheck,
)
from validator.text.money import format_money
from validator.verdicts import Where

NO_EVENTS = "the log does not record these events"


def rule(scope: Scope, check: RoundCheck) -> Judged:
    """A statement judged for each round, seat, stake or event."""
    grain: Grain = check.each
    game = scope.prepared.game
    marks = weigh(holds_everywhere(scope, check.when, grain), holds_everywhere(scope, check.must, grain))
    rounds = scope.round_of(grain)
    items = np.arange(len(marks))
    if check.of is not None:
        items = events_of(scope, check.of)
        marks, rounds = marks[items], rounds[items]
        unrecorded = np.flatnonzero(~step_recorded(scope, scope.prepared.steps[check.of].events))
        items = np.concatenate([items, np.full(len(unrecorded), ABSENT)])
        marks = np.concatenate([marks, np.full(len(unrecorded), NOT_EVIDENCED, np.uint8)])
        rounds = np.concatenate([rounds, unrecorded.astype(np.int32)])

    def tell(item: int) -> Told:
        index = int(items[item])
        return Told(
            where=item_place(scope, grain, index),
            expected=demanded(game, check.must),
            observed=shown(scope, check.must, grain, index),
        )

    def gap(item: int) -> Told:
        index = int(items[item])
        if index == ABSENT:
            return Told(
                where=place_of(scope, int(rounds[item])), expected=demanded(game, check.must), observed=NO_EVENTS
            )
        doubtful = missing(scope, check.must, grain, index)
        return Told(
            where=item_place(scope, grain, index),
            expected=demanded(game, check.must),
            observed=f"the evidence does not show: {doubtful}",
        )

    return Judged(marks=marks, round=rounds, tell=tell, gap=gap)


def settled(scope: Scope, check: SettledCheck) -> Judged:
    """What was paid and taken against what is due, for every stake one of the cases decides."""
    cases = scope.prepared.game.settlement.cases
    wanted = [index for index, case in enumerate(cases) if case.case in check.cases]
    parts: list[tuple[Line, Any, Any]] = []
    for line in settle(scope).values():
        if not any(line.name in cases[index].lines for index in wanted):
            continue
        last = max(index for index, case in enumerate(cases) if line.name in case.lines)
        ours = np.isin(line.case, wanted) | ((line.case == NO_CASE) & (last in wanted))
        chosen = np.flatnonzero(ours)
        if len(chosen):
            parts.append((line, chosen, _payment_marks(line)[chosen]))
    marks = np.concatenate([part[2] for part in parts]) if parts else np.zeros(0, np.uint8)
    seats = np.concatenate([line.seat[chosen] for line, chosen, _ in parts]) if parts else np.zeros(0, np.int32)
    bounds = np.cumsum([len(part[2]) for part in parts])

    def find(item: int) -> tuple[Line, int]:
        part = int(np.searchsorted(bounds, item, side="right"))
        line, chosen, _ = parts[part]
        return line, int(chosen[item - (bounds[part - 1] if part else 0)])

    return Judged(
        marks=marks,
        round=scope.batch.seats.round[seats],
        tell=lambda item: _payment_told(scope, *find(item)),
        gap=lambda item: _payment_gap(scope, *find(item)),
    )


def _payment_marks(line: Line) -> Any:
    agrees = line.agrees()
    marks = np.full(len(line.seat), NOT_EVIDENCED, np.uint8)
    judged = line.settled & line.recorded()
    marks[judged & agrees.all(axis=0)] = PASS
    marks[judged & ~agrees.any(axis=0)] = FAIL
    marks[line.case == NO_CASE] = ERROR
    return marks


def _payment_told(scope: Scope, line: Line, index: int) -> Told:
    regulation = scope.prepared.regulation
    where = _payment_place(scope, line, index)
    if line.case[index] == NO_CASE:
        return Told(where=where, expected="a case of settlement that applies", observed="none does")
    case = scope.prepared.game.settlement.cases[line.case[index]]
    due = " or ".join(_amounts(one, int(line.due_taken[index])) for one in line.dues(index))
    paid, taken = Fraction(int(line.paid[index])), int(line.taken[index])
    balance = min((paid - taken) - (due_paid - int(line.due_taken[index])) for due_paid in line.dues(index))
    return Told(
        where=where,
        expected=f"{due}: {_because(scope, line, index)}",
        observed=f"{_amounts(paid, taken)}{_balance(balance)}",
        clauses=regulation.clause_ids(case.clauses),
        readings=tuple(regulation.full_id(name) for name in case.readings),
    )


def _payment_gap(scope: Scope, line: Line, index: int) -> Told:
    where = _payment_place(scope, line, index)
    if not line.recorded()[index]:
        return Told(where=where, expected="what was paid and taken", observed="the log does not say")
    if line.settled[index]:
        paid = _amounts(Fraction(int(line.paid[index])), int(line.taken[index]))
        due = " or ".join(_amounts(one, int(line.due_taken[index])) for one in line.dues(index))
        return Told(
            where=where,
            expected=f"the pay table in use; by the permitted ones {due} may be due",
            observed=f"{paid}; the table in use is not submitted",
        )
    return Told(
        where=where,
        expected="the cards and decisions that tell what is due",
        observed=f"the log does not show them all; {_hands(scope, int(line.seat[index]))}",
    )


def _payment_place(scope: Scope, line: Line, index: int) -> Where:
    seat = int(line.seat[index])
    wager = f"{line.name} (tip)" if line.tip[index] else line.name
    return place_of(scope, int(scope.batch.seats.round[seat]), seat=seat, wager=wager)


def _because(scope: Scope, line: Line, index: int) -> str:
    """Why a stake is due what it is due: the case and the hands it looks at."""
    case = scope.prepared.game.settlement.cases[line.case[index]]
    seat = int(line.seat[index])
    title = title_of(scope.prepared.game, line.name)
    if case.due.operator == "pay-table":
        hand = scope.prepared.hand_of(line.name)
        return f"{title} {format_money(int(line.amount[index]))} by the pay table on {held(scope, hand, 'seat', seat)}"
    reason = "" if case.when is None else f"; {shown(scope, case.when, 'seat', seat)}"
    return f"{title} {format_money(int(line.amount[index]))}, {case.case.replace('-', ' ')}{reason}"


def _hands(scope: Scope, seat: int) -> str:
    return "; ".join(held(scope, hand, "seat", seat) for hand in scope.prepared.hands)


def _amounts(paid: Fraction, taken: int) -> str:
    shown_paid = format_money(int(paid)) if paid.denominator == 1 else f"{paid / 100}"
    if not paid and not taken:
        return "nothing paid, nothing taken"
    if not taken:
        return f"{shown_paid} paid"
    return f"{format_money(taken)} taken" if not paid else f"{shown_paid} paid, {format_money(taken)} taken"


def _balance(balance: Fraction) -> str:
    if not balance:
        return ""
    return f" ({format_money(abs(round(balance)))} {'too much' if balance > 0 else 'too little'} to the player)"


def sequence(scope: Scope, check: SequenceCheck) -> Judged:
    """The order of steps, of the whole round or of each seat."""
    automaton = scope.prepared.automaton(check)
    grain: Grain = check.per
    events = scope.batch.events
    symbols = np.full(scope.length("event"), -1, np.int8)
    for number, step in reversed(list(enumerate(automaton.steps))):
        symbols[events_of(scope, step)] = number
    chosen = np.flatnonzero(symbols >= 0)
    group = events.round[chosen]
    if grain == "seat":
        chosen = chosen[events.seat[chosen] != ABSENT]
        order = np.argsort(events.seat[chosen], kind="stable")
        chosen = chosen[order]
        group = events.seat[chosen]
    runs = run(automaton, symbols[chosen], group, scope.length(grain))
    unfinished = (runs.broke_at < 0) & ~automaton.accepts[runs.state]
    kinds = tuple(sorted({kind for step in automaton.steps for kind in scope.prepared.steps[step].events}))
    rounds = scope.round_of(grain)
    marks = judged_from(
        (runs.broke_at >= 0) | unfinished,
        holds_everywhere(scope, check.when, grain),
        step_recorded(scope, kinds)[rounds],
    )
    return Judged(
        marks=marks,
        round=rounds,
        tell=lambda item: _sequence_told(scope, automaton, runs, chosen, symbols, grain, item),
        gap=lambda item: Told(
            where=item_place(scope, grain, item),
            expected=_titles(scope, automaton.steps, ", then "),
            observed=NO_EVENTS,
        ),
    )


def _sequence_told(
    scope: Scope, automaton: Automaton, runs: Runs, chosen: Any, symbols: Any, grain: Grain, item: int
) -> Told:
    round_ = int(scope.round_of(grain)[item])
    seat = item if grain == "seat" else ABSENT
    if runs.broke_at[item] < 0:
        return Told(
            where=place_of(scope, round_, seat=seat),
            expected=_titles(scope, automaton.allowed(int(runs.state[item])), " or "),
            observed="it did not happen",
        )
    event = int(chosen[runs.broke_at[item]])
    step = automaton.steps[symbols[event]]
    allowed = automaton.allowed(int(runs.before[item]))
    return Told(
        where=place_of(scope, round_, seat=int(scope.batch.events.seat[event]), event=event),
        expected=_titles(scope, allowed, " or ") if allowed else "no further event of these steps",
        observed=f"{scope.prepared.steps[step].title} ({KINDS[scope.batch.events.kind[event]]}) came here",
    )


def _titles(scope: Scope, steps: tuple[str, ...], joint: str) -> str:
    return joint.join(scope.prepared.steps[step].title for step in steps)


def dealt(scope: Scope, check: DealtCheck) -> Judged:
    """The turn of dealing."""
    turns = dealing(scope, check.step)
    marks = judged_from(
        turns.broke_at >= 0,
        holds_everywhere(scope, check.when, "round"),
        step_recorded(scope, scope.prepared.steps[check.step].events),
    )
    seats = scope.batch.seats

    def place(number: int) -> str:
        if number < len(seats.number):
            return f"seat {int(seats.number[number])}"
        return f"the {PLACES[number - len(seats.number)]}"

    def tell(round_: int) -> Told:
        event = int(turns.broke_at[round_])
        events = scope.batch.events
        seat = int(events.seat[event])
        observed = seat if seat != ABSENT else len(seats.number) + int(events.place[event])
        size = int(events.hands.count[events.cards_row[event]])
        due = int(turns.expected[round_])
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected="no further card" if due == NOBODY else f"{_cards(int(turns.size[round_]))} to {place(due)}",
            observed=f"{_cards(size)} to {place(observed)}",
        )

    return Judged(
        marks=marks,
        round=scope.round_of("round"),
        tell=tell,
        gap=lambda round_: Told(
            where=place_of(scope, round_), expected="the cards as dealt, one event each", observed=NO_EVENTS
        ),
    )


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def in_same_order(scope: Scope, check: SameOrderCheck) -> Judged:
    """Two steps in one order of seats."""
    followed = same_order(scope, check.first, check.then)
    steps = scope.prepared.steps
    then = events_of(scope, check.then)
    happened = np.zeros(len(scope.batch), bool)
    happened[scope.batch.events.round[then]] = True
    recorded = step_recorded(scope, (*steps[check.first].events, *steps[check.then].events))
    marks = judged_from(followed.broke_at >= 0, tri.constant(YES, len(scope.batch)), recorded)
    marks[recorded & ~happened] = NOT_APPLICABLE

    def tell(round_: int) -> Told:
        events = scope.batch.events
        event, ahead = int(followed.broke_at[round_]), int(followed.ahead[round_])
        numbers = scope.batch.seats.number
        seat, earlier = int(events.seat[event]), int(events.seat[ahead])
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=f"seat {numbers[seat]} before seat {numbers[earlier]}: {steps[check.first].title} in that order",
            observed=f"seat {numbers[earlier]} before seat {numbers[seat]}",
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


OPERATORS: dict[str, Callable[[Scope, Any], Judged]] = {
    "rule": rule,
    "settled": settled,
    "sequence": sequence,
    "dealt": dealt,
    "same-order": in_same_order,
}
"""The operators that judge rounds, by name."""
