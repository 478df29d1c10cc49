"""Hands that a random deal hardly ever contains."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import Codes
from validator.engine.compiled.game import Prepared
from validator.language.terms import Place
from validator.simulate.table.chance import stream

_AT_RANDOM = 20_000
"""Number of hands that are dealt from the full deck to find rare ones."""
_OF_A_FEW = 2000
"""Number of hands that are dealt from each suit, and from each two ranks."""
_OF_MANY = 200
"""Number of hands that are dealt from each suit together with one rank."""
_ALL_OF = 13
"""Largest number of cards of which all hands are tried."""
_ENOUGH = 64
"""Number of hands of a rare category that are kept."""


class Rare(Struct, frozen=True, kw_only=True):
    """Hands of a rare category."""

    hands: tuple[tuple[int, ...], ...]
    """Cards of each hand, place by place."""
    places: tuple[Place, ...]
    """Places of the cards."""
    sizes: tuple[int, ...]
    """Number of cards at each place."""
    held: bool
    """True if the hand consists of cards that are left after an exchange, so that a place may be dealt more."""

    @property
    def own(self) -> Place:
        """Return the place whose hand it is."""
        return "player" if "player" in self.places else self.places[0]


def rare_hand(prepared: Prepared, name: str, category: str, deck: tuple[int, ...]) -> Rare:
    """Return hands of a category, mark or band; none if none was found. Raises ValueError for an unknown name."""
    hand = prepared.hands[name]
    low, high = hand.ranking.span(category)
    likely = _deal_candidates(deck, sum(hand.sizes))
    strength = hand.strength(likely)
    rare = [tuple(cards) for cards in likely[(strength >= low) & (strength < high)].tolist()]
    stream(0, name, category).shuffle(rare)
    return Rare(hands=tuple(rare[:_ENOUGH]), places=hand.places, sizes=hand.sizes, held=hand.cards == "held")


@cache
def _deal_candidates(deck: tuple[int, ...], size: int) -> Codes:
    """Return hands from the full deck, from suits, from pairs of ranks and from a suit with a rank, uint8[n, size].

    The result is cached, so do not write to it.
    """
    rng = np.random.Generator(np.random.PCG64(size))
    suits, ranks = sorted({card & 3 for card in deck}), sorted({card >> 2 for card in deck})
    pools = [([card for card in deck if card & 3 == suit], _OF_A_FEW) for suit in suits]
    pools += [([card for card in deck if card >> 2 in pair], _OF_A_FEW) for pair in combinations(ranks, 2)]
    pools += [
        ([card for card in deck if card & 3 == suit or card >> 2 == rank], _OF_MANY) for suit in suits for rank in ranks
    ]
    candidates: list[tuple[int, ...]] = []
    for pool, most in [*pools, ([*deck], _AT_RANDOM)]:
        if len(pool) <= _ALL_OF:
            candidates += combinations(pool, size)
        elif len(pool) >= size:
            chosen = np.argsort(rng.integers(0, 2**62, (most, len(pool))), axis=1)[:, :size]
            candidates += [tuple(hand) for hand in np.array(pool)[chosen].tolist()]
    return np.array(candidates, np.uint8).reshape(len(candidates), size)
