"""Cards of a round: shuffled, stacked at times for rare hands, dealt with occasional miscounts, and exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fairdeal.validator.engine.facts.final_hands import evaluate_drawing
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.deal_model import DealingWay
from fairdeal.validator.simulate.occasional_steps import add_mishaps
from fairdeal.validator.simulate.round_records import Cards, SimulatedHand, SimulatedRound, SimulatedSeat
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, RareHands, SimulatedHouse


def deal_cards(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Deal cards to every place, by one of the house's ways of dealing."""
    for round_ in rounds:
        _deal_round(house, round_, rng.choice(house.ways), rng)
    add_mishaps(house, rounds, rng)


def _deal_round(house: SimulatedHouse, round_: SimulatedRound, way: DealingWay, rng: RandomStream) -> None:
    dealt, kept, draw = way.count_dealt(), dict[Place, list[list[int]]](), rng.random
    voiding = {miscount.place for miscount in house.game.irregularities.miscounts if miscount.voids == "round"}
    is_void = False
    round_.way, round_.used, round_.occurrence, round_.mishaps = way, 0, None, []
    round_.deck = sorted(house.deck.cards * house.game.deck.decks, key=lambda _: draw())
    miscounts = house.simulation.chances.miscounts
    for place in house.game.deal.cards:
        full, discards, kept[place] = dealt.get(place, 0), way.discarded_cards.get(place, []), []
        for hand in round_.list_hands(place):
            number = full
            if full and rng.happens(miscounts.get(place, 0)):
                error = rng.choice((-1, 1))
                # After a miscount that voids the round, a second one would look like a deal that was broken off.
                number += 0 if is_void else error
                is_void = is_void or place in voiding
            # Positions in the deck, until the deck is final.
            hand.cards = [*range(round_.used, round_.used + number)]
            kept[place].append(
                [hand.cards[card] for card in range(full) if card not in discards] if number == full else []
            )
            round_.used += number
    round_.used += dealt.get("burn", 0)
    _stack_deck(house, round_.deck, kept, rng)
    for place in house.game.deal.cards:
        discards = way.discarded_cards.get(place, [])
        puts_aside, deck = place in house.discarding_places, round_.deck
        for hand in round_.list_hands(place):
            hand.cards = [deck[at] for at in hand.cards or []]
            hand.discarded = [card for at, card in enumerate(hand.cards) if at in discards] if puts_aside else None


def _stack_deck(house: SimulatedHouse, deck: Cards, kept: Mapping[Place, list[list[int]]], rng: RandomStream) -> None:
    """Exchange cards of a deck so that places are dealt rare hands.

    Args:
        house: the house.
        deck: the cards.
        kept: positions of the cards that each hand of a place keeps; empty for a hand with a miscount.
        rng: source of random numbers.
    """
    for stacked, rare_hands in zip(house.simulation.stacked, house.rare_hands, strict=True):
        cards_at = _choose_rare_hands(rare_hands, kept, rng) if rng.happens(stacked.chance) else []
        for place, card in cards_at:
            if card in deck:
                deck[deck.index(card)] = deck[place]
            deck[place] = card
        if cards_at:
            return


def _choose_rare_hands(
    rare_hands: tuple[RareHands, ...], kept: Mapping[Place, list[list[int]]], rng: RandomStream
) -> list[tuple[int, int]]:
    """Choose rare hands for different places, and return the deck position of each card; nothing if there are too
    few."""
    card_at, used = dict[int, int](), set[tuple[Place, int]]()
    for rare in rare_hands:
        possible = []
        for number, own in enumerate(kept.get(rare.own_place, ())):
            others = (own if place == rare.own_place else next(iter(kept.get(place, ())), []) for place in rare.places)
            parts = [*zip(others, rare.sizes, strict=True)]
            fits = all(len(part) >= size if rare.consists_of_cards_left else len(part) == size for part, size in parts)
            if fits and (rare.own_place, number) not in used:
                possible.append((number, [at for part, size in parts for at in part[:size]]))
        hands = [hand for hand in rare.hands if not {*card_at.values()}.intersection(hand)]
        if not possible or not hands:
            return []
        number, places = rng.choice(possible)
        used.add((rare.own_place, number))
        card_at |= zip(places, rng.choice(hands), strict=False)
    return [*card_at.items()]


def exchange_cards(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream) -> None:
    """Discard and draw cards: at the seats first, then at the other places."""
    if ("discard", "player") in house.step_by_event_and_place and house.simulation.discards:
        exchange_at_seats(house, rounds, rng)
    for name, drawing in house.game.drawing.items():
        step = house.step_by_event_and_place.get(("discard", drawing.place))
        if drawing.place != "player" and step is not None:
            view = RoundView(house, rounds)
            happening = view.rounds_where(step.when)
            hands = [round_.list_hands(drawing.place)[0] for round_ in rounds]
            discards = _discard_by_rule(view, name, [hand.cards for hand in hands])
            for round_, hand, discards_of_hand in zip(rounds, hands, discards, strict=True):
                _exchange_hand(house, round_, drawing.place, hand, discards_of_hand if round_ in happening else [])


