"""Stakes that were taken by mistake and put back: what the house took of them, and what it kept."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.columns.tables import translated
from validator.evidence.handlog.events import KIND

_DENSE = 1 << 20
"""A table of so many flags is always worth it; beyond, only while many are in use."""
_COLLECT, _RETURN = KIND["collect"], KIND["return"]


class Swept(Struct, frozen=True, kw_only=True):
    """What events tell of a stake of which some was collected and some given back: what was `taken` in all; what the
    house `kept` at most, as more was given back than lay there, and at `least`, if all that came back after it was
    taken; and whether so much can have been moved at all (`possible`)."""

    stake: int
    taken: int
    kept: int
    least: int
    possible: bool


def swept(batch: Batch) -> list[Swept]:
    """The stakes of a batch that were both collected and given back, in whole or in part."""
    events, stakes = batch.events, batch.stakes
    moved = np.flatnonzero((events.kind == _COLLECT) | (events.kind == _RETURN))
    if not len(moved):
        return []
    wager_of, names = translated(events.wager, stakes.wager)
    key = (events.seat[moved].astype(np.int64) * len(names) + wager_of[moved]) * 2 + events.tip[moved]
    back = events.kind[moved] == _RETURN
    both = _in_both(key[back], key[~back], len(batch.seats.round) * len(names) * 2)
    if not len(both):
        return []
    own = np.flatnonzero(~stakes.bonus)
    listed = (stakes.seat[own].astype(np.int64) * len(names) + stakes.wager.codes[own]) * 2 + stakes.tip[own]
    found = []
    for stake in own[np.isin(listed, both)].tolist():
        at = moved[
            key == (int(stakes.seat[stake]) * len(names) + int(stakes.wager.codes[stake])) * 2 + stakes.tip[stake]
        ]
        story = zip((events.kind[at] == _RETURN).tolist(), events.amount[at].tolist(), strict=True)
        found.append(_followed(stake, int(stakes.amount[stake]), story))
    return found


def _in_both(ones: Ints, others: Ints, size: int) -> Ints:
    """The keys below `size` that are among both."""
    if size > _DENSE + 8 * (len(ones) + len(others)):
        return np.intersect1d(ones, others)
    there = np.zeros(size, np.bool_)
    there[others] = True
    return ones[there[ones]]


def _followed(stake: int, amount: int, story: Iterable[tuple[bool, int]]) -> Swept:
    """Follow a stake event by event: what lies there, what the house has. What comes back beyond what lies there was
    put back by the house, and lies there again; so was what comes back next, as far as the house has more."""
    lies, kept, taken, after, given, possible, is_put_back = amount, 0, 0, 0, 0, True, False
    for back, many in story:
        if back:
            put_back = min(many, kept) if is_put_back else max(many - lies, 0)
            possible &= put_back <= kept and many - put_back <= lies
            after += many if taken else 0
            kept, given = max(kept - put_back, 0), given + many - put_back
            lies += put_back - (many - put_back)
            is_put_back = put_back > 0
        else:
            possible &= not given or many <= lies
            kept, taken, lies, is_put_back = kept + many, taken + many, max(lies - many, 0), False
    return Swept(stake=stake, taken=taken, kept=kept, least=max(taken - after, 0), possible=possible)


def less_what_was_put_back(batch: Batch) -> Batch:
    """Return the batch with what the house kept of each stake as what was taken of it.

    Where the log does not record what is taken, and more came back than the summary leaves of a stake, some was put
    back. How much of it was taken again is open.
    """
    if not (batch.events.kind == _RETURN).any():
        return batch
    taken = batch.stakes.taken.copy()
    in_rounds = batch.seats.round.take(batch.stakes.seat)
    told = tells(batch, "collect", "return").take(in_rounds)
    for one in swept(batch):
        if told[one.stake] and one.kept < taken[one.stake]:
            taken[one.stake] = one.kept
    untold = ~tells(batch, "collect").take(in_rounds) & ~batch.stakes.bonus & (taken > 0)
    if untold.any():
        returned = _returned(batch)
        untold &= (returned > 0) & (returned > batch.stakes.amount - taken)
        taken[untold] = ABSENT
    if (taken == batch.stakes.taken).all():
        return batch
    return replace(batch, stakes=replace(batch.stakes, taken=taken))


def _returned(batch: Batch) -> Ints:
    """Return how much events give back of each stake, int64[stakes]."""
    events, stakes = batch.events, batch.stakes
    wager_of, names = translated(events.wager, stakes.wager)
    moved = np.flatnonzero(events.kind == _RETURN)
    key = (events.seat[moved].astype(np.int64) * len(names) + wager_of[moved]) * 2 + events.tip[moved]
    listed = (stakes.seat.astype(np.int64) * len(names) + stakes.wager.codes) * 2 + stakes.tip
    keys, at = np.unique(key, return_inverse=True)
    sums = np.append(np.bincount(at, events.amount[moved], len(keys)).astype(np.int64), 0)
    found = np.searchsorted(keys, listed)
    there = np.append(keys, ABSENT)[found] == listed
    return np.where(there, sums[found], 0)
