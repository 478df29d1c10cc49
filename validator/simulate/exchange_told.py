"""The events in which cards are put aside and others dealt in their stead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Ints16, Ints32
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import ACTORS, FACES, PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.simulate.exchange_steps import course, place_of, set_aside
from validator.simulate.parts import Part, order
from validator.simulate.rounds import PLACES_HELD, seats_where
from validator.simulate.stage import Stage


def tell_exchange(stage: Stage, kind: str) -> Iterator[Part]:
    """Every hand of the step's place that puts cards aside, or draws some; of the rest of the deck, every round."""
    place = place_of(stage.step)
    if place == "deck":
        chosen = stage.whole_rounds()
        yield Part(
            kind=KIND[kind],
            round=chosen.astype(np.int32),
            order=np.full(len(chosen), order(stage.number, 0, stage.turn)),
            place=PLACES.index(place),
        )
    for held in PLACES_HELD:
        if held == place:
            yield _of_hands(stage, kind, held, (stage.rounds.aside if kind == "discard" else stage.rounds.drawn)[held])


def _of_hands(stage: Stage, kind: str, place: str, hands: Hands) -> Part:
    at_seats = place == "player"
    if at_seats:
        rows = np.flatnonzero((stage.seats() | _unasked(stage, kind)) & (hands.count > 0))
    else:
        rows = stage.whole_rounds()
        rows = rows[hands.count[rows] > 0]
    return Part(
        kind=KIND[kind],
        round=stage.rounds.round[rows] if at_seats else rows.astype(np.int32),
        order=stage.of_seats(rows) if at_seats else np.full(len(rows), order(stage.number, 0, stage.turn)),
        seat=rows if at_seats else ABSENT,
        place=PLACES.index(place),
        face=FACES.index(stage.step.face or stage.house.game.deal.stages[0].face),
        by=(ACTORS.index("dealer") if stage.by == ABSENT else stage.by) if kind == "draw" else ABSENT,
        positions=_positions(stage, place, rows, hands.count[rows]) if kind == "discard" else ABSENT,
        cards=Hands(cards=hands.cards[rows], count=hands.count[rows]),
    )


def _unasked(stage: Stage, kind: str) -> Flags:
    """bool[seats]: the seats that exchange cards though no step lets them, which the first of these steps tells."""
    steps = [step for step in course(stage.house.game) if kind in step.events and place_of(step) == "player"]
    if steps[0].step != stage.step.step:
        return np.zeros(len(stage.rounds.round), np.bool_)
    asked: Flags = np.logical_or.reduce([seats_where(stage.scope, step.when) for step in steps])
    return ~asked


def _positions(stage: Stage, place: str, rows: Ints, count: Ints16) -> Ints32:
    """Where the cards lay that a way of dealing does not let a place keep, as codes; ABSENT where its holder chose."""
    of_way = [set_aside(way, place) for way in stage.house.ways]
    texts = ["".join(str(card + 1) for card in cards) if max(cards, default=9) < 9 else "" for cards in of_way]
    codes = np.full((len(texts), WIDEST_HAND + 1), ABSENT, np.int32)
    for index, text in enumerate(texts):
        for size in range(1, len(text) + 1):
            codes[index, size] = stage.house.spots.index(text[:size])
    way = stage.rounds.way[stage.rounds.round[rows] if place == "player" else rows]
    return codes[way, count]
