"""What goes wrong at a table and is put right: a fault that comes to light, and its remedies, in some rounds."""

from __future__ import annotations

from random import Random

from validator.rules.simulation.simulation import Irregularity
from validator.simulate.procedure.step_context import Told
from validator.simulate.table.course import course, has
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
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


def tell_irregularities(view: View) -> Told:
    """The events of what goes wrong among those who take part, and of what is done about it."""
    for one, wrong, seat in befallen(view):
        if wrong.of != BYSTANDER:
            yield from ((one, event) for event in remedied(view.house, one, wrong, seat))


def befallen(view: View) -> list[tuple[Round, Irregularity, Seat]]:
    """Where something goes wrong, what, and whom it concerns; nothing as long as that hangs on bets that are not
    made."""
    may = [(wrong, view.rounds_where(wrong.when)) for wrong in view.house.simulation.irregularities]
    found = []
    for one in view.rounds:
        if one.irregular is not None:
            wrong, seat = one.irregular
            rounds = next(rounds for other, rounds in may if other is wrong)
            if one in rounds and (wrong.when is None or one.stages is not None):
                found.append((one, wrong, seat))
    return found


def remedied(house: House, one: Round, wrong: Irregularity, seat: Seat) -> list[Event]:
    """The events of what goes wrong in a round for a seat, and of what is done about it. The card it may be about is the
    last of the deck, which nobody is dealt."""
    place = 2 * [step.step for step in course(house.game)].index(wrong.after) + 1
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
