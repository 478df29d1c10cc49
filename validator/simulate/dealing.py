"""The cards: decks shuffled for every round, dealt in a way of the house, now and then a card too many or too few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints32
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.language.terms import Place
from validator.simulate.draws import happens
from validator.simulate.exchange_steps import set_aside, step_at
from validator.simulate.house import House
from validator.simulate.mishaps import befall
from validator.simulate.rounds import Rounds
from validator.simulate.stacking import Lot, stack


def deal_cards(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with cards at every place of the deal, by one of the house's ways of dealing, less those that
    the way puts aside at once."""
    return _dealt(house, rounds, rng.integers(0, house.own_ways, len(rounds)), rng)


def deal_otherwise(house: House, rounds: Rounds, chosen: Flags, rng: np.random.Generator) -> Rounds:
    """The rounds, some of them (bool[rounds]) dealt anew, by ways that are not the house's own and that it knows."""
    other = rng.integers(house.own_ways, len(house.ways), len(rounds))
    return _dealt(house, rounds, np.where(chosen, other, rounds.way), rng)


def _dealt(house: House, rounds: Rounds, way: NDArray[Any], rng: np.random.Generator) -> Rounds:
    """The rounds with cards at every place of the deal, each dealt by a way (int64[rounds])."""
    count = len(rounds)
    numbers = {place: _numbers(house, rounds, place, way, rng) for place in house.game.deal.cards}
    start, used = _places_in_deck(rounds, numbers)
    used = used + np.array([one.dealt().get("burn", 0) for one in house.ways], np.int64)[way]
    everything = len(house.deck.cards) * house.game.deck.decks
    whole = house.draws or house.game.betting is not None
    wanted = everything if whole else min(int(used.max(initial=0)) + house.found, everything)
    deck = house.deck.shuffled(rng=rng, rounds=count, decks=house.game.deck.decks, cards=wanted)
    owner = {place: rounds.round if place == "player" else np.arange(count) for place in numbers}
    if house.rare:
        lots = {place: _lot(house, place, way, owner[place], start[place], numbers[place]) for place in numbers}
        stack(deck, lots, house.rare, rng)
    at = {place: cards_from(deck, owner[place], start[place], numbers[place]) for place in numbers}
    dealt = replace(
        rounds,
        hands=at.get("player", rounds.hands),
        dealer=at.get("dealer", rounds.dealer),
        community=at.get("community", rounds.community),
        way=way.astype(np.int8),
        deck=deck,
        used=used,
    )
    dealt = replace(dealt, aside={**rounds.aside, **{place: _put_aside(house, dealt, place) for place in at}})
    return befall(house, replace(dealt, mishaps=()), rng)


def _numbers(house: House, rounds: Rounds, place: Place, way: Ints, rng: np.random.Generator) -> Ints:
    """int64[n]: how many cards each hand of a place is dealt."""
    full = np.array([one.dealt().get(place, 0) for one in house.ways], np.int64)[way]
    full = full[rounds.round] if place == "player" else full
    wrong = happens(rng, len(full), house.simulation.chances.miscounts.get(place, 0))
    error = np.where(rng.integers(0, 2, len(full)) == 0, -1, 1)
    return full + np.where(wrong & (full > 0), error, 0)


def _lot(house: House, place: Place, way: Ints, owner: Ints | Ints32, start: Ints, number: Ints) -> Lot:
    """Where the cards lie in the decks that the hands of a place keep."""
    kept = [
        [card for card in range(one.dealt().get(place, 0)) if card not in set_aside(one, place)] for one in house.ways
    ]
    table = np.full((len(kept), max(map(len, kept))), -1, np.int64)
    for index, cards in enumerate(kept):
        table[index, : len(cards)] = cards
    by = way[owner]
    full = np.array([one.dealt().get(place, 0) for one in house.ways], np.int64)[by]
    count = np.where(number == full, np.array([len(cards) for cards in kept], np.int64)[by], -1)
    return Lot(round=owner.astype(np.int64), columns=start[:, None] + table[by], count=count)


def _places_in_deck(rounds: Rounds, numbers: Mapping[Place, Ints]) -> tuple[dict[Place, Ints], Ints]:
    """Where the cards of each hand begin in the deck of its round; and how many cards of each deck are dealt."""
    start: dict[Place, Ints] = {}
    used = np.zeros(len(rounds), np.int64)
    for place, number in numbers.items():
        if place == "player":
            start[place] = used[rounds.round] + running(number, rounds.offsets[:-1][rounds.round])
            used = used + np.bincount(rounds.round, number, len(rounds)).astype(np.int64)
        else:
            start[place] = used
            used = used + number
    return start, used


def running(number: Ints, first: Ints) -> Ints:
    """int64[n]: the sum of the numbers before each one, beginning with the `first` of its group."""
    before = np.cumsum(number) - number
    return before - before[first]


def cards_from(deck: Codes, rows: Ints | Ints32, start: Ints, number: Ints) -> Hands:
    """So many cards of the decks at `rows`, from a card on."""
    place = np.arange(min(WIDEST_HAND, int(number.max(initial=0))))
    cards = np.full((len(number), WIDEST_HAND), NO_CARD, np.uint8)
    if deck.shape[1]:
        found = deck[rows[:, None], np.minimum(start[:, None] + place, deck.shape[1] - 1)]
        cards[:, : len(place)] = np.where(place < number[:, None], found, NO_CARD)
    return Hands(cards=cards, count=number.astype(np.int16))


def _put_aside(house: House, rounds: Rounds, place: Place) -> Hands:
    """The cards of a place that its way of dealing does not let it keep."""
    hands = rounds.hands_at(place)
    aside = np.zeros(hands.cards.shape, np.bool_)
    discarding = [set_aside(way, place) for way in house.ways]
    if not any(discarding) and step_at(house.game, "discard", place) is None:
        return Hands(cards=np.full_like(hands.cards, NO_CARD), count=np.full_like(hands.count, ABSENT))
    by = rounds.way[rounds.round] if place == "player" else rounds.way
    for number, places in enumerate(discarding):
        for one in places:
            aside[by == number, one] = True
    return chosen_of(hands, aside)


def chosen_of(hands: Hands, chosen: Flags) -> Hands:
    """Some cards of each hand (bool[n, width]), in the order in which they lie."""
    chosen = chosen & (np.arange(hands.cards.shape[1]) < hands.count[:, None])
    order = np.argsort(~chosen, axis=1, kind="stable")
    cards = np.take_along_axis(np.where(chosen, hands.cards, NO_CARD), order, axis=1)
    return Hands(cards=cards, count=chosen.sum(axis=1).astype(np.int16))
