"""Events of cards: packets dealt in the turn of the game, cards put aside and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from validator.cards.cards import UNKNOWN
from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.simulate.procedure.step_context import RoundEvents, StepContext
from validator.simulate.table.house import place_of
from validator.simulate.table.records import Event, Hand, Round, Seat

_MOST_HANDS = 128
_DRAWN = 512
"""Above every rank of a seat: cards are drawn when all have put theirs away."""
_TURN = ("decide", "discard", "draw")
"""What is done in an exchange, in order."""


class _Packet(NamedTuple):
    """Cards that a place, or every seat in turn, gets at a time: the stage of the deal, where it stands in the deal,
    and which of the cards of its hand they are, `last` being None where it has all that is left."""

    stage: int
    order: tuple[int, int, int, int]
    place: Place | Literal["burn"]
    face: str
    first: int
    last: int | None


def record_deal(context: StepContext, kind: str) -> RoundEvents:
    """The deal of every round, by its way of dealing."""
    house = context.house
    ways = [(way, [*_packets(context, way)]) for way in (*house.ways, *house.other_ways)]
    for one in context.rounds():
        for way, packets in ways:
            if way is one.way:
                yield from ((one, event) for event in _by_way(context, one, way, packets))


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
                face = "down" if place == "burn" else one.face or stage.face
                yield _Packet(number, order, place, face, first, last)


def _by_way(context: StepContext, one: Round, way: Way, packets: Sequence[_Packet]) -> Iterator[Event]:
    for stage, (number, turn, position, _), place, face, first, last in packets:
        if one.stages is not None and one.stages <= stage:
            continue
        burnt = Hand(cards=[UNKNOWN] * (last or 0))  # which nobody gets and nobody sees
        for seat, hand in [(None, burnt)] if place == "burn" else one.held_at(place):
            if cards := (hand.cards or [])[first:last]:
                order = (number, turn, position + (0 if seat is None else context.rank[seat]), 0)
                yield Event("deal", order, seat, place, face, way.by, cards=cards)


def record_exchange(context: StepContext, kind: str) -> RoundEvents:
    """Every hand of the step's place that puts cards aside, or draws some; of the rest of the deck, every round."""
    house, step, place, stage = context.house, context.step, place_of(context.step), context.stage
    face = "down" if stage is not None else step.face or house.game.deal.stages[0].face
    hands: Sequence[tuple[Seat | Round, Hand]] = []
    if place == "deck":
        yield from (context.told(kind, one, place=place) for one in context.rounds())
    elif stage is not None:
        hands = [(seat, seat.exchanges[stage]) for seat in context.view.seats if stage in seat.exchanges]
    elif place == "player":
        hands = [(seat, seat.hand) for seat in _asked(context, kind)]
    elif place in ("dealer", "community"):
        hands = [(one, one.dealer if place == "dealer" else one.community) for one in context.rounds()]
    for about, hand in hands:
        if cards := hand.aside if kind == "discard" else hand.drawn:
            one, event = context.told(kind, about, _TURN.index(kind), place=place, face=face, cards=cards)
            event.by = (context.by or "dealer") if kind == "draw" else None
            event.positions = _spots(one, event.place, cards) if kind == "discard" else None
            if stage is not None and kind == "draw":
                event.order = (event.order[0], event.order[1] + _DRAWN, *event.order[2:])
            yield one, event


def _asked(context: StepContext, kind: str) -> list[Seat]:
    """The seats of which a step tells that they exchange cards; the first of its kind also of those that do so though
    no step lets them."""
    view, asked, steps = context.view, {*context.seats()}, context.house.at[kind, "player"]
    if steps[0] is context.step:
        asked |= {*view.seats}.difference(*(view.seats_where(one.when) for one in steps))
    return [seat for seat in view.seats if seat in asked]


def _spots(round_: Round, place: str | None, gone: Sequence[int]) -> str | None:
    """Where the cards lay that a way of dealing does not let a place keep, from the dealer's left, as many as there
    are; None where their holder chose."""
    cards = [] if round_.way is None or place is None else round_.way.set_aside.get(place, [])
    return "".join(str(card + 1) for card in cards)[: len(gone)] if cards and max(cards) < 9 else None


def record_words(context: StepContext, stage: int) -> RoundEvents:
    """What is said in the exchange that is this stage of the deal, as far as the game has words for it."""
    for seat in context.view.seats:
        if stage in seat.exchanges:
            word = context.house.word("discard" if seat.exchanges[stage].aside else "stand-pat")
            if word is not None:
                yield context.told("decide", seat, decision=word)
