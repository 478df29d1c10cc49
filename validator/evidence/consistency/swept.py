"""Stakes that were collected by mistake and returned: the amounts that the house took and kept."""

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

_SMALL_TABLE = 1 << 20
"""Number of flags that always justifies a table; beyond it, many flags must be in use."""
_COLLECT, _RETURN = KIND["collect"], KIND["return"]


class Swept(Struct, frozen=True, kw_only=True):
    """Movements of a stake that was collected and returned, in whole or in part."""

    stake: int
    """Index of the stake."""
    taken: int
    """Amount collected in all."""
    kept: int
    """Most that the house kept, as more was returned than was at stake."""
    least: int
    """Least that the house kept, if every return after a collection came from the house."""
    possible: bool
    """False if the amounts cannot all have been moved."""


def swept(batch: Batch) -> list[Swept]:
    """Find the stakes of a batch that were both collected and returned, in whole or in part."""
    events, stakes = batch.events, batch.stakes
    moved = np.flatnonzero((events.kind == _COLLECT) | (events.kind == _RETURN))
    if not len(moved):
        return []
    wager_of, names = translated(events.wager, stakes.wager)
    key = (events.seat[moved].astype(np.int64) * len(names) + wager_of[moved]) * 2 + events.tip[moved]
    back = events.kind[moved] == _RETURN
    in_both = _in_both(key[back], key[~back], len(batch.seats.round) * len(names) * 2)
    if not len(in_both):
        return []
    own = np.flatnonzero(~stakes.bonus)
    listed = (stakes.seat[own].astype(np.int64) * len(names) + stakes.wager.codes[own]) * 2 + stakes.tip[own]
    reversals = []
    for stake in own[np.isin(listed, in_both)].tolist():
        at = moved[
            key == (int(stakes.seat[stake]) * len(names) + int(stakes.wager.codes[stake])) * 2 + stakes.tip[stake]
        ]
        story = zip((events.kind[at] == _RETURN).tolist(), events.amount[at].tolist(), strict=True)
        reversals.append(_track_stake(stake, int(stakes.amount[stake]), story))
    return reversals


def _in_both(first_keys: Ints, second_keys: Ints, size: int) -> Ints:
    """Return the keys below `size` that occur in both columns."""
    if size > _SMALL_TABLE + 8 * (len(first_keys) + len(second_keys)):
        return np.intersect1d(first_keys, second_keys)
    in_second = np.zeros(size, np.bool_)
    in_second[second_keys] = True
    return first_keys[in_second[first_keys]]


def _track_stake(stake: int, amount: int, story: Iterable[tuple[bool, int]]) -> Swept:
    """Track a stake event by event: the amount at stake, and the amount that the house has.

    A return beyond the amount at stake comes from the house, and is at stake again. So is the next return, up to the
    amount that the house still has.
    """
    lies, kept, taken, returned_later, returned, possible, is_put_back = amount, 0, 0, 0, 0, True, False
    for back, moved in story:
        if back:
            put_back = min(moved, kept) if is_put_back else max(moved - lies, 0)
            possible &= put_back <= kept and moved - put_back <= lies
            returned_later += moved if taken else 0
            kept, returned = max(kept - put_back, 0), returned + moved - put_back
            lies += put_back - (moved - put_back)
            is_put_back = put_back > 0
        else:
            possible &= not returned or moved <= lies
            kept, taken, lies, is_put_back = kept + moved, taken + moved, max(lies - moved, 0), False
    return Swept(stake=stake, taken=taken, kept=kept, least=max(taken - returned_later, 0), possible=possible)


def less_what_was_put_back(batch: Batch) -> Batch:
    """Return the batch with the amount that the house kept of each stake as the amount taken.

    If the log does not record collections, and more was returned than the summary leaves of a stake, part of it was
    collected and returned. The amount taken is then unknown.
    """
    if not (batch.events.kind == _RETURN).any():
        return batch
    taken = batch.stakes.taken.copy()
    in_rounds = batch.seats.round.take(batch.stakes.seat)
    recorded = tells(batch, "collect", "return").take(in_rounds)
    for reversal in swept(batch):
        if recorded[reversal.stake] and reversal.kept < taken[reversal.stake]:
            taken[reversal.stake] = reversal.kept
    unknown = ~tells(batch, "collect").take(in_rounds) & ~batch.stakes.bonus & (taken > 0)
    if unknown.any():
        returned = _sum_returned(batch)
        unknown &= (returned > 0) & (returned > batch.stakes.amount - taken)
        taken[unknown] = ABSENT
    if (taken == batch.stakes.taken).all():
        return batch
    return replace(batch, stakes=replace(batch.stakes, taken=taken))


def _sum_returned(batch: Batch) -> Ints:
    """Return the amount that events return of each stake.

    Returns: int64[stakes].
    """
    events, stakes = batch.events, batch.stakes
    wager_of, names = translated(events.wager, stakes.wager)
    moved = np.flatnonzero(events.kind == _RETURN)
    key = (events.seat[moved].astype(np.int64) * len(names) + wager_of[moved]) * 2 + events.tip[moved]
    listed = (stakes.seat.astype(np.int64) * len(names) + stakes.wager.codes) * 2 + stakes.tip
    keys, at = np.unique(key, return_inverse=True)
    sums = np.append(np.bincount(at, events.amount[moved], len(keys)).astype(np.int64), 0)
    places = np.searchsorted(keys, listed)
    is_listed = np.append(keys, ABSENT)[places] == listed
    return np.where(is_listed, sums[places], 0)
