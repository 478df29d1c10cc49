"""What goes wrong while cards are dealt: it befalls rounds once they have their cards, and is told with the deal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.evidence.handlog.event_fields import RULES
from validator.evidence.handlog.event_values import ACTORS, PLACES
from validator.evidence.handlog.events import KIND
from validator.rules.model.game import Step
from validator.rules.simulation.simulation import Mishap
from validator.simulate.draws import happens, one_of_each
from validator.simulate.house import House
from validator.simulate.parts import Part, of_one_card, order
from validator.simulate.rounds import Rounds, scope_of

_LAST_TURN = 1023
"""After all turns of the deal."""


def befall(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds, dealt, with the mishaps of the simulation in some of them."""
    for mishap in house.simulation.mishaps:
        step, scope = house.prepared.steps[mishap.step], scope_of(house, rounds)
        befallen = happens(rng, len(rounds), mishap.chance)
        if mishap.when is not None:
            befallen &= scope.truth(mishap.when, "round") == YES
        if "expose" in step.events:
            befallen &= rounds.used + mishap.times <= rounds.deck.shape[1]
        rounds = _befallen(house, rounds, scope, mishap, step, befallen)
    return rounds


def _befallen(house: House, rounds: Rounds, scope: Scope, mishap: Mishap, step: Step, befallen: Flags) -> Rounds:
    """The rounds with a mishap in those that it befalls, bool[rounds]."""
    (kind,) = step.events
    at = np.flatnonzero(befallen)
    habit = house.simulation.steps.get(step.step)
    by = step.by or (None if habit is None else habit.by)
    number: int | Ints = ABSENT
    if mishap.states is not None:
        value, known = scope.numbers(mishap.states, "round")
        number = np.where(known, value, 0)[at]
    told = Part(
        kind=KIND[kind],
        round=at.astype(np.int32),
        order=np.zeros(len(at), np.int64),
        place=ABSENT if step.place is None else PLACES.index(step.place),
        by=ABSENT if by is None or not RULES["by"].has[KIND[kind]] else ACTORS.index(by),
        what=ABSENT if step.what is None else house.what.index(step.what),
        amount=number,
    )
    times = range(mishap.times)
    if kind != "expose":
        return replace(rounds, mishaps=(*rounds.mishaps, *(told for _ in times)))
    # The cards that come to light are the next ones of the deck, which nobody gets.
    shown = [replace(told, cards=of_one_card(rounds.deck[at, rounds.used[at] + time])) for time in times]
    return replace(rounds, mishaps=(*rounds.mishaps, *shown), used=rounds.used + befallen * mishap.times)


def tell_mishaps(rounds: Rounds, dealt: Sequence[Part], deal: int, rng: np.random.Generator) -> list[Part]:
    """The mishaps of all rounds where they happened: counts after the deal, whose number in the course is given, all
    else between two packets of it. `dealt` are its events."""
    if not rounds.mishaps:
        return []
    packets = [one for one in dealt if one.cards is not None and one.kind == KIND["deal"]]
    owner = np.concatenate([one.round for one in packets]).astype(np.int64)
    place = np.concatenate([one.order for one in packets])
    first = np.concatenate([one.cards.cards[:, 0] for one in packets if one.cards is not None])
    begins = np.full(len(rounds), np.iinfo(np.int64).max)
    np.minimum.at(begins, owner, place)
    later = np.flatnonzero(place > begins[owner])
    told = []
    for mishap in rounds.mishaps:
        if mishap.kind == KIND["count"]:
            told.append(replace(mishap, order=np.full(len(mishap.round), order(deal, _LAST_TURN))))
            continue
        between = later[np.isin(owner[later], mishap.round)]
        chosen = one_of_each(rng, between, owner[between].astype(np.int32))
        here = np.flatnonzero(np.isin(mishap.round, owner[chosen]))
        where = np.full(len(mishap.round), order(deal, _LAST_TURN))
        where[here] = place[chosen] - 1
        cards = mishap.cards
        if mishap.kind == KIND["draw"]:
            drawn = np.full(len(mishap.round), NO_CARD, np.uint8)
            drawn[here] = first[chosen]
            cards = of_one_card(drawn)
        told.append(replace(mishap, order=where, cards=cards))
    return told
