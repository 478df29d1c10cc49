"""Decisions of seats: every decision, the final one, and what ends a hand without a decision."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.evidence.columns.batch import CodedColumn
from validator.evidence.columns.tables import translate_codes
from validator.evidence.handlog.event_values import AT_PLAYER, NO_DECISION
from validator.evidence.handlog.events import KIND_CODES


@cached_fact
def seat_decisions(scope: EvaluationContext) -> CodedColumn:
    """Return the decision of each seat: as the summary states it, or else the last event if all decisions are
    recorded.
    """
    seats, events = scope.batch.seats, scope.batch.events
    silent = (seats.decision.codes == ABSENT) & are_kinds_recorded(scope, ("decide",))[seats.round]
    recorded = np.flatnonzero((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))
    recorded = recorded[silent[events.seat[recorded]]]
    if not len(recorded):
        return seats.decision
    codes, names = translate_codes(events.decision, seats.decision)
    last = np.full(len(silent), ABSENT, np.int64)
    last[events.seat[recorded]] = recorded
    result = np.where(last == ABSENT, seats.decision.codes, codes[last])
    return CodedColumn(codes=result, names=names)


def is_decided(scope: EvaluationContext, decision: str, *, in_the_end: bool = False) -> Truths:
    """Return whether a seat made a decision.

    Args:
        in_the_end: count only the final decision.

    Returns:
        uint8[seats].
    """
    decision_of_seat = seat_decisions(scope)
    silent = decision_of_seat.codes == ABSENT
    taken = decision_of_seat.codes == decision_of_seat.code(decision)
    value = kleene.from_flags(taken if in_the_end else taken | _has_decision_event(scope, decision))
    places = scope.compiled_game.game.decisions[decision].places
    unrecorded = _is_decision_unknown(scope)
    if places is not None:
        # If the log names no decision, the stake that goes with it still shows it.
        value = value | kleene.from_flags(silent & (scope.staked_amounts(places, tip=False) > 0))
        unrecorded = unrecorded & ~scope.batch.complete[scope.batch.seats.round]
    return kleene.unknown_where(unrecorded, value)


def is_decision_permitted(scope: EvaluationContext) -> Truths:
    """Return whether the decision of a seat, if the log names one, is permitted to the seat.

    Returns:
        uint8[seats].
    """
    decision = seat_decisions(scope)
    value = kleene.from_flags((decision.codes == ABSENT) | (decision.codes == decision.code(NO_DECISION)))
    for name, decision_rule in scope.compiled_game.game.decisions.items():
        taken = kleene.from_flags(decision.codes == decision.code(name))
        value = np.maximum(value, np.minimum(taken, scope.evaluate(decision_rule.open_to, "seat")))
    return value


def _has_decision_event(scope: EvaluationContext, decision: str) -> Flags:
    """Return whether an event shows that a seat made a decision, final or not."""
    events, result = scope.batch.events, np.zeros(scope.count_items("seat"), bool)
    recorded = (events.kind == KIND_CODES["decide"]) & (events.decision.codes == events.decision.code(decision))
    result[events.seat[recorded & (events.seat != ABSENT)]] = True
    return result


@cached_fact
def _is_decision_unknown(scope: EvaluationContext) -> Flags:
    """Return whether the log neither states nor shows a decision, and would not record an event of it.

    In a truncated record, the seat may have decided later.
    """
    batch = scope.batch
    all_told = are_kinds_recorded(scope, ("decide",)) & batch.complete
    unrecorded = (seat_decisions(scope).codes == ABSENT) & ~all_told[batch.seats.round]
    for decision_rule in scope.compiled_game.game.decisions.values():
        if decision_rule.places is not None:
            unrecorded &= scope.staked_amounts(decision_rule.places, tip=False) <= 0
    return unrecorded


@cached_fact
def is_called_off(scope: EvaluationContext) -> Truths:
    """Return whether a misdeal is declared for a seat, or for all, and no stake of the seat is settled.

    Payments and collections show what is settled. A wager that is spent when it is placed does not count.

    Returns:
        uint8[seats].
    """
    events, seats = scope.batch.events, scope.batch.seats
    misdeals = events_of_kinds(scope, ("misdeal",))
    of_all = np.zeros(len(scope.batch), bool)
    of_all[events.round[misdeals[events.place[misdeals] != AT_PLAYER]]] = True
    spent = [
        events.wager.code(name) for name, wager in scope.compiled_game.game.wagers.items() if wager.stake == "spent"
    ]
    moved = events_of_kinds(scope, ("pay", "collect"))
    moved = moved[~np.isin(events.wager.codes[moved], spent)]
    declared = _has_event(scope, misdeals, ("misdeal",), of_all[seats.round])
    settled = _has_event(scope, moved, ("pay", "collect"), np.zeros(len(seats.round), bool))
    return np.minimum(declared, kleene.negate(settled))


def _has_event(scope: EvaluationContext, chosen: Ints, kinds: tuple[str, ...], also: Flags) -> Truths:
    """Return whether a seat has one of some events; without one, unknown if a kind is not recorded.

    Args:
        chosen: int64[m], indices of the events.
        also: bool[seats], the seats for which another event shows the same.
    """
    seat, result = scope.batch.events.seat[chosen], also.copy()
    result[seat[seat != ABSENT]] = True
    return kleene.where_known(result, result | are_kinds_recorded(scope, kinds)[scope.batch.seats.round])
