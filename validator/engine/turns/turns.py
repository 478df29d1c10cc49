"""Whose turn each event falls in. A turn runs from a seat's becoming due to its act, that act included."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.replay import betting_of
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.step_events import kinds_recorded
from validator.evidence.handlog.events import KIND


class Turns(Struct, frozen=True, kw_only=True):
    """The turns of a batch, which are stretches of its events.

    `began` int64[events] is the first event of the turn each event falls in; events of one turn share it, and so do
    those between which nobody is due. `own` bool[events] is where the seat of the event is the one whose turn it is.
    `known` bool[events] is where both are known.
    """

    began: Ints
    own: Flags
    known: Flags


@fact
def turns_of(scope: Scope) -> Turns:
    """The turns of a scope's batch, worked out when first asked for."""
    play, owner = betting_of(scope), scope.batch.events.round
    due, street = play.due, play.states.street[play.at]
    own = (play.row != ABSENT) & (play.row == due)
    # Who has acted may be due again at once, where an offer has become the bet.
    acted = own & (scope.batch.events.kind == KIND["decide"])
    changed = np.ones(len(owner), bool)
    changed[1:] = (owner[1:] != owner[:-1]) | (due[1:] != due[:-1]) | (street[1:] != street[:-1]) | acted[:-1]
    return Turns(
        began=np.maximum.accumulate(np.where(changed, np.arange(len(owner)), 0)),
        own=own,
        known=play.amounts & play.turns,
    )


def in_turn(scope: Scope, kind: str) -> Flags:
    """bool[events]: the events of a kind that fall in the turn of their own seat."""
    return (scope.batch.events.kind == KIND[kind]) & turns_of(scope).own


@fact
def none_of_kind(scope: Scope, kind: str) -> Flags:
    """bool[events]: where the round has no event of a kind."""
    events = scope.batch.events
    some = np.zeros(len(scope.batch), bool)
    some[events.round[events.kind == KIND[kind]]] = True
    return ~some[events.round]


@fact
def told_of_kind(scope: Scope, kind: str) -> Flags:
    """bool[events]: where it is known which events of a kind had fallen in the turn of the event's seat before it.
    Where the round has none at all, that is known whatever the turns are."""
    events = scope.batch.events
    recorded = kinds_recorded(scope, (kind,))[events.round] & (events.seat != ABSENT)
    return recorded & (turns_of(scope).known | none_of_kind(scope, kind))


class Before(Struct, frozen=True, kw_only=True):
    """Some events, looked back at from every event of the batch, as far as the turn of that event goes: `count`
    int64[events] is how many of them came before it, `first` int64[events] the first of those, ABSENT where there is
    none."""

    count: Ints
    first: Ints


def before(scope: Scope, chosen: Flags) -> Before:
    """Look back at `chosen`, bool[events], which fall in the turn of their own seat. Events of other seats than the
    one whose turn it is see none of them."""
    turns, places = turns_of(scope), np.flatnonzero(chosen)
    count, first = np.zeros(len(chosen), np.int64), np.full(len(chosen), ABSENT, np.int64)
    # In most turns there is none of them.
    some = np.zeros(len(chosen), bool)
    some[turns.began.take(places)] = True
    at = np.flatnonzero(some.take(turns.began) & turns.own)
    earlier = np.searchsorted(places, turns.began.take(at))
    since = np.searchsorted(places, at) - earlier
    at, earlier, since = at.compress(since > 0), earlier.compress(since > 0), since.compress(since > 0)
    count[at], first[at] = since, places.take(earlier)
    return Before(count=count, first=first)
