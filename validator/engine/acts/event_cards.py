"""How many cards events tell of, and which."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Codes, Flags, Ints
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN
from validator.engine.core.context import Scope, fact
from validator.evidence.handlog.event_fields import RULES

_CARRIES = RULES["cards"].has
_FACE = np.zeros(256, np.uint64)
_FACE[:CARDS] = np.uint64(1) << np.arange(CARDS, dtype=np.uint64)


def cards_told(scope: Scope, chosen: Ints) -> tuple[Ints, Flags]:
    """int64[m]: of how many cards each of some events tells, by the cards themselves or by where they lay; bool[m]:
    whether it does. A kind that carries none tells of 0."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    shown = rows != ABSENT
    spots = np.array([len(text) for text in (*events.positions.names, "")], np.int64)[events.positions.codes[chosen]]
    count = events.hands.count[rows] if len(events.hands.count) else np.zeros(len(rows), np.int16)
    size = np.where(shown, count, spots).astype(np.int64)
    return size, shown | (spots > 0) | ~_CARRIES[events.kind[chosen]]


def faces_told(scope: Scope, chosen: Ints) -> Bits64:
    """uint64[m]: the known cards that each of some events names, as a set."""
    # The entry for no cards comes last, which is where ABSENT points to.
    return np.append(_faces(scope), np.uint64(0)).take(scope.batch.events.cards_row[chosen])


def named_twice(scope: Scope, chosen: Ints) -> Flags:
    """bool[m]: whether each of some events names one card more than once."""
    return np.append(_twice(scope), False).take(scope.batch.events.cards_row[chosen])


@fact
def _twice(scope: Scope) -> Flags:
    """bool[rows]: the same of the cards that events list."""
    hands = scope.batch.events.hands
    return np.bitwise_count(_faces(scope)) + (hands.cards == UNKNOWN).sum(axis=1) < hands.count


@fact
def _faces(scope: Scope) -> Bits64:
    """uint64[rows]: the known cards that events list, as sets."""
    return as_faces(scope.batch.events.hands.cards)


def as_faces(cards: Codes) -> Bits64:
    """uint64[n]: the known cards of each row (`uint8[n, width]`) as a set."""
    result = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        if (column == NO_CARD).all():
            break
        result |= _FACE[column]
    return result
