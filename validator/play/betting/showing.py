"""Whose cards that lie open are the best, or the worst, of those still in when they were dealt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.event_values import PLACES
from validator.play.betting.acts import CONCEDE, FOLD
from validator.play.betting.masks import NONE, Flags, Rows
from validator.play.betting.record import record_of
from validator.play.betting.seating import seating, taking_part
from validator.play.scope import UNRANKED, Scope
from validator.play.stages import stage_of_events
from validator.play.steps import kinds_recorded

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def best_showing(scope: Scope, hand: str) -> tuple[Rows, Flags]:
    """The first row with the best hand of open cards, NONE where the cards were not dealt, and where that is known."""
    shown = _shown(scope, hand, _LEAST)
    return _where_known(scope, hand, shown.argmax(axis=0))


def worst_showing(scope: Scope, hand: str) -> tuple[Rows, Flags]:
    """The same of the worst hand of open cards."""
    shown = _shown(scope, hand, _MOST)
    return _where_known(scope, hand, shown.argmin(axis=0))


def _shown(scope: Scope, hand: str, out: int) -> NDArray[np.int32]:
    """int32[S, rounds]: the strength of each row's hand, `out` where nobody sits who is still in."""
    _, still_in = in_when_dealt(scope, scope.prepared.hands[hand].through)
    strength = np.where(still_in, scope.strength(hand), np.int32(out))
    return np.append(strength, np.int32(out))[seating(scope).seats]  # where no seat is, the last entry is taken


def _where_known(scope: Scope, hand: str, row: NDArray[np.int64]) -> tuple[Rows, Flags]:
    dealt, still_in = in_when_dealt(scope, scope.prepared.hands[hand].through)
    owner, rounds = scope.batch.seats.round, len(scope.batch)
    ranked, some = np.ones(rounds, bool), np.zeros(rounds, bool)
    ranked[owner[still_in & (scope.strength(hand) == UNRANKED)]] = False
    some[owner[still_in]] = True
    told = kinds_recorded(scope, ("deal",), "player")
    return np.where(dealt & ranked & some, row, NONE).astype(np.int8), told & (ranked | ~dealt)


def in_when_dealt(scope: Scope, stage: int) -> tuple[Flags, Flags]:
    """bool[rounds]: where players were dealt cards in a stage of the deal; bool[seats]: those that take part and had
    not given up their hands when the last of those cards was dealt."""
    return scope.once(("in-when-dealt", stage), lambda: _in_when_dealt(scope, stage))


def take_as_dealt(scope: Scope, stage: int, came: Flags, still_in: Flags) -> None:
    """Take a stage as dealt where `came`, bool[rounds], to seats that were `still_in`, bool[seats], whatever the events
    of the scope tell, which is in the middle of play."""
    scope.once(("in-when-dealt", stage), lambda: (came, still_in))


def _in_when_dealt(scope: Scope, stage: int) -> tuple[Flags, Flags]:
    events, record = scope.batch.events, record_of(scope)
    chosen = np.flatnonzero((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    last = np.full(len(scope.batch), ABSENT, np.int64)
    last[events.round[chosen]] = chosen
    gone = record.events[(record.op == FOLD) | (record.op == CONCEDE)]
    gone = gone[(gone < last[events.round[gone]]) & (events.seat[gone] != ABSENT)]
    still_in = taking_part(scope).copy()
    still_in[events.seat[gone]] = False
    return last != ABSENT, still_in
