"""A fault about to be made in rounds, and whom it may befall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from msgspec import Struct

from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View

Thing = TypeVar("Thing")


class Breach(Struct, frozen=True, kw_only=True):
    """What is needed to break rounds: the rounds, opened for questions; the fault's recipe; the seats that fit it, and
    the rounds that do; the cases of settlement that it is about. `all_of_it` is for what befalls whole rounds."""

    view: View
    operand: Any
    seats: set[Seat]
    fits: set[Round]
    rng: Random
    cases: tuple[int, ...] = ()
    all_of_it: bool = False

    @property
    def house(self) -> House:
        """The house that plays."""
        return self.view.house

    @property
    def rounds(self) -> list[Round]:
        """The rounds that fit, in their order."""
        return [one for one in self.view.rounds if one in self.fits]

    def one_of(self, things: Callable[[Round], Sequence[Thing]]) -> list[tuple[Round, Thing]]:
        """One of the things of every round that fits and has any."""
        found = [(one, things(one)) for one in self.rounds]
        return [(one, self.rng.choice(of_round)) for one, of_round in found if of_round]

    def one_seat(self, able: Callable[[Seat], bool]) -> list[tuple[Round, Seat]]:
        """One of the seats that fit and are able, of every round that has any."""
        return self.one_of(lambda one: [seat for seat in one.seats if seat in self.seats and able(seat)])

    def befalls(self, event: Event) -> bool:
        """Whether an event is of a seat that fits, or of none."""
        return self.all_of_it or event.seat is None or event.seat in self.seats
