"""A step of the procedure about to be told: of whom, and where it stands in the round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.seats.seat_order import seating
from validator.engine.turns.predicates import where
from validator.evidence.handlog.event_values import ACTORS, MEANS
from validator.language.conditions import Condition
from validator.rules.model.game import Step
from validator.simulate.house import House
from validator.simulate.parts import order
from validator.simulate.rounds import Rounds, scope_of, seats_where


class Stage(Struct, frozen=True, kw_only=True):
    """What is needed to tell a step: the rounds, opened for questions; the step's number in the procedure,
    or that of the first step it takes turns with; its place in that turn; the rank of each seat in its round,
    int64[seats], the seat that is served first being 0. `everywhere` is for a step that is told whatever it
    asks for."""

    house: House
    rounds: Rounds
    scope: Scope
    step: Step
    number: int
    turn: int
    rank: Ints
    everywhere: bool = False

    @property
    def by(self) -> int:
        """The code of who does it, by the rules or else by the habit of the house; ABSENT where neither says."""
        habit = self.house.simulation.steps.get(self.step.step)
        by = self.step.by or (None if habit is None else habit.by)
        return ABSENT if by is None else ACTORS.index(by)

    @property
    def means(self) -> int:
        """The code of what is wagered in it, by the habit of the house; ABSENT where that is not said."""
        habit = self.house.simulation.steps.get(self.step.step)
        return ABSENT if habit is None or habit.in_ is None else MEANS.index(habit.in_)

    @property
    def what(self) -> int:
        """The code of the words or thing it is about, ABSENT where it is about none."""
        return ABSENT if self.step.what is None else self.house.what.index(self.step.what)

    @property
    def _conditions(self) -> list[Condition]:
        """What must hold for the step to be told: by the rules, and by the habit of the house."""
        if self.everywhere:
            return []
        habit = self.house.simulation.steps.get(self.step.step)
        return [one for one in (self.step.when, None if habit is None else habit.when) if one is not None]

    def seats(self) -> Flags:
        """bool[seats]: the seats of which the step is told."""
        return np.logical_and.reduce([seats_where(self.scope, one) for one in [None, *self._conditions]])

    def whole_rounds(self) -> Ints:
        """int64[m]: the rounds of which the step is told."""
        conditions = self._conditions
        if not conditions or self.step.each == "round":
            holds = [self.scope.truth(one, "round") == YES for one in conditions]
            return np.flatnonzero(np.logical_and.reduce([np.ones(len(self.rounds), np.bool_), *holds]))
        return np.unique(self.rounds.round[self.seats()])

    def of_seats(self, seats: Ints, detail: int | Ints = 0) -> Ints:
        """The order of events of these seats."""
        return order(self.number, self.rank[seats], self.turn, detail)


def ranks(house: House, rounds: Rounds, first: str) -> Ints:
    """int64[seats]: the rank of each seat in its round, the one that is served first being 0."""
    place = rounds.place_in_round
    table = house.game.table
    if table is not None and first in table.positions:
        return _clockwise(house, rounds, first)
    if first == "dealer-right":
        return np.diff(rounds.offsets)[rounds.round] - 1 - place
    return place


def _clockwise(house: House, rounds: Rounds, first: str) -> Ints:
    """int64[seats]: the rank of each seat, that at a position of the table being 0."""
    scope = scope_of(house, rounds)
    row, count = seating(scope).row.astype(np.int64), np.diff(rounds.offsets)
    start = np.maximum(where(scope, first)[0], 0).astype(np.int64)
    ranks: Ints = (row - start[rounds.round]) % count[rounds.round]
    return ranks


def side_of(house: House, steps: Sequence[Step]) -> str:
    """The side from which steps that are gone through together begin."""
    habits = [house.simulation.steps.get(step.step) for step in steps]
    sides = (one.from_ for one in habits if one is not None and isinstance(one.from_, str))
    return next(sides, house.game.deal.stages[0].first)
