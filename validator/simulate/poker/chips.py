"""Where players play against each other: the button, the chips they have, and what they put in before they act."""

from __future__ import annotations

from random import Random

from validator.simulate.table.chance import happens
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.view import View


def bring_chips(house: House, rounds: list[Round], rng: Random) -> None:
    """The button at one of the seats, and the chips of every seat: multiples of the unit."""
    stacks, unit = house.stacks, house.wager_unit
    low, high = max(-(-stacks.least // unit), 1), max(stacks.most // unit, 1)
    for one in rounds:
        one.button, short = rng.choice(one.seats).number, happens(rng, stacks.short)
        for seat in one.seats:
            units = rng.randint(low, max(low, high))
            if short:  # small numbers of chips are as likely as large ones: as many digits in base two as not
                units = max(units >> rng.randrange(max(high.bit_length(), 1)), 1)
            seat.stack = units * unit


def post(house: House, rounds: list[Round], rng: Random) -> None:
    """What is put in before anybody acts, as far as the chips of each seat go; no luck is in it."""
    for forced in house.simulation.forced:
        offer = house.offer(forced.wager)
        if offer is not None and offer.minimum:
            # Where a position is may hang on what was posted before.
            for seat in View(house, rounds).seats_where(forced.when):
                seat.put(forced.wager, min(offer.minimum, seat.chips - seat.staked))
