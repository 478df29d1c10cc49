"""What goes wrong at a table and is put right: a fault that comes to light, and its remedies, in some rounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.rules.simulation.simulation import Irregularity
from validator.simulate.bets import Irregularities
from validator.simulate.exchange_steps import course
from validator.simulate.house import House
from validator.simulate.parts import Part, order
from validator.simulate.rounds import Rounds, scope_of

BYSTANDER = "bystander"
"""Whom something concerns that goes wrong for somebody who takes no part."""
_PER_MILLE = 1000
_MANY = 2**40


def go_wrong(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds, in some of which something goes wrong: at most one thing in each, for one of its seats."""
    chances = np.cumsum([0, *(one.chance for one in house.simulation.irregularities)])
    luck = rng.integers(0, _PER_MILLE, len(rounds))
    which = np.searchsorted(chances, luck, side="right") - 1
    seat = rounds.offsets[:-1] + rng.integers(0, _MANY, len(rounds)) % np.diff(rounds.offsets)
    of = np.where(which < len(house.simulation.irregularities), which, ABSENT)
    return replace(rounds, irregular=Irregularities(of=of.astype(np.int8), seat=seat))


def dead_rounds(house: House, rounds: Rounds) -> Flags:
    """bool[rounds]: the rounds that are declared dead."""
    dead = np.zeros(len(rounds), np.bool_)
    if rounds.irregular is not None:
        for number, one in enumerate(house.simulation.irregularities):
            if any("misdeal" in house.prepared.steps[name].events for name in one.remedies):
                dead |= rounds.irregular.of == number
    return dead


def tell_irregularities(house: House, rounds: Rounds) -> Iterator[Part]:
    """The events of what goes wrong among those who take part, and of what is done about it."""
    if rounds.irregular is None:
        return
    for number, wrong in enumerate(house.simulation.irregularities):
        if wrong.of != BYSTANDER:
            at = np.flatnonzero((rounds.irregular.of == number) & may_happen(house, rounds, wrong))
            yield from remedied(house, rounds, wrong, at, rounds.irregular.seat[at])


def may_happen(house: House, rounds: Rounds, wrong: Irregularity) -> Flags:
    """bool[rounds]: where something may go wrong; nowhere as long as that hangs on bets that are not made."""
    if wrong.when is None:
        return np.ones(len(rounds), np.bool_)
    if rounds.bets is None:
        return np.zeros(len(rounds), np.bool_)
    may: Flags = scope_of(house, rounds).truth(wrong.when, "round") == YES
    return may


def remedied(house: House, rounds: Rounds, wrong: Irregularity, at: Ints, seat: Ints) -> Iterator[Part]:
    """The events of what goes wrong in the rounds `at` for these seats, and of what is done about it."""
    steps = [step.step for step in course(house.game)]
    place = 2 * steps.index(wrong.after) + 1
    for turn, name in enumerate((wrong.step, *wrong.remedies)):
        yield _event(house, rounds, wrong, name, at, seat, order(place, turn))


def _event(house: House, rounds: Rounds, wrong: Irregularity, name: str, at: Ints, seat: Ints, place: int) -> Part:
    step = house.prepared.steps[name]
    (kind, *_) = step.events
    about = wrong.card is not None and step.each != "seat" and bool(RULES["cards"].has[KIND[kind]])
    return Part(
        kind=KIND[kind],
        round=at.astype(np.int32),
        order=np.full(len(at), place),
        seat=seat if step.each == "seat" else ABSENT,
        place=ABSENT if step.place is None else PLACES.index(step.place),
        what=ABSENT if step.what is None else house.what.index(step.what),
        cards=_unused(rounds, at) if about else None,
    )


def _unused(rounds: Rounds, at: Ints) -> Hands:
    """The last card of each deck, which nobody is dealt."""
    cards = np.full((len(at), WIDEST_HAND), NO_CARD, np.uint8)
    cards[:, 0] = rounds.deck[at, -1]
    return Hands(cards=cards, count=np.ones(len(at), np.int16))
