"""Rounds in which a stake is settled before it was placed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.events import KIND, KINDS
from validator.text.visible import quoted

_WITH_A_STAKE = np.isin(KINDS, ("pay", "collect", "return", "withdraw"))
"""True for the kinds of event that need a placed stake, bool[kinds]."""
_SETTLEMENT_WORDS = {"pay": "paid", "collect": "collected", "return": "given back", "withdraw": "taken back"}


def order(batch: Batch) -> Iterator[tuple[int, str]]:
    """Yield stakes that are settled or withdrawn before they were placed."""
    events, seats = batch.events, batch.seats
    settled = np.flatnonzero(_WITH_A_STAKE[events.kind] & (events.seat >= 0))
    placed = np.flatnonzero((events.kind == KIND["wager"]) & (events.seat >= 0))
    width = len(events.wager.names) * 2
    cell = (events.seat.astype(np.int64) * len(events.wager.names) + events.wager.codes) * 2 + events.tip
    known, place = np.unique(cell[placed], return_inverse=True)
    first = _find_first_events(place, placed, len(known), len(events.kind))
    at = np.searchsorted(known, cell[settled])
    is_placed = (at < len(known)) & (width > 0)
    settled, at = settled[is_placed], at[is_placed]
    early = (known[at] == cell[settled]) & (settled < first[at])
    for event in settled[early].tolist():
        seat, verb = int(events.seat[event]), _SETTLEMENT_WORDS[KINDS[events.kind[event]]]
        wager = f"{'a tip on ' * bool(events.tip[event])}{quoted(events.wager.text(event) or '')}"
        yield int(events.round[event]), f"seat {seats.number[seat]}, {wager}: {verb} before it was placed"


def _find_first_events(owner: Ints, events: Ints, owners: int, never: int) -> Ints:
    """Return the first of some events, in log order, of each owner; `never` if there is none.

    Returns: int64[owners].
    """
    first = np.full(owners + 1, never, np.int64)  # the last entry is for no owner
    first[owner[::-1]] = events[::-1]
    return first[:-1]
