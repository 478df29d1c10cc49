"""A step of the procedure about to be told: of whom, and where it stands in the round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from validator.language.conditions import Condition
from validator.rules.model.game import Step
from validator.rules.simulation.simulation import StepHabit
from validator.simulate.table.course import by_habit
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View

RoundEvents = Iterator[tuple[Round, Event]]
"""Events, each with its round."""


class StepContext(Struct, frozen=True, kw_only=True):
    """What is needed to tell a step: the rounds, opened for questions; the step's number in the procedure, or that of
    the first step it takes turns with; its place in that turn; the rank of each seat in its round, the seat that is
    served first being 0. `everywhere` is for a step that is told whatever it asks for."""

    view: View
    step: Step
    number: int
    turn: int
    rank: dict[Seat, int]
    everywhere: bool = False

    @property
    def house(self) -> House:
        """The house that plays."""
        return self.view.house

    @property
    def habit(self) -> StepHabit | None:
        """How the house does it, where it has said so."""
        return self.house.simulation.steps.get(self.step.step)

    @property
    def by(self) -> str | None:
        """Who does it, by the rules or else by the habit of the house; None where neither says."""
        return by_habit(self.house.simulation, self.step)

    @property
    def _conditions(self) -> list[Condition | None]:
        """What must hold for the step to be told: by the rules, and by the habit of the house."""
        return [] if self.everywhere else [self.step.when, None if self.habit is None else self.habit.when]

    def seats(self) -> list[Seat]:
        """The seats of which the step is told."""
        fits = self.view.seats_where(*self._conditions)
        return [seat for seat in self.view.seats if seat in fits]

    def rounds(self) -> list[Round]:
        """The rounds of which the step is told."""
        if not any(self._conditions) or self.step.each == "round":
            fits = self.view.rounds_where(*self._conditions)
        else:
            fits = {self.view.round_of[seat] for seat in self.seats()}
        return [one for one in self.view.rounds if one in fits]

    def of_seat(self, kind: str, seat: Seat, detail: int = 0, **fields: Any) -> tuple[Round, Event]:
        """An event of a seat."""
        place = (self.number, self.rank[seat], self.turn, detail)
        return self.view.round_of[seat], Event(kind, order=place, seat=seat, **fields)

    def of_round(self, kind: str, one: Round, rank: int = 0, **fields: Any) -> tuple[Round, Event]:
        """An event of a round."""
        return one, Event(kind, order=(self.number, rank, self.turn, 0), **fields)


def side_of(house: House, steps: Sequence[Step]) -> str:
    """The side from which steps that are gone through together begin."""
    habits = [house.simulation.steps.get(step.step) for step in steps]
    sides = (one.from_ for one in habits if one is not None and isinstance(one.from_, str))
    return next(sides, house.game.deal.stages[0].first)
