"""The events of the deal: packets in the turn of the game, and cards shown on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, NamedTuple

from validator.cards.cards import UNKNOWN
from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.rules.model.game import Exposure
from validator.simulate.procedure.step_context import StepContext
from validator.simulate.table.chance import happens
from validator.simulate.table.records import Event, Round

_MOST_HANDS = 128


class _Packet(NamedTuple):
    """Cards that a place, or every seat in turn, gets at a time: the stage of the deal, where it stands in the deal,
    and which of the cards of its hand they are, `last` being None where it has all that is left."""

    stage: int
    order: tuple[int, int, int, int]
    place: Place | Literal["burn"]
    face: str
    first: int
    last: int | None


def record_deal(context: StepContext, events: dict[Round, list[Event]], rng: Random) -> None:
    """The deal of every round by its way of dealing, with the cards that came to light."""
    house = context.house
    ways = [(way, [*_packets(context, way)]) for way in (*house.ways, *house.other_ways)]
    for one in context.rounds():
        dealt = [event for way, packets in ways if way is one.way for event in _by_way(context, one, way, packets)]
        events[one] += dealt
        for exposure in house.game.irregularities.exposures:
            if dealt and happens(rng, house.simulation.chances.exposure):
                events[one] += _shown(context, rng.choice(dealt), exposure, rng)


def _packets(context: StepContext, way: Way) -> Iterator[_Packet]:
    """The packets of a way of dealing that a step is about."""
    deal, step, begun = context.house.game.deal, context.step, dict[str, int]()
    name = next(name for name, one in deal.ways.items() if one is way)
    turns = (
        (number, stage, one)
        for number, (stage, part) in enumerate(deal.in_stages(name))
        for one in part.passes
        for _ in range(one.times)
    )
    for turn, (number, stage, one) in enumerate(turns):
        for index, place in enumerate(one.to):
            first = begun.get(place, 0)
            begun[place] = first + one.each
            # The last turn has all that is left: a card too many comes with it, one too few makes it smaller.
            last = None if begun[place] >= way.dealt()[place] and place != "burn" else begun[place]
            if len(deal.stages) == 1 or (step.place in (None, place) and step.stage in (None, stage.stage)):
                order = (context.number, turn, index * _MOST_HANDS, 0)
                yield _Packet(number, order, place, one.face or stage.face, first, last)


def _by_way(context: StepContext, one: Round, way: Way, packets: Sequence[_Packet]) -> Iterator[Event]:
    for packet in packets:
        number, turn, position, _ = packet.order
        if one.stages is not None and one.stages <= packet.stage:
            continue
        if packet.place == "burn":  # cards that nobody gets and nobody sees
            cards = [UNKNOWN] * ((packet.last or 0) - packet.first)
            yield Event("deal", packet.order, place="burn", face="down", by=way.by, cards=cards)
        elif packet.place == "player":
            for seat in one.seats:
                if cards := (seat.hand.cards or [])[packet.first : packet.last]:
                    order = (number, turn, position + context.rank[seat], 0)
                    yield Event("deal", order, seat, "player", packet.face, way.by, cards=cards)
        elif cards := (one.hands_at(packet.place)[0].cards or [])[packet.first : packet.last]:
            yield Event("deal", packet.order, None, packet.place, packet.face, way.by, cards=cards)


def _shown(context: StepContext, packet: Event, exposure: Exposure, rng: Random) -> list[Event]:
    """One card of a packet is shown right after it is dealt, and turned over again."""
    steps, found = context.house.prepared.steps, list[Event]()
    card = rng.choice(packet.cards or [UNKNOWN])
    for step in (steps[exposure.shown], steps[exposure.covered]):
        kind = step.events[0]
        by = step.by or "dealer" if kind == "expose" else None
        found.append(Event(kind, packet.order, packet.seat, packet.place, by=by, cards=[card]))
    return found
