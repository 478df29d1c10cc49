"""Step of the procedure that is recorded in rounds: its seats, and its place in the round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct

from validator.evidence.handlog.event_fields import FIELD_RULES
from validator.evidence.handlog.events import KIND_CODES
from validator.language.conditions import Condition
from validator.rulebook.lint.simulated_kinds import EXCHANGE_EVENTS
from validator.rules.model.game import Step
from validator.rules.simulation.simulation import StepHabit
from validator.simulate.table.house import SimulatedHouse, find_step_place
from validator.simulate.table.records import SimulatedEvent, SimulatedRound, SimulatedSeat
from validator.simulate.table.view import RoundView

RoundEvents = Iterator[tuple[SimulatedRound, SimulatedEvent]]
"""Events, each with its round."""
Outcomes = dict[tuple[str, str], dict[tuple[SimulatedSeat, bool], int]]
"""Amounts that still need an event, by kind of event and name, then by seat and tip."""


class StepContext(Struct, frozen=True, kw_only=True):
    """Step of the procedure that is being recorded."""

    view: RoundView
    """The rounds."""
    step: Step
    number: int
    """Number of the step in the procedure, or of the first step that shares its turns."""
    turn: int
    """Place of the step among those that share its turns."""
    rank: dict[SimulatedSeat, int]
    """Rank of each seat in its round."""
    outcomes: Outcomes
    """Amounts that still need an event."""
    everywhere: bool = False
    """True to record the step whatever its conditions are."""

    @property
    def house(self) -> SimulatedHouse:
        """Return the house."""
        return self.view.house

    @property
    def habit(self) -> StepHabit:
        """Return the habit of the house for the step."""
        return self.house.find_habit(self.step)

    @property
    def done_by(self) -> str | None:
        """Return who does it by the rules, or by the habit of the house; None if neither states it."""
        return self.step.by or self.habit.by

    @property
    def _conditions(self) -> list[Condition | None]:
        """Return the conditions of the step: of the rules, and of the habit of the house."""
        return [] if self.everywhere else [self.step.when, self.habit.when]

    def is_unchanging(self, kind: str) -> bool:
        """Return whether no later stage changes the events of a kind.

        This is true for the deal and the acts between players. A round is recorded several times until its pots are
        divided.
        """
        of_play = kind == "deal" or (kind == "decide" and find_exchange_stage(self.house, self.step) is None)
        return of_play and self.house.game.pots is not None and not self.everywhere and not any(self._conditions)

    @property
    def is_after_exchange(self) -> bool:
        """Return whether the cards of its place are exchanged before it in a round, and not after."""
        course, place = self.house.course, find_step_place(self.step)
        exchanging = {
            step.step for step in course if {*EXCHANGE_EVENTS} & {*step.events} and find_step_place(step) == place
        }
        earlier = takewhile(lambda step: step is not self.step, () if self.step.aside else course)
        return bool(exchanging) and exchanging.issubset(step.step for step in earlier)

    def list_seats(self) -> list[SimulatedSeat]:
        """Return the seats that take part and to which the step applies."""
        fits = self.view.seats_where(*self._conditions)
        return [seat for seat in self.view.seats if seat in fits and seat.playing]

    def list_rounds(self) -> list[SimulatedRound]:
        """Return the rounds to which the step applies."""
        if not any(self._conditions) or self.step.each == "round":
            fits = self.view.rounds_where(*self._conditions)
        else:
            fits = {self.view.round_of[seat] for seat in self.list_seats()}
        return [round_ for round_ in self.view.rounds if round_ in fits]

    def make_event(
        self, kind: str, about: SimulatedSeat | SimulatedRound, detail: int = 0, **fields: Any
    ) -> tuple[SimulatedRound, SimulatedEvent]:
        """Return an event of a seat or of a round."""
        if isinstance(about, SimulatedRound):
            return about, SimulatedEvent(kind, order=(self.number, 0, self.turn, detail), **fields)
        place = (self.number, self.rank[about], self.turn, detail)
        return self.view.round_of[about], SimulatedEvent(kind, order=place, seat=about, **fields)


def make_step_event(house: SimulatedHouse, step: Step, **fields: Any) -> SimulatedEvent:
    """Return an event of a separate step, from the rules, the habits of the house, and given fields.

    Fields that its kind does not have are left out.
    """
    kind = step.events[0]
    values = {"place": step.place, "by": step.by or house.find_habit(step).by, "what": step.what, "face": step.face}
    return SimulatedEvent(kind, **{name: value for name, value in (values | fields).items() if has_field(kind, name)})


def has_field(kind: str, name: str) -> bool:
    """Return whether events of a kind have a field."""
    return bool(FIELD_RULES[name].has[KIND_CODES[kind]])


def find_starting_side(house: SimulatedHouse, steps: Sequence[Step]) -> str:
    """Return the side of the dealer at which steps with common turns begin."""
    sides = (side for step in steps if isinstance(side := house.find_habit(step).from_, str))
    return next(sides, house.game.deal.stages[find_exchange_stage(house, steps[0]) or 0].first)


def find_exchange_stage(house: SimulatedHouse, step: Step) -> int | None:
    """Return the stage of the deal in which a step exchanges cards, as an index; None if it does not."""
    stages = house.game.deal.stages
    return next((number for number in house.game.deal.exchanging_stages if stages[number].stage == step.stage), None)
