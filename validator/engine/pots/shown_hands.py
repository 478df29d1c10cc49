"""Faces of players' cards, as recorded in hands and as shown."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints32
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN
from validator.engine.acts.event_cards import card_bits
from validator.engine.cards.ranked_hands import collect_hand_cards
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.evidence.handlog.event_values import AT_PLAYER

_ONE_CARD = np.uint64(1)


@cached_fact
def collect_shown_faces(scope: EvaluationContext) -> Bits64:
    """Return the cards of each seat that were shown face up, as sets.

    Returns:
        uint64[seats].
    """
    seat, cards = _collect_shown(scope)
    result = np.zeros(scope.count_items("seat"), np.uint64)
    np.bitwise_or.at(result, seat, card_bits(cards))
    return result


def count_shown_cards(scope: EvaluationContext) -> tuple[Ints, Ints, Flags]:
    """Count the different cards of each seat that were shown.

    Returns:
        int64[seats], the least number; int64[seats], how many more there may be because of unknown faces; bool[seats],
        whether shows are recorded.
    """
    recorded = are_kinds_recorded(scope, ("reveal",), "player")[scope.batch.seats.round]
    seat, cards = _collect_shown(scope)
    hidden = np.bincount(seat, (cards == UNKNOWN).sum(axis=1), scope.count_items("seat")).astype(np.int64)
    return np.bitwise_count(collect_shown_faces(scope)).astype(np.int64), hidden, recorded


def _collect_shown(scope: EvaluationContext) -> tuple[Ints32, Codes]:
    """Return the seat of each shown hand, and its cards."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, ("reveal",))
    chosen = chosen[(events.place[chosen] == AT_PLAYER) & (events.seat[chosen] != ABSENT)]
    return events.seat[chosen], events.hands.cards[events.cards_row[chosen]]


def collect_player_cards(scope: EvaluationContext, hand: str, size: int, seats: Ints32) -> Codes:
    """Return the cards of some seats that make up a hand, UNKNOWN if a face is unknown.

    Cards that the record of a hand omits are filled in from the cards that were shown.

    Returns:
        uint8[n, size].
    """
    dealt = collect_hand_cards(scope, hand, "player")
    cards, count = dealt.cards[seats], dealt.count[seats]
    if cards.shape[1] < size:
        cards = np.pad(cards, ((0, 0), (0, size - cards.shape[1])), constant_values=NO_CARD)
    doubtful = np.flatnonzero((count != size) | (cards[:, :size] >= CARDS).any(axis=1))
    result = cards[:, :size].copy()
    if len(doubtful):
        result[doubtful] = UNKNOWN
        fits = (count[doubtful] == size) | (count[doubtful] == ABSENT)
        faces = card_bits(cards[doubtful]) | collect_shown_faces(scope)[seats[doubtful]]
        whole = fits & (np.bitwise_count(faces) == size)
        result[doubtful[whole]] = _list_cards(faces[whole], size)
    return result


def _list_cards(faces: Bits64, size: int) -> Codes:
    """Return the cards of sets of `size` cards, lowest code first."""
    left = faces.copy()
    cards = np.empty((len(faces), size), np.uint8)
    for place in range(size):
        lowest = left & (~left + _ONE_CARD)
        cards[:, place] = np.bitwise_count(lowest - _ONE_CARD)
        left ^= lowest
    return cards
