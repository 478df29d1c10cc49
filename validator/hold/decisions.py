"""What players give away by their decisions: how much less what they do is worth, by the cards, than in theory."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import Codes, Flags, Ints, Reals
from validator.cards.cards import CARDS
from validator.cards.names import RANKS, SUITS
from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.evidence.columns.batch import Hands
from validator.odds.choosing.exact import worths
from validator.odds.choosing.simulated import worths_by_exchange
from validator.odds.counting.counts import Counts
from validator.odds.rounds.play import Group, table_for
from validator.odds.rounds.refusals import NotWorkedOut
from validator.odds.rounds.solution import Done, Worths
from validator.odds.variants import variants

_RANKS = len(RANKS)


class GivenAway(Struct, frozen=True, kw_only=True):
    """What the decisions at some seats cost, float64[n], for a unit staked, and bool[n], where that is known."""

    cost: Reals
    known: Flags


class Weighed(Struct, frozen=True, kw_only=True, eq=False):
    """What decisions are worth in a group, and, float64[n], what by class of the cards is worth what theory takes for
    granted: the best of them or, for a group that needs another one, what is best for that."""

    worths: Worths
    theory: Reals


@lru_cache(maxsize=16)
def counts_of(prepared: Prepared) -> Counts:
    """What is counted of a game's hands, once."""
    return Counts(prepared)


class Decisions:
    """What decisions are worth in a group, as a house offers it: `worths`, None where there is nothing to decide, where
    it is not counted, or where it may be offered in several ways. Worked out when first asked for."""

    def __init__(self, prepared: Prepared, configuration: Configuration | None, group: Group) -> None:
        self._of = prepared, configuration, group

    @cached_property
    def worths(self) -> Weighed | None:
        """What each of them is worth, by the player's cards."""
        return worths_of(*self._of)


def worths_of(prepared: Prepared, configuration: Configuration | None, group: Group) -> Weighed | None:
    """What decisions are worth in a group, as a house offers it; None where that is not worked out."""
    ways = list(variants(prepared, group, configuration))
    if len(ways) != 1:
        return None
    try:
        table = table_for(prepared, ways[0].configuration, group)
        found = worths(table, counts_of(prepared)) or worths_by_exchange(table, counts_of(prepared))
    except NotWorkedOut:
        return None
    if found is None:
        return None
    if table.beside is None:
        return Weighed(worths=found, theory=np.where(found.may, found.worth, -np.inf).max(axis=0))
    # Played along with another wager, for which players do what is best.
    other = worths_of(prepared, configuration, table.beside)
    if other is None:
        return None
    best = np.where(other.worths.may, other.worths.worth, -np.inf).argmax(axis=0)
    same = [_same(found, one) for one in other.worths.does]
    if None in same:
        return None
    rows = np.array(same, np.int64)[best]
    return Weighed(worths=found, theory=found.worth[rows, np.arange(len(rows))])


def _same(found: Worths, done: Done) -> int | None:
    """Where a group has what is done in another one."""
    for number, one in enumerate(found.does):
        if one.decision == done.decision and one.gone in (None, done.gone):
            return number
    return None


def given_away(scope: Scope, weighed: Weighed, seats: Ints) -> GivenAway:
    """What the decisions of some seats, int64[n], cost them."""
    found = weighed.worths
    all_seats, size = scope.batch.seats, found.cards.shape[1]
    hands = _some(scope.hands_at("player"), seats)
    known = _whole(hands, size)
    cards = np.where(known[:, None], hands.cards[:, :size], found.cards[0])
    at = found.find(cards)
    theory, done = weighed.theory[at], np.full(len(seats), np.nan)
    aside = _some(all_seats.discarded, seats)
    for number, one in enumerate(found.does):
        made = all_seats.decision.codes[seats] == (
            -1 if one.decision is None else all_seats.decision.code(one.decision)
        )
        if one.gone is not None:
            put = aside.cards[:, : len(one.gone)]
            made &= _whole(aside, len(one.gone))
            made &= (_marked(cards, np.where(made[:, None], put, 0)) == _marked_classes(found, one.gone)[at]).all(
                axis=1
            )
        done = np.where(made & known, found.worth[number][at], done)
    known &= np.isfinite(done)
    return GivenAway(cost=np.where(known, theory - done, 0.0), known=known)


def _some(hands: Hands, rows: Ints) -> Hands:
    return Hands(cards=hands.cards[rows], count=hands.count[rows])


def _whole(hands: Hands, size: int) -> Flags:
    """bool[n]: where so many cards are recorded, and no other."""
    whole: Flags = (hands.count == size) & (hands.cards[:, :size] < CARDS).all(axis=1)
    return whole


def _marked_classes(found: Worths, gone: tuple[int, ...]) -> NDArray[np.uint64]:
    return _marked(found.cards, found.cards[:, list(gone)])


def _marked(cards: Codes, put: Codes) -> NDArray[np.uint64]:
    """uint64[n, 2]: numbers for cards of which some are put aside that are the same where only suits are renamed."""
    suits = np.zeros((len(SUITS), len(cards)), np.uint64)
    for shift, columns in ((_RANKS, cards), (0, put)):
        for column in columns.T.astype(np.int64):
            bits = np.uint64(1) << (column // len(SUITS) + shift).astype(np.uint64)
            for suit in range(len(SUITS)):
                suits[suit] |= np.where(column % len(SUITS) == suit, bits, np.uint64(0))
    suits = np.sort(suits, axis=0)
    wide = np.uint64(2 * _RANKS)
    return np.stack([suits[0] << wide | suits[1], suits[2] << wide | suits[3]], axis=1)
