"""The events of the deal: packets in the turn of the game, and cards shown on the way."""

from __future__ import annotations

from random import Random

from validator.cards.cards import UNKNOWN
from validator.rules.model.deal import Deal, Pass, Way
from validator.rules.model.game import Exposure
from validator.simulate.procedure.step_context import StepContext
from validator.simulate.table.chance import happens
from validator.simulate.table.records import Event, Hand, Round, Seat

_MOST_HANDS = 128


def tell_deal(context: StepContext, told: dict[Round, list[Event]], rng: Random) -> None:
    """The deal of every round by its way of dealing, with the cards that came to light."""
    house = context.house
    ways = [(way, _turns(house.game.deal, way)) for way in (*house.ways, *house.other_ways)]
    for one in context.rounds():
        dealt = next(_by_way(context, one, way, turns) for way, turns in ways if way is one.way)
        told[one] += dealt
        for exposure in house.game.irregularities.exposures:
            if dealt and happens(rng, house.simulation.chances.exposure):
                told[one] += _shown(context, rng.choice(dealt), exposure, rng)


def _turns(deal: Deal, way: Way) -> list[tuple[int, Pass]]:
    """The passes of a way of dealing, each as often as it is gone through, with the number of its stage."""
    name = next(name for name, one in deal.ways.items() if one is way)
    return [
        (number, one.model_copy(update={"face": one.face or stage.face}))
        for number, (stage, part) in enumerate(deal.in_stages(name))
        for one in part.passes
        for _ in range(one.times)
    ]


def _by_way(context: StepContext, round_: Round, way: Way, turns: list[tuple[int, Pass]]) -> list[Event]:
    found: list[Event] = []
    begun: dict[str, int] = {}
    whole = way.dealt()
    for turn, (stage, one) in enumerate(turns):
        for index, place in enumerate(one.to):
            first = begun.get(place, 0)
            begun[place] = first + one.each
            if not _tells(context, stage, place) or (round_.stages is not None and round_.stages <= stage):
                continue
            order = (context.number, turn, index * _MOST_HANDS, 0)
            if place == "burn":
                # Cards that nobody gets and nobody sees.
                cards = [UNKNOWN] * one.each
                found.append(Event("deal", order, place=place, face="down", by=way.by, cards=cards))
                continue
            # The last turn has all that is left: a card too many comes with it, one too few makes it smaller.
            last = None if begun[place] >= whole[place] else begun[place]
            served: list[tuple[Seat | None, Hand]] = (
                [(seat, seat.hand) for seat in round_.seats]
                if place == "player"
                else [(None, hand) for hand in round_.hands_at(place)]
            )
            for seat, hand in served:
                cards = (hand.cards or [])[first:last]
                if cards:
                    at = (*order[:2], order[2] + (0 if seat is None else context.rank[seat]), 0)
                    face = one.face or "down"
                    found.append(Event("deal", at, seat, place, face, way.by, cards=cards))
    return found


def _tells(context: StepContext, number: int, place: str) -> bool:
    """Whether a step is about the cards that a place gets in a stage of the deal."""
    step, stages = context.step, context.house.game.deal.stages
    return len(stages) == 1 or (step.place in (None, place) and step.stage in (None, stages[number].stage))


def _shown(context: StepContext, packet: Event, exposure: Exposure, rng: Random) -> list[Event]:
    """One card of a packet is shown right after it is dealt, and turned over again."""
    steps, found = context.house.prepared.steps, list[Event]()
    card = rng.choice(packet.cards or [UNKNOWN])
    for step in (steps[exposure.shown], steps[exposure.covered]):
        kind = step.events[0]
        by = step.by or "dealer" if kind == "expose" else None
        found.append(Event(kind, packet.order, packet.seat, packet.place, by=by, cards=[card]))
    return found
