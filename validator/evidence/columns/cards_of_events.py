"""The cards of several events of one place, put together."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD, UNKNOWN
from validator.evidence.columns.batch import Batch, Events, Hands
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND


def cards_dealt(batch: Batch, place: str, *, at_once: bool = False) -> Hands:
    """The cards that a place (player, dealer, community) was dealt: as the summary lists them, else as events tell.
    A row a seat for `player`, else a row a round. Where dealing there is recorded and nothing was dealt, there are
    none; a record that breaks off tells of none that came after, and more than a hand has room for are not told. Where
    a place is dealt all its cards before anybody decides (`at_once`), none came after a decision."""
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
    """bool[rounds]: whether the first deal is over: the record goes on to the end, or somebody has decided something
    since the last card that it tells of."""
    if batch.complete.all():
        return batch.complete
    events = batch.events
    told = np.flatnonzero(np.isin(events.kind, (KIND["deal"], KIND["decide"])))
    decided = np.zeros(len(batch), bool)
    decided[events.round[told]] = events.kind[told] == KIND["decide"]  # the last one counts
    return batch.complete | decided


def listed_or_told(listed: Hands, told: Hands, silent: Flags) -> Hands:
    """What a summary lists, and what events tell where it is `silent`, bool[n]; `told` is at least as wide."""
    beyond = told.cards.shape[1] - listed.cards.shape[1]
    cards = np.pad(listed.cards, ((0, 0), (0, beyond)), constant_values=NO_CARD)
    return Hands(cards=np.where(silent[:, None], told.cards, cards), count=np.where(silent, told.count, listed.count))


def put_together(events: Events, chosen: Ints, owner: Ints, size: Ints, known: Flags) -> Hands:
    """The cards of some events end to end, a row for each owner: `chosen` int64[m] are the events in log order, `owner`
    and `size` int64[m] whose cards they are and how many. Of an event that names no cards their faces are UNKNOWN; of
    an owner whose cards are not `known`, bool[owners], there is nothing."""
    counts = np.bincount(owner, size, len(known)).astype(np.int64)
    listed = events.cards_row[chosen]
    width = max(WIDEST_HAND, int(counts[known].max(initial=0)))
    cards = np.full((len(known), width), UNKNOWN, np.uint8)
    before = before_each(owner, size, len(known))
    for column in range(int(size.max(initial=0))):
        ours = np.flatnonzero((listed != ABSENT) & (column < size) & known[owner])
        cards[owner[ours], before[ours] + column] = events.hands.cards[listed[ours], column]
    cards[np.arange(width) >= np.where(known, counts, 0)[:, None]] = NO_CARD
    return Hands(cards=cards, count=np.where(known, counts, ABSENT).astype(np.int16))


def before_each(owner: Ints, size: Ints, owners: int) -> Ints:
    """int64[n]: how much of each owner's stands before each item, items being in log order."""
    order = np.argsort(owner, kind="stable")
    running = np.cumsum(size[order]) - size[order]
    of = owner[order]
    first = np.full(owners, np.iinfo(np.int64).max)
    np.minimum.at(first, of, running)
    found = np.zeros(len(owner), np.int64)
    found[order] = running - first[of]
    return found
