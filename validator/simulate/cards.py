"""The cards of a round: shuffled, stacked now and then so that rare hands come up, and dealt in a way of the house, now
and then a card too many or too few; what goes wrong meanwhile; and cards put aside and others dealt in their stead, by
habit at the seats, by rule where there is no choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from validator.engine.cards.keep_rules import drawn
from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.simulate.procedure.occurrences import go_wrong
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.rare_hands import Rare
from validator.simulate.table.records import Cards, Hand, Round, Seat
from validator.simulate.table.view import View


def deal_cards(house: House, rounds: list[Round], rng: Luck) -> None:
    """Cards for every place of the deal, by one of the house's ways of dealing."""
    for round_ in rounds:
        _deal(house, round_, rng.choice(house.ways), rng)
    go_wrong(house, rounds, rng)


def _deal(house: House, round_: Round, way: Way, rng: Luck) -> None:
    dealt, kept = way.dealt(), dict[Place, list[list[int]]]()
    round_.way, round_.used, round_.occurrence, round_.mishaps = way, 0, None, []
    round_.deck = sorted(house.deck.cards * house.game.deck.decks, key=lambda _: rng.random())
    for place in house.game.deal.cards:
        full, gone, kept[place] = dealt.get(place, 0), way.set_aside.get(place, []), []
        for hand in round_.hands_at(place):
            number = full
            if full and rng.happens(house.simulation.chances.miscounts.get(place, 0)):
                number += rng.choice((-1, 1))
            # Where they lie in the deck, until it is settled which cards lie there.
            hand.cards = [*range(round_.used, round_.used + number)]
            kept[place].append([hand.cards[card] for card in range(full) if card not in gone] if number == full else [])
            round_.used += number
    round_.used += dealt.get("burn", 0)
    _stack(house, round_.deck, kept, rng)
    for place in house.game.deal.cards:
        gone = way.set_aside.get(place, [])
        puts_aside = any(way.set_aside.get(place) for way in (*house.ways, *house.other_ways))
        puts_aside = puts_aside or ("discard", place) in house.steps_at
        for hand in round_.hands_at(place):
            hand.cards = [round_.deck[at] for at in hand.cards or []]
            hand.aside = [card for at, card in enumerate(hand.cards) if at in gone] if puts_aside else None


def _stack(house: House, deck: Cards, kept: Mapping[Place, list[list[int]]], rng: Luck) -> None:
    """Exchange cards of a deck, so that one place is dealt a rare hand, or several places hands that come beside each
    other. `kept` is where the cards lie that each hand of a place keeps; none where it is dealt a wrong number."""
    for stacked, together in zip(house.simulation.stacked, house.rare, strict=True):
        found = _rare_hands(together, kept, rng) if rng.happens(stacked.chance) else []
        for place, card in found:
            if card in deck:
                deck[deck.index(card)] = deck[place]
            deck[place] = card
        if found:
            return


def _rare_hands(together: tuple[Rare, ...], kept: Mapping[Place, list[list[int]]], rng: Luck) -> list[tuple[int, int]]:
    """Some rare hands, each card with where it is to lie: all of different places, and no card twice. Nothing where
    there are not as many."""
    found, taken = dict[int, int](), set[tuple[Place, int]]()
    for rare in together:
        able = []
        for number, own in enumerate(kept.get(rare.own, ())):
            others = (own if place == rare.own else next(iter(kept.get(place, ())), []) for place in rare.places)
            parts = [*zip(others, rare.sizes, strict=True)]
            fits = all(len(part) >= size if rare.held else len(part) == size for part, size in parts)
            if fits and (rare.own, number) not in taken:
                able.append((number, [at for part, size in parts for at in part[:size]]))
        hands = [hand for hand in rare.hands if not {*found.values()}.intersection(hand)]
        if not able or not hands:
            return []
        number, places = rng.choice(able)
        taken.add((rare.own, number))
        found |= zip(places, rng.choice(hands), strict=False)
    return [*found.items()]


def exchange(house: House, rounds: list[Round], rng: Luck) -> None:
    """The cards that seats, and then the other places, put aside, and those drawn in their stead."""
    if ("discard", "player") in house.steps_at and house.simulation.discards:
        exchange_at_seats(house, rounds, rng)
    for name, drawing in house.game.drawing.items():
        step = house.steps_at.get(("discard", drawing.place))
        if drawing.place != "player" and step is not None:
            view = View(house, rounds)
            happening = view.rounds_where(step.when)
            hands = [round_.hands_at(drawing.place)[0] for round_ in rounds]
            gone = _by_rule(view, name, [hand.cards for hand in hands])
            for round_, hand, gone_of in zip(rounds, hands, gone, strict=True):
                _put_aside(house, round_, drawing.place, hand, gone_of if round_ in happening else [])


