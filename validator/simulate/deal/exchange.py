"""Cards put aside and others dealt in their stead: by habit at the seats, by rule where there is no choice."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from validator.engine.cards.keep_rules import drawn
from validator.language.terms import Place
from validator.rules.simulation.simulation import Discarding
from validator.simulate.table.chance import happens
from validator.simulate.table.house import House
from validator.simulate.table.records import Cards, Hand, Round, Seat
from validator.simulate.table.view import View


def exchange(house: House, rounds: list[Round], rng: Random) -> None:
    """The cards that seats, and then the other places, put aside, and those drawn in their stead."""
    if house.step_at("discard", "player") is not None and house.simulation.discards:
        view = View(house, rounds)
        gone, rank = discards(house, view, rng), view.ranks(house.game.deal.stages[0].first)
        for one in rounds:
            for seat in sorted(one.seats, key=rank.__getitem__):
                put_aside(house, one, "player", seat.hand, as_far_as_cards_go(house, one, gone[seat]))
    for name, drawing in house.game.drawing.items():
        step = house.step_at("discard", drawing.place)
        if drawing.place != "player" and step is not None:
            view = View(house, rounds)
            happening = view.rounds_where(step.when)
            hands = [one.hands_at(drawing.place)[0] for one in rounds]
            for one, hand, gone_of in zip(rounds, hands, _by_rule(view, name, hands), strict=True):
                put_aside(house, one, drawing.place, hand, gone_of if one in happening else [])


def discards(house: House, view: View, rng: Random) -> dict[Seat, Cards]:
    """The cards each seat would put aside, where it may."""
    step = house.step_at("discard", "player")
    hands = [Hand(cards=seat.held) for seat in view.seats]
    waiting = view.seats_where(None if step is None else step.when)
    found: dict[Seat, Cards] = {}
    for habit in house.simulation.discards:
        fits, wanted = view.seats_where(habit.when), _wanted(house, view, habit, hands)
        for seat, cards in zip(view.seats, wanted, strict=True):
            if happens(rng, habit.chance) and seat in waiting and seat in fits:
                found.setdefault(seat, cards)
    return {seat: found.get(seat, []) for seat in view.seats}


def _wanted(house: House, view: View, habit: Discarding, hands: Sequence[Hand]) -> list[Cards]:
    if habit.operator == "cards":
        return [least_cards(hand.cards or [], habit.operand) for hand in hands]
    if house.game.drawing[habit.operand].place == "player":
        return _by_rule(view, habit.operand, hands)
    as_dealer = View(house, [Round(seats=[], dealer=hand) for hand in hands])
    return _by_rule(as_dealer, habit.operand, hands)


def least_cards(cards: Cards, number: int) -> Cards:
    """So many cards of a hand, those that stand alone and are low before the others; in the order in which they lie."""
    ranks = [card >> 2 for card in cards]
    least = sorted(range(len(cards)), key=lambda at: (ranks.count(ranks[at]), ranks[at]))[:number]
    return [cards[at] for at in sorted(least)]


def _by_rule(view: View, name: str, hands: Sequence[Hand]) -> list[Cards]:
    """The cards of each hand that rules of drawing put aside; of several ways to follow the rule that decides, the
    first. Hands that are not known whole keep all."""
    by = drawn(view.scope, name)
    ways = np.zeros(len(by.known), np.uint32)
    for may_decide, lets in zip(by.may_decide, by.lets, strict=True):
        ways = np.where((ways == 0) & may_decide, lets, ways)
    size, found = by.hand.shape[1], list[Cards]()
    for hand, of_hand in zip(hands, np.where(by.known, ways, 0).tolist(), strict=True):
        cards = (hand.cards or [])[:size]
        # The lowest bit of a set of ways is one of them; bit k of the way is the card of rank k within the hand.
        way = (of_hand & -of_hand).bit_length() - 1
        rank = {at: k for k, at in enumerate(sorted(range(len(cards)), key=cards.__getitem__))}
        found.append([card for at, card in enumerate(cards) if of_hand and not way >> rank[at] & 1])
    return found


def as_far_as_cards_go(house: House, round_: Round, gone: Cards) -> Cards:
    """The cards that a seat puts aside: none where the deck has not as many others for it."""
    enough = len(round_.deck) - round_.used - house.reserved >= len(gone)
    return gone if enough or not house.draws else []


def put_aside(house: House, round_: Round, place: Place, hand: Hand, gone: Cards) -> None:
    """A hand puts cards aside, and draws as many where the game lets it."""
    hand.aside = gone
    if house.step_at("draw", place) is not None:
        hand.drawn = round_.next_cards(len(gone) if hand.cards else 0)


def exchange_in(house: House, rounds: list[Round], number: int, still_in: set[Seat], rng: Random) -> None:
    """One more exchange, which is a stage of the deal, by its place in the game's list: of the seats that are
    `still_in` each puts away what it tends to, and draws as much when all have put theirs away."""
    stage, view = house.game.deal.stages[number], View(house, rounds, held=True)
    gone, rank = discards(house, view, rng), view.ranks(stage.first)
    for one in rounds:
        for seat in sorted(still_in.intersection(one.seats), key=rank.__getitem__):
            aside = as_far_as_cards_go(house, one, gone[seat][: (stage.exchanges or {}).get("player", 0)])
            seat.exchanges[number] = Hand(cards=seat.held, aside=aside, drawn=one.next_cards(len(aside)))
