"""A step of the procedure about to be told: of whom, and where it stands in the round."""

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
"""The stakes and bonuses of which an event must still be told, by its kind and by name, with what it says."""


class StepContext(Struct, frozen=True, kw_only=True):
    """What is needed to tell a step: the rounds, opened for questions; the step's number in the procedure, or that of
    the first step it takes turns with; its place in that turn; the rank of each seat in its round; and the outcomes.
    `everywhere` is for a step that is told whatever it asks for."""

    view: View
    step: Step
    number: int
    turn: int
    rank: dict[Seat, int]
    outcomes: Outcomes
    everywhere: bool = False

    @property
    def house(self) -> House:
        """The house that plays."""
        return self.view.house

    @property
    def habit(self) -> StepHabit:
        """How the house does it, as far as it has said so."""
        return self.house.habit(self.step)

    @property
    def by(self) -> str | None:
        """Who does it, by the rules or else by the habit of the house; None where neither says."""
        return self.step.by or self.habit.by

    @property
    def _conditions(self) -> list[Condition | None]:
        """What must hold for the step to be told: by the rules, and by the habit of the house."""
        return [] if self.everywhere else [self.step.when, self.habit.when]

    def is_settled(self, kind: str) -> bool:
        """Return whether nothing that comes after the betting changes the events of a kind: those of the deal and of
        the acts between players, which a round is told with several times until its pots are divided."""
        of_play = kind == "deal" or (kind == "decide" and stage_of(self.house, self.step) is None)
        return of_play and self.house.game.pots is not None and not self.everywhere and not any(self._conditions)

    @property
    def exchanged(self) -> bool:
        """Whether the cards of its place are exchanged before it in the course of a round, and none of them after."""
        course, place = self.house.course, place_of(self.step)
        exchanging = {step.step for step in course if {*EXCHANGES} & {*step.events} and place_of(step) == place}
        earlier = takewhile(lambda one: one is not self.step, () if self.step.aside else course)
        return bool(exchanging) and exchanging.issubset(step.step for step in earlier)

    def seats(self) -> list[Seat]:
        """The seats that take part of which the step is told."""
        fits = self.view.seats_where(*self._conditions)
        return [seat for seat in self.view.seats if seat in fits and seat.playing]

    def rounds(self) -> list[Round]:
        """The rounds of which the step is told."""
        if not any(self._conditions) or self.step.each == "round":
            fits = self.view.rounds_where(*self._conditions)
        else:
            fits = {self.view.round_of[seat] for seat in self.seats()}
        return [round_ for round_ in self.view.rounds if round_ in fits]

    def told(self, kind: str, about: Seat | Round, detail: int = 0, **fields: Any) -> tuple[Round, Event]:
        """An event of a seat or of a round."""
        if isinstance(about, Round):
            return about, Event(kind, order=(self.number, 0, self.turn, detail), **fields)
        place = (self.number, self.rank[about], self.turn, detail)
        return self.view.round_of[about], Event(kind, order=place, seat=about, **fields)


def event_of(house: House, step: Step, **fields: Any) -> Event:
    """An event of a step that is told by itself: with what the rules, the habits of the house and `fields` say of it,
    as far as its kind has a word for that."""
    kind = step.events[0]
    said = {"place": step.place, "by": step.by or house.habit(step).by, "what": step.what, "face": step.face}
    return Event(kind, **{name: value for name, value in (said | fields).items() if has(kind, name)})


def has(kind: str, name: str) -> bool:
    """Whether events of a kind have a field."""
    return bool(RULES[name].has[KIND[kind]])


def side_of(house: House, steps: Sequence[Step]) -> str:
    """The side from which steps that are gone through together begin."""
    sides = (side for step in steps if isinstance(side := house.habit(step).from_, str))
    return next(sides, house.game.deal.stages[stage_of(house, steps[0]) or 0].first)


def stage_of(house: House, step: Step) -> int | None:
    """The stage of the deal in which a step exchanges cards, by its place in the list; None where it does not."""
    stages = house.game.deal.stages
    return next((number for number in house.game.deal.exchanging if stages[number].stage == step.stage), None)
