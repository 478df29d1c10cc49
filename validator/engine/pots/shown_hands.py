"""The faces of players' cards, as their hands are recorded and as they were shown."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints32
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN
from validator.engine.acts.event_cards import as_faces
from validator.engine.cards.ranked_hands import cards_of
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.evidence.handlog.event_values import AT_PLAYER

_ONE = np.uint64(1)


@fact
def shown_faces(scope: Scope) -> Bits64:
    """uint64[seats]: the cards of each seat that were shown with their faces."""
    seat, cards = _shown(scope)
    result = np.zeros(scope.length("seat"), np.uint64)
    np.bitwise_or.at(result, seat, as_faces(cards))
    return result


def shown_count(scope: Scope) -> tuple[Ints, Ints, Flags]:
    """int64[seats], how many different cards of each seat were shown at the least; int64[seats], how many more may have
    been, their faces not being recorded; and bool[seats], whether what was shown is recorded."""
    recorded = kinds_recorded(scope, ("reveal",), "player")[scope.batch.seats.round]
    seat, cards = _shown(scope)
    hidden = np.bincount(seat, (cards == UNKNOWN).sum(axis=1), scope.length("seat")).astype(np.int64)
    return np.bitwise_count(shown_faces(scope)).astype(np.int64), hidden, recorded


def _shown(scope: Scope) -> tuple[Ints32, Codes]:
    """int32[n], the seats at which a hand was shown, and uint8[n, width], the cards."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, ("reveal",))
    chosen = chosen[(events.place[chosen] == AT_PLAYER) & (events.seat[chosen] != ABSENT)]
    return events.seat[chosen], events.hands.cards[events.cards_row[chosen]]


def players_cards(scope: Scope, hand: str, size: int, seats: Ints32) -> Codes:
    """uint8[n, size]: the cards of some seats that make up a hand, UNKNOWN where a face is not known.

    Bits64 that the record of a hand leaves out are taken from the cards that were shown of it.
    """
    dealt = cards_of(scope, hand, "player")
    cards, count = dealt.cards[seats], dealt.count[seats]
    if cards.shape[1] < size:
        cards = np.pad(cards, ((0, 0), (0, size - cards.shape[1])), constant_values=NO_CARD)
    doubtful = np.flatnonzero((count != size) | (cards[:, :size] >= CARDS).any(axis=1))
    result = cards[:, :size].copy()
    if len(doubtful):
        result[doubtful] = UNKNOWN
        fits = (count[doubtful] == size) | (count[doubtful] == ABSENT)
        faces = as_faces(cards[doubtful]) | shown_faces(scope)[seats[doubtful]]
        whole = fits & (np.bitwise_count(faces) == size)
        result[doubtful[whole]] = _listed(faces[whole], size)
    return result


def _listed(faces: Bits64, size: int) -> Codes:
    """uint8[n, size]: the cards of sets of `size` cards, the lowest code first."""
    left = faces.copy()
    cards = np.empty((len(faces), size), np.uint8)
    for place in range(size):
        lowest = left & (~left + _ONE)
        cards[:, place] = np.bitwise_count(lowest - _ONE)
        left ^= lowest
    return cards
