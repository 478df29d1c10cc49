"""Records that stop before the round is over: what may still have been going on when they did."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR
from validator.evidence.handlog.events import KIND
from validator.language.grains import Grain


def breaks_off(scope: Scope, grain: Grain) -> Flags:
    """bool[n]: whether the record of the round that each item of a grain belongs to stops before it is over."""
    return ~scope.batch.complete[scope.round_of(grain)]


def so_far(scope: Scope, grain: Grain, bounds: Bounds) -> Bounds:
    """What was counted until the record stops: the same or more where the round was not over."""
    broken = breaks_off(scope, grain)
    if not broken.any():
        return bounds
    low, high = bounds
    return low, np.where(broken, FAR, high)


@fact
def dealing(scope: Scope) -> tuple[Flags, Ints]:
    """bool[rounds]: whether cards may have been dealt after the record stopped, nobody having decided anything since
    the last one; int64[rounds]: the last event by which one was dealt or burnt in such a round, ABSENT where none was,
    and in other rounds."""
    events, last = scope.batch.events, np.full(len(scope.batch), ABSENT, np.int64)
    if scope.batch.complete.all():
        return ~scope.batch.complete, last
    told = np.flatnonzero(np.isin(events.kind, (KIND["deal"], KIND["decide"])))
    last[events.round[told]] = told
    goes_on = ~scope.batch.complete & (np.append(events.kind, KIND["deal"])[last] == KIND["deal"])
    return goes_on, np.where(goes_on, last, ABSENT)


@fact
def staked_later(scope: Scope, line: str) -> Flags:
    """bool[seats]: whether a seat may have placed a wager after the record stopped: before any card was dealt or
    anybody decided anything; or the seat decided something last of all, and the wager goes with a decision."""
    seats, events, wager = scope.batch.seats, scope.batch.events, scope.prepared.game.wagers.get(line)
    if wager is None or scope.batch.complete.all():
        return np.zeros(len(seats.round), bool)
    if wager.placed == "before-the-deal":
        goes_on, last = dealing(scope)
        return (goes_on & (last == ABSENT))[seats.round]
    found = np.zeros(len(seats.round), bool)
    last = events.offsets[1:][~scope.batch.complete & (np.diff(events.offsets) > 0)] - 1
    found[events.seat[last[(events.kind[last] == KIND["decide"]) & (events.seat[last] != ABSENT)]]] = True
    return found
