"""The cards of a round: shuffled, stacked now and then so that rare hands come up, and dealt in a way of the house, now
and then a card too many or too few; and what goes wrong meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from validator.language.terms import Place
from validator.rules.model.deal import Way
from validator.simulate.procedure.step_context import event_of
from validator.simulate.table.chance import happens
from validator.simulate.table.house import House
from validator.simulate.table.rare_hands import Rare
from validator.simulate.table.records import Cards, Event, Round
from validator.simulate.table.view import View

_LAST_TURN = 1023
"""After all turns of the deal."""


def befall(house: House, rounds: list[Round], rng: Random) -> None:
    """The mishaps of the simulation, in some of the rounds."""
    for mishap in house.simulation.mishaps:
        step, view = (
            house.prepared.steps[mishap.step],
            View(house, [one for one in rounds if happens(rng, mishap.chance)]),
        )
        able = view.rounds_where(mishap.when)
        stated: list[int | None] = [None] * len(view.rounds)
        if mishap.states is not None:
            stated = [number or 0 for number in view.numbers(mishap.states, "round")]
        exposes = "expose" in step.events
        for one, number in zip(view.rounds, stated, strict=True):
            if one in able and not (exposes and one.used + mishap.times > len(one.deck)):
                for _ in range(mishap.times):
                    # The card that comes to light is the next one of the deck, which nobody gets.
                    cards = one.next_cards(1) if exposes else None
                    one.mishaps.append(event_of(house, step, amount=number, cards=cards))


def place_mishaps(round_: Round, dealt: Sequence[Event], deal: int, rng: Random) -> list[Event]:
    """The mishaps of a round where they happened: counts after the deal, whose number in the course is given, all else
    between two packets of it. `dealt` are its events."""
    packets = sorted((one for one in dealt if one.kind == "deal"), key=lambda one: one.order)[1:]
    for mishap in round_.mishaps:
        mishap.order = (deal, _LAST_TURN, 0, 0)
        if mishap.kind != "count" and packets:
            packet = rng.choice(packets)
            mishap.order = (*packet.order[:3], -1)
            if mishap.kind == "draw":
                mishap.cards = (packet.cards or [])[:1]
    return round_.mishaps


def deal_cards(house: House, rounds: list[Round], rng: Random, ways: Sequence[Way] = ()) -> None:
    """Cards for every place of the deal, by one of the house's ways of dealing if no others are given."""
    for one in rounds:
        _deal(house, one, rng.choice(ways or house.ways), rng)
    befall(house, rounds, rng)


def _deal(house: House, round_: Round, way: Way, rng: Random) -> None:
    dealt, kept = way.dealt(), dict[Place, list[list[int]]]()
    round_.way, round_.mishaps, round_.used = way, [], 0
    round_.deck = sorted(house.deck.cards * house.game.deck.decks, key=lambda _: rng.random())
    for place in house.game.deal.cards:
        full, gone, kept[place] = dealt.get(place, 0), way.set_aside.get(place, []), []
        for hand in round_.hands_at(place):
            number = full
            if full and happens(rng, house.simulation.chances.miscounts.get(place, 0)):
                number += rng.choice((-1, 1))
            # Where they lie in the deck, until it is settled which cards lie there.
            hand.cards = [*range(round_.used, round_.used + number)]
            kept[place].append([hand.cards[card] for card in range(full) if card not in gone] if number == full else [])
            round_.used += number
    round_.used += dealt.get("burn", 0)
    _stack(house, round_.deck, kept, rng)
    for place in house.game.deal.cards:
        gone = way.set_aside.get(place, [])
        puts_aside = any(one.set_aside.get(place) for one in (*house.ways, *house.other_ways))
        puts_aside = puts_aside or house.step_at("discard", place) is not None
        for hand in round_.hands_at(place):
            hand.cards = [round_.deck[at] for at in hand.cards or []]
            hand.aside = [card for at, card in enumerate(hand.cards) if at in gone] if puts_aside else None


def _stack(house: House, deck: Cards, kept: Mapping[Place, list[list[int]]], rng: Random) -> None:
    """Exchange cards of a deck, so that one place is dealt a rare hand, or several places hands that come beside each
    other. `kept` is where the cards lie that each hand of a place keeps; none where it is dealt a wrong number."""
    for stacked, together in zip(house.simulation.stacked, house.rare, strict=True):
        if not happens(rng, stacked.chance) or not all(one.hands for one in together):
            continue
        found = _places_for(together, kept, rng)
        if found is None:
            continue
        dealt = set[int]()
        for one, places in zip(together, found, strict=True):
            # Any of the hands that need no card of those dealt before; where there is none the cards stay as they lie.
            able = [hand for hand in one.hands if dealt.isdisjoint(hand)]
            hand = rng.choice(able) if able else ()
            for place, card in zip(places, hand, strict=False):
                if card in deck:
                    deck[deck.index(card)] = deck[place]
                deck[place] = card
            dealt.update(hand)
        return


def _places_for(
    together: tuple[Rare, ...], kept: Mapping[Place, list[list[int]]], rng: Random
) -> list[list[int]] | None:
    """Where the cards of some hands lie, all of different places; None where there are not as many."""
    found = dict[tuple[Place, int], list[int]]()
    for one in together:
        able = []
        for number, own in enumerate(kept.get(one.own, ())):
            others = (own if place == one.own else next(iter(kept.get(place, ())), []) for place in one.places)
            parts = [*zip(others, one.sizes, strict=True)]
            fits = all(len(part) >= size if one.held else len(part) == size for part, size in parts)
            if fits and (one.own, number) not in found:
                able.append((number, [at for part, size in parts for at in part[:size]]))
        if not able:
            return None
        number, places = rng.choice(able)
        found[one.own, number] = places
    return [*found.values()]
