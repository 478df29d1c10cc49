"""What each seat received: of the pots, of stakes given back, and in all."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.betting.chip_movements import moved
from validator.engine.core.context import Scope, fact
from validator.engine.pots.contributions_to_pots import staked
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded

UNTOLD = -(2**61)
"""An amount that the log does not show; amounts may be below zero where stacks contradict what was put in."""


class Received(Struct, frozen=True, kw_only=True):
    """What seats received, int64[seats] minor units, UNTOLD where the log does not show it.

    `won` is what came from pots, `back` what was given back of stakes, `all` both together.
    """

    won: Ints
    back: Ints
    all: Ints


@fact
def received(scope: Scope) -> Received:
    """What each seat received: as events tell; else as the summary does; else by chips before and after."""
    seats = scope.batch.seats
    awarded = amounts_of(scope, "award")
    won = np.where(awarded != UNTOLD, awarded, np.where(seats.won != ABSENT, seats.won, UNTOLD))
    back = amounts_of(scope, "return")
    both = _by_stacks(scope)
    by_events = (won != UNTOLD) & (back != UNTOLD)
    by_stacks = ~by_events & (both != UNTOLD)
    from_won = by_stacks & (won != UNTOLD)
    from_back = by_stacks & (back != UNTOLD)
    return Received(
        won=np.where(from_back, both - back, won),
        back=np.where(from_won, both - won, back),
        all=np.where(by_events, won + back, both),
    )


def amounts_of(scope: Scope, kind: str) -> Ints:
    """int64[seats]: the amounts of all events of a kind at each seat; UNTOLD where the log does not record them."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[events.seat[chosen] != ABSENT]
    found = np.zeros(scope.length("seat"), np.int64)
    np.add.at(found, events.seat[chosen], np.maximum(events.amount[chosen], 0))
    told = kinds_recorded(scope, (kind,)) & scope.batch.complete
    return np.where(told[scope.batch.seats.round], found, UNTOLD)


def _by_stacks(scope: Scope) -> Ints:
    """What came back to each seat, as its chips before and after tell, where no other chips came in or went out and
    the house settles nothing besides."""
    seats = scope.batch.seats
    told = (seats.stack != ABSENT) & (seats.stack_after != ABSENT) & ~_changed(scope)
    if scope.prepared.game.settlement.order:
        told &= False
    return np.where(told, seats.stack_after - seats.stack + staked(scope), UNTOLD)


def _changed(scope: Scope) -> Flags:
    """bool[seats]: whether the seat's chips changed otherwise once stakes were placed."""
    return (moved(scope, "added").during > 0) | (moved(scope, "removed").during > 0)
