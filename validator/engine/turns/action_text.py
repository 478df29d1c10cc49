"""Text about the betting at one event: who had to act, the amount to call, and the action."""

from __future__ import annotations

from validator.arrays import ABSENT
from validator.engine.betting.action_codes import ANY_RAISE, FULL_RAISE, FULL_RAISE_IN_ALL
from validator.engine.betting.betting_terms import reopening
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope
from validator.engine.seats.seat_order import seating
from validator.engine.timeline.step_events import events_of
from validator.engine.turns.quantities import betting_number
from validator.engine.turns.verbal_declarations import declared_of
from validator.evidence.handlog.events import KINDS
from validator.text.values.money import format_money


def due_in_words(scope: Scope, index: int) -> str:
    """Describe who had to act, and the bet to answer."""
    play = betting_of(scope)
    entry = play.at[index]
    row = int(play.due[index])
    if row == ABSENT:
        return "no further act"
    who = seat_in_words(scope, int(scope.batch.events.round[index]), row)
    level = int(play.states.level[entry])
    return f"{who} to answer the bet of {format_money(level)}" if level else f"{who} to act"


def seat_in_words(scope: Scope, round_: int, row: int) -> str:
    """Describe a seat by its number in the log."""
    return f"seat {int(scope.batch.seats.number[seating(scope).seats[row, round_]])}"


def act_in_words(scope: Scope, index: int) -> str:
    """Describe what happened: the seat, its decision and amount, and whether it was all-in."""
    events = scope.batch.events
    seat = int(events.seat[index])
    behind, counted = betting_number(scope, "behind")
    state = ", all-in" if counted[index] and not behind[index] else ""
    who = "" if seat == ABSENT else f"seat {int(scope.batch.seats.number[seat])}{state}: "
    decision = events.decision.text(index)
    if decision is None:
        return f"{who}{_title_of_step(scope, index)}"
    known = scope.prepared.game.decisions.get(decision)
    title = decision if known is None else known.title
    put, recorded = betting_number(scope, "put-in")
    to, _ = betting_number(scope, "bets-to")
    if not recorded[index] or not put[index]:
        return f"{who}{title}"
    amount = f", {format_money(int(put[index]))}"
    return (
        f"{who}{title}{amount}"
        if put[index] == to[index]
        else f"{who}{title}{amount}, to {format_money(int(to[index]))}"
    )


def _title_of_step(scope: Scope, index: int) -> str:
    """Return the title of the first step that an event belongs to, main steps first, or else its kind."""
    procedure, kind = scope.prepared.game.procedure, KINDS[scope.batch.events.kind[index]]
    steps = [step for step in procedure if kind in step.events and index in events_of(scope, step.step)]
    first = min(steps, key=lambda step: step.aside, default=None)
    return kind.replace("-", " ") if first is None else first.title


def declared_in_words(scope: Scope, index: int) -> str:
    """Describe what the seat of an event had declared in its turn, if it is binding."""
    result = declared_of(scope)
    binding, named = int(result.binding[index]), int(result.named[index])
    events, decisions = scope.batch.events, scope.prepared.game.decisions
    if binding == ABSENT or not result.bound[index]:
        return "no binding declaration" if result.bound[index] else "the declaration is not recorded"
    title = decisions[events.decision.text(binding) or ""].title
    return title if named == ABSENT else f"{title}, to {format_money(int(events.amount[named]))}"


def to_call_in_words(scope: Scope, index: int) -> str:
    """Describe how much the seat of an event had to call."""
    lacking, known = betting_number(scope, "to-call")
    return f"{format_money(int(lacking[index]))} to call" if known[index] else "amount to call: not known"


def why_closed(scope: Scope, index: int) -> str:
    """Explain why the seat of an event could not raise."""
    most = scope.prepared.game.betting
    raises, _ = betting_number(scope, "raises")
    if most is not None and most.sizes.raises is not None and raises[index] >= most.sizes.raises:
        return f"{raises[index]} raises were made"
    return f"the seat had acted and {_TOO_LITTLE[int(reopening(scope)[0][scope.batch.events.round[index]])]}"


_TOO_LITTLE = {
    FULL_RAISE: "no full raise followed",
    FULL_RAISE_IN_ALL: "the raises that followed add up to less than a full raise",
    ANY_RAISE: "no raise followed",
}
"""Reason why a seat could not raise, by the raises that reopen the betting."""
