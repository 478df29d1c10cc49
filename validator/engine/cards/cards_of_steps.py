"""Number of cards that the events of a step name."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Flags, Ints
from validator.cards.cards import UNKNOWN as UNKNOWN_CARD
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
    """Count the cards that the events of a step name in each round or at each seat.

    With one deck, a card that is shown again, or named in another fault, is the same card. All other events concern
    cards of their own.

    Args:
        kept: leave out cards that the step's place is known to have discarded.

    Returns:
        int64[n] each, the least and the largest number, the same array twice if no event is ambiguous; bool[n], whether
        the log records it.
    """
    possible, known = events_perhaps_of(scope, name), steps_recorded(scope, [name])[scope.round_of(grain)]
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[possible]
    possible, owner = possible[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = cards_told(scope, possible)
    known[owner[~recorded]] = False
    doubtful, length = doubtful_of(scope, name), scope.length(grain)
    sure = np.isin(possible, doubtful, invert=True) if len(doubtful) else np.ones(len(possible), bool)
    repeated = np.zeros(len(possible), bool)
    if scope.prepared.game.deck.decks == 1 and not _TELL_AGAIN.isdisjoint(scope.prepared.steps[name].events):
        repeated = np.isin(scope.batch.events.kind[possible], [KIND[kind] for kind in sorted(_TELL_AGAIN)])
        # A hand that is shown only once shows no card again.
        repeated &= (np.bincount(owner, repeated, length).take(owner) > 1) | named_twice(scope, possible)
    faces = faces_told(scope, possible) if kept or repeated.any() else np.zeros(len(possible), np.uint64)
    if kept:
        left_play = faces & _discarded_by_place(scope, name, possible)
        size, faces = size - np.bitwise_count(left_play), faces & ~left_play
    least, most = _count_shown(scope, possible, owner, faces, sure, repeated, length)
    least += np.bincount(owner, np.where(sure & ~repeated, size, 0), length).astype(np.int64)
    most += np.bincount(owner, np.where(repeated, 0, size), length).astype(np.int64)
    return most if (least == most).all() else least, most, known


def _discarded_by_place(scope: Scope, name: str, chosen: Ints) -> Bits64:
    """Return the known cards that the place of each event discarded and does not hold, as sets."""
    place = scope.prepared.steps[name].place
    assert place in ("player", "dealer", "community"), "the loader refuses rules for other places"
    return _discarded_for_good(scope, place)[owner_of(scope, place, chosen)]


@fact
def _discarded_for_good(scope: Scope, place: Place) -> Bits64:
    """Return the known cards that each place discarded and does not hold, as sets: per seat, or per round."""
    return as_faces(exchanged(scope, place, "discard").cards) & ~as_faces(held(scope, place).cards)


def _count_shown(
    scope: Scope, chosen: Ints, owner: Ints, faces: Bits64, sure: Flags, repeated: Flags, length: int
) -> tuple[Ints, Ints]:
    """Return the least and the largest number of different cards that repeated shows reveal to each owner.

    A card whose face is unknown may be one that another event shows.

    Returns:
        int64[length] each.
    """
    if not repeated.any():
        return np.zeros(length, np.int64), np.zeros(length, np.int64)
    chosen, owner, faces, sure = chosen[repeated], owner[repeated], faces[repeated], sure[repeated]
    events = scope.batch.events
    hidden = (events.hands.cards[events.cards_row[chosen]] == UNKNOWN_CARD).sum(axis=1)
    certain, possible = np.zeros(length, np.uint64), np.zeros(length, np.uint64)
    np.bitwise_or.at(certain, owner[sure], faces[sure])
    np.bitwise_or.at(possible, owner, faces)
    least = np.bitwise_count(certain).astype(np.int64)
    np.maximum.at(least, owner[sure], (np.bitwise_count(faces) + hidden)[sure])
    return least, np.bitwise_count(possible) + np.bincount(owner, hidden, length).astype(np.int64)
