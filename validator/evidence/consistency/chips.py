"""Rounds whose events and summary state different chips among players: put in with decisions, or won from pots.

The game determines the wager that the chips of a decision belong to. So they are compared with all stakes of a seat
together, less its placed wagers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import Flags, Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.handlog.events import KIND


def with_decided_chips(batch: Batch) -> Flags:
    """Return whether each round has a decision that states its chips, or may have one that is not recorded.

    Returns: bool[rounds].
    """
    may_decide = ~tells(batch, "decide")
    may_decide[batch.events.round[_split_decisions(batch)[1]]] = True
    return may_decide


def chips(batch: Batch) -> Iterator[tuple[int, str]]:
    """Yield stakes that differ from placed wagers and chips put in with decisions, and winnings that differ from the
    awards of pots."""
    yield from _find_put_in_contradictions(batch)
    yield from _find_won_contradictions(batch)


def _split_decisions(batch: Batch) -> tuple[Ints, Ints]:
    """Return the decisions that do not state their chips, and those that do.

    Returns: int64[n] each.
    """
    decisions = np.flatnonzero(batch.events.kind == KIND["decide"])
    stated = batch.events.amount[decisions] >= 0
    return decisions[~stated], decisions[stated]


def _find_put_in_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    silent, stated = _split_decisions(batch)
    if not len(stated):
        return
    decided = _sum_by_seat(batch, stated)
    whole = tells(batch, "decide")[seats.round]
    whole[events.seat[silent]] = False
    placed, withdrawn = (
        _sum_by_seat(batch, np.flatnonzero((events.kind == KIND[kind]) & ~events.tip)) for kind in ("wager", "withdraw")
    )
    own = ~stakes.bonus & ~stakes.tip
    staked = np.bincount(stakes.seat[own], stakes.amount[own], len(seats.round)).astype(np.int64)
    beyond = staked - placed + withdrawn
    wrong = np.where(whole, beyond != decided, beyond < decided)
    wrong &= (with_decided_chips(batch) & tells(batch, "wager", "withdraw"))[seats.round]
    for seat in np.flatnonzero(wrong).tolist():
        amounts = f"{beyond[seat]} staked beyond its wager events, but {decided[seat]} put in with its decisions"
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {amounts}"


def _find_won_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    seats = batch.seats
    known = (seats.won >= 0) & tells(batch, "award")[seats.round]
    if not known.any():
        return
    awarded = _sum_by_seat(batch, np.flatnonzero(batch.events.kind == KIND["award"]))
    for seat in np.flatnonzero(known & (seats.won != awarded)).tolist():
        reason = f"seat {seats.number[seat]} won {seats.won[seat]} in the summary, but {awarded[seat]} in the events"
        yield int(seats.round[seat]), reason


def _sum_by_seat(batch: Batch, events: Ints) -> Ints:
    """Sum the amounts of some events for each seat.

    Returns: int64[seats].
    """
    sums = np.bincount(batch.events.seat[events], batch.events.amount[events], len(batch.seats.round))
    return sums.astype(np.int64)
