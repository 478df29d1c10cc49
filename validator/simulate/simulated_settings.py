"""Hands that simulated places set from their cards, by rules of drawing or otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairdeal.validator.cards.setting_rules import CompiledSetting, list_splits
from fairdeal.validator.engine.facts.drawing_rules import evaluate_drawing
from fairdeal.validator.engine.facts.set_hands import compile_setting, find_set_hands
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.simulate import occasional_steps, round_records
from fairdeal.validator.simulate.round_view import RoundView, list_set_events
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse

_PLACES: tuple[Place, ...] = ("player", "dealer")


def set_hands(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Set the hands of every place that sets some: by its rules, or else by those of another place."""
    setting_places = [place for place in _PLACES if find_set_hands(house.prepared, place)]
    for place in setting_places:
        holders = [hand for round_ in rounds for hand in round_.list_hands(place)]
        set_by_rule(house, holders)


def set_by_rule(house: SimulatedHouse, holders: Sequence[round_records.SimulatedHand]) -> None:
    """Set hands by the first rules that set cards; hands without the full number of cards are not set."""
    named = [(name, drawing) for name, drawing in house.game.drawing.items() if drawing.sets_cards]
    for name, drawing in named[:1]:
        as_holder = [_play_alone(drawing.place, hand.cards) for hand in holders]
        decisions = evaluate_drawing(RoundView(house, as_holder).scope, name)
        ways = np.zeros(len(holders), np.uint32)
        for may_decide, permitted in zip(decisions.may_decide, decisions.permitted_keeps, strict=True):
            ways = np.where((ways == 0) & may_decide, permitted, ways)
        setting = compile_setting(house.prepared, drawing.place)
        for hand, way, known in zip(holders, ways.tolist(), decisions.is_hand_known.tolist(), strict=True):
            hand.high = hand.low = None
            if known and way:
                split_hand(setting, hand, (way & -way).bit_length() - 1)


def _play_alone(place: str, cards: round_records.Cards | None) -> round_records.SimulatedRound:
    """Return a round in which only one place has cards."""
    hand = round_records.SimulatedHand(cards=cards)
    if place == "dealer":
        return round_records.SimulatedRound(seats=[], dealer=hand)
    return round_records.SimulatedRound(seats=[round_records.SimulatedSeat(number=1, player=1, hand=hand)])


def split_hand(setting: CompiledSetting, hand: round_records.SimulatedHand, way: int) -> None:
    """Set a hand in one of its ways."""
    cards, places = hand.cards or [], list_splits(setting.size, setting.low.size)[way]
    hand.high = [card for at, card in enumerate(cards) if at not in places]
    hand.low = [cards[at] for at in places]


def list_other_ways(setting: CompiledSetting, hand: round_records.SimulatedHand) -> list[int]:
    """Return the ways to set a hand that give other hands, without a Low Hand above the High Hand."""
    splits = setting.rank_splits(np.array([hand.cards], np.uint8))
    high, low = splits.high[:, 0], splits.low[:, 0]
    is_foul = setting.low.find_leading_place(low, setting.high) > setting.high.find_leading_place(high, setting.low)
    now = list_splits(setting.size, setting.low.size).index(
        tuple(at for at, card in enumerate(hand.cards or ()) if card in (hand.low or ()))
    )
    differs = (high != high[now]) | (low != low[now])
    return [int(way) for way in np.flatnonzero(differs & ~is_foul)]


def record_settings(context: occasional_steps.StepContext, kind: str) -> occasional_steps.RoundEvents:
    """Yield the event of every hand that was set at the place of a step."""
    owners = {*context.list_seats(), *context.list_rounds()}
    for round_ in context.view.rounds:
        for event in list_set_events(round_):
            about = round_ if event.seat is None else event.seat
            if context.step.place in (None, event.place) and about in owners:
                yield context.make_event(kind, about, place=event.place, cards=event.cards, value=event.value)
