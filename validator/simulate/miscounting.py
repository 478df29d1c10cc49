"""Hands that are dealt a card too many or too few."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Hands
from validator.rules.model.faults import MiscountFault
from validator.simulate.draws import one_of_each
from validator.simulate.house import House
from validator.simulate.rounds import Rounds


def break_count(
    house: House, fault: MiscountFault, rounds: Rounds, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """The rounds with one hand in each that has another number of cards; and bool[rounds], where there is one. It may
    befall the seats of `fits` (bool[seats]). Community cards are missing only where nobody bet on them and hands were
    shown."""
    by = fault.operand if fault.operator == "more" else -fault.operand
    found = np.zeros(len(rounds), np.bool_)
    if fault.place == "player":
        candidates = np.flatnonzero(fits & (rounds.hands.count + by > 0))
        seat = one_of_each(rng, candidates, rounds.round[candidates])
        found[rounds.round[seat]] = True
        owner = rounds.round[seat].astype(np.int64)
        return replace(rounds, hands=_counted(rounds, rounds.hands, seat, owner, by)), found
    full = house.game.deal.cards.get("community", 0)
    found[rounds.round[fits]] = True
    found &= (rounds.community.count == full) & (full + by > 0)
    if by < 0 and rounds.bets is not None:
        found[rounds.bets.round[rounds.bets.street == rounds.bets.street.max(initial=0)]] = False
        found &= rounds.ending is not None and np.bincount(rounds.round, rounds.ending.shows, len(rounds)) > 1
    at = np.flatnonzero(found)
    return replace(rounds, community=_counted(rounds, rounds.community, at, at, by)), found


def _counted(rounds: Rounds, hands: Hands, chosen: Ints, owner: Ints, by: int) -> Hands:
    """Some hands with so many cards more, which are the next of the deck of their round, or less."""
    cards, count = hands.cards.copy(), hands.count.copy()
    for step in range(by):
        column = np.minimum(rounds.used[owner] + step, rounds.deck.shape[1] - 1)
        cards[chosen, count[chosen]] = rounds.deck[owner, column]
        count[chosen] += 1
    for _ in range(-by):
        count[chosen] -= 1
        cards[chosen, count[chosen]] = NO_CARD
    return Hands(cards=cards, count=count)
