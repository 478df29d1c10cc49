"""Hands that luck alone would hardly ever deal."""

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
"""Hands that are dealt from the whole deck to find rare ones."""
_OF_A_FEW = 2000
"""Hands that are dealt from each choice of a suit, or of two ranks."""
_OF_MANY = 200
"""Hands that are dealt from each choice of one suit and one rank besides."""
_ALL_OF = 13
"""Of so few cards all hands are looked at."""
_ENOUGH = 64
"""Different hands of a rare category that are kept to choose from."""


class Rare(Struct, frozen=True, kw_only=True):
    """Hands of a rare category: where their cards lie and how many of them at each place; and whether these are cards
    that it holds in the end, so that it may be dealt more."""

    hands: tuple[tuple[int, ...], ...]
    places: tuple[Place, ...]
    sizes: tuple[int, ...]
    held: bool

    @property
    def own(self) -> Place:
        """The place whose hand it is."""
        return "player" if "player" in self.places else self.places[0]


def rare_hand(prepared: Prepared, name: str, category: str, deck: tuple[int, ...]) -> Rare:
    """Some hands of a category, mark or band, their cards place by place; none where none was found. Raises ValueError
    where the ranking has no such name."""
    hand = prepared.hands[name]
    low, high = hand.ranking.span(category)
    likely = _likely(deck, sum(hand.sizes))
    strength = hand.strength(likely)
    found = [tuple(cards) for cards in likely[(strength >= low) & (strength < high)].tolist()]
    stream(0, name, category).shuffle(found)
    return Rare(hands=tuple(found[:_ENOUGH]), places=hand.places, sizes=hand.sizes, held=hand.cards == "held")


@cache
def _likely(deck: tuple[int, ...], size: int) -> Codes:
    """`uint8[n, size]`: hands dealt at random and where rare ones are, within a suit, among two ranks, within a suit
    and one rank besides; not to be written to."""
    rng = np.random.Generator(np.random.PCG64(size))
    suits, ranks = sorted({card & 3 for card in deck}), sorted({card >> 2 for card in deck})
    pools = [([card for card in deck if card & 3 == suit], _OF_A_FEW) for suit in suits]
    pools += [([card for card in deck if card >> 2 in pair], _OF_A_FEW) for pair in combinations(ranks, 2)]
    pools += [
        ([card for card in deck if card & 3 == suit or card >> 2 == rank], _OF_MANY) for suit in suits for rank in ranks
    ]
    found: list[tuple[int, ...]] = []
    for pool, most in [*pools, ([*deck], _AT_RANDOM)]:
        if len(pool) <= _ALL_OF:
            found += combinations(pool, size)
        elif len(pool) >= size:
            chosen = np.argsort(rng.integers(0, 2**62, (most, len(pool))), axis=1)[:, :size]
            found += [tuple(hand) for hand in np.array(pool)[chosen].tolist()]
    return np.array(found, np.uint8).reshape(len(found), size)
