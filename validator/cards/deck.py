"""A deck as data, and shoes shuffled from it."""

from __future__ import annotations

from itertools import product

import numpy as np
from msgspec import Struct

from validator.arrays import Codes
from validator.cards.cards import parse_cards
from validator.cards.model import DeckModel


class Deck(Struct, frozen=True, kw_only=True):
    """The cards of one deck, as codes in ascending order."""

    name: str
    cards: tuple[int, ...]

    def shuffled(self, *, rng: np.random.Generator, rounds: int, decks: int, cards: int) -> Codes:
        """`uint8[rounds, cards]`: the first cards out of `rounds` shoes of `decks` decks, each shuffled anew.

        Draws only as many cards of each shoe as are asked for: every place takes one of the cards not yet
        drawn, all rounds at once. Raises `ValueError` if a shoe has fewer cards than that.
        """
        shoe = np.tile(np.array(self.cards, np.uint8), decks)
        if not 0 <= cards <= len(shoe):
            raise ValueError(f"{cards} cards cannot be dealt from a shoe of {len(shoe)}")
        shoes = np.tile(shoe[:, None], rounds)
        every = np.arange(rounds)
        for place in range(cards):
            chosen = rng.integers(place, len(shoe), rounds)
            drawn = shoes[chosen, every]
            shoes[chosen, every] = shoes[place]
            shoes[place] = drawn
        return np.ascontiguousarray(shoes[:cards].T)


def compile_deck(name: str, model: DeckModel) -> Deck:
    """The deck a rule file describes: every rank in every suit once."""
    texts = map("".join, product(model.ranks, model.suits))
    return Deck(name=name, cards=tuple(sorted(parse_cards("".join(texts)))))
