"""Selection of rounds of a batch, or of the events before a moment."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Ints32
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.tables import rows


def select(batch: Batch, keep: Flags) -> Batch:
    """Return the rounds marked in `keep` (bool[rounds]), in order; the same batch if all are marked.

    Names keep their codes, including names that no longer occur.
    """
    if keep.all():
        return batch
    seats, stakes, events, meters = batch.seats, batch.stakes, batch.events, batch.meters
    kept_seats = keep[seats.round]
    kept_stakes = kept_seats[stakes.seat]
    kept_events = keep[events.round]
    kept_meters = keep[meters.round]
    new_round, new_seat = _renumber(keep), _renumber(kept_seats)
    cards_row = events.cards_row[kept_events]
    kept_hands = np.zeros(len(events.hands.count), np.bool_)
    kept_hands[cards_row[cards_row >= 0]] = True
    return rows(
        batch,
        keep,
        meters=rows(
            meters,
            kept_meters,
            offsets=_select_offsets(meters.offsets, keep),
            round=new_round[meters.round[kept_meters]],
        ),
        seats=rows(
            seats,
            kept_seats,
            offsets=_select_offsets(seats.offsets, keep),
            round=new_round[seats.round[kept_seats]],
        ),
        stakes=rows(stakes, kept_stakes, seat=new_seat[stakes.seat[kept_stakes]]),
        events=rows(
            events,
            kept_events,
            offsets=_select_offsets(events.offsets, keep),
            round=new_round[events.round[kept_events]],
            seat=new_seat[events.seat[kept_events]],
            cards_row=_renumber(kept_hands)[cards_row],
            hands=rows(events.hands, kept_hands),
        ),
    )


def before(batch: Batch, event: int) -> Batch:
    """Return a batch of one round without the events from `event` on."""
    events = batch.events
    keep = np.arange(len(events.kind)) < event
    offsets = np.array([0, keep.sum()], np.int64)
    return replace(batch, events=rows(events, keep, offsets=offsets, hands=events.hands))


def _renumber(keep: Flags) -> Ints32:
    """Return the new index of each kept item, with a last entry that maps ABSENT to itself."""
    return np.append(np.cumsum(keep, dtype=np.int32) - np.int32(1), np.int32(ABSENT))


def _select_offsets(offsets: Ints, keep: Flags) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[keep])])
