"""Cards that are shown: a hand laid out in the order its ranking gives it."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Codes, Ints, Ints32
from validator.cards.cards import NO_CARD
from validator.cards.ranking import CompiledRanking
from validator.engine.cards import final_hands
from validator.engine.cards.ranked_hands import strength
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.language.terms import Place
from validator.simulate.house import House


def shown_at(house: House, scope: Scope, place: str, rows: Ints, *, held: bool) -> Hands:
    """The cards of a place (of seats for `player`, else of rounds), as they were dealt or as it holds them after
    exchanging some; arranged where they are a whole hand of that place alone."""
    places: dict[str, Place] = {"player": "player", "dealer": "dealer", "community": "community"}
    if place not in places:
        return Hands(cards=np.full((len(rows), WIDEST_HAND), NO_CARD, np.uint8), count=np.zeros(len(rows), np.int16))
    lying = final_hands.held(scope, places[place]) if held else scope.hands_at(places[place])
    cards, count = lying.cards[rows, :WIDEST_HAND], np.maximum(lying.count[rows], 0).astype(np.int16)
    for name, hand in house.prepared.hands.items():
        if not isinstance(hand.ranking, CompiledRanking) or hand.places != (place,):
            continue
        size = hand.ranking.size
        if hand.sizes == (size,) and (hand.cards == "held") == held:
            made = strength(scope, name)[rows]
            whole = np.flatnonzero(made != ABSENT)
            cards[whole, :size] = arranged(hand.ranking, cards[whole, :size], made[whole])
            break
    return Hands(cards=cards, count=count)


def arranged(ranking: CompiledRanking, cards: Codes, made: Ints32) -> Codes:
    """The cards of each row (`uint8[n, size]`, known ones, whose strength is given) in the order of
    `CompiledRanking.arrangement`; of equal ranks, the higher code first."""
    different, which = np.unique(made, return_inverse=True)
    layouts = np.array([ranking.arrangement(one) for one in different.tolist()], np.int64)
    layout = layouts.reshape(-1, ranking.size)[which]
    # The first place of each card's rank in the layout, then the code, tell the cards' order.
    place = (layout[:, None, :] == (cards >> 2)[:, :, None]).argmax(axis=2)
    sequence = np.argsort(place * 64 - cards.astype(np.int64), axis=1, kind="stable")
    return np.take_along_axis(cards, sequence, axis=1)
