"""Turns of the betting. A turn lasts from the moment a seat must act until its action, inclusive."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.step_events import kinds_recorded
from validator.evidence.handlog.events import KIND


class Turns(Struct, frozen=True, kw_only=True):
    """Turns of a batch, which are spans of its events."""

    began: Ints
    """First event of the turn that each event is in, int64[events]; events between turns share one as well."""
    own: Flags
    """True if the event is by the seat whose turn it is, bool[events]."""
    known: Flags
    """True if both are known, bool[events]."""


@fact
def turns_of(scope: Scope) -> Turns:
    """Return the turns of a batch."""
    play, owner = betting_of(scope), scope.batch.events.round
    due, street = play.due, play.states.street[play.at]
    own = (play.row != ABSENT) & (play.row == due)
    # A seat that has acted may have to act again at once if a pending bet became the bet.
    acted = own & (scope.batch.events.kind == KIND["decide"])
    changed = np.ones(len(owner), bool)
    changed[1:] = (owner[1:] != owner[:-1]) | (due[1:] != due[:-1]) | (street[1:] != street[:-1]) | acted[:-1]
    return Turns(
        began=np.maximum.accumulate(np.where(changed, np.arange(len(owner)), 0)),
        own=own,
        known=play.amounts & play.turns,
    )


def in_turn(scope: Scope, kind: str) -> Flags:
    """Return the events of a kind that are in the turn of their own seat.

    Returns:
        bool[events].
    """
    return (scope.batch.events.kind == KIND[kind]) & turns_of(scope).own


@fact
def none_of_kind(scope: Scope, kind: str) -> Flags:
    """Return whether the round of each event has no event of a kind.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    some = np.zeros(len(scope.batch), bool)
    some[events.round[events.kind == KIND[kind]]] = True
    return ~some[events.round]


@fact
def told_of_kind(scope: Scope, kind: str) -> Flags:
    """Return whether the earlier events of a kind in the turn of each event's seat are known.

    They are known, whatever the turns are, if the round has none at all.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    recorded = kinds_recorded(scope, (kind,))[events.round] & (events.seat != ABSENT)
    return recorded & (turns_of(scope).known | none_of_kind(scope, kind))


class Before(Struct, frozen=True, kw_only=True):
    """Earlier events within the same turn, for every event of a batch."""

    count: Ints
    """Number of earlier events, int64[events]."""
    first: Ints
    """First of them, int64[events]; ABSENT if there is none."""


def before(scope: Scope, chosen: Flags) -> Before:
    """Find the earlier events within the same turn. Events of other seats than the one to act have none.

    Args:
        chosen: bool[events], the events to find, which are in the turn of their own seat.
    """
    turns, places = turns_of(scope), np.flatnonzero(chosen)
    count, first = np.zeros(len(chosen), np.int64), np.full(len(chosen), ABSENT, np.int64)
    # Most turns have none of them.
    some = np.zeros(len(chosen), bool)
    some[turns.began.take(places)] = True
    followers = np.flatnonzero(some.take(turns.began) & turns.own)
    earlier = np.searchsorted(places, turns.began.take(followers))
    since = np.searchsorted(places, followers) - earlier
    followers, earlier, since = followers.compress(since > 0), earlier.compress(since > 0), since.compress(since > 0)
    count[followers], first[followers] = since, places.take(earlier)
    return Before(count=count, first=first)
