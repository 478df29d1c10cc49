"""Rounds opened for questions: what the interpreter says of them as far as they have been played."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.engine.seats.seat_order import seating
from validator.engine.timeline.step_events import events_of
from validator.engine.turns.predicates import where
from validator.language.conditions import Condition, Quantity
from validator.language.registry import Grain
from validator.simulate.table.columns import batch_of
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat


class View:
    """Rounds opened for questions. Of events only mishaps are seen unless all `events` are asked for; the cards of
    seats are those dealt or, if so wished, those `held` after exchanges between betting rounds."""

    def __init__(self, house: House, rounds: Sequence[Round], *, events: bool = False, held: bool = False) -> None:
        self.house, self.rounds = house, rounds
        self.seats = [seat for one in rounds for seat in one.seats]
        self.events = [event for one in rounds for event in (one.events if events else one.mishaps)]
        self.scope = Scope(batch_of(house, rounds, events=events, held=held), house.prepared, house.configuration)

    @cached_property
    def round_of(self) -> dict[Seat, Round]:
        """The round of each seat."""
        return {seat: one for one in self.rounds for seat in one.seats}

    @cached_property
    def owner(self) -> list[Round]:
        """The round of each event."""
        return [self.rounds[at] for at in self.scope.batch.events.round.tolist()]

    def seats_where(self, *conditions: Condition | None) -> set[Seat]:
        """The seats of which all of some conditions certainly hold; None holds of all."""
        found = set(self.seats)
        for condition in conditions:
            if condition is not None:
                holds = self.scope.truth(condition, "seat") == YES
                found.intersection_update([self.seats[at] for at in np.flatnonzero(holds).tolist()])
        return found

    def rounds_where(self, *conditions: Condition | None) -> set[Round]:
        """The rounds of which all of some conditions certainly hold; None holds of all."""
        found = set(self.rounds)
        for condition in conditions:
            if condition is not None:
                holds = self.scope.truth(condition, "round") == YES
                found.intersection_update([self.rounds[at] for at in np.flatnonzero(holds).tolist()])
        return found

    def numbers(self, quantity: Quantity, grain: Grain) -> list[int | None]:
        """A quantity of every seat or round, None where it is not known."""
        value, known = self.scope.numbers(quantity, grain)
        return [one if is_known else None for one, is_known in zip(value.tolist(), known.tolist(), strict=True)]

    def of_step(self, step: str) -> list[tuple[Round, Event]]:
        """The events of a step, in log order, each with its round."""
        return [(self.owner[at], self.events[at]) for at in events_of(self.scope, step).tolist()]

    def ranks(self, first: str) -> dict[Seat, int]:
        """The rank of each seat in its round, that of the one that is served first being 0."""
        return self.scope.once(("ranks", first), lambda: self._ranks(first))

    def _ranks(self, first: str) -> dict[Seat, int]:
        table = self.house.game.table
        if table is not None and first in table.positions:
            row, start = seating(self.scope).row.tolist(), where(self.scope, first)[0].tolist()
            owner = self.scope.batch.seats.round.tolist()
            return {
                seat: (row[at] - max(start[owner[at]], 0)) % len(self.rounds[owner[at]].seats)
                for at, seat in enumerate(self.seats)
            }
        back = first == "dealer-right"
        return {seat: rank for one in self.rounds for rank, seat in enumerate(one.seats[:: -1 if back else 1])}
