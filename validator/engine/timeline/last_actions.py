"""Decisions in the betting by their kind, and the last act of a seat before an event."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.handlog.events import KIND_CODES
from validator.rules.model.game import Game

EXCHANGE_KINDS = frozenset({"discard", "stand-pat"})
"""Kinds of decision that belong to an exchange of cards."""
_NOT_BETTING = EXCHANGE_KINDS | {"concede", None}


def is_decision_of_kind(scope: EvaluationContext, kinds: Collection[str]) -> Flags:
    """Return whether the decision of each event is of some kinds.

    Returns:
        bool[events].
    """
    known = scope.compiled_game.game.decisions
    names = frozenset(name for name, decision in known.items() if decision.kind in kinds)
    return _is_one_of(scope, names)


@cached_fact
def _is_one_of(scope: EvaluationContext, decisions: frozenset[str]) -> Flags:
    return scope.batch.events.decision.is_one_of(decisions)


@cached_fact
def betting_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting of all rounds. Announcements of later acts do not count.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    acts = (events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT)
    return np.flatnonzero(is_decision_of_kind(scope, _kinds_of_betting(scope.compiled_game.game)) & acts)


def play_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting, or of all decisions if the game has no betting.

    Returns:
        int64[m].
    """
    if scope.compiled_game.game.betting is not None:
        return betting_decisions(scope)
    events = scope.batch.events
    return np.flatnonzero((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))


def last_betting_decision(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the last decision in the betting that the seat of each event made before it; ABSENT if none.

    Returns:
        int64[m].
    """
    return last_act_of_seat(scope, chosen, betting_decisions(scope))


def last_act_of_seat(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Ints:
    """Return the last act that the seat of each event made before it; ABSENT if there is none.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    length = len(events.round) + 1
    made = np.sort(events.seat[acts].astype(np.int64) * length + acts)
    seat = events.seat[chosen].astype(np.int64)
    before = np.searchsorted(made, seat * length + chosen) - 1
    result = np.append(made, ABSENT)[before]
    return np.where((seat != ABSENT) & (before >= 0) & (result // length == seat), result % length, ABSENT)


def has_later_act(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Flags:
    """Return whether the seat of each event makes one of some acts after it.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        bool[m].
    """
    last, seat = np.full(scope.count_items("seat") + 1, ABSENT, np.int64), scope.batch.events.seat
    last[seat.take(acts)] = acts
    return last.take(seat.take(chosen)) > chosen


def _kinds_of_betting(game: Game) -> set[str]:
    return {
        decision.kind
        for decision in game.decisions.values()
        if decision.kind is not None and decision.kind not in _NOT_BETTING
    }
