"""Rounds picked out of several batches and put in a new order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints, Ints32
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.tables import end_to_end, rows


def pick(batches: Sequence[Batch], chosen: Ints) -> Batch:
    """The rounds `chosen` (int64[n], none of them twice), counted through all the batches, in that order.

    All batches must code text by the same names.
    """
    whole = _joined(batches)
    seats, seat_offsets = _within(whole.seats.offsets, chosen)
    stakes, _ = _within(np.searchsorted(whole.stakes.seat, whole.seats.offsets), chosen)
    events, event_offsets = _within(whole.events.offsets, chosen)
    meters, meter_offsets = _within(whole.meters.offsets, chosen)
    order = np.arange(len(chosen), dtype=np.int32)
    # An entry more than there are seats: where ABSENT finds itself.
    new_seat = np.full(len(whole.seats.round) + 1, ABSENT, np.int32)
    new_seat[seats] = np.arange(len(seats), dtype=np.int32)
    card_rows = whole.events.cards_row[events]
    shown = card_rows != ABSENT
    return rows(
        whole,
        chosen,
        meters=rows(whole.meters, meters, offsets=meter_offsets, round=np.repeat(order, np.diff(meter_offsets))),
        seats=rows(whole.seats, seats, offsets=seat_offsets, round=np.repeat(order, np.diff(seat_offsets))),
        stakes=rows(whole.stakes, stakes, seat=new_seat[whole.stakes.seat[stakes]]),
        events=rows(
            whole.events,
            events,
            offsets=event_offsets,
            round=np.repeat(order, np.diff(event_offsets)),
            seat=new_seat[whole.events.seat[events]],
            cards_row=np.where(shown, np.cumsum(shown) - 1, ABSENT).astype(np.int32),
            hands=rows(whole.events.hands, card_rows[shown]),
        ),
    )


def _joined(batches: Sequence[Batch]) -> Batch:
    """Batches as one, what points at rounds, seats and cards pointing at them where they are now."""
    if len(batches) == 1:
        return batches[0]
    whole = end_to_end(batches)
    rounds = _starts([len(batch) for batch in batches])
    seats = _starts([len(batch.seats.round) for batch in batches])
    events = _starts([len(batch.events.round) for batch in batches])
    meters = _starts([len(batch.meters.round) for batch in batches])
    cards = _starts([len(batch.events.hands.count) for batch in batches])
    return replace(
        whole,
        meters=replace(
            whole.meters,
            offsets=_chained([batch.meters.offsets for batch in batches], meters),
            round=_moved([batch.meters.round for batch in batches], rounds),
        ),
        seats=replace(
            whole.seats,
            offsets=_chained([batch.seats.offsets for batch in batches], seats),
            round=_moved([batch.seats.round for batch in batches], rounds),
        ),
        stakes=replace(whole.stakes, seat=_moved([batch.stakes.seat for batch in batches], seats)),
        events=replace(
            whole.events,
            offsets=_chained([batch.events.offsets for batch in batches], events),
            round=_moved([batch.events.round for batch in batches], rounds),
            seat=_moved([batch.events.seat for batch in batches], seats),
            cards_row=_moved([batch.events.cards_row for batch in batches], cards),
        ),
    )


def _starts(lengths: Sequence[int]) -> list[int]:
    return np.cumsum([0, *lengths[:-1]]).tolist()


def _moved(columns: Sequence[Ints32], starts: Sequence[int]) -> Ints32:
    """Indices of every batch, counted on from where it now starts; ABSENT stays so."""
    moved = [np.where(column == ABSENT, ABSENT, column + start) for column, start in zip(columns, starts, strict=True)]
    return np.concatenate(moved).astype(np.int32)


def _chained(columns: Sequence[Ints], starts: Sequence[int]) -> Ints:
    """Offsets of every batch, laid end to end; the last of one is the first of the next."""
    first, *others = [column + start for column, start in zip(columns, starts, strict=True)]
    return np.concatenate([first, *(column[1:] for column in others)])


def _within(offsets: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The indices of all children of the chosen parents, and the offsets they then have."""
    starts, lengths = offsets[chosen], np.diff(offsets)[chosen]
    new = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return np.arange(new[-1]) + np.repeat(starts - new[:-1], lengths), new
