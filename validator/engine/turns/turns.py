"""Turns of the betting. A turn lasts from the moment a seat must act until its action, inclusive."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.replay import replay_betting
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import are_kinds_recorded
from validator.evidence.handlog.events import KIND_CODES


class TurnSpans(Struct, frozen=True, kw_only=True):
    """Turns of a batch, which are spans of its events."""

    first_event: Ints
    """First event of the turn that each event is in, int64[events]; events between turns share one as well."""
    is_own_turn: Flags
    """True if the event is by the seat whose turn it is, bool[events]."""
    is_known: Flags
    """True if both are known, bool[events]."""


@cached_fact
def turn_spans(scope: EvaluationContext) -> TurnSpans:
    """Return the turns of a batch."""
    play, owner = replay_betting(scope), scope.batch.events.round
    due, street = play.seat_to_act, play.snapshots.street[play.snapshot_index]
    own = (play.row != ABSENT) & (play.row == due)
    # A seat that has acted may have to act again at once if a pending bet became the bet.
    acted = own & (scope.batch.events.kind == KIND_CODES["decide"])
    changed = np.ones(len(owner), bool)
    changed[1:] = (owner[1:] != owner[:-1]) | (due[1:] != due[:-1]) | (street[1:] != street[:-1]) | acted[:-1]
    return TurnSpans(
        first_event=np.maximum.accumulate(np.where(changed, np.arange(len(owner)), 0)),
        is_own_turn=own,
        is_known=play.amounts_known_before & play.is_turn_known,
    )


def is_in_own_turn(scope: EvaluationContext, kind: str) -> Flags:
    """Return the events of a kind that are in the turn of their own seat.

    Returns:
        bool[events].
    """
    return (scope.batch.events.kind == KIND_CODES[kind]) & turn_spans(scope).is_own_turn


@cached_fact
def lacks_kind(scope: EvaluationContext, kind: str) -> Flags:
    """Return whether the round of each event has no event of a kind.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    some = np.zeros(len(scope.batch), bool)
    some[events.round[events.kind == KIND_CODES[kind]]] = True
    return ~some[events.round]


@cached_fact
def is_kind_known_in_turn(scope: EvaluationContext, kind: str) -> Flags:
    """Return whether the earlier events of a kind in the turn of each event's seat are known.

    They are known, whatever the turns are, if the round has none at all.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    recorded = are_kinds_recorded(scope, (kind,))[events.round] & (events.seat != ABSENT)
    return recorded & (turn_spans(scope).is_known | lacks_kind(scope, kind))


class EventsBefore(Struct, frozen=True, kw_only=True):
    """Earlier events within the same turn, for every event of a batch."""

    count: Ints
    """Number of earlier events, int64[events]."""
    first: Ints
    """First of them, int64[events]; ABSENT if there is none."""


def find_events_before(scope: EvaluationContext, chosen: Flags) -> EventsBefore:
    """Find the earlier events within the same turn. Events of other seats than the one to act have none.

    Args:
        chosen: bool[events], the events to find, which are in the turn of their own seat.
    """
    turns, places = turn_spans(scope), np.flatnonzero(chosen)
    count, first = np.zeros(len(chosen), np.int64), np.full(len(chosen), ABSENT, np.int64)
    # Most turns have none of them.
    some = np.zeros(len(chosen), bool)
    some[turns.first_event.take(places)] = True
    followers = np.flatnonzero(some.take(turns.first_event) & turns.is_own_turn)
    earlier = np.searchsorted(places, turns.first_event.take(followers))
    since = np.searchsorted(places, followers) - earlier
    followers, earlier, since = followers.compress(since > 0), earlier.compress(since > 0), since.compress(since > 0)
    count[followers], first[followers] = since, places.take(earlier)
    return EventsBefore(count=count, first=first)
