"""People at the table who take no part in a round and are dealt cards all the same.

They come in once the round is told: nothing in it hangs on them.
"""

from __future__ import annotations

from validator.simulate.poker.chips import stacks_of
from validator.simulate.procedure.irregularities import BYSTANDER, befallen, remedied
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Hand, Round, Seat
from validator.simulate.table.view import View

_RESERVED = 1
"""So many of the last cards of each deck are put to other uses."""


def seat_bystanders(house: House, rounds: list[Round]) -> None:
    """Somebody who takes no part comes to the rounds in which that goes wrong and there is a position free."""
    if not any(wrong.of == BYSTANDER for wrong in house.simulation.irregularities):
        return
    came = []
    for one, wrong, beside in befallen(View(house, rounds)):
        if wrong.of == BYSTANDER and len(one.seats) < house.positions:
            seat = _seated(house, one, beside)
            _deal(house, one, seat)
            came.append((one, wrong, seat))
    view = View(house, rounds, told=True) if came else None
    for one, wrong, seat in came:
        if view is not None:
            last = [event for owner, event in view.of_step(wrong.after) if owner is one][-1]
            place = one.events.index(last) + 1
            one.events[place:place] = remedied(house, one, wrong, seat)


def _seated(house: House, one: Round, beside: Seat) -> Seat:
    """One more seat, at the first free position clockwise from another."""
    taken = {seat.number for seat in one.seats}
    around = ((beside.number + step) % house.positions + 1 for step in range(house.positions))
    number, chips = next(position for position in around if position not in taken), stacks_of(house).least
    seat = Seat(number=number, player=number, playing=False, stack=chips, stack_after=chips, won=0)
    one.seats = sorted([*one.seats, seat], key=lambda other: other.number)
    return seat


def _deal(house: House, one: Round, seat: Seat) -> None:
    """Cards for a seat, in its turn and from the end of the deck."""
    assert one.button is not None
    button, deck = one.button, one.deck[-1 - _RESERVED :: -1]
    turns: list[list[Event]] = []
    count: dict[Seat, int] = {}
    for event in one.events:
        if event.kind == "deal" and event.seat is not None:
            turn = count[event.seat] = count.get(event.seat, -1) + 1
            turns += [[]] if turn == len(turns) else []
            turns[turn].append(event)
    seat.hand = Hand(cards=[])
    for packets in turns:
        # The packet before the seat's own, or, where it is served first, the one after.
        ahead = [
            packet
            for packet in packets
            if packet.seat is not None
            and (packet.seat.number - 1 - button) % house.positions < (seat.number - 1 - button) % house.positions
        ]
        beside = ahead[-1] if ahead else packets[0]
        held = len(seat.hand.cards or [])
        cards = deck[held : held + len(beside.cards or [])]
        seat.hand.cards = [*(seat.hand.cards or []), *cards]
        own = Event("deal", beside.order, seat, beside.place, beside.face, beside.by, cards=cards)
        one.events.insert(one.events.index(beside) + bool(ahead), own)
