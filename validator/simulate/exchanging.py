"""Cards put aside and others dealt in their stead: by habit at the seats, by rule where there is no choice."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Bits32, Flags, Ints
from validator.engine.cards.keep_rules import drawn
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Hands
from validator.language.terms import Place
from validator.rules.simulation.simulation import Discarding
from validator.simulate.dealing import cards_from, chosen_of, running
from validator.simulate.draws import happens
from validator.simulate.exchange_steps import step_at
from validator.simulate.house import House
from validator.simulate.rounds import Rounds, scope_of, seated, seats_where
from validator.simulate.stage import ranks

_LONE = 16
"""Above every rank: cards are told apart by how many there are of their rank, then by rank."""


def exchange(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with the cards that seats, and then the other places, put aside, and those drawn in their stead."""
    if step_at(house.game, "discard", "player") is not None and house.simulation.discards:
        rounds = at_seats(house, rounds, habits(house, rounds, rng))
    for name, drawing in house.game.drawing.items():
        step = step_at(house.game, "discard", drawing.place)
        if drawing.place != "player" and step is not None:
            scope = scope_of(house, rounds)
            happening = np.ones(len(rounds), np.bool_)
            if step.when is not None:
                happening = scope.truth(step.when, "round") == YES
            gone = _by_rule(scope, name, rounds.hands_at(drawing.place))
            rounds = put_aside(house, rounds, drawing.place, gone & happening[:, None], np.arange(len(rounds)))
    return rounds


def habits(house: House, rounds: Rounds, rng: np.random.Generator) -> Flags:
    """bool[seats, width]: the cards each seat would put aside, where it may."""
    step = step_at(house.game, "discard", "player")
    scope = scope_of(house, rounds)
    waiting = seats_where(scope, None if step is None else step.when) & (rounds.hands.count > 0)
    gone = np.zeros(rounds.hands.cards.shape, np.bool_)
    for habit in house.simulation.discards:
        fits = waiting & seats_where(scope, habit.when) & happens(rng, len(waiting), habit.chance)
        gone |= fits[:, None] & _wanted(house, rounds, scope, habit)
        waiting = waiting & ~fits
    return gone


def _wanted(house: House, rounds: Rounds, scope: Scope, habit: Discarding) -> Flags:
    if habit.operator == "cards":
        return least_cards(rounds.hands, np.full(len(rounds.round), habit.operand))
    if house.game.drawing[habit.operand].place == "player":
        return _by_rule(scope, habit.operand, rounds.hands)
    return _by_rule(_as_dealer(house, rounds), habit.operand, rounds.hands)


def _as_dealer(house: House, rounds: Rounds) -> Scope:
    """The hand of every seat as that of a dealer, a round each."""
    hands = len(rounds.round)
    nobody = np.zeros(0, np.int16)
    alone = seated(house, np.zeros(hands + 1, np.int64), nobody, nobody.astype(np.int32))
    return scope_of(house, replace(alone, dealer=rounds.hands))


def least_cards(hands: Hands, number: Ints) -> Flags:
    """bool[n, width]: so many cards of each hand, those that stand alone and are low before the others."""
    there = np.arange(hands.cards.shape[1]) < hands.count[:, None]
    rank = np.where(there, hands.cards >> 2, 255).astype(np.int64)
    alike = (rank[:, :, None] == rank[:, None, :]).sum(axis=2)
    key = np.where(there, alike * _LONE + rank, np.iinfo(np.int64).max)
    place = np.argsort(np.argsort(key, axis=1, kind="stable"), axis=1)
    chosen: Flags = (place < number[:, None]) & there
    return chosen


def _by_rule(scope: Scope, name: str, hands: Hands) -> Flags:
    """bool[n, width]: the cards of each hand that rules of drawing put aside; of several ways to follow the rule that
    decides, the first. Hands that are not known whole keep all."""
    by = drawn(scope, name)
    ways = np.zeros(len(by.known), np.uint32)
    for may_decide, lets in zip(by.may_decide, by.lets, strict=True):
        ways = np.where((ways == 0) & may_decide, lets, ways)
    # The lowest bit of a set of ways is one of them; bit k of the way is the card of rank k within the hand.
    way = _lowest_bit(np.where(by.known, ways, 0))
    size = by.hand.shape[1]
    order = np.argsort(np.argsort(by.hand, axis=1), axis=1)
    aside = np.zeros(hands.cards.shape, np.bool_)
    aside[:, :size] = (way[:, None] >> order & 1 == 0) & (ways != 0)[:, None] & by.known[:, None]
    return aside


def _lowest_bit(numbers: Bits32) -> Ints:
    """int64[n]: the place of the lowest bit that is set, 0 where none is."""
    lowest = numbers & (~numbers + np.uint32(1))
    found: Ints = np.log2(np.maximum(lowest, 1).astype(np.float64)).astype(np.int64)
    return found


def at_seats(house: House, rounds: Rounds, gone: Flags) -> Rounds:
    """The rounds in which seats put these cards aside, bool[seats, width], as far as there are cards to be drawn."""
    sequence = np.lexsort((ranks(house, rounds, house.game.deal.stages[0].first), rounds.round))
    return put_aside(house, rounds, "player", as_far_as_cards_go(house, rounds, gone, sequence), sequence)


def as_far_as_cards_go(house: House, rounds: Rounds, gone: Flags, sequence: Ints) -> Flags:
    """bool[seats, width]: the cards that seats put aside, those of seats left out for which the deck has no others,
    seat after seat in the sequence given."""
    if not house.draws:
        return gone
    number = gone.sum(axis=1)[sequence]
    left = rounds.deck.shape[1] - rounds.used - house.reserved
    enough = running(number, rounds.offsets[:-1][rounds.round]) + number <= left[rounds.round]
    gone = gone.copy()
    gone[sequence[~enough]] = False
    return gone


def put_aside(house: House, rounds: Rounds, place: Place, gone: Flags, sequence: Ints) -> Rounds:
    """The rounds in which the hands of a place put these cards aside, bool[n, width], and draw as many where the game
    lets them, hand after hand in the sequence given."""
    aside = chosen_of(rounds.hands_at(place), gone)
    rounds = replace(rounds, aside={**rounds.aside, place: aside})
    if step_at(house.game, "draw", place) is None:
        return rounds
    number = np.where(rounds.hands_at(place).count > 0, aside.count, 0).astype(np.int64)
    return draw(rounds, place, number, sequence)


def draw(rounds: Rounds, place: Place, number: Ints, sequence: Ints) -> Rounds:
    """The rounds in which the hands of a place are dealt so many further cards each, in the sequence given."""
    owner = rounds.round if place == "player" else np.arange(len(rounds), dtype=np.int32)
    before = np.zeros(len(number), np.int64)
    first = np.searchsorted(owner, owner)
    before[sequence] = running(number[sequence], first)
    used = rounds.used + np.bincount(owner, number, len(rounds)).astype(np.int64)
    cards = cards_from(rounds.deck, owner, rounds.used[owner] + before, number)
    return replace(rounds, drawn={**rounds.drawn, place: cards}, used=used)
