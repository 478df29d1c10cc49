"""Meters from round to round: where one closes, the next one at the table opens, and awards go by what it then reads.

Every round was played as if its meters stood where they first did. Here they are moved to where they stand, and what
was paid of them with them; nothing else about a round hangs on a meter.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints, Ints32
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.events import KIND
from validator.simulate.gather import pick
from validator.simulate.house import House
from validator.simulate.metering import awards_from, moved, paid_from, whole
from validator.simulate.stating import stated_by


def first_readings(house: House) -> Ints:
    """int64[tables, meters]: what the meters of every table read before its first round."""
    return np.tile(np.array([meter.start for meter in house.meters], np.int64), (len(house.tables), 1))


def carry(house: House, batch: Batch, reads: Ints) -> tuple[Batch, Ints]:
    """The rounds with their meters as they stand at their tables, whose meters read `reads` (int64[tables, meters])
    before them; and what they read after them."""
    shape = (len(batch), len(house.meters))
    opening, shown, closing = (
        column.reshape(shape) for column in (batch.meters.opening, batch.meters.shown, batch.meters.closing)
    )
    winning = _winning(house, batch)
    apart = pick([batch], winning)
    played = _reading(house, apart, shown[winning])
    odd = closing[winning] - _left(house, played, played)  # what a meter reads that it should not
    change = closing - opening
    for _ in range(len(winning) + 1):
        start = _chained(reads, batch.table.codes, change)
        now = shown + start - opening
        left = _left(house, _reading(house, apart, now[winning]), played) + odd - start[winning]
        if (change[winning] == left).all():
            break
        change[winning] = left
    meters = replace(batch.meters, opening=start.ravel(), shown=now.ravel(), closing=(start + change).ravel())
    after = reads.copy()
    after[batch.table.codes] = start + change  # of rounds at one table the last one stays
    return _paid_anew(house, replace(batch, meters=meters), batch, winning), after


def _winning(house: House, batch: Batch) -> Ints:
    """int64[m]: the rounds in which something is paid that goes by a meter."""
    scope = Scope(batch, house.prepared, house.configuration)
    found = [
        batch.seats.round[line.seat[stakes]]
        for meter in house.meters
        for line, stakes in paid_from(scope, meter).values()
    ]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *found])).astype(np.int64)


def _reading(house: House, batch: Batch, shown: Ints) -> Scope:
    """Rounds opened for questions, their meters reading so much (int64[rounds, meters]) when awards are made."""
    moved = replace(batch, meters=replace(batch.meters, shown=shown.ravel()))
    return Scope(moved, house.prepared, house.configuration)


def _left(house: House, now: Scope, played: Scope) -> Ints:
    """int64[rounds, meters]: what meters read after awards."""
    shown = now.batch.meters.shown.reshape(-1, len(house.meters))
    left = [awards_from(now, meter, played).left(meter, shown[:, at]) for at, meter in enumerate(house.meters)]
    return np.stack(left, axis=1)


def _chained(reads: Ints, table: Ints32, change: Ints) -> Ints:
    """int64[rounds, meters]: what meters read before each round, by what they change in each."""
    order = np.argsort(table, kind="stable")
    at = table[order]
    before = np.cumsum(change[order], axis=0) - change[order]
    first = np.searchsorted(at, at)
    start = np.empty_like(change)
    start[order] = reads[at] + before - before[first]
    return start


def _paid_anew(house: House, batch: Batch, before: Batch, winning: Ints) -> Batch:
    """The batch in which stakes that were paid by its meters as they stood `before` are paid as they stand now."""
    if not len(winning):
        return batch
    old, new = pick([before], winning), pick([batch], winning)
    rise = _rises(house, old, new)
    first_seat = batch.seats.offsets[winning] - old.seats.offsets[:-1]
    paid, amount = batch.stakes.paid.copy(), batch.events.amount.copy()
    for (seat, name, tip), more in rise.items():
        here = seat + int(first_seat[old.seats.round[seat]])
        entry = (batch.stakes.seat == here) & (batch.stakes.tip == tip) & (paid > 0)
        entry &= batch.stakes.wager.codes == batch.stakes.wager.code(name)
        paid[entry] = moved(paid[entry], np.full(int(entry.sum()), more))
        told = (batch.events.seat == here) & (batch.events.tip == tip) & (batch.events.kind == KIND["pay"])
        told &= batch.events.wager.codes == batch.events.wager.code(name)
        amount[told] = moved(amount[told], np.full(int(told.sum()), more))
    batch = replace(batch, stakes=replace(batch.stakes, paid=paid), events=replace(batch.events, amount=amount))
    return _stated_anew(house, batch, old, winning)


def _rises(house: House, old: Batch, new: Batch) -> dict[tuple[int, str, bool], int]:
    """What stakes are due more than before, by seat, line and whether it is a tip."""
    found: dict[tuple[int, str, bool], int] = {}
    scopes = [Scope(one, house.prepared, house.configuration) for one in (old, new)]
    for meter in house.meters:
        was, now = (paid_from(scope, meter) for scope in scopes)
        for name, (line, stakes) in was.items():
            more = whole(now[name][0]) - whole(line)
            for one in stakes.tolist():
                found[int(line.seat[one]), name, bool(line.tip[one])] = int(more[one])
    return found


def _stated_anew(house: House, batch: Batch, old: Batch, winning: Ints) -> Batch:
    """The batch in which amounts that events state are as they now should be, where they were as they should be."""
    first_event = batch.events.offsets[winning] - old.events.offsets[:-1]
    amount = batch.events.amount.copy()
    now = pick([batch], winning)
    for (events, was), (_, should) in zip(stated_by(house, old), stated_by(house, now), strict=True):
        right = (old.events.amount[events] == was) & (should != ABSENT)
        here = events[right] + first_event[old.events.round[events[right]]]
        amount[here] = should[right]
    return replace(batch, events=replace(batch.events, amount=amount))
