"""Whose turn it is in rounds of betting that are played at once, and what the interpreter says of what they may do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints, Ints8, Tri
from validator.engine.betting.machine import Running
from validator.engine.betting.replay import smallest_bets, stand
from validator.engine.betting.states import States
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.pots.side_pots import members
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of
from validator.engine.turns.quantities import betting_number
from validator.language.conditions import Condition, Quantity
from validator.language.registry import covers
from validator.simulate.table.columns import events_of
from validator.simulate.table.records import Event, Seat
from validator.simulate.table.view import View

Choice = tuple[str, int]
"""A decision, and what goes in with it."""
NO_CHOICE: Choice = ("", 0)


class Turn(Struct, eq=False):
    """A seat whose turn it is, its `number` in a `moment`, `at` which of the rounds that are played at once: the bet to
    be met, what the seat has in and behind, whether it may raise and how often somebody has, whether anybody else has
    the chips to answer more than the bet there is, whether there is less than a bet in the first betting round."""

    number: int
    moment: Moment
    seat: Seat
    answered: bool
    at: int
    street: int
    level: int
    in_: int
    behind: int
    may_raise: bool
    raises: int
    short: bool

    @property
    def smallest_bet(self) -> int:
        """The smallest bet of the betting round."""
        return self.moment.size("smallest-bet")[self.number]

    @property
    def smallest_raise(self) -> int:
        """By how much one must go beyond the bet."""
        return self.moment.size("smallest-raise")[self.number]

    @property
    def largest_raise(self) -> int:
        """By how much one may go beyond the bet."""
        return self.moment.size("largest-raise")[self.number]

    @property
    def lacking(self) -> int:
        """What is to be put in to meet the bet."""
        return max(self.level - self.in_, 0)


class Moment:
    """Seats that are to act, in different rounds, rising, as the betting stands for them. `base` has the rounds with
    all their cards, before anybody acts."""

    def __init__(self, base: View, running: Running, who: Ints8) -> None:
        self._base, seats = base, seating(base.scope).seats
        self._at = np.flatnonzero(who != ABSENT)
        running.see(slice(0, len(who)), who, bit_of(who))
        held = (running.put + running.behind).reshape(seats.shape)
        most = np.where(members(running.players & ~bit_of(who), len(seats)), held, 0).max(axis=0)
        states = running.states
        self._states = States(**{name: getattr(states, name)[self._at] for name in States.__struct_fields__})
        self._index = seats[who[self._at], self._at]
        self.seats = [base.seats[at] for at in self._index.tolist()]
        self._answered = (most > running.level)[self._at].tolist()
        self._opened: dict[tuple[Choice, ...], Scope] = {}
        self._sizes: dict[str, list[int]] = {}

    @cached_property
    def turns(self) -> list[Turn]:
        """The turns of these seats."""
        states = self._states
        smallest = smallest_bets(self._base.scope)[0, self._at]
        columns = (self._at, states.street, states.level, states.put, states.behind, states.may_raise, states.raises)
        short = (states.street == 0) & (states.level < smallest)
        rows = zip(self.seats, self._answered, *(column.tolist() for column in (*columns, short)), strict=True)
        return [Turn(number, self, *row) for number, row in enumerate(rows)]

    def size(self, name: str) -> list[int]:
        """A size of bets for each seat, as the interpreter names it."""
        if name not in self._sizes:
            self._sizes[name] = betting_number(self._scope, name)[0].tolist()
        return self._sizes[name]

    @cached_property
    def _scope(self) -> Scope:
        return self._about_to([NO_CHOICE] * len(self.seats))

    def _about_to(self, choices: Sequence[Choice]) -> Scope:
        """The rounds with one event each: what the seat whose turn it is is about to do."""
        key = (*choices,)
        if key not in self._opened:
            self._opened[key] = self._with_events(choices)
        return self._opened[key]

    def _with_events(self, choices: Sequence[Choice]) -> Scope:
        base = self._base
        events = [
            Event("decide", seat=seat, decision=decision or None)
            for seat, (decision, _) in zip(self.seats, choices, strict=True)
        ]
        index = dict(zip(self.seats, self._index.tolist(), strict=True))
        told = events_of(events, self._at.astype(np.int32), len(base.rounds), index, base.house)
        scope = Scope(replace(base.scope.batch, events=told), base.house.prepared, base.house.configuration)
        stand(scope, base.scope, self._states, np.array([amount for _, amount in choices], np.int64))
        return scope

    def holds(self, condition: Condition | None, choices: Sequence[Choice] | None = None) -> list[bool]:
        """Of which seats a condition certainly holds, as they stand or as they are about to do something. What hangs on
        seats and cards alone is worked out once a round."""
        if condition is None:
            return [True] * len(self.seats)
        found: list[bool] = (self._truth(condition, choices or [NO_CHOICE] * len(self.seats)) == YES).tolist()
        return found

    def _truth(self, condition: Condition, choices: Sequence[Choice]) -> Tri:
        base = self._base.scope
        if covers("seat", base.prepared.grain(condition)):
            return base.truth(condition, "seat")[self._index]
        match condition.operator:
            case "all":
                found = kleene.constant(YES, len(self.seats))
                for part in condition.operand:
                    if found.any():
                        found = np.minimum(found, self._truth(part, choices))
                return found
            case "any":
                return kleene.some([self._truth(part, choices) for part in condition.operand])
            case "not":
                return kleene.negated(self._truth(condition.operand, choices))
            case _:
                return self._about_to(choices).truth(condition, "event")

    def least(self, quantity: Quantity) -> Ints:
        """int64[m]: the least that a quantity may be for each seat."""
        return self._scope.bounds(quantity, "event")[0]
