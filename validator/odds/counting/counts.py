"""What was counted of the deck a game is played with, kept from wager to wager."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import LongestSuited
from validator.engine.compiled.game import Prepared
from validator.odds.counting.distributions import Completions, Spread, spread_of_sets
from validator.odds.counting.shared_flush import SharedFlush

Tell = Callable[[str], None]
Ends = tuple[int, ...] | None
"""The strengths at which something begins or ends that is asked of a hand; None where each is one of its own."""


class Counts:
    """Counts of a game's hands. `tell` hears how far long work has come."""

    def __init__(self, prepared: Prepared, tell: Tell = lambda _: None) -> None:
        self.prepared, self.tell = prepared, tell
        self._spreads: dict[tuple[str, Ends], Spread] = {}
        self._completions: dict[tuple[str, Ends], Completions] = {}
        self._flushes: dict[tuple[str, int], tuple[Codes, Ints, Ints]] = {}

    def rank(self, hand: str, cards: Codes, ends: Ends) -> Ints32:
        """int32[n]: the strengths of hands, or, where only some ends matter, between which of those they lie."""
        strengths = self.prepared.hands[hand].strength(cards)
        return strengths if ends is None else np.searchsorted(np.array(ends), strengths, "right").astype(np.int32)

    def spread(self, hand: str, ends: Ends) -> Spread:
        """The strengths of all hands."""
        if (hand, ends) not in self._spreads:
            size = sum(self.prepared.hands[hand].sizes)
            self._spreads[hand, ends] = spread_of_sets(size, lambda cards: self.rank(hand, cards, ends))
        return self._spreads[hand, ends]

    def completions(self, hand: str, ends: Ends) -> Completions:
        """Hands completed from some of their cards."""
        if (hand, ends) not in self._completions:
            self._completions[hand, ends] = Completions(
                sum(self.prepared.hands[hand].sizes),
                lambda cards: self.rank(hand, cards, ends),
                self.spread(hand, ends),
            )
        return self._completions[hand, ends]

    def flushes(self, ranking: LongestSuited, flush: SharedFlush) -> tuple[Codes, Ints, Ints]:
        """The hands of a player, uint8[n, k], and how many there are of each, int64[n]; and int64[n, signatures], how
        the other hand stands to each."""
        key = repr(ranking), flush.shared
        if key not in self._flushes:
            parts, done = [], 0
            for own in flush.own_hands():
                parts.append((own.cards, own.weight, flush.count(own).astype(np.uint32)))
                done += int(own.weight.sum())
                self.tell(f"{done:,} hands of a player held against all others")
            cards, weight, number = (np.concatenate(part) for part in zip(*parts, strict=True))
            self._flushes[key] = cards, weight, number
        return self._flushes[key]
