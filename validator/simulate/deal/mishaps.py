"""What goes wrong while cards are dealt: it befalls rounds once they have their cards, and is told with the deal."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from validator.rules.model.game import Step
from validator.simulate.table.chance import happens
from validator.simulate.table.course import by_habit, has
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round
from validator.simulate.table.view import View

_LAST_TURN = 1023
"""After all turns of the deal."""


def befall(house: House, rounds: list[Round], rng: Random) -> None:
    """The mishaps of the simulation, in some of the rounds."""
    for mishap in house.simulation.mishaps:
        step, view = house.prepared.steps[mishap.step], View(house, rounds)
        able = view.rounds_where(mishap.when)
        stated: list[int | None] = [None] * len(rounds)
        if mishap.states is not None:
            stated = [number or 0 for number in view.numbers(mishap.states, "round")]
        exposes = "expose" in step.events
        for one, number in zip(rounds, stated, strict=True):
            befallen = happens(rng, mishap.chance) and one in able
            if befallen and not (exposes and one.used + mishap.times > len(one.deck)):
                for _ in range(mishap.times):
                    # The card that comes to light is the next one of the deck, which nobody gets.
                    cards = one.next_cards(1) if exposes else None
                    one.mishaps.append(_event(house, step, amount=number, cards=cards))


def _event(house: House, step: Step, *, amount: int | None, cards: list[int] | None) -> Event:
    (kind,) = step.events
    by = by_habit(house.simulation, step) if has(kind, "by") else None
    return Event(kind, place=step.place, by=by, what=step.what, amount=amount, cards=cards)


def place_mishaps(round_: Round, dealt: Sequence[Event], deal: int, rng: Random) -> list[Event]:
    """The mishaps of a round where they happened: counts after the deal, whose number in the course is given, all else
    between two packets of it. `dealt` are its events."""
    packets = sorted((one for one in dealt if one.kind == "deal"), key=lambda one: one.order)[1:]
    for mishap in round_.mishaps:
        mishap.order = (deal, _LAST_TURN, 0, 0)
        if mishap.kind != "count" and packets:
            packet = rng.choice(packets)
            mishap.order = (*packet.order[:3], -1)
            if mishap.kind == "draw":
                mishap.cards = (packet.cards or [])[:1]
    return round_.mishaps
