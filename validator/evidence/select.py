"""Choosing rounds of a batch, and laying columns end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT, Batch, Coded, Flags, Ints

Relation = TypeVar("Relation")


def select(batch: Batch, keep: Flags) -> Batch:
    """The rounds where `keep` (bool[rounds]) holds, in order; the same object where it holds for all.

    Names keep their codes, also those that no longer occur.
    """
    if keep.all():
        return batch
    seats, stakes, events = batch.seats, batch.stakes, batch.events
    kept_seats = keep[seats.round]
    kept_stakes = kept_seats[stakes.seat]
    kept_events = keep[events.round]
    new_round, new_seat = _renumbered(keep), _renumbered(kept_seats)
    rows = events.cards_row[kept_events]
    kept_rows = np.zeros(len(events.hands.count), np.bool_)
    kept_rows[rows[rows >= 0]] = True
    return _rows(
        batch,
        keep,
        seats=_rows(
            seats,
            kept_seats,
            offsets=_offsets(seats.offsets, keep),
            round=new_round[seats.round[kept_seats]],
        ),
        stakes=_rows(stakes, kept_stakes, seat=new_seat[stakes.seat[kept_stakes]]),
        events=_rows(
            events,
            kept_events,
            offsets=_offsets(events.offsets, keep),
            round=new_round[events.round[kept_events]],
            seat=new_seat[events.seat[kept_events]],
            cards_row=_renumbered(kept_rows)[rows],
            hands=_rows(events.hands, kept_rows),
        ),
    )


def _rows(relation: Relation, keep: Flags, **given: object) -> Relation:
    """A relation whose columns are cut down to the rows that are kept, save those that are given anew."""
    cut = {
        part.name: _cut(getattr(relation, part.name), keep)
        for part in fields(relation)  # type: ignore[arg-type]
        if part.name not in given
    }
    return replace(relation, **cut, **given)  # type: ignore[type-var]


def _cut(column: Any, keep: Flags) -> Any:
    if isinstance(column, str):
        return column
    if isinstance(column, tuple):
        return tuple(value for value, kept in zip(column, keep.tolist(), strict=True) if kept)
    if isinstance(column, Coded):
        return Coded(codes=column.codes[keep], names=column.names)
    return _rows(column, keep) if is_dataclass(column) else column[keep]


def _renumbered(keep: Flags) -> NDArray[np.int32]:
    """The new index of each thing that is kept. At its end a spare entry, where ABSENT finds itself."""
    return np.append(np.cumsum(keep, dtype=np.int32) - np.int32(1), np.int32(ABSENT))


def _offsets(offsets: Ints, keep: Flags) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[keep])])


def end_to_end(parts: Sequence[Relation]) -> Relation:
    """Relations of one kind as one, columns laid end to end. Columns of text must have been coded with one
    set of names, the last part's being the longest. Raises `IndexError` where there are no parts."""
    joined: Any = _joined(parts)
    return joined  # type: ignore[no-any-return]


def _joined(parts: Sequence[Any]) -> Any:
    last = parts[-1]
    if len(parts) == 1 or isinstance(last, str):
        return last
    if isinstance(last, tuple):
        return sum(parts, ())
    if isinstance(last, Coded):
        return Coded(codes=np.concatenate([part.codes for part in parts]), names=last.names)
    if is_dataclass(last):
        return replace(last, **{f.name: _joined([getattr(part, f.name) for part in parts]) for f in fields(last)})  # type: ignore[type-var]
    return np.concatenate(parts)
