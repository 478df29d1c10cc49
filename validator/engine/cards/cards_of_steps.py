"""Of how many cards the events of a step tell."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Flags, Ints
from validator.cards.cards import UNKNOWN
from validator.engine.acts.event_cards import as_faces, cards_told, faces_told, named_twice
from validator.engine.cards.final_hands import exchanged, held, owner_of
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.step_events import doubtful_of, events_perhaps_of, steps_recorded
from validator.evidence.handlog.events import KIND
from validator.language.grains import Grain
from validator.language.terms import Place

_TELL_AGAIN = frozenset({"fault", "reveal"})


@fact
def cards_of_step(scope: Scope, name: str, grain: Grain, *, kept: bool = False) -> tuple[Ints, Ints, Flags]:
    """Of how many cards the events of a step tell in each round or at each seat: int64[n] at the least and at the
    most, one array where none is in doubt, and where the log tells it. With one deck a card that is shown
    again, or told of in another fault, is the same card; any other event is about cards of its own. `kept`
    leaves out what the step's place is known to have put aside."""
    perhaps, known = events_perhaps_of(scope, name), steps_recorded(scope, [name])[scope.round_of(grain)]
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[perhaps]
    perhaps, owner = perhaps[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = cards_told(scope, perhaps)
    known[owner[~recorded]] = False
    doubtful, length = doubtful_of(scope, name), scope.length(grain)
    sure = np.isin(perhaps, doubtful, invert=True) if len(doubtful) else np.ones(len(perhaps), bool)
    again = np.zeros(len(perhaps), bool)
    if scope.prepared.game.deck.decks == 1 and not _TELL_AGAIN.isdisjoint(scope.prepared.steps[name].events):
        again = np.isin(scope.batch.events.kind[perhaps], [KIND[kind] for kind in sorted(_TELL_AGAIN)])
        # A hand that is shown once shows no card again.
        again &= (np.bincount(owner, again, length).take(owner) > 1) | named_twice(scope, perhaps)
    faces = faces_told(scope, perhaps) if kept or again.any() else np.zeros(len(perhaps), np.uint64)
    if kept:
        gone = faces & _put_aside(scope, name, perhaps)
        size, faces = size - np.bitwise_count(gone), faces & ~gone
    least, most = _shown(scope, perhaps, owner, faces, sure, again, length)
    least += np.bincount(owner, np.where(sure & ~again, size, 0), length).astype(np.int64)
    most += np.bincount(owner, np.where(again, 0, size), length).astype(np.int64)
    return most if (least == most).all() else least, most, known


def _put_aside(scope: Scope, name: str, chosen: Ints) -> Bits64:
    """uint64[m]: the known cards that the place of each of some events of a step put aside and does not hold."""
    place = scope.prepared.steps[name].place
    assert place in ("player", "dealer", "community"), "rules are refused otherwise"
    return _gone(scope, place)[owner_of(scope, place, chosen)]


@fact
def _gone(scope: Scope, place: Place) -> Bits64:
    """uint64[n]: the same of a place, a set a seat for `player`, else a set a round."""
    return as_faces(exchanged(scope, place, "discard").cards) & ~as_faces(held(scope, place).cards)


def _shown(
    scope: Scope, chosen: Ints, owner: Ints, faces: Bits64, sure: Flags, again: Flags, length: int
) -> tuple[Ints, Ints]:
    """int64[length]: how many different cards the events that show cards `again` show of each owner, at the least and
    at the most. A card whose face is not known may be one that another event shows."""
    if not again.any():
        return np.zeros(length, np.int64), np.zeros(length, np.int64)
    chosen, owner, faces, sure = chosen[again], owner[again], faces[again], sure[again]
    events = scope.batch.events
    hidden = (events.hands.cards[events.cards_row[chosen]] == UNKNOWN).sum(axis=1)
    surely, perhaps = np.zeros(length, np.uint64), np.zeros(length, np.uint64)
    np.bitwise_or.at(surely, owner[sure], faces[sure])
    np.bitwise_or.at(perhaps, owner, faces)
    least = np.bitwise_count(surely).astype(np.int64)
    np.maximum.at(least, owner[sure], (np.bitwise_count(faces) + hidden)[sure])
    return least, np.bitwise_count(perhaps) + np.bincount(owner, hidden, length).astype(np.int64)
