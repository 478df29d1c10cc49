"""Events that may name a seat and name none, such as that somebody is called: whose they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.evidence.columns.recorded_kinds import mask_of
from validator.evidence.handlog.events import KIND
from validator.rules.model.game import Step

MAY_NAME_A_SEAT = frozenset({"announce", "device"})
"""Kinds of event at whatever place, with the seat they are about or without."""


def with_seats_named(scope: Scope) -> Scope:
    """The same batch, with the seat of events that can be about one only: by its words the event belongs to a step of
    seats, and one seat of the round is asked for that step. Where it may be one of several, the round does not tell of
    all events of the kind."""
    events, batch = scope.batch.events, scope.batch
    seat, unrecorded = events.seat, batch.unrecorded
    for step, chosen in _unnamed(scope):
        asked = scope.truth(step.when, "seat")
        some, only = _only_seat(scope, asked != NO)
        owner = events.round[chosen]
        named = np.where(some[owner] == 1, only[owner], ABSENT)
        named[(named != ABSENT) & (asked[named] != YES)] = ABSENT
        open_ = owner[(some[owner] > 0) & (named == ABSENT)]
        seat, unrecorded = seat.copy(), unrecorded.copy()
        seat[chosen] = np.where(seat[chosen] == ABSENT, named, seat[chosen])
        unrecorded[open_] |= np.uint64(mask_of(step.events))
    if seat is events.seat:
        return scope
    recorded = replace(batch, events=replace(events, seat=seat), unrecorded=unrecorded)
    return Scope(
        recorded,
        scope.prepared,
        scope.configuration,
        waived=scope.waived,
        supposed=scope.supposed,
        denied=scope.denied,
    )


def _unnamed(scope: Scope) -> Iterator[tuple[Step, Ints]]:
    """The steps of seats that events without a seat are about by their words, int64[m] each."""
    events = scope.batch.events
    for step in scope.prepared.game.procedure:
        if step.each == "seat" and step.what is not None and MAY_NAME_A_SEAT.issuperset(step.events):
            fits = (events.what.codes == events.what.code(step.what)) & (events.seat == ABSENT)
            chosen = np.flatnonzero(fits & np.isin(events.kind, [KIND[kind] for kind in step.events]))
            if len(chosen):
                yield step, chosen


def _only_seat(scope: Scope, asked: Flags) -> tuple[Ints, Ints]:
    """int64[rounds] both: how many seats of a round are asked, and one of them."""
    rows, rounds = np.flatnonzero(asked), len(scope.batch)
    owner = scope.batch.seats.round[rows]
    last = np.full(rounds, ABSENT, np.int64)
    last[owner] = rows
    return np.bincount(owner, minlength=rounds), last
