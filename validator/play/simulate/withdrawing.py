"""A fault: a wager that is placed before the deal and taken back after it, so that nothing is left of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from validator.evidence.columns import ABSENT, Batch, Flags, Ints
from validator.evidence.events import KIND
from validator.evidence.relations import end_to_end
from validator.play.scope import Scope
from validator.play.simulate.draws import one_of_each
from validator.play.simulate.house import House
from validator.play.simulate.parts import Part, in_order
from validator.play.simulate.sequences import sequenced
from validator.rulebook.language.faults import StakeFault


def withdrawn(
    house: House, fault: StakeFault, scope: Scope, seats: Flags, rng: np.random.Generator
) -> tuple[Batch, Flags]:
    """The batch in which one seat of each round that has any of these (bool[seats]) places a wager before the deal and
    takes it back after it; and bool[rounds], which those are."""
    batch, events = scope.batch, scope.batch.events
    first, last = _deal(batch)
    none = (scope.amount(fault.wager, tip=False) == 0) & (scope.amount(fault.wager, tip=True) == 0)
    chosen = np.flatnonzero(seats & none & (first != ABSENT)[batch.seats.round])
    seat = one_of_each(rng, chosen, batch.seats.round[chosen])
    round_ = batch.seats.round[seat]
    parts = [
        Part(
            kind=KIND[kind],
            round=round_,
            order=np.full(len(seat), at),
            seat=seat,
            wager=house.names.index(fault.wager),
            amount=fault.operand,
        )
        for at, kind in enumerate(("wager", "withdraw"))
    ]
    told = in_order(parts, len(batch), house.texts)
    told = replace(told, cards_row=np.full(len(told.round), ABSENT, np.int32))
    placed = told.kind == KIND["wager"]
    beside = np.where(placed, 2 * first[told.round] - 1, 2 * last[told.round] + 1)
    place = np.concatenate([2 * np.arange(len(events.round)), beside])
    both = sequenced(end_to_end([events, told]), np.argsort(place, kind="stable"), len(batch))
    broken = np.zeros(len(batch), np.bool_)
    broken[round_] = True
    return replace(batch, events=both), broken


def _deal(batch: Batch) -> tuple[Ints, Ints]:
    """int64[rounds]: the first and the last event in which cards are dealt, ABSENT where there is none."""
    dealt = np.flatnonzero(batch.events.kind == KIND["deal"])
    first, last = (np.full(len(batch), ABSENT, np.int64) for _ in range(2))
    last[batch.events.round[dealt]] = dealt  # the last one written stays
    first[batch.events.round[dealt[::-1]]] = dealt[::-1]
    return first, last
