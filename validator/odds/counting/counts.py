"""Hand counts of the deck of a game, which its wagers share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from validator import disk_cache
from validator.arrays import Bits32, Codes, Ints, Ints32
from validator.engine.compiled.game import CompiledGame
from validator.odds.counting.distributions import HandCompletions, StrengthCounts, count_set_strengths
from validator.odds.counting.flush_counts import FlushCounter
from validator.odds.counting.shared_flush import OwnHands, SharedFlush

ReportProgress = Callable[[str], object]
"""Receives messages about the progress of long work."""
StrengthBounds = tuple[int, ...] | None
"""Strengths at which a distinguished group of hands begins or ends; None if every strength is distinguished."""


class FlushCounts(Struct, frozen=True, kw_only=True, eq=False):
    """Number of deals by the player's hand and the signature of both hands."""

    cards: Codes
    """Hands of the player, uint8[n, k]."""
    weight: Ints
    """Number of hands that each row represents, int64[n]."""
    signatures: Ints
    """Signatures that occur, ascending, int64[s]."""
    deal_counts: Bits32
    """Number of deals by hand and signature, uint32[n, s]."""


class HandCounts:
    """Hand counts of a game, made when first needed. Progress is reported to `tell`."""

    def __init__(self, prepared: CompiledGame, tell: ReportProgress = lambda _: None) -> None:
        """Prepare the counts of a game."""
        self.prepared, self.report_progress = prepared, tell
        self._spreads: dict[tuple[str, StrengthBounds], StrengthCounts] = {}
        self._completions: dict[tuple[str, StrengthBounds], HandCompletions] = {}
        self._flushes: dict[str, FlushCounts] = {}

    def rank_hands(self, hand: str, cards: Codes, ends: StrengthBounds) -> Ints32:
        """Return the strengths of hands, or the index of the interval between bounds that each is in, int32[n]."""
        strengths = self.prepared.hands[hand].strength(cards)
        return strengths if ends is None else np.searchsorted(np.array(ends), strengths, "right").astype(np.int32)

    def count_strengths(self, hand: str, ends: StrengthBounds) -> StrengthCounts:
        """Return the number of hands of each strength."""
        if (hand, ends) not in self._spreads:
            size = sum(self.prepared.hands[hand].sizes)
            self._spreads[hand, ends] = count_set_strengths(size, lambda cards: self.rank_hands(hand, cards, ends))
        return self._spreads[hand, ends]

    def count_completions(self, hand: str, ends: StrengthBounds) -> HandCompletions:
        """Return the counts of hands that are completed from some of their cards."""
        if (hand, ends) not in self._completions:
            self._completions[hand, ends] = HandCompletions(
                sum(self.prepared.hands[hand].sizes),
                lambda cards: self.rank_hands(hand, cards, ends),
                self.count_strengths(hand, ends),
            )
        return self._completions[hand, ends]

    def count_flushes(self, flush: SharedFlush) -> FlushCounts:
        """Return the counts for longest-suited hands that share cards. They take long, so they are cached on disk."""
        key = repr((flush.ranking, flush.own, flush.another, flush.shared))
        if key not in self._flushes:
            owns = list(flush.list_own_hands())
            self._flushes[key] = FlushCounts(
                cards=np.concatenate([own.cards for own in owns]),
                weight=np.concatenate([own.weight for own in owns]),
                signatures=(signatures := flush.list_signatures()),
                deal_counts=self._load_deals(key, flush, owns, signatures),
            )
        return self._flushes[key]

    def _load_deals(self, key: str, flush: SharedFlush, owns: list[OwnHands], signatures: Ints) -> Bits32:
        entry = disk_cache.build_key("flushes", key)
        cached = disk_cache.load_entry(entry, trusted=())
        if isinstance(cached, bytes):
            return np.frombuffer(cached, "<u4").reshape(-1, len(signatures))
        counting, parts, done = FlushCounter(flush), [], 0
        for own in owns:
            parts.append(counting.count(own, flush.list_shared_cards())[:, signatures].astype("<u4"))
            done += int(own.weight.sum())
            self.report_progress(f"{done:,} hands of a player compared with all others")
        number = np.concatenate(parts)
        disk_cache.store_entry(entry, number.tobytes())
        return number
