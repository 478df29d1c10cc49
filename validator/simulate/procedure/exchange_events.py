"""The events in which cards are put aside and others dealt in their stead."""

from __future__ import annotations

from validator.rules.model.game import Game
from validator.simulate.procedure.step_context import RoundEvents, StepContext
from validator.simulate.table.course import place_of
from validator.simulate.table.records import Hand, Round

_DRAWN = 512
"""Above every rank of a seat: cards are drawn when all have put theirs away."""


def record_exchange(context: StepContext, kind: str) -> RoundEvents:
    """Every hand of the step's place that puts cards aside, or draws some; of the rest of the deck, every round."""
    step, place = context.step, place_of(context.step)
    face = step.face or context.house.game.deal.stages[0].face
    by = (context.by or "dealer") if kind == "draw" else None
    if place == "player":
        asked = {*context.seats()}
        steps = context.house.at[kind, place]
        if steps[0] is step:  # which tells of those that exchange cards though no step lets them
            asked |= {*context.view.seats}.difference(*(context.view.seats_where(one.when) for one in steps))
        for seat in context.view.seats:
            if seat in asked and (cards := _cards(seat.hand, kind)):
                one = context.view.round_of[seat]
                spots = _spots(one, place, len(cards)) if kind == "discard" else None
                yield context.of_seat(kind, seat, place=place, face=face, by=by, positions=spots, cards=cards)
        return
    for one in context.rounds():
        if place == "deck":
            yield context.of_round(kind, one, place=place)
        elif place is not None and (cards := _cards(one.dealer if place == "dealer" else one.community, kind)):
            spots = _spots(one, place, len(cards)) if kind == "discard" else None
            yield context.of_round(kind, one, place=place, face=face, by=by, positions=spots, cards=cards)


def _cards(hand: Hand, kind: str) -> list[int] | None:
    return hand.aside if kind == "discard" else hand.drawn


def _spots(round_: Round, place: str, count: int) -> str | None:
    """Where the cards lay that a way of dealing does not let a place keep, from the dealer's left, as many as there
    are; None where their holder chose."""
    cards = [] if round_.way is None else round_.way.set_aside.get(place, [])
    return "".join(str(card + 1) for card in cards)[:count] if cards and max(cards) < 9 else None


def stage_of(game: Game, name: str | None) -> int | None:
    """The stage of the deal with this name, by its place in the list; None unless cards are exchanged in it."""
    return next((number for number in game.deal.exchanging if game.deal.stages[number].stage == name), None)


def record_stage(context: StepContext, kind: str, number: int) -> RoundEvents:
    """The events of a kind in the exchange that is this stage of the deal: who puts cards away says so, and so does who
    stands pat, as far as the game has words for it."""
    game = context.house.game
    rank = context.view.ranks(game.deal.stages[number].first)
    words = {one.kind: name for name, one in reversed(game.decisions.items())}
    for seat in context.view.seats:
        hand = seat.exchanges.get(number)
        if hand is None:
            continue
        one, event = context.of_seat(kind, seat)
        event.order = (context.number, rank[seat], context.turn, 0)
        if kind == "decide":
            event.decision = words.get("discard" if hand.aside else "stand-pat")
            if event.decision is not None:
                yield one, event
        elif kind in ("discard", "draw"):
            event.place, event.face, event.cards = "player", "down", _cards(hand, kind)
            event.by = (context.by or "dealer") if kind == "draw" else None
            later = _DRAWN if kind == "draw" else 0
            event.order = (context.number, rank[seat] + later, context.turn, int(kind == "discard"))
            if event.cards:
                yield one, event
