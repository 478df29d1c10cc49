"""Numbers and amounts that events state, worked out when everything else is told."""

from __future__ import annotations

from collections.abc import Sequence

from validator.language.registry import Grain
from validator.rules.lint.simulated_kinds import STATING
from validator.rules.model.game import Step
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round
from validator.simulate.table.view import View


def state_numbers(house: House, rounds: Sequence[Round]) -> None:
    """Every event states the number it should; none that it stated before changes."""
    for event, number in stated_by(house, rounds):
        if event.amount is None:
            event.amount = number


def stated_by(house: House, rounds: Sequence[Round]) -> list[tuple[Event, int | None]]:
    """The events of all steps that state something, and what each should state. What is not known is not stated, or
    stated as nothing where the kind of event always has a number."""
    stating = [(name, habit.states) for name, habit in house.simulation.steps.items() if habit.states is not None]
    if not stating:
        return []
    view, found = View(house, rounds, events=True), list[tuple[Event, int | None]]()
    steps = {name: house.prepared.steps[name] for name, _ in stating}
    kinds = {kind for step in steps.values() for kind in step.events}
    events = [(one, event) for one in rounds for event in one.events if event.kind in kinds]
    for name, states in stating:
        step = steps[name]
        grain: Grain = "round" if step.each == "round" else "seat"
        owners = view.rounds if grain == "round" else view.seats
        value = dict(zip([*owners], view.numbers(states, grain), strict=True))
        least = 0 if STATING.issuperset(step.events) else None
        for one, event in events:
            if _may_be_of(event, step):
                number = value[one if grain == "round" else event.seat]
                found.append((event, least if number is None else number))
    return found


def _may_be_of(event: Event, step: Step) -> bool:
    """Whether an event may be one of a step, whatever else that asks for."""
    like = event.kind in step.events and (step.each == "round" or event.seat is not None)
    return like and step.what in (None, event.what) and step.place in (None, event.place)
