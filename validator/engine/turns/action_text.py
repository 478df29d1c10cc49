"""Text about the betting at one event: who had to act, the amount to call, and the action."""

from __future__ import annotations

from validator.arrays import ABSENT
from validator.engine.betting.action_codes import ANY_RAISE, FULL_RAISE, FULL_RAISE_IN_ALL
from validator.engine.betting.betting_terms import find_reopening_rules
from validator.engine.betting.replay import replay_betting
from validator.engine.core.context import EvaluationContext
from validator.engine.seats.seat_order import seat_layout
from validator.engine.timeline.step_events import certain_events
from validator.engine.turns.quantities import evaluate_replay_quantity
from validator.engine.turns.verbal_declarations import seat_declarations
from validator.evidence.handlog.events import KINDS
from validator.text.values.money import format_money


def describe_turn(scope: EvaluationContext, index: int) -> str:
    """Describe who had to act, and the bet to answer."""
    play = replay_betting(scope)
    entry = play.snapshot_index[index]
    row = int(play.seat_to_act[index])
    if row == ABSENT:
        return "no further act"
    who = describe_seat(scope, int(scope.batch.events.round[index]), row)
    level = int(play.snapshots.current_bet[entry])
    return f"{who} to answer the bet of {format_money(level)}" if level else f"{who} to act"


def describe_seat(scope: EvaluationContext, round_: int, row: int) -> str:
    """Describe a seat by its number in the log."""
    return f"seat {int(scope.batch.seats.number[seat_layout(scope).seat_of_row[row, round_]])}"


def describe_action(scope: EvaluationContext, index: int) -> str:
    """Describe what happened: the seat, its decision and amount, and whether it was all-in."""
    events = scope.batch.events
    seat = int(events.seat[index])
    behind, counted = evaluate_replay_quantity(scope, "behind")
    state = ", all-in" if counted[index] and not behind[index] else ""
    who = "" if seat == ABSENT else f"seat {int(scope.batch.seats.number[seat])}{state}: "
    decision = events.decision.text(index)
    if decision is None:
        return f"{who}{_title_of_step(scope, index)}"
    known = scope.compiled_game.game.decisions.get(decision)
    title = decision if known is None else known.title
    put, recorded = evaluate_replay_quantity(scope, "put-in")
    to, _ = evaluate_replay_quantity(scope, "bets-to")
    if not recorded[index] or not put[index]:
        return f"{who}{title}"
    amount = f", {format_money(int(put[index]))}"
    return (
        f"{who}{title}{amount}"
        if put[index] == to[index]
        else f"{who}{title}{amount}, to {format_money(int(to[index]))}"
    )


def _title_of_step(scope: EvaluationContext, index: int) -> str:
    """Return the title of the first step that an event belongs to, main steps first, or else its kind."""
    procedure, kind = scope.compiled_game.game.procedure, KINDS[scope.batch.events.kind[index]]
    steps = [step for step in procedure if kind in step.events and index in certain_events(scope, step.step)]
    first = min(steps, key=lambda step: step.aside, default=None)
    return kind.replace("-", " ") if first is None else first.title


def describe_declaration(scope: EvaluationContext, index: int) -> str:
    """Describe what the seat of an event had declared in its turn, if it is binding."""
    result = seat_declarations(scope)
    binding, named = int(result.binding[index]), int(result.naming_total[index])
    events, decisions = scope.batch.events, scope.compiled_game.game.decisions
    if binding == ABSENT or not result.is_binding_known[index]:
        return "no binding declaration" if result.is_binding_known[index] else "the declaration is not recorded"
    title = decisions[events.decision.text(binding) or ""].title
    return title if named == ABSENT else f"{title}, to {format_money(int(events.amount[named]))}"


def describe_amount_to_call(scope: EvaluationContext, index: int) -> str:
    """Describe how much the seat of an event had to call."""
    lacking, known = evaluate_replay_quantity(scope, "to-call")
    return f"{format_money(int(lacking[index]))} to call" if known[index] else "amount to call: not known"


def explain_closed_betting(scope: EvaluationContext, index: int) -> str:
    """Explain why the seat of an event could not raise."""
    most = scope.compiled_game.game.betting
    raises, _ = evaluate_replay_quantity(scope, "raises")
    if most is not None and most.sizes.raises is not None and raises[index] >= most.sizes.raises:
        return f"{raises[index]} raises were made"
    return f"the seat had acted and {_TOO_LITTLE[int(find_reopening_rules(scope)[0][scope.batch.events.round[index]])]}"


_TOO_LITTLE = {
    FULL_RAISE: "no full raise followed",
    FULL_RAISE_IN_ALL: "the raises that followed add up to less than a full raise",
    ANY_RAISE: "no raise followed",
}
"""Reason why a seat could not raise, by the raises that reopen the betting."""
