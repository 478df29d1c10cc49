"""Search for cards with which hands have required strengths, over all hands of a deck or over random deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

import numpy as np

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.cards import format_cards
from validator.cards.deck import compile_deck
from validator.cards.ranking_protocol import HandOrder
from validator.engine.compiled.game import CompiledGame
from validator.language.terms import Place
from validator.propositions.formula import Span

MOST_HANDS = 3_000_000
"""The highest number of hands to enumerate; with more hands in the deck, the search draws random deals."""
_DEALS = 60_000
_ROUNDS = 5

Strengths = Mapping[tuple[str, str], Span]
"""Required strengths, by name of the hand and of its ranking."""
Signs = Mapping[tuple[str, str], Span]
"""Required signs of the strength of a hand minus that of another, by the names of both hands."""


class DealSearch:
    """Search among the deals of a game."""

    def __init__(self, prepared: CompiledGame, orders: Mapping[str, HandOrder]) -> None:
        """Prepare a search in a compiled game; `orders` are its rankings by name."""
        self._prepared = prepared
        self._orders = orders

    def find_cards(self, strengths: Strengths, signs: Signs) -> Mapping[Place, str] | None:
        """Return cards of places with which hands have the required strengths and signs.

        Returns:
            The cards by place; empty if the search found none; None if the deck has none.
        """
        game = self._prepared.game
        names = dict.fromkeys([*(hand for hand, _ in strengths), *(hand for pair in signs for hand in pair)])
        hands = [game.hands[name] for name in names]
        if not hands or any(hand.cards != "dealt" or hand.uses is not None for hand in hands):
            return {}
        places = list(dict.fromkeys(place for hand in hands for place in hand.from_))
        counts = [game.deal.cards[place] for place in places]
        columns = dict(zip(places, np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1]), strict=True))
        every = self._enumerate_hands(sum(counts)) if len(hands) == 1 else None
        for deals in [every] if every is not None else (self._draw_deals(sum(counts), seed) for seed in range(_ROUNDS)):
            fits = self._find_fits(deals, columns, strengths, signs)
            if fits.any():
                row = deals[int(fits.argmax())]
                return {place: format_cards(row[columns[place]].tolist()) for place in places}
        return None if every is not None else {}

    def _find_fits(self, deals: Codes, columns: Mapping[Place, Ints], strengths: Strengths, signs: Signs) -> Flags:
        game = self._prepared.game

        def strength(name: str, ranking: str) -> Ints32:
            own = np.concatenate([columns[place] for place in game.hands[name].from_])
            return self._orders[ranking].strength(np.ascontiguousarray(deals[:, own]))

        fits = np.ones(len(deals), bool)
        for (name, ranking), (low, high) in strengths.items():
            worth = strength(name, ranking)
            fits &= (low <= worth) & (worth < high)
        for (first, second), (low, high) in signs.items():
            sign = np.sign(strength(first, game.hands[first].rank_by) - strength(second, game.hands[second].rank_by))
            fits &= (low <= sign) & (sign < high)
        return fits

    def _enumerate_hands(self, size: int) -> Codes | None:
        """Return every hand of `size` cards, uint8[n, size]; None if there are more than `MOST_HANDS`."""
        shoe = self._list_cards()
        if comb(len(shoe), size) > MOST_HANDS:
            return None
        flat = np.fromiter((card for hand in combinations(shoe, size) for card in hand), np.uint8)
        return flat.reshape(-1, size)

    def _draw_deals(self, size: int, seed: int) -> Codes:
        """Return random deals of `size` cards, uint8[n, size]; the same deals for the same seed."""
        deck = self._prepared.game.deck
        model = self._prepared.regulation.vocabulary.decks[deck.cards]
        rng = np.random.default_rng(seed)
        return compile_deck(deck.cards, model).shuffle_shoes(rng=rng, rounds=_DEALS, decks=deck.decks, cards=size)

    def _list_cards(self) -> Sequence[int]:
        deck = self._prepared.game.deck
        return compile_deck(deck.cards, self._prepared.regulation.vocabulary.decks[deck.cards]).cards * deck.decks
