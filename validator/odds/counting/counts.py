"""Hand counts of the deck of a game, which its wagers share."""

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
"""Receives messages about the progress of long work."""
Ends = tuple[int, ...] | None
"""Strengths at which a distinguished group of hands begins or ends; None if every strength is distinguished."""


class FlushCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Number of deals by the player's hand and the signature of both hands."""

    cards: Codes
    """Hands of the player, uint8[n, k]."""
    weight: Ints
    """Number of hands that each row represents, int64[n]."""
    signatures: Ints
    """Signatures that occur, ascending, int64[s]."""
    number: Bits32
    """Number of deals by hand and signature, uint32[n, s]."""


class Counts:
    """Hand counts of a game, made when first needed. Progress is reported to `tell`."""

    def __init__(self, prepared: Prepared, tell: Tell = lambda _: None) -> None:
        """Prepare the counts of a game."""
        self.prepared, self.tell = prepared, tell
        self._spreads: dict[tuple[str, Ends], Spread] = {}
        self._completions: dict[tuple[str, Ends], Completions] = {}
        self._flushes: dict[str, FlushCounts] = {}

    def rank(self, hand: str, cards: Codes, ends: Ends) -> Ints32:
        """Return the strengths of hands, or the index of the interval between bounds that each is in, int32[n]."""
        strengths = self.prepared.hands[hand].strength(cards)
        return strengths if ends is None else np.searchsorted(np.array(ends), strengths, "right").astype(np.int32)

    def spread(self, hand: str, ends: Ends) -> Spread:
        """Return the number of hands of each strength."""
        if (hand, ends) not in self._spreads:
            size = sum(self.prepared.hands[hand].sizes)
            self._spreads[hand, ends] = spread_of_sets(size, lambda cards: self.rank(hand, cards, ends))
        return self._spreads[hand, ends]

    def completions(self, hand: str, ends: Ends) -> Completions:
        """Return the counts of hands that are completed from some of their cards."""
        if (hand, ends) not in self._completions:
            self._completions[hand, ends] = Completions(
                sum(self.prepared.hands[hand].sizes),
                lambda cards: self.rank(hand, cards, ends),
                self.spread(hand, ends),
            )
        return self._completions[hand, ends]

    def flushes(self, flush: SharedFlush) -> FlushCounts:
        """Return the counts for longest-suited hands that share cards. They take long, so they are cached on disk."""
        key = repr((flush.ranking, flush.own, flush.another, flush.shared))
        if key not in self._flushes:
            owns = list(flush.own_hands())
            self._flushes[key] = FlushCounts(
                cards=np.concatenate([own.cards for own in owns]),
                weight=np.concatenate([own.weight for own in owns]),
                signatures=(signatures := flush.possible()),
                number=self._load_deals(key, flush, owns, signatures),
            )
        return self._flushes[key]

    def _load_deals(self, key: str, flush: SharedFlush, owns: list[OwnHands], signatures: Ints) -> Bits32:
        entry = disk_cache.key_of("flushes", key)
        cached = disk_cache.fetch(entry, trusted=())
        if isinstance(cached, bytes):
            return np.frombuffer(cached, "<u4").reshape(-1, len(signatures))
        counting, parts, done = FlushCounting(flush), [], 0
        for own in owns:
            parts.append(counting.count(own, flush.shared_cards())[:, signatures].astype("<u4"))
            done += int(own.weight.sum())
            self.tell(f"{done:,} hands of a player compared with all others")
        number = np.concatenate(parts)
        disk_cache.keep(entry, number.tobytes())
        return number
