"""Step of the procedure that is recorded in rounds: its seats, and its place in the round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct

from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.events import KIND
from validator.language.conditions import Condition
from validator.rulebook.lint.simulated_kinds import EXCHANGES
from validator.rules.model.game import Step
from validator.rules.simulation.simulation import StepHabit
from validator.simulate.table.house import House, place_of
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View

RoundEvents = Iterator[tuple[Round, Event]]
"""Events, each with its round."""
Outcomes = dict[tuple[str, str], dict[tuple[Seat, bool], int]]
"""Amounts that still need an event, by kind of event and name, then by seat and tip."""


class StepContext(Struct, frozen=True, kw_only=True):
    """Step of the procedure that is being recorded."""

    view: View
    """The rounds."""
    step: Step
    number: int
    """Number of the step in the procedure, or of the first step that shares its turns."""
    turn: int
    """Place of the step among those that share its turns."""
    rank: dict[Seat, int]
    """Rank of each seat in its round."""
    outcomes: Outcomes
    """Amounts that still need an event."""
    everywhere: bool = False
    """True to record the step whatever its conditions are."""

    @property
    def house(self) -> House:
        """Return the house."""
        return self.view.house

    @property
    def habit(self) -> StepHabit:
        """Return the habit of the house for the step."""
        return self.house.habit(self.step)

    @property
    def by(self) -> str | None:
        """Return who does it by the rules, or by the habit of the house; None if neither states it."""
        return self.step.by or self.habit.by

    @property
    def _conditions(self) -> list[Condition | None]:
        """Return the conditions of the step: of the rules, and of the habit of the house."""
        return [] if self.everywhere else [self.step.when, self.habit.when]

    def is_settled(self, kind: str) -> bool:
        """Return whether no later stage changes the events of a kind.

        This is true for the deal and the acts between players. A round is recorded several times until its pots are
        divided.
        """
        of_play = kind == "deal" or (kind == "decide" and stage_of(self.house, self.step) is None)
        return of_play and self.house.game.pots is not None and not self.everywhere and not any(self._conditions)

    @property
    def exchanged(self) -> bool:
        """Return whether the cards of its place are exchanged before it in a round, and not after."""
        course, place = self.house.course, place_of(self.step)
        exchanging = {step.step for step in course if {*EXCHANGES} & {*step.events} and place_of(step) == place}
        earlier = takewhile(lambda step: step is not self.step, () if self.step.aside else course)
        return bool(exchanging) and exchanging.issubset(step.step for step in earlier)

    def seats(self) -> list[Seat]:
        """Return the seats that take part and to which the step applies."""
        fits = self.view.seats_where(*self._conditions)
        return [seat for seat in self.view.seats if seat in fits and seat.playing]

    def rounds(self) -> list[Round]:
        """Return the rounds to which the step applies."""
        if not any(self._conditions) or self.step.each == "round":
            fits = self.view.rounds_where(*self._conditions)
        else:
            fits = {self.view.round_of[seat] for seat in self.seats()}
        return [round_ for round_ in self.view.rounds if round_ in fits]

    def told(self, kind: str, about: Seat | Round, detail: int = 0, **fields: Any) -> tuple[Round, Event]:
        """Return an event of a seat or of a round."""
        if isinstance(about, Round):
            return about, Event(kind, order=(self.number, 0, self.turn, detail), **fields)
        place = (self.number, self.rank[about], self.turn, detail)
        return self.view.round_of[about], Event(kind, order=place, seat=about, **fields)


def event_of(house: House, step: Step, **fields: Any) -> Event:
    """Return an event of a separate step, from the rules, the habits of the house, and given fields.

    Fields that its kind does not have are left out.
    """
    kind = step.events[0]
    values = {"place": step.place, "by": step.by or house.habit(step).by, "what": step.what, "face": step.face}
    return Event(kind, **{name: value for name, value in (values | fields).items() if has(kind, name)})


def has(kind: str, name: str) -> bool:
    """Return whether events of a kind have a field."""
    return bool(RULES[name].has[KIND[kind]])


def side_of(house: House, steps: Sequence[Step]) -> str:
    """Return the side of the dealer at which steps with common turns begin."""
    sides = (side for step in steps if isinstance(side := house.habit(step).from_, str))
    return next(sides, house.game.deal.stages[stage_of(house, steps[0]) or 0].first)


def stage_of(house: House, step: Step) -> int | None:
    """Return the stage of the deal in which a step exchanges cards, as an index; None if it does not."""
    stages = house.game.deal.stages
    return next((number for number in house.game.deal.exchanging if stages[number].stage == step.stage), None)