def exchange_at_seats(
    house: SimulatedHouse,
    rounds: list[SimulatedRound],
    rng: RandomStream,
    *,
    number: int | None = None,
    still_in: set[SimulatedSeat] | None = None,
) -> None:
    """Exchange cards at the seats: every seat discards by habit, then all draw.

    A seat discards nothing if the deck has too few cards for it.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        number: stage of the deal, if the exchange is one; it then uses the cards that seats hold.
        still_in: seats that take part; None for all.
    """
    stage, view = house.game.deal.stages[number or 0], RoundView(house, rounds, held=number is not None)
    draws = any("draw" in step.events for step in house.course)
    # Keep cards for other places, which exchange by rule.
    reserved = sum(
        house.game.deal.cards[drawing.place] for drawing in house.game.drawing.values() if drawing.place != "player"
    )
    discards, rank = _choose_discards(house, view, rng), view.rank_seats(stage.first)
    for round_ in rounds:
        for seat in sorted(
            round_.seats if still_in is None else still_in.intersection(round_.seats), key=rank.__getitem__
        ):
            hand, aside = seat.hand, discards[seat]
            if number is not None:
                hand = seat.exchanges[number] = SimulatedHand(cards=seat.cards_held)
                aside = aside[: (stage.exchanges or {}).get("player", 0)]
            enough = len(round_.deck) - round_.used - reserved >= len(aside)
            _exchange_hand(house, round_, "player", hand, aside if enough or not draws else [])


def _exchange_hand(
    house: SimulatedHouse, round_: SimulatedRound, place: Place, hand: SimulatedHand, discards: Cards
) -> None:
    """Discard cards of a hand, and draw as many where the game allows it."""
    hand.discarded = discards
    if house.game.deal.exchanging_stages or ("draw", place) in house.step_by_event_and_place:
        hand.drawn = round_.draw_cards(len(discards) if hand.cards else 0)


def _choose_discards(house: SimulatedHouse, view: RoundView, rng: RandomStream) -> dict[SimulatedSeat, Cards]:
    """Return the cards that each seat would discard, where it may."""
    step, cards_held = (
        house.step_by_event_and_place.get(("discard", "player")),
        [seat.cards_held for seat in view.seats],
    )
    waiting = view.seats_where(None if step is None else step.when)
    discards: dict[SimulatedSeat, Cards] = {}
    for habit in house.simulation.discards:
        fits = view.seats_where(habit.when)
        if habit.operator == "cards":
            wanted = [choose_weakest_cards(cards, habit.operand) for cards in cards_held]
        elif house.game.drawing[habit.operand].place == "player":
            wanted = _discard_by_rule(view, habit.operand, cards_held)
        else:
            as_dealer = [SimulatedRound(seats=[], dealer=SimulatedHand(cards=cards)) for cards in cards_held]
            wanted = _discard_by_rule(RoundView(house, as_dealer), habit.operand, cards_held)
        for seat, cards in zip(view.seats, wanted, strict=True):
            if rng.happens(habit.chance) and seat in waiting and seat in fits:
                discards.setdefault(seat, cards)
    return {seat: discards.get(seat, []) for seat in view.seats}


def choose_weakest_cards(cards: Cards, number: int) -> Cards:
    """Return the weakest cards of a hand, in the order of the hand. Unpaired and low cards are weakest."""
    ranks = [card >> 2 for card in cards]
    least = sorted(range(len(cards)), key=lambda at: (ranks.count(ranks[at]), ranks[at]))[:number]
    return [cards[at] for at in sorted(least)]


def _discard_by_rule(view: RoundView, name: str, hands: Sequence[Cards | None]) -> list[Cards]:
    """Return the cards that drawing rules discard from each hand; nothing from hands that are not completely known.

    If the deciding rule permits several ways, the first is taken.
    """
    rule = evaluate_drawing(view.scope, name)
    ways = np.zeros(len(rule.is_hand_known), np.uint32)
    for may_decide, lets in zip(rule.may_decide, rule.permitted_keeps, strict=True):
        ways = np.where((ways == 0) & may_decide, lets, ways)
    size, discards = rule.hand.shape[1], list[Cards]()
    for hand, of_hand in zip(hands, np.where(rule.is_hand_known, ways, 0).tolist(), strict=True):
        cards = (hand or [])[:size]
        # Take the lowest permitted way; bit k of a way is the card of rank k within the hand.
        way = (of_hand & -of_hand).bit_length() - 1
        rank = {at: k for k, at in enumerate(sorted(range(len(cards)), key=cards.__getitem__))}
        discards.append([card for at, card in enumerate(cards) if of_hand and not way >> rank[at] & 1])
    return discards
