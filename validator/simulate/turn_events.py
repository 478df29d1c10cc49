"""Events of decisions, splits, cards by rule and set hands, in the order in which the hands of a box come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.deal_model import Stage
from fairdeal.validator.simulate import occasional_steps, round_records
from fairdeal.validator.simulate.round_view import list_set_events
from fairdeal.validator.simulate.simulated_deal import find_splits

MOST_CARDS_OF_STAGE = 1 << 10
"""Bound of the turns and cards of a stage, so that the stages of one act are dealt in their order."""
_FIRST = 1 << 10
"""Place of decisions and cards of the first hand within the turn of a box."""
_STAKE, _DECISION, _EQUAL_STAKE, _SPLIT, _CARD, _PARTS = range(6)
"""Parts of a decision in their order, and the number of parts."""


def record_deal_by_rule(context: occasional_steps.StepContext) -> occasional_steps.RoundEvents:
    """Yield the events of cards by rule that belong to a step: one event each, after the decisions to take it."""
    deal, step = context.house.game.deal, context.step
    for number in deal.stages_by_rule:
        stage = deal.stages[number]
        if step.stage not in (None, stage.stage):
            continue
        for place in stage.count_most_cards():
            if step.place in (None, place) and stage.burn:
                for round_ in context.list_rounds():
                    if any(hand.list_cards_of(number) for hand in round_.list_hands(place)):
                        burnt = [UNKNOWN] * stage.burn
                        order = (context.number, -1, 0, 0)
                        yield (
                            round_,
                            round_records.SimulatedEvent("deal", order, None, "burn", "down", stage.by, cards=burnt),
                        )
            if step.place in (None, place):
                for round_, seat, hand in _list_hands(context.list_rounds(), place):
                    asking = () if seat is None else _list_asking(seat, stage, place)
                    for at, card in enumerate(hand.list_cards_of(number)):
                        asked = asking[at] if at < len(asking) else at
                        order = (context.number, number * MOST_CARDS_OF_STAGE + at, 0, 0)
                        if seat is not None:
                            order = place_in_turn(context, seat, asked, _CARD)
                        yield (
                            round_,
                            round_records.SimulatedEvent(
                                "deal", order, seat, place, stage.face, stage.by, cards=[card]
                            ),
                        )


def _list_asking(seat: round_records.SimulatedSeat, stage: Stage, place: Place) -> list[int]:
    """Return the positions, among the decisions of a seat, of those that take a card of a stage.

    The first card of a hand that was split off follows no decision of its own, and has the position -1.
    """
    taking = (stage.takes or {}).get(place)
    decided = [at for at, decision in enumerate(seat.decisions) if taking is not None and decision in taking.decisions]
    return [-1, *decided] if seat.split_of else decided


def place_in_turn(
    context: occasional_steps.StepContext, seat: round_records.SimulatedSeat, decision: int, part: int
) -> tuple[int, int, int, int]:
    """Return the order of an event in the turn of a box, hand by hand and decision by decision.

    Args:
        context: the act.
        seat: the seat with the hand.
        decision: position of the decision among those of the hand.
        part: part of the decision: `_STAKE`, `_DECISION`, `_EQUAL_STAKE`, `_SPLIT` or `_CARD`.
    """
    hand = seat.box.list_hands_of_box().index(seat)
    return context.number, context.rank[seat], _FIRST + hand, _PARTS * (decision + 1) + part


def place_stake_in_turn(
    context: occasional_steps.StepContext, seat: round_records.SimulatedSeat, wager: str
) -> tuple[int, int, int, int] | None:
    """Return the order of a stake that a decision in the turn of a box places; None for other stakes."""
    decisions, origin = context.house.game.decisions, seat.split_of
    if not context.house.has_decisions_for_cards:
        return None
    placing = [at for at, name in enumerate(seat.decisions) if decisions[name].places == wager]
    if placing or origin is None:
        return place_in_turn(context, seat, placing[0], _STAKE) if placing else None
    return place_in_turn(
        context, origin, find_splits(context.house, origin)[origin.split_off.index(seat)], _EQUAL_STAKE
    )


def record_splits(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the event of every split of the step's seats, after the decision to split."""
    for seat in context.list_seats():
        for new, at in zip(seat.split_off, find_splits(context.house, seat), strict=True):
            card = seat.find_card_split_to(new)
            round_, event = context.make_event(kind, seat, chips=new.number, cards=[card])
            event.order = place_in_turn(context, seat, at, _SPLIT)
            yield round_, event


def _list_hands(
    rounds: Iterable[round_records.SimulatedRound], place: Place
) -> Iterator[tuple[round_records.SimulatedRound, round_records.SimulatedSeat | None, round_records.SimulatedHand]]:
    for round_ in rounds:
        for seat, hand in round_.list_hands_with_seats(place):
            yield round_, seat, hand


def record_several_decisions(context: occasional_steps.StepContext) -> occasional_steps.RoundEvents:
    """Yield every decision of every seat, in order; cards that follow a decision come between."""
    for seat in context.list_seats():
        for at, decision in enumerate(seat.decisions):
            if not context.step.decisions or decision in context.step.decisions:
                round_, event = context.make_event("decide", seat, decision=decision)
                event.order = place_in_turn(context, seat, at, _DECISION)
                yield round_, event


def record_settings(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the event of every hand that was set at the place of a step."""
    owners = {*context.list_seats(), *context.list_rounds()}
    for round_ in context.view.rounds:
        for event in list_set_events(round_):
            about = round_ if event.seat is None else event.seat
            if context.step.place in (None, event.place) and about in owners:
                yield context.make_event(kind, about, place=event.place, cards=event.cards, value=event.value)
