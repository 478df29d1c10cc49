"""Which events belong to which step of the game, and how many of them there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.events import ACTORS, FACES, KIND, PLACES
from validator.play.scope import Scope
from validator.play.tri import YES
from validator.rulebook.grain import Grain
from validator.rulebook.language.game import Step
from validator.rulebook.language.particulars import NumberStated

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def step_recorded(scope: Scope, kinds: Sequence[str]) -> Flags:
    """bool[rounds]: whether the log records events of all these kinds, so that their absence means something."""

    def look() -> Flags:
        bits = sum(1 << KIND[kind] for kind in kinds)
        return scope.batch.recorded & ((scope.batch.unrecorded & np.uint32(bits)) == 0)

    return scope.once(("recorded", tuple(kinds)), look)


def events_of(scope: Scope, name: str) -> Ints:
    """int64[m]: the events that belong to a step, in log order."""
    return scope.once(("step", name), lambda: _events_of(scope, scope.prepared.steps[name]))


def _events_of(scope: Scope, step: Step) -> Ints:
    events = scope.batch.events
    chosen = events_of_kinds(scope, tuple(step.events))
    if step.place is not None:
        chosen = chosen[events.place[chosen] == PLACES.index(step.place)]
    if step.by is not None:
        by = events.by[chosen]
        chosen = chosen[(by == ACTORS.index(step.by)) | (by == ABSENT)]
    if step.of:
        on_line = scope.once(("events-on", tuple(step.of)), lambda: events.wager.among(step.of))
        chosen = chosen[on_line[chosen]]
    if step.what is not None:
        chosen = chosen[events.what.codes[chosen] == events.what.code(step.what)]
    if step.face is not None:
        chosen = chosen[events.face[chosen] == FACES.index(step.face)]
    if step.stated is not None:
        number = events.amount[chosen]
        chosen = chosen[(number != ABSENT) & _stated(number, step.stated)]
    if step.when is not None and len(chosen):
        if step.each == "round":
            fits = scope.truth(step.when, "round")[events.round[chosen]] == YES
        else:
            seat = events.seat[chosen]
            fits = (seat != ABSENT) & (scope.truth(step.when, "seat")[seat] == YES)
        chosen = chosen[fits]
    return chosen


def _stated(number: Ints, wanted: NumberStated) -> Flags:
    match wanted.operator:
        case "equals":
            return number == wanted.operand
        case "differs-from":
            return number != wanted.operand
        case "at-least":
            return number >= wanted.operand
        case _:
            return number <= wanted.operand


def events_of_kinds(scope: Scope, kinds: tuple[str, ...]) -> Ints:
    """int64[m]: the events of some kinds, in log order."""

    def look() -> Ints:
        kind = scope.batch.events.kind
        found = kind == KIND[kinds[0]]
        for other in kinds[1:]:
            found |= kind == KIND[other]
        return np.flatnonzero(found)

    return scope.once(("kinds", kinds), look)


def count_of_step(scope: Scope, name: str, grain: Grain) -> tuple[Ints, Flags]:
    """How many events of a step each round or seat has, and where the log records them at all."""

    def count() -> tuple[Ints, Flags]:
        chosen = events_of(scope, name)
        recorded = step_recorded(scope, scope.prepared.steps[name].events)
        if grain == "round":
            return np.bincount(scope.batch.events.round[chosen], minlength=scope.length("round")), recorded
        seat = scope.batch.events.seat[chosen]
        counts = np.bincount(seat[seat != ABSENT], minlength=scope.length("seat"))
        return counts, recorded[scope.batch.seats.round]

    return scope.once(("count", name, grain), count)


def number_of_step(scope: Scope, name: str, grain: Grain) -> Ints:
    """The number or amount that the last event of a step states in each round or at each seat; ABSENT where it
    states none, where there is no such event, and where the log does not record them."""

    def look() -> Ints:
        chosen = events_of(scope, name)
        events = scope.batch.events
        owner = events.round if grain == "round" else events.seat
        chosen = chosen[owner[chosen] != ABSENT]
        numbers = np.full(scope.length(grain), ABSENT, np.int64)
        numbers[owner[chosen]] = events.amount[chosen]
        told = step_recorded(scope, scope.prepared.steps[name].events)[scope.round_of(grain)]
        return np.where(told, numbers, ABSENT)

    return scope.once(("number", name, grain), look)
