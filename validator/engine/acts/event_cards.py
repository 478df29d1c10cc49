"""Cards that events name: how many, and which."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Codes, Flags, Ints
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.cards import UNKNOWN as UNKNOWN_CARD
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.handlog.event_fields import FIELD_RULES

_CARRIES = FIELD_RULES["cards"].has
_FACE = np.zeros(256, np.uint64)
_FACE[:CARDS] = np.uint64(1) << np.arange(CARDS, dtype=np.uint64)


def count_named_cards(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Flags]:
    """Count the cards that each event names, by the cards themselves or by their positions.

    Returns:
        int64[m], the number of cards, 0 for kinds without cards; bool[m], whether the number is known.
    """
    events = scope.batch.events
    rows = events.cards_row[chosen]
    shown = rows != ABSENT
    spots = np.array([len(text) for text in (*events.positions.names, "")], np.int64)[events.positions.codes[chosen]]
    count = events.hands.count[rows] if len(events.hands.count) else np.zeros(len(rows), np.int16)
    size = np.where(shown, count, spots).astype(np.int64)
    return size, shown | (spots > 0) | ~_CARRIES[events.kind[chosen]]


def collect_named_faces(scope: EvaluationContext, chosen: Ints) -> Bits64:
    """Return the known cards that each event names, as sets.

    Returns:
        uint64[m].
    """
    # The last entry is for events without cards: ABSENT indexes it.
    return np.append(_listed_faces(scope), np.uint64(0)).take(scope.batch.events.cards_row[chosen])


def names_card_twice(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether each event names a card more than once.

    Returns:
        bool[m].
    """
    return np.append(_lists_card_twice(scope), False).take(scope.batch.events.cards_row[chosen])


@cached_fact
def _lists_card_twice(scope: EvaluationContext) -> Flags:
    """Return whether each row of listed cards contains a card more than once."""
    hands = scope.batch.events.hands
    return np.bitwise_count(_listed_faces(scope)) + (hands.cards == UNKNOWN_CARD).sum(axis=1) < hands.count


@cached_fact
def _listed_faces(scope: EvaluationContext) -> Bits64:
    """Return the known cards of each row that events list, as sets."""
    return card_bits(scope.batch.events.hands.cards)


def card_bits(cards: Codes) -> Bits64:
    """Return the known cards of each row as a set.

    Args:
        cards: uint8[n, width].

    Returns:
        uint64[n].
    """
    result = np.zeros(len(cards), np.uint64)
    for column in cards.T:
        if (column == NO_CARD).all():
            break
        result |= _FACE[column]
    return result
