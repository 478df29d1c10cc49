"""Events of cards: dealt packets, discards and draws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from validator.cards.cards import UNKNOWN
from validator.language.terms import Place
from validator.simulate.procedure.step_context import RoundEvents, StepContext, stage_of
from validator.simulate.table.house import place_of
from validator.simulate.table.records import Cards, Event, Hand, Round, Seat

_MOST_HANDS = 128
_DRAWN = 512
"""Rank of draws, above every seat: all seats draw after the last discard."""
_TURN = ("decide", "discard", "draw")
"""Events of an exchange, in order."""


def record_deal(context: StepContext, kind: str) -> RoundEvents:
    """Yield the events of the deal that belong to a step, packet by packet, by the way of dealing of each round."""
    deal, step, rounds = context.house.game.deal, context.step, context.rounds()
    for name, way in deal.ways.items():
        dealt_so, dealt_before = [round_ for round_ in rounds if round_.way is way], defaultdict[str, int](int)
        turns = (
            (number, stage, pass_)
            for number, (stage, part) in enumerate(deal.in_stages(name) if dealt_so else ())
            for pass_ in part.passes
            for _ in range(pass_.times)
        )
        for turn, (number, stage, pass_) in enumerate(turns):
            for index, place in enumerate(pass_.to):
                first, dealt_before[place] = dealt_before[place], dealt_before[place] + pass_.each
                # The last turn has all that is left: a card too many comes with it, one too few makes it smaller.
                last = None if dealt_before[place] >= way.dealt()[place] and place != "burn" else dealt_before[place]
                if len(deal.stages) == 1 or (step.place in (None, place) and step.stage in (None, stage.stage)):
                    face = "down" if place == "burn" else pass_.face or stage.face
                    reached = [round_ for round_ in dealt_so if round_.stages is None or round_.stages > number]
                    for round_, seat, cards in _find_packets(reached, place, first, last):
                        rank = 0 if seat is None else context.rank[seat]
                        order = (context.number, turn, index * _MOST_HANDS + rank, 0)
                        yield round_, Event("deal", order, seat, place, face, way.by, cards=cards)


def _find_packets(
    rounds: Sequence[Round], place: Place | Literal["burn"], first: int, last: int | None
) -> Iterator[tuple[Round, Seat | None, Cards]]:
    """Yield the cards of every hand of a place between two indices, with the seat of the hand."""
    for round_ in rounds:
        if place == "burn":
            if burnt := [UNKNOWN] * ((last or 0) - first):  # burnt cards are unknown
                yield round_, None, burnt
        elif place == "player":
            for seat in round_.seats:
                if dealt := (seat.hand.cards or [])[first:last]:
                    yield round_, seat, dealt
        elif dealt := ((round_.dealer if place == "dealer" else round_.community).cards or [])[first:last]:
            yield round_, None, dealt


def record_exchange(context: StepContext, kind: str) -> RoundEvents:
    """Yield the discards, or draws, of every hand of the step's place; an exchange of the whole deck is one event a
    round."""
    house, step, place = context.house, context.step, place_of(context.step)
    stage = stage_of(house, step)
    face = "down" if stage is not None else step.face or house.game.deal.stages[0].face
    hands: Sequence[tuple[Seat | Round, Hand]] = []
    if place == "deck":
        yield from (context.told(kind, round_, place=place) for round_ in context.rounds())
    elif stage is not None:
        hands = [(seat, seat.exchanges[stage]) for seat in context.view.seats if stage in seat.exchanges]
    elif place == "player" and house.steps_at.get((kind, "player")) is step:
        hands = [(seat, seat.hand) for seat in context.view.seats]  # including seats that no step lets exchange cards
    elif place in ("dealer", "community"):
        hands = [(round_, round_.dealer if place == "dealer" else round_.community) for round_ in context.rounds()]
    for about, hand in hands:
        if cards := hand.aside if kind == "discard" else hand.drawn:
            round_, event = context.told(kind, about, _TURN.index(kind), place=place, face=face, cards=cards)
            event.by = (context.by or "dealer") if kind == "draw" else None
            event.positions = _format_positions(round_, event.place, cards) if kind == "discard" else None
            if stage is not None and kind == "draw":
                event.order = (event.order[0], event.order[1] + _DRAWN, *event.order[2:])
            yield round_, event


def _format_positions(round_: Round, place: str | None, discards: Sequence[int]) -> str | None:
    """Return the positions of cards that the way of dealing sets aside, from the dealer's left; None if the holder
    chose them."""
    cards = [] if round_.way is None or place is None else round_.way.set_aside.get(place, [])
    return "".join(str(card + 1) for card in cards)[: len(discards)] if cards and max(cards) < 9 else None


def record_words(context: StepContext, stage: int) -> RoundEvents:
    """Yield the declarations in an exchange of this stage, where the game has decisions for them."""
    for seat in context.view.seats:
        if stage in seat.exchanges:
            decision = context.house.words.get("discard" if seat.exchanges[stage].aside else "stand-pat")
            if decision is not None:
                yield context.told("decide", seat, decision=decision)