def exchange_at_seats(
    house: House, rounds: list[Round], rng: Luck, *, number: int | None = None, still_in: set[Seat] | None = None
) -> None:
    """Each of the seats that are `still_in`, of all if not given, puts away what it tends to, as far as the deck has as
    many others for it, and draws as much when all have put theirs away. Where the exchange is a stage of the deal, by
    its `number` in the game's list, it is another one each time, of the cards that are held."""
    stage, view = house.game.deal.stages[number or 0], View(house, rounds, held=number is not None)
    draws = any("draw" in step.events for step in house.course)
    # Other places have no choice.
    reserved = sum(
        house.game.deal.cards[drawing.place] for drawing in house.game.drawing.values() if drawing.place != "player"
    )
    gone, rank = _discards(house, view, rng), view.ranks(stage.first)
    for round_ in rounds:
        for seat in sorted(
            round_.seats if still_in is None else still_in.intersection(round_.seats), key=rank.__getitem__
        ):
            hand, aside = seat.hand, gone[seat]
            if number is not None:
                hand = seat.exchanges[number] = Hand(cards=seat.held)
                aside = aside[: (stage.exchanges or {}).get("player", 0)]
            enough = len(round_.deck) - round_.used - reserved >= len(aside)
            _put_aside(house, round_, "player", hand, aside if enough or not draws else [])


def _put_aside(house: House, one: Round, place: Place, hand: Hand, gone: Cards) -> None:
    """A hand puts cards aside, and draws as many where the game lets it."""
    hand.aside = gone
    if house.game.deal.exchanging or ("draw", place) in house.steps_at:
        hand.drawn = one.next_cards(len(gone) if hand.cards else 0)


def _discards(house: House, view: View, rng: Luck) -> dict[Seat, Cards]:
    """The cards each seat would put aside, where it may."""
    step, held = house.steps_at.get(("discard", "player")), [seat.held for seat in view.seats]
    waiting = view.seats_where(None if step is None else step.when)
    found: dict[Seat, Cards] = {}
    for habit in house.simulation.discards:
        fits = view.seats_where(habit.when)
        if habit.operator == "cards":
            wanted = [least_cards(cards, habit.operand) for cards in held]
        elif house.game.drawing[habit.operand].place == "player":
            wanted = _by_rule(view, habit.operand, held)
        else:
            as_dealer = [Round(seats=[], dealer=Hand(cards=cards)) for cards in held]
            wanted = _by_rule(View(house, as_dealer), habit.operand, held)
        for seat, cards in zip(view.seats, wanted, strict=True):
            if rng.happens(habit.chance) and seat in waiting and seat in fits:
                found.setdefault(seat, cards)
    return {seat: found.get(seat, []) for seat in view.seats}


def least_cards(cards: Cards, number: int) -> Cards:
    """So many cards of a hand, those that stand alone and are low before the others; in the order in which they lie."""
    ranks = [card >> 2 for card in cards]
    least = sorted(range(len(cards)), key=lambda at: (ranks.count(ranks[at]), ranks[at]))[:number]
    return [cards[at] for at in sorted(least)]


def _by_rule(view: View, name: str, hands: Sequence[Cards | None]) -> list[Cards]:
    """The cards of each hand that rules of drawing put aside; of several ways to follow the rule that decides, the
    first. Hands that are not known whole keep all."""
    by = drawn(view.scope, name)
    ways = np.zeros(len(by.known), np.uint32)
    for may_decide, lets in zip(by.may_decide, by.lets, strict=True):
        ways = np.where((ways == 0) & may_decide, lets, ways)
    size, found = by.hand.shape[1], list[Cards]()
    for hand, of_hand in zip(hands, np.where(by.known, ways, 0).tolist(), strict=True):
        cards = (hand or [])[:size]
        # The lowest bit of a set of ways is one of them; bit k of the way is the card of rank k within the hand.
        way = (of_hand & -of_hand).bit_length() - 1
        rank = {at: k for k, at in enumerate(sorted(range(len(cards)), key=cards.__getitem__))}
        found.append([card for at, card in enumerate(cards) if of_hand and not way >> rank[at] & 1])
    return found
