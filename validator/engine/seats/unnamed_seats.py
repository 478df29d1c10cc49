"""Seats of events that may name a seat but name none, such as announcements to one player."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import NO, YES
from validator.evidence.columns.recorded_kinds import make_mask
from validator.evidence.handlog.events import KIND_CODES
from validator.rules.model.game import Step

MAY_NAME_A_SEAT = frozenset({"announce", "device"})
"""Kinds of event, at any place, that may or may not name a seat."""


def infer_unnamed_seats(scope: EvaluationContext) -> EvaluationContext:
    """Return the same batch with the seats of events that can concern only one seat.

    By its words, such an event belongs to a step per seat, and exactly one seat of the round may have that step. If
    several seats may, the round counts as not recording all events of the kind.
    """
    events, batch = scope.batch.events, scope.batch
    seat, unrecorded = events.seat, batch.unrecorded
    for step, chosen in _iter_unnamed_events(scope):
        selected = scope.evaluate(step.when, "seat")
        some, only = _find_only_seat(scope, selected != NO)
        owner = events.round[chosen]
        named = np.where(some[owner] == 1, only[owner], ABSENT)
        named[(named != ABSENT) & (selected[named] != YES)] = ABSENT
        open_ = owner[(some[owner] > 0) & (named == ABSENT)]
        seat, unrecorded = seat.copy(), unrecorded.copy()
        seat[chosen] = np.where(seat[chosen] == ABSENT, named, seat[chosen])
        unrecorded[open_] |= np.uint64(make_mask(step.events))
    if seat is events.seat:
        return scope
    recorded = replace(batch, events=replace(events, seat=seat), unrecorded=unrecorded)
    return EvaluationContext(
        recorded,
        scope.compiled_game,
        scope.configuration,
        waived_checks=scope.waived_checks,
        open_assumption=scope.open_assumption,
        denied_conditions=scope.denied_conditions,
    )


def _iter_unnamed_events(scope: EvaluationContext) -> Iterator[tuple[Step, Ints]]:
    """Yield each step per seat with its events that name no seat."""
    events = scope.batch.events
    for step in scope.compiled_game.game.procedure:
        if step.each == "seat" and step.what is not None and MAY_NAME_A_SEAT.issuperset(step.events):
            fits = (events.what.codes == events.what.code(step.what)) & (events.seat == ABSENT)
            chosen = np.flatnonzero(fits & np.isin(events.kind, [KIND_CODES[kind] for kind in step.events]))
            if len(chosen):
                yield step, chosen


def _find_only_seat(scope: EvaluationContext, selected: Flags) -> tuple[Ints, Ints]:
    """Return how many of the selected seats each round has, and one of them."""
    rows, rounds = np.flatnonzero(selected), len(scope.batch)
    owner = scope.batch.seats.round[rows]
    last = np.full(rounds, ABSENT, np.int64)
    last[owner] = rows
    return np.bincount(owner, minlength=rounds), last
