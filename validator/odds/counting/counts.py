"""What was counted of the deck a game is played with, kept from wager to wager."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator import disk_cache
from validator.arrays import Bits32, Codes, Ints, Ints32
from validator.engine.compiled.game import Prepared
from validator.odds.counting.distributions import Completions, Spread, spread_of_sets
from validator.odds.counting.flush_counts import FlushCounting
from validator.odds.counting.shared_flush import OwnHands, SharedFlush

Tell = Callable[[str], object]
"""Hears how far long work has come."""
Ends = tuple[int, ...] | None
"""The strengths at which something begins or ends that is asked of a hand; None where each is one of its own."""


class FlushCounts(Struct, frozen=True, kw_only=True, eq=False):
    """The hands of a player, `cards`, uint8[n, k], and how many there are of each, `weight`, int64[n]; and how many
    deals stand so to each, `number`, uint32[n, s], by `signatures`, int64[s], those there are, rising."""

    cards: Codes
    weight: Ints
    signatures: Ints
    number: Bits32


class Counts:
    """Counts of a game's hands. `tell` hears how far long work has come."""

    def __init__(self, prepared: Prepared, tell: Tell = lambda _: None) -> None:
        self.prepared, self.tell = prepared, tell
        self._spreads: dict[tuple[str, Ends], Spread] = {}
        self._completions: dict[tuple[str, Ends], Completions] = {}
        self._flushes: dict[str, FlushCounts] = {}

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

    def flushes(self, flush: SharedFlush) -> FlushCounts:
        """How longest-suited hands that share cards stand to each other. It takes a while, so it is kept on disk."""
        key = repr((flush.ranking, flush.own, flush.another, flush.shared))
        if key not in self._flushes:
            owns = list(flush.own_hands())
            self._flushes[key] = FlushCounts(
                cards=np.concatenate([own.cards for own in owns]),
                weight=np.concatenate([own.weight for own in owns]),
                signatures=(signatures := flush.possible()),
                number=self._kept(key, flush, owns, signatures),
            )
        return self._flushes[key]

    def _kept(self, key: str, flush: SharedFlush, owns: list[OwnHands], signatures: Ints) -> Bits32:
        entry = disk_cache.key_of("flushes", key)
        found = disk_cache.fetch(entry, trusted=())
        if isinstance(found, bytes):
            return np.frombuffer(found, "<u4").reshape(-1, len(signatures))
        counting, parts, done = FlushCounting(flush), [], 0
        for own in owns:
            parts.append(counting.count(own, flush.shared_cards())[:, signatures].astype("<u4"))
            done += int(own.weight.sum())
            self.tell(f"{done:,} hands of a player held against all others")
        number = np.concatenate(parts)
        disk_cache.keep(entry, number.tobytes())
        return number
