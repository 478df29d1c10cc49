"""Faults in the exchange of cards: another number put aside, another number drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints, Ints16
from validator.cards.cards import NO_CARD
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import Hands
from validator.language.terms import Place
from validator.rules.model.faults import DiscardFault, DrawFault
from validator.simulate.dealing import cards_from, chosen_of
from validator.simulate.draws import one_of_each
from validator.simulate.exchange_steps import step_at
from validator.simulate.exchanges import exchanged_in
from validator.simulate.exchanging import least_cards
from validator.simulate.house import House
from validator.simulate.rounds import Rounds, scope_of, seats_where

AnyFault = TypeVar("AnyFault", DiscardFault, DrawFault)


def in_the_last_exchange(
    break_: Callable[[House, AnyFault, Rounds, Flags, np.random.Generator], tuple[Rounds, Flags]],
    house: House,
    fault: AnyFault,
    rounds: Rounds,
    fits: Flags,
    rng: np.random.Generator,
) -> tuple[Rounds, Flags]:
    """The rounds with a fault in an exchange of cards, the last where they are exchanged between betting rounds; and
    bool[rounds], which those are."""
    if not rounds.exchanges:
        return break_(house, fault, rounds, fits, rng)
    *earlier, last = rounds.exchanges
    before = earlier[-1].after if earlier else rounds.hands
    aside, drawn = {**rounds.aside, "player": last.aside}, {**rounds.drawn, "player": last.drawn}
    wrong, broken = break_(house, fault, replace(rounds, hands=before, aside=aside, drawn=drawn), fits, rng)
    exchanged = exchanged_in(last.stage, last.seat, before, wrong.aside["player"], wrong.drawn["player"])
    return replace(rounds, used=wrong.used, exchanges=(*earlier, exchanged)), broken


def break_discard(
    house: House, fault: DiscardFault, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """The rounds in which one hand of a place puts aside another number of cards, and draws as many, where cards are
    drawn. `fits` is bool[seats]; and bool[rounds], which those are."""
    hands, aside, drawn = rounds.hands_at(fault.place), rounds.aside[fault.place], rounds.drawn[fault.place]
    draws = bool(rounds.exchanges) or step_at(house.game, "draw", fault.place) is not None
    number = np.where(draws, np.maximum(fault.cards - drawn.count, 0), 0)
    wanted = (
        (aside.count != fault.cards)
        & (hands.count >= fault.cards)
        & (_may(house, rounds, fault.place) ^ (fault.unasked is True))
    )
    chosen, broken = _one_hand(rounds, fault.place, wanted & _in_stock(rounds, fault.place, number), fits, rng)
    least = chosen_of(hands, least_cards(hands, np.full(len(hands.count), fault.cards)))
    cards, count = aside.cards.copy(), aside.count.copy()
    cards[chosen], count[chosen] = least.cards[chosen], least.count[chosen]
    rounds = replace(rounds, aside={**rounds.aside, fault.place: Hands(cards=cards, count=count)})
    return (_drawing(rounds, fault.place, chosen, fault.cards) if draws else rounds), broken


def break_draw(
    house: House, fault: DrawFault, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """The rounds in which one hand of a place draws more cards than it put aside; and bool[rounds], which those are."""
    drawn = rounds.drawn[fault.place]
    number = np.full(len(drawn.count), fault.more)
    wanted = (drawn.count > 0) & (drawn.count + fault.more <= drawn.cards.shape[1])
    chosen, broken = _one_hand(rounds, fault.place, wanted & _in_stock(rounds, fault.place, number), fits, rng)
    return _drawing(rounds, fault.place, chosen, drawn.count[chosen] + fault.more), broken


def _may(house: House, rounds: Rounds, place: Place) -> Flags:
    """bool[n]: the hands of a place that put cards aside, if they like."""
    if rounds.exchanges:
        return np.isin(np.arange(len(rounds.round)), rounds.exchanges[-1].seat)
    step, scope = step_at(house.game, "discard", place), scope_of(house, rounds)
    if step is None:
        return np.zeros(len(rounds.hands_at(place).count), np.bool_)
    if place == "player":
        return seats_where(scope, step.when)
    return np.ones(len(rounds), np.bool_) if step.when is None else scope.truth(step.when, "round") == YES


def _in_stock(rounds: Rounds, place: Place, number: Ints) -> Flags:
    """bool[n]: whether the deck has so many cards left for each hand of a place, if it is the only one."""
    owner = rounds.round if place == "player" else np.arange(len(rounds))
    enough: Flags = (rounds.deck.shape[1] - rounds.used)[owner] >= number
    return enough


def _drawing(rounds: Rounds, place: Place, chosen: Ints, number: int | Ints16) -> Rounds:
    """The rounds in which some hands of a place, one a round, have drawn so many cards: the first of those they drew,
    and further ones."""
    drawn = rounds.drawn[place]
    owner = (rounds.round if place == "player" else np.arange(len(rounds)))[chosen]
    had = np.maximum(drawn.count[chosen], 0)
    now = np.full(len(chosen), number, np.int64) if isinstance(number, int) else number.astype(np.int64)
    more = cards_from(rounds.deck, owner, rounds.used[owner], np.maximum(now - had, 0))
    at = np.arange(drawn.cards.shape[1])
    fresh = np.take_along_axis(more.cards, np.clip(at - had[:, None], 0, len(at) - 1), axis=1)
    mine = np.where(at < np.minimum(had, now)[:, None], drawn.cards[chosen], fresh)
    cards, count, used = drawn.cards.copy(), drawn.count.copy(), rounds.used.copy()
    cards[chosen] = np.where(at < now[:, None], mine, NO_CARD)
    count[chosen] = now
    used[owner] += np.maximum(now - had, 0)
    return replace(rounds, drawn={**rounds.drawn, place: Hands(cards=cards, count=count)}, used=used)


def _one_hand(rounds: Rounds, place: Place, wanted: Flags, fits: Flags, rng: np.random.Generator) -> tuple[Ints, Flags]:
    """One hand of a place in every round that has one that is wanted and fits; and bool[rounds], which those are."""
    broken = np.zeros(len(rounds), np.bool_)
    if place == "player":
        candidates = np.flatnonzero(wanted & fits)
        chosen = one_of_each(rng, candidates, rounds.round[candidates])
        broken[rounds.round[chosen]] = True
        return chosen, broken
    fitting = np.zeros(len(rounds), np.bool_)
    fitting[rounds.round[fits]] = True
    broken = wanted & fitting
    return np.flatnonzero(broken), broken
