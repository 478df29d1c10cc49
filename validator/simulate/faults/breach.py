"""A fault about to be made while rounds are played, and whom it may befall."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct

from validator.language.terms import Place
from validator.simulate.faults.planting import Planting
from validator.simulate.table.house import House
from validator.simulate.table.records import Hand, Round, Seat


def last_hand(seat: Seat) -> Hand:
    """The cards of a seat in its last exchange between betting rounds; those it was dealt where it had none."""
    return seat.exchanges[max(seat.exchanges)] if seat.exchanges else seat.hand


class PlayBreach(Struct, frozen=True, kw_only=True):
    """What is needed to break rounds: the fault's recipe, the rounds, and the seats that it may befall."""

    house: House
    planting: Planting
    operand: Any
    rounds: list[Round]
    fits: set[Seat]
    rng: Random

    @property
    def fitting(self) -> list[Round]:
        """The rounds that have a seat that fits."""
        return [one for one in self.rounds if not self.fits.isdisjoint(one.seats)]

    def one_of_each(self, able: Callable[[Seat], bool]) -> list[tuple[Round, Seat]]:
        """One of the seats that fit and are able, of every round that has any."""
        found = []
        for one in self.rounds:
            seats = [seat for seat in one.seats if seat in self.fits and able(seat)]
            if seats:
                found.append((one, self.rng.choice(seats)))
        return found

    def one_hand(
        self,
        place: Place,
        able: Callable[[Round, Seat | None, Hand], bool],
        hand_of: Callable[[Seat], Hand] = last_hand,
    ) -> list[tuple[Round, Hand]]:
        """One hand of a place that is able, of every round that has one; of a seat that fits for `player`."""
        found = []
        for one in self.fitting:
            seats = [(seat, hand_of(seat)) for seat in one.seats if seat in self.fits] if place == "player" else []
            others = [] if place == "player" else [(None, hand) for hand in one.hands_at(place)]
            hands = [hand for seat, hand in [*seats, *others] if able(one, seat, hand)]
            if hands:
                found.append((one, self.rng.choice(hands)))
        return found
