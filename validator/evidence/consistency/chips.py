"""Rounds whose events and summary tell of different chips played among players: put in by decisions, won from pots.

On which line the chips of a decision lie is up to the game. So they are held against all stakes of a seat at once,
as far as those go beyond the wagers that its events place.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Flags, Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.events import KIND


def with_decided_chips(batch: Batch) -> Flags:
    """bool[rounds]: some decision says how many chips went in with it, or may have done so, as not all are recorded."""
    found = ~tells(batch, "decide")
    found[batch.events.round[_decisions(batch)[1]]] = True
    return found


def chips(batch: Batch) -> Iterator[tuple[int, str]]:
    """Stakes that are not what events place and decisions put in, and winnings that are not what pots awarded."""
    yield from _put_in(batch)
    yield from _won(batch)


def _decisions(batch: Batch) -> tuple[Ints, Ints]:
    """int64[n] each: decisions that do not say what went in with them, and those that do."""
    decisions = np.flatnonzero(batch.events.kind == KIND["decide"])
    stated = batch.events.amount[decisions] >= 0
    return decisions[~stated], decisions[stated]


def _put_in(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    silent, stated = _decisions(batch)
    if not len(stated):
        return
    decided = _by_seat(batch, stated)
    whole = tells(batch, "decide")[seats.round]
    whole[events.seat[silent]] = False
    placed, withdrawn = (
        _by_seat(batch, np.flatnonzero((events.kind == KIND[kind]) & ~events.tip)) for kind in ("wager", "withdraw")
    )
    own = ~stakes.bonus & ~stakes.tip
    staked = np.bincount(stakes.seat[own], stakes.amount[own], len(seats.round)).astype(np.int64)
    beyond = staked - placed + withdrawn
    wrong = np.where(whole, beyond != decided, beyond < decided)
    wrong &= (with_decided_chips(batch) & tells(batch, "wager", "withdraw"))[seats.round]
    for seat in np.flatnonzero(wrong).tolist():
        amounts = f"{beyond[seat]} staked besides its wager events, but {decided[seat]} went in with its decisions"
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {amounts}"


def _won(batch: Batch) -> Iterator[tuple[int, str]]:
    seats = batch.seats
    known = (seats.won >= 0) & tells(batch, "award")[seats.round]
    if not known.any():
        return
    awarded = _by_seat(batch, np.flatnonzero(batch.events.kind == KIND["award"]))
    for seat in np.flatnonzero(known & (seats.won != awarded)).tolist():
        reason = f"seat {seats.number[seat]} won {seats.won[seat]}, but {awarded[seat]} by its events"
        yield int(seats.round[seat]), reason


def _by_seat(batch: Batch, events: Ints) -> Ints:
    """int64[seats]: the amounts of some events added up."""
    sums = np.bincount(batch.events.seat[events], batch.events.amount[events], len(batch.seats.round))
    return sums.astype(np.int64)
