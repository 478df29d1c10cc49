"""Numbers and amounts that events state, worked out when everything else is told."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.registry import Grain
from validator.rules.lint.simulated_kinds import STATING
from validator.rules.model.game import Step
from validator.simulate.house import House


def state_numbers(house: House, batch: Batch) -> Batch:
    """The batch in which every event states the number it should and none that it stated before has changed."""
    stated = stated_by(house, batch)
    if not stated:
        return batch
    amount = batch.events.amount.copy()
    for events, values in stated:
        silent = amount[events] == ABSENT
        amount[events[silent]] = values[silent]
    return replace(batch, events=replace(batch.events, amount=amount))


def stated_by(house: House, batch: Batch) -> list[tuple[Ints, Ints]]:
    """For every step that states something: its events, int64[m], and what each should state. What is not known is
    not stated, or stated as nothing where the kind of event always has a number."""
    habits = house.simulation.steps
    scope = Scope(batch, house.prepared, house.configuration)
    found: list[tuple[Ints, Ints]] = []
    for name, habit in habits.items():
        if habit.states is None:
            continue
        step = house.prepared.steps[name]
        grain: Grain = "round" if step.each == "round" else "seat"
        value, known = scope.numbers(habit.states, grain)
        least = 0 if STATING.issuperset(step.events) else ABSENT
        events = _events_like(batch, step)
        owner = batch.events.round[events] if grain == "round" else batch.events.seat[events]
        found.append((events, np.where(known, value, least)[owner]))
    return found


def _events_like(batch: Batch, step: Step) -> Ints:
    """int64[m]: the events that may be those of a step, whatever else it asks for."""
    events = batch.events
    fits = np.isin(events.kind, [KIND[kind] for kind in step.events])
    if step.what is not None:
        fits &= events.what.codes == events.what.code(step.what)
    if step.place is not None:
        fits &= events.place == PLACES.index(step.place)
    if step.each != "round":
        fits &= events.seat != ABSENT
    return np.flatnonzero(fits)
