"""Turns of seats in rounds of betting that are played at once, with the values that the interpreter gives for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints, Ints8, Tri
from validator.engine.betting.machine import Running
from validator.engine.betting.replay import stand
from validator.engine.betting.states import States
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.pots.side_pots import members
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of
from validator.engine.turns.predicates import betting_word
from validator.engine.turns.quantities import betting_number
from validator.language.conditions import Condition, Quantity
from validator.language.grains import covers
from validator.simulate.table.columns import columns_of_events
from validator.simulate.table.records import Event, Seat
from validator.simulate.table.view import View

Choice = tuple[str, int]
"""Decision, with the amount that goes in."""
NO_CHOICE: Choice = ("", 0)


class Numbers(dict[str, list[int]]):
    """Quantities of the betting by their names in the rules, for every seat of a moment."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope

    def __missing__(self, name: str) -> list[int]:
        values: list[int] = betting_number(self._scope, name)[0].tolist()
        self[name] = values
        return values


class Turn(Struct, eq=False):
    """Turn of a seat to act."""

    number: int
    """Index of the turn in its moment."""
    numbers: Numbers
    """Quantities of the betting at that moment."""
    seat: Seat
    at: int
    """Index of its round among those that are played at once."""
    street: int
    may_raise: bool
    answer: int
    """Largest bet that another player has the chips to call."""

    def __getitem__(self, name: str) -> int:
        """Return a quantity of the betting for the seat, by its name in the rules."""
        return self.numbers[name][self.number]


class Moment:
    """Seats that are to act, in different rounds, with the state of the betting."""

    def __init__(self, base: View, running: Running, who: Ints8) -> None:
        """Open the turns.

        Args:
            base: the rounds with all their cards, before anybody acts.
            running: state of the betting.
            who: row that acts in each round; ABSENT for none.
        """
        self._base, seats = base, seating(base.scope).seats
        self._at = np.flatnonzero(who != ABSENT)
        running.see(slice(0, len(who)), who, bit_of(who))
        chips = (running.put + running.behind).reshape(seats.shape)
        most = np.where(members(running.players & ~bit_of(who), len(seats)), chips, 0).max(axis=0)
        states = running.states
        self._states = States(**{name: getattr(states, name)[self._at] for name in States.__struct_fields__})
        self._index = seats[who[self._at], self._at]
        self.seats = [base.seats[at] for at in self._index.tolist()]
        self._answers = most[self._at].tolist()
        self._opened: dict[tuple[Choice, ...], Scope] = {}
        self._undecided = (NO_CHOICE,) * len(self.seats)

    @cached_property
    def turns(self) -> list[Turn]:
        """Return the turns of the seats."""
        may_raise = (betting_word(self._scope, "may-raise") == YES).tolist()
        rows = (self.seats, self._at.tolist(), self._states.street.tolist(), may_raise, self._answers)
        return [Turn(number, self.numbers, *row) for number, row in enumerate(zip(*rows, strict=True))]

    @cached_property
    def numbers(self) -> Numbers:
        """Return the quantities of the betting for each seat, by their names in the rules."""
        return Numbers(self._scope)

    @cached_property
    def _scope(self) -> Scope:
        return self._open_with_choices(self._undecided)

    def _open_with_choices(self, choices: tuple[Choice, ...]) -> Scope:
        """Return the rounds with one event each: the intended act of the seat whose turn it is."""
        if choices not in self._opened:
            base, index = self._base, dict(zip(self.seats, self._index.tolist(), strict=True))
            events = [
                Event("decide", seat=seat, decision=decision or None)
                for seat, (decision, _) in zip(self.seats, choices, strict=True)
            ]
            columns = columns_of_events(events, self._at.astype(np.int32), len(base.rounds), index, base.house)
            scope = Scope(replace(base.scope.batch, events=columns), base.house.prepared, base.house.configuration)
            stand(scope, base.scope, self._states, np.array([amount for _, amount in choices], np.int64))
            self._opened[choices] = scope
        return self._opened[choices]

    def holds(self, condition: Condition | None, choices: Sequence[Choice] | None = None) -> list[bool]:
        """Return whether a condition certainly holds for each seat, now or with an intended act.

        A condition on seats and cards alone is evaluated once a round.
        """
        if condition is None:
            return [True] * len(self.seats)
        holds: list[bool] = (self._evaluate(condition, (*(choices or self._undecided),)) == YES).tolist()
        return holds

    def _evaluate(self, condition: Condition, choices: tuple[Choice, ...]) -> Tri:
        base = self._base.scope
        if covers("seat", base.prepared.grain(condition)):
            return base.truth(condition, "seat")[self._index]
        if condition.operator in ("all", "any"):
            parts = [self._evaluate(part, choices) for part in condition.operand]
            return kleene.every(parts) if condition.operator == "all" else kleene.some(parts)
        return self._open_with_choices(choices).truth(condition, "event")

    def least(self, quantity: Quantity) -> Ints:
        """Return the smallest possible value of a quantity for each seat, int64[m]."""
        return self._scope.bounds(quantity, "event")[0]
