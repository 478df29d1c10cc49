"""Cards of ranked hands, and the strength of these hands."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Codes, Ints32
from validator.engine.cards.final_hands import final_cards
from validator.engine.cards.upcards import collect_open_cards
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.columns.batch import Hands
from validator.language.terms import Place


def collect_hand_cards(scope: EvaluationContext, hand: str, place: Place) -> Hands:
    """Return the cards of a place that make up a hand: those dealt, those held at the end, or the face-up cards."""
    prepared = scope.compiled_game.hands[hand]
    match prepared.cards:
        case "held":
            return final_cards(scope, place)
        case "open":
            return collect_open_cards(scope, prepared.through_stage)
        case _:
            return scope.dealt_hands(place)


@cached_fact
def hand_strength(scope: EvaluationContext, hand: str) -> Ints32:
    """Return the strength of a hand, int32: per seat if the player's cards are in it, else per round.

    It is ABSENT if a card is unknown or a place does not hold the full number of cards.
    """
    prepared = scope.compiled_game.hands[hand]
    per_seat = "player" in prepared.places
    parts: list[Codes] = []
    full = np.ones(scope.count_items("seat" if per_seat else "round"), bool)
    for place, wanted in zip(prepared.places, prepared.sizes, strict=True):
        result = collect_hand_cards(scope, hand, place)
        cards, complete = result.cards[:, :wanted], result.count == wanted
        if per_seat and place != "player":
            cards, complete = cards[scope.batch.seats.round], complete[scope.batch.seats.round]
        parts.append(cards)
        full &= complete
    cards = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    return np.where(full, prepared.strength(cards), np.int32(ABSENT))
