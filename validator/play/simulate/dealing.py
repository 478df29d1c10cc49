"""The cards: a deck shuffled for every round, now and then a card too many or too few for a place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.cards.cards import NONE
from validator.evidence.columns import Hands
from validator.evidence.events import WIDEST_HAND
from validator.play.simulate.draws import happens
from validator.play.simulate.house import House
from validator.play.simulate.rounds import Rounds
from validator.rulebook.language.conditions import Place


def deal_cards(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with cards at every place of the deal, by one of the house's ways of dealing."""
    deal = house.game.deal
    count = len(rounds)
    width = {place: cards + 1 for place, cards in deal.cards.items()}
    most_seats = int(np.diff(rounds.offsets).max(initial=0))
    needed = sum(cards * (most_seats if place == "player" else 1) for place, cards in width.items())
    deck = house.deck.shuffled(rng=rng, rounds=count, decks=house.game.deck.decks, cards=needed)
    at: dict[Place, Hands] = {}
    start = 0
    for place, cards in width.items():
        if place == "player":
            columns = start + rounds.place_in_round[:, None] * cards + np.arange(cards)
            at[place] = _held(house, place, deck[rounds.round[:, None], columns], rng)
            start += most_seats * cards
        else:
            at[place] = _held(house, place, deck[:, start : start + cards], rng)
            start += cards
    way: NDArray[Any] = rng.integers(0, len(house.ways), count)
    return replace(
        rounds,
        hands=at.get("player", rounds.hands),
        dealer=at.get("dealer", rounds.dealer),
        community=at.get("community", rounds.community),
        way=way.astype(np.int8),
    )


def _held(house: House, place: Place, drawn: NDArray[np.uint8], rng: np.random.Generator) -> Hands:
    """What a place is dealt of the cards that lie ready for it, one more than it should have."""
    rows = len(drawn)
    wrong = happens(rng, rows, house.simulation.chances.miscounts.get(place, 0))
    error = np.where(rng.integers(0, 2, rows) == 0, -1, 1)
    count = house.game.deal.cards[place] + np.where(wrong, error, 0)
    cards = np.full((rows, WIDEST_HAND), NONE, np.uint8)
    cards[:, : drawn.shape[1]] = np.where(np.arange(drawn.shape[1]) < count[:, None], drawn, NONE)
    return Hands(cards=cards, count=count.astype(np.int16))
