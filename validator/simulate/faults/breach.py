"""A fault about to be made in rounds, and whom it may befall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar

from validator.simulate.faults.planting import Planting
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View

Thing = TypeVar("Thing")


class Breach:
    """What is needed to break rounds: the rounds, opened for questions; the fault's recipe; the seats that fit it, and
    the rounds that do; the cases of settlement that it is about. `all_of_it` is for what befalls whole rounds."""

    def __init__(self, view: View, planting: Planting, rng: Random, *, all_of_it: bool = False) -> None:
        self.view, self.house, self.rng, self.all_of_it = view, view.house, rng, all_of_it
        self.operand, self.cases = planting.fault.operand, planting.cases
        self.seats = view.seats_where(planting.fault.where)
        self.fits = {view.round_of[seat] for seat in self.seats}
        self._operator = planting.fault.operator

    def make(self, one: Round, ways: Mapping[str, Way]) -> bool:
        """Make the fault in a round, as the way of its operator does; returns whether the round fits it."""
        return one in self.fits and ways[self._operator](self, one)

    def one_of(self, things: Sequence[Thing]) -> Thing | None:
        """One of some things; None where there are none."""
        return self.rng.choice(things) if things else None

    def one_seat(self, one: Round, able: Callable[[Seat], bool]) -> Seat | None:
        """One of the seats of a round that take part, fit and are able; None without one."""
        return self.one_of([seat for seat in one.seats if seat in self.seats and seat.playing and able(seat)])

    def befalls(self, event: Event) -> bool:
        """Whether an event is of a seat that fits, or of none."""
        return self.all_of_it or event.seat is None or event.seat in self.seats


Way = Callable[[Breach, Round], bool]
"""Makes one kind of fault in a round; returns whether the round fits it. A round that does not is left as it is."""
