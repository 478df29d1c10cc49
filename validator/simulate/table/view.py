"""View of simulated rounds, through which the interpreter evaluates conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_order import seating
from validator.engine.timeline.step_events import events_of
from validator.engine.turns.predicates import where
from validator.evidence.handlog.event_values import HIGHEST_SEAT
from validator.language.conditions import Condition, Quantity
from validator.language.grains import Grain
from validator.simulate.table.columns import batch_of, columns_of_events
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat

Row = TypeVar("Row")


class View:
    """View of simulated rounds."""

    def __init__(self, house: House, rounds: Sequence[Round], *, events: bool = False, held: bool = False) -> None:
        """Open rounds.

        Args:
            house: the house.
            rounds: the rounds.
            events: whether all events are visible; otherwise only mishaps.
            held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
        """
        self.house, self.rounds = house, rounds
        self.round_of = {seat: round_ for round_ in rounds for seat in round_.seats}
        self.seats = [*self.round_of]
        self.events = [event for round_ in rounds for event in (round_.events if events else round_.mishaps)]
        self.scope = Scope(batch_of(house, rounds, events=events, held=held), house.prepared, house.configuration)

    def retold(self) -> View:
        """Open the same rounds with all their events, if nothing else has changed."""
        view = object.__new__(View)
        view.house, view.rounds, view.round_of, view.seats = self.house, self.rounds, self.round_of, self.seats
        view.events = [event for round_ in self.rounds for event in round_.events]
        index = {seat: at for at, seat in enumerate(self.seats)}
        owner = np.repeat(np.arange(len(self.rounds), dtype=np.int32), [len(round_.events) for round_ in self.rounds])
        events = columns_of_events(view.events, owner, len(self.rounds), index, self.house)
        batch = replace(self.scope.batch, events=events)
        view.scope = Scope(batch, self.house.prepared, self.house.configuration)
        return view

    def seats_where(self, *conditions: Condition | None) -> set[Seat]:
        """Return the seats for which all conditions certainly hold; None holds for all."""
        return self._select(self.seats, "seat", conditions)

    def rounds_where(self, *conditions: Condition | None) -> set[Round]:
        """Return the rounds for which all conditions certainly hold; None holds for all."""
        return self._select(self.rounds, "round", conditions)

    def rounds_perhaps(self, condition: Condition | None) -> set[Round]:
        """Return the rounds in which a condition may hold, whatever their seats and events are."""
        return {self.rounds[at] for at in np.flatnonzero(self.scope.throughout(condition) != NO).tolist()}

    def _select(self, rows: Sequence[Row], grain: Grain, conditions: Sequence[Condition | None]) -> set[Row]:
        holds = np.ones(len(rows), np.bool_)
        for condition in conditions:
            if condition is not None:
                holds &= self.scope.truth(condition, grain) == YES
        return {rows[at] for at in np.flatnonzero(holds).tolist()}

    def numbers(self, quantity: Quantity, grain: Grain) -> list[int | None]:
        """Return a quantity of every seat or round; None if it is not known."""
        value, known = self.scope.numbers(quantity, grain)
        return [number if is_known else None for number, is_known in zip(value.tolist(), known.tolist(), strict=True)]

    def of_step(self, step: str) -> dict[Round, list[Event]]:
        """Return the events of a step in log order, for rounds that have any."""
        return self.scope.once(("of step", step), lambda: self._collect_step_events(step))

    def _collect_step_events(self, step: str) -> dict[Round, list[Event]]:
        events, rows = dict[Round, list[Event]](), events_of(self.scope, step)
        for at, owner in zip(rows.tolist(), self.scope.batch.events.round[rows].tolist(), strict=True):
            events.setdefault(self.rounds[owner], []).append(self.events[at])
        return events

    def ranks(self, *first: str) -> dict[Seat, int]:
        """Return the rank of each seat in its round, in the order of service.

        Service begins at a side of the dealer, or at the first of some positions that a seat has. Otherwise it begins
        at the button.
        """
        return self.scope.once(("ranks", first), lambda: self._rank_seats(first))

    def _rank_seats(self, first: Sequence[str]) -> dict[Seat, int]:
        table = self.house.game.table
        if table is None or not table.positions.keys() >= {*first}:
            back = first == ("dealer-right",)
            return {seat: -seat.number if back else seat.number for seat in self.seats}
        begins, seats = np.full(len(self.rounds), ABSENT, np.int64), self.scope.batch.seats
        for name in first:
            begins = np.where(begins == ABSENT, where(self.scope, name)[0], begins)
        leading = seating(self.scope).seats[np.maximum(begins, 0), np.arange(len(self.rounds))]
        button = 0 if table.counted_from == "dealer-left" else self.scope.batch.button.astype(np.int64)
        # Clockwise from the first seat that takes part, or from the button, where a seat may not take part.
        before = np.where(begins > 0, seats.number[leading] - 1, button)
        ranks = (seats.number - 1 - before[seats.round]) % (HIGHEST_SEAT + 1)
        return dict(zip(self.seats, ranks.tolist(), strict=True))
