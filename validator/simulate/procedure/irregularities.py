"""What goes wrong at a table and is put right: a fault that comes to light, and its remedies, in some rounds. Who takes
no part and is dealt cards all the same comes in once the round is told: nothing in it hangs on that."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from validator.rules.simulation.simulation import Irregularity
from validator.simulate.procedure.step_context import RoundEvents
from validator.simulate.table.course import has
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Hand, Round, Seat
from validator.simulate.table.view import View

BYSTANDER = "bystander"
"""Whom something concerns that goes wrong for somebody who takes no part."""


def go_wrong(house: House, rounds: list[Round], rng: Random) -> None:
    """In some of the rounds something goes wrong: at most one thing in each, for one of its seats."""
    for one in rounds:
        luck = rng.randrange(1000)
        for wrong in house.simulation.irregularities:
            luck -= wrong.chance
            if luck < 0:
                one.irregular = wrong, rng.choice(one.seats)
                break


def is_dead(house: House, one: Round) -> bool:
    """Whether a round is declared dead."""
    remedies = one.irregular[0].remedies if one.irregular is not None else []
    return any("misdeal" in house.prepared.steps[name].events for name in remedies)


def record_irregularities(house: House, rounds: list[Round]) -> RoundEvents:
    """The events of what goes wrong among those who take part, and of what is done about it."""
    for one, wrong, seat in irregular_rounds(house, rounds):
        if wrong.of != BYSTANDER:
            yield from ((one, event) for event in remedy_events(house, one, wrong, seat))


def irregular_rounds(house: House, rounds: list[Round]) -> Iterator[tuple[Round, Irregularity, Seat]]:
    """Where something goes wrong, what, and whom it concerns; nothing as long as that hangs on bets that are not
    made."""
    view = View(house, [one for one in rounds if one.irregular is not None])
    for one in view.rounds:
        if one.irregular is not None:
            wrong, seat = one.irregular
            if one in view.rounds_where(wrong.when) and (wrong.when is None or one.stages is not None):
                yield one, wrong, seat


def remedy_events(house: House, one: Round, wrong: Irregularity, seat: Seat) -> list[Event]:
    """The events of what goes wrong in a round for a seat, and of what is done about it. The card it may be about is
    the last of the deck, which nobody is dealt."""
    place = 2 * [step.step for step in house.course].index(wrong.after) + 1
    found = []
    for turn, name in enumerate((wrong.step, *wrong.remedies)):
        step = house.prepared.steps[name]
        (kind, *_) = step.events
        about = wrong.card is not None and step.each != "seat" and has(kind, "cards")
        event = Event(
            kind, (place, turn, 0, 0), place=step.place, what=step.what, cards=one.deck[-1:] if about else None
        )
        event.seat = seat if step.each == "seat" else None
        found.append(event)
    return found


_RESERVED = 1
"""So many of the last cards of each deck are put to other uses."""


def seat_bystanders(house: House, rounds: list[Round]) -> None:
    """Somebody who takes no part comes to the rounds in which that goes wrong and there is a position free."""
    if not any(wrong.of == BYSTANDER for wrong in house.simulation.irregularities):
        return
    came = []
    for one, wrong, beside in [*irregular_rounds(house, rounds)]:
        if wrong.of == BYSTANDER and len(one.seats) < house.positions:
            seat = _seated(house, one, beside)
            _deal(house, one, seat)
            came.append((one, wrong, seat))
    view = View(house, [one for one, _, _ in came], events=True)
    for one, wrong, seat in came:
        last = [event for owner, event in view.of_step(wrong.after) if owner is one][-1]
        place = one.events.index(last) + 1
        one.events[place:place] = remedy_events(house, one, wrong, seat)


def _seated(house: House, one: Round, beside: Seat) -> Seat:
    """One more seat, at the first free position clockwise from another."""
    taken = {seat.number for seat in one.seats}
    around = ((beside.number + step) % house.positions + 1 for step in range(house.positions))
    number, chips = next(position for position in around if position not in taken), house.stacks.least
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
