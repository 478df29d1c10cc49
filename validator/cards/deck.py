"""Deck as data, and shoes shuffled from it."""

from __future__ import annotations

from itertools import product

import numpy as np
from msgspec import Struct

from validator.arrays import Codes
from validator.cards.cards import parse_cards
from validator.cards.model import DeckModel


class Deck(Struct, frozen=True, kw_only=True):
    """Cards of one deck."""

    name: str
    """Name of the deck."""
    cards: tuple[int, ...]
    """Codes of the cards, ascending."""

    def shuffled(self, *, rng: np.random.Generator, rounds: int, decks: int, cards: int) -> Codes:
        """Return the first cards of shoes of several decks, each shuffled anew.

        Only the required cards of each shoe are drawn: every place takes one of the remaining cards, for all rounds at
        once. Raises ValueError if a shoe has too few cards.

        Returns: uint8[rounds, cards].
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
    """Return the deck of a rule file: every rank in every suit once."""
    texts = map("".join, product(model.ranks, model.suits))
    return Deck(name=name, cards=tuple(sorted(parse_cards("".join(texts)))))
