"""Rounds whose events stand in an order in which they cannot have happened."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import DEAL_ORDER, mask_of, told
from validator.evidence.consistency.cards import Places
from validator.evidence.handlog.events import KIND, KINDS
from validator.text.visible import quoted

DONE_WITH_CARDS = ("reveal", "expose", "turn-down", "discard", "draw", "tuck", "collect-cards")
"""The kinds of event that can only be when cards lie at a place."""
_WITH_CARDS = np.isin(KINDS, DONE_WITH_CARDS)
"""bool[kinds]: whether a kind is one of them."""
_WITH_A_STAKE = np.isin(KINDS, ("pay", "collect", "return", "withdraw"))
"""bool[kinds]: what can only be done with a stake that was placed."""
_DONE = {
    "pay": "paid",
    "collect": "collected",
    "return": "given back",
    "withdraw": "taken back",
    "reveal": "shown",
    "expose": "shown",
    "turn-down": "turned down",
    "discard": "discarded",
    "draw": "exchanged",
    "tuck": "tucked",
    "collect-cards": "collected",
}


def order(batch: Batch, summary: Places) -> Iterator[tuple[int, str]]:
    """Cards that something is done with before any were dealt to their place, and stakes that are settled or taken
    back before they were placed."""
    yield from _cards(batch, summary)
    yield from _stakes(batch)


def _cards(batch: Batch, summary: Places) -> Iterator[tuple[int, str]]:
    events = batch.events
    done = np.flatnonzero(_WITH_CARDS[events.kind])
    deals = np.flatnonzero(events.kind == KIND["deal"])
    place, dealt_to = summary.of.take(done), summary.of.take(deals)
    first = _first(dealt_to, deals, len(summary.round), len(events.kind))
    early = (place >= 0) & (done < first[place]) & (first[place] < len(events.kind))
    early &= told(batch, mask_of([DEAL_ORDER]))[events.round[done]]
    for event, at in zip(done[early].tolist(), place[early].tolist(), strict=True):
        verb = _DONE[KINDS[events.kind[event]]]
        yield int(events.round[event]), f"{summary.whose(at)} are {verb} before any are dealt there"


def _stakes(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    settled = np.flatnonzero(_WITH_A_STAKE[events.kind] & (events.seat >= 0))
    placed = np.flatnonzero((events.kind == KIND["wager"]) & (events.seat >= 0))
    width = len(events.wager.names) * 2
    cell = (events.seat.astype(np.int64) * len(events.wager.names) + events.wager.codes) * 2 + events.tip
    known, place = np.unique(cell[placed], return_inverse=True)
    first = _first(place, placed, len(known), len(events.kind))
    at = np.searchsorted(known, cell[settled])
    there = (at < len(known)) & (width > 0)
    settled, at = settled[there], at[there]
    early = (known[at] == cell[settled]) & (settled < first[at])
    for event in settled[early].tolist():
        seat, verb = int(events.seat[event]), _DONE[KINDS[events.kind[event]]]
        wager = f"{'a tip on ' * bool(events.tip[event])}{quoted(events.wager.text(event) or '')}"
        yield int(events.round[event]), f"seat {seats.number[seat]}, {wager}: {verb} before it was placed"


def _first(owner: Ints, events: Ints, owners: int, never: int) -> Ints:
    """int64[owners]: the first of some events, in log order, of each owner, `never` where there is none."""
    first = np.full(owners + 1, never, np.int64)  # the last stands for no owner
    first[owner[::-1]] = events[::-1]
    return first[:-1]
