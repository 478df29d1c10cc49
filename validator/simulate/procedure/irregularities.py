"""What goes wrong at a table and is put right: a fault that comes to light, and its remedies, in some rounds."""

from __future__ import annotations

from random import Random

from validator.rules.simulation.simulation import Irregularity
from validator.simulate.procedure.step_context import RoundEvents, event_of
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Hand, Round, Seat
from validator.simulate.table.view import View

_RESERVED = 1
"""So many of the last cards of each deck are put to other uses."""
_AHEAD = 1000
"""What concerns nobody who acts comes ahead of all acts."""


def go_wrong(house: House, rounds: list[Round], rng: Random) -> None:
    """In some of the rounds something goes wrong: at most one thing in each, for one of its seats, or for somebody who
    takes no part and is dealt cards all the same."""
    for one in rounds:
        luck = rng.randrange(1000)
        for wrong in house.simulation.irregularities:
            luck -= wrong.chance
            if luck < 0:
                seat = rng.choice(one.seats)
                if wrong.of is None:
                    one.irregular = wrong, seat
                elif len(one.seats) < house.positions:
                    one.irregular = wrong, _bystander(house, one, seat)
                break


def _bystander(house: House, one: Round, beside: Seat) -> Seat:
    """One more seat, at the first free position clockwise from another; its cards are those at the end of the deck."""
    taken = {seat.number for seat in one.seats}
    around = ((beside.number + step) % house.positions + 1 for step in range(house.positions))
    number = next(position for position in around if position not in taken)
    cards = one.deck[-1 - _RESERVED :: -1][: len(beside.hand.cards or [])]
    seat = Seat(number=number, player=number, playing=False, stack=house.stacks.least, hand=Hand(cards=cards))
    one.seats = sorted([*one.seats, seat], key=lambda other: other.number)
    return seat


def is_dead(house: House, one: Round) -> bool:
    """Whether a round is declared dead."""
    remedies = one.irregular[0].remedies if one.irregular is not None else []
    return any("misdeal" in house.prepared.steps[name].events for name in remedies)


def record_irregularities(house: House, rounds: list[Round]) -> RoundEvents:
    """The events of what goes wrong, and of what is done about it; none as long as that hangs on bets that are not
    made."""
    view = View(house, [one for one in rounds if one.irregular is not None])
    for one in view.rounds:
        if one.irregular is not None:
            wrong, seat = one.irregular
            if one in view.rounds_where(wrong.when) and (wrong.when is None or one.stages is not None):
                yield from ((one, event) for event in _events(house, one, wrong, seat))


def _events(house: House, one: Round, wrong: Irregularity, seat: Seat) -> list[Event]:
    """What goes wrong in a round for a seat, and what is done about it. The card it may be about is the last of the
    deck, which nobody is dealt."""
    place = 2 * [step.step for step in house.course].index(wrong.after) + 1
    found = []
    for turn, name in enumerate((wrong.step, *wrong.remedies)):
        step = house.prepared.steps[name]
        about = wrong.card is not None and step.each != "seat"
        event = event_of(house, step, cards=one.deck[-1:] if about else None)
        event.seat = seat if step.each == "seat" else None
        event.order = (place, turn if seat.playing else turn - _AHEAD, 0, 0)
        found.append(event)
    return found
