"""Cards of several events at one place, joined."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD, UNKNOWN
from validator.evidence.columns.batch import Batch, Events, Hands
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND


def cards_dealt(batch: Batch, place: str, *, at_once: bool = False) -> Hands:
    """Collect the cards dealt to a place: as in the summary, else as in its events.

    If dealing there is recorded and no card was dealt, the place has none. A record that stops early leaves its cards
    unrecorded, and so do more cards than a hand can hold.

    Args:
        batch: the rounds.
        place: `player`, `dealer` or `community`.
        at_once: the place gets all cards before the first decision, so a record that stops after one lists them all.

    Returns: one row per seat for `player`, otherwise one row per round.
    """
    listed = {"player": batch.seats.hands, "dealer": batch.dealer, "community": batch.community}[place]
    recorded = tells(batch, "deal", place=place) & (dealt_out(batch) if at_once else batch.complete)
    silent = (listed.count == ABSENT) & (recorded[batch.seats.round] if place == "player" else recorded)
    if not silent.any():
        return listed
    events = batch.events
    chosen = np.flatnonzero((events.kind == KIND["deal"]) & (events.place == PLACES.index(place)))
    owner = (events.seat if place == "player" else events.round)[chosen].astype(np.int64)
    chosen, owner = chosen[silent[owner]], owner[silent[owner]]
    size = events.hands.count[events.cards_row[chosen]].astype(np.int64) if len(chosen) else chosen
    known = np.bincount(owner, size, len(silent)) <= WIDEST_HAND
    return listed_or_told(listed, put_together(events, chosen, owner, size, known), silent)


def dealt_out(batch: Batch) -> Flags:
    """Return whether the first deal is over in each round: the record is complete, or a decision follows its last card.

    Returns: bool[rounds].
    """
    if batch.complete.all():
        return batch.complete
    events = batch.events
    decisive = np.flatnonzero(np.isin(events.kind, (KIND["deal"], KIND["decide"])))
    decided = np.zeros(len(batch), bool)
    decided[events.round[decisive]] = events.kind[decisive] == KIND["decide"]  # the last event counts
    return batch.complete | decided


def listed_or_told(listed: Hands, by_events: Hands, silent: Flags) -> Hands:
    """Return the hands of a summary, with the hands of events where the summary is `silent`, bool[n]. The latter are at
    least as wide."""
    beyond = by_events.cards.shape[1] - listed.cards.shape[1]
    cards = np.pad(listed.cards, ((0, 0), (0, beyond)), constant_values=NO_CARD)
    count = np.where(silent, by_events.count, listed.count)
    return Hands(cards=np.where(silent[:, None], by_events.cards, cards), count=count)


def put_together(events: Events, chosen: Ints, owner: Ints, size: Ints, known: Flags) -> Hands:
    """Join the cards of some events, one row for each owner.

    Args:
        events: all events of the batch.
        chosen: indices of the events in log order, int64[m].
        owner: the owner of the cards of each event, int64[m].
        size: the number of cards of each event, int64[m]. Cards that an event does not name are UNKNOWN.
        known: the owners whose cards are known, bool[owners]; the others get no cards.
    """
    counts = np.bincount(owner, size, len(known)).astype(np.int64)
    listed = events.cards_row[chosen]
    width = max(WIDEST_HAND, int(counts[known].max(initial=0)))
    cards = np.full((len(known), width), UNKNOWN, np.uint8)
    before = before_each(owner, size, len(known))
    for column in range(int(size.max(initial=0))):
        with_card = np.flatnonzero((listed != ABSENT) & (column < size) & known[owner])
        cards[owner[with_card], before[with_card] + column] = events.hands.cards[listed[with_card], column]
    cards[np.arange(width) >= np.where(known, counts, 0)[:, None]] = NO_CARD
    return Hands(cards=cards, count=np.where(known, counts, ABSENT).astype(np.int16))


def before_each(owner: Ints, size: Ints, owners: int) -> Ints:
    """Sum the sizes of the earlier items of the same owner, for each item in log order.

    Returns: int64[n].
    """
    order = np.argsort(owner, kind="stable")
    running = np.cumsum(size[order]) - size[order]
    ordered_owner = owner[order]
    first = np.full(owners, np.iinfo(np.int64).max)
    np.minimum.at(first, ordered_owner, running)
    sums = np.zeros(len(owner), np.int64)
    sums[order] = running - first[ordered_owner]
    return sums
