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
from validator.odds.rounds.play import Group, Table, table_for
from validator.odds.rounds.refusals import NotWorkedOut
from validator.odds.rounds.solution import Done, Worths
from validator.odds.variants import variants

_RANKS = len(RANKS)
_SAME = 1e-9
"""Worths of a unit staked that differ by less are equal."""


class GivenAway(Struct, frozen=True, kw_only=True):
    """Cost of the decisions at some seats, with the decision that theory takes and the one made."""

    cost: Reals
    """Cost for a unit staked."""
    known: Flags
    """Whether the cost is known."""
    best: Ints
    """Decision that theory takes, by its place among those of `Weighed`."""
    made: Ints
    """Decision that the player made, by its place among `Weighed.made_names`; that of theory if it is worth as
    much."""


class Weighed(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the decisions of a group, and which of them theory takes for granted.

    Theory takes the best decision or, for a group that needs another one, what is best for the other.
    """

    worths: Worths
    rows: Ints
    """Row of `worths` that theory takes, by class of the player's cards."""

    @property
    def theory(self) -> Reals:
        """Return the worth of what theory takes, by class of the player's cards."""
        found: Reals = self.worths.worth[self.rows, np.arange(len(self.rows))]
        return found

    @property
    def decisions(self) -> tuple[str | None, ...]:
        """Return the decisions, each once."""
        return tuple(dict.fromkeys(done.decision for done in self.worths.does))

    @property
    def made_names(self) -> tuple[str | None, ...]:
        """Return the decisions, then each of them with other cards put aside than in theory."""
        return (*self.decisions, *(otherwise(name) for name in self.decisions))

    def name_made(self, best: Ints, made: Ints, cost: Reals) -> Ints:
        """Return the place among `made_names` of decisions made, by what theory decides and what they cost."""
        differs = abs(cost) > _SAME
        found: Ints = np.where(differs, np.where(made == best, made + len(self.decisions), made), best)
        return found

    @property
    def decision_of_row(self) -> Ints:
        """Return the place among the decisions of each row of `worths`."""
        return np.array([self.decisions.index(done.decision) for done in self.worths.does], np.int64)


def otherwise(decision: str | None) -> str:
    """Return the name of the decision of theory, made with other cards put aside."""
    return f"{decision or ''}*"


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
    except NotWorkedOut:
        return None
    return worths_at(table, counts_of(prepared), configuration)


def worths_at(table: Table, counts: Counts, configuration: Configuration | None) -> Weighed | None:
    """Return the worth of the decisions of a group at a table; None where no decision changes anything, or where the
    worth is not counted."""
    try:
        found = worths(table, counts, meters_of(table)) or worths_by_exchange(table, counts)
    except NotWorkedOut:
        return None
    if found is None:
        return None
    best: Ints = np.where(found.may, found.worth, -np.inf).argmax(axis=0)
    if found.by_itself:
        # One decision is never worse: theory takes it for all hands, also where another is worth as much.
        return Weighed(worths=found, rows=np.full(len(best), found.worth.sum(axis=1).argmax()))
    if table.beside is None:
        return Weighed(worths=found, rows=best)
    # Played along with another wager, for which players do what is best.
    other = worths_of(table.prepared, configuration, table.beside)
    if other is None:
        return None
    same = [_same(found, done) for done in other.worths.does]
    if None in same:
        return None
    return Weighed(worths=found, rows=np.array(same, np.int64)[other.rows])


def meters_of(table: Table) -> dict[str, int]:
    """Return the meters that a group is paid from, each reading nothing."""
    printed = table.prepared.printed
    return {
        printed_table.table.meter: 0
        for line in table.group.lines
        for printed_table in printed.get(line, ())
        if printed_table.table.meter is not None
    }


def _same(found: Worths, done: Done) -> int | None:
    """Where a group has what is done in another one."""
    for number, does in enumerate(found.does):
        if does.decision == done.decision and does.gone in (None, done.gone):
            return number
    return None


def given_away(scope: Scope, weighed: Weighed, seats: Ints) -> GivenAway:
    """Return the cost of the decisions of some seats, int64[n]."""
    found, number_of = weighed.worths, weighed.decision_of_row
    all_seats, size = scope.batch.seats, found.cards.shape[1]
    hands = _some(scope.hands_at("player"), seats)
    known = _whole(hands, size)
    cards = np.where(known[:, None], hands.cards[:, :size], found.cards[0])
    at = found.find(cards)
    done, made = np.full(len(seats), np.nan), np.full(len(seats), -1, np.int64)
    aside = _some(all_seats.discarded, seats)
    codes = all_seats.decision.codes[seats]
    named = {name: all_seats.decision.code(name) for name in weighed.decisions if name is not None}
    for number, does in enumerate(found.does):
        # A decision that this wager does not have is none for it.
        chosen = ~np.isin(codes, [*named.values()]) if does.decision is None else codes == named[does.decision]
        if does.gone is not None:
            put = aside.cards[:, : len(does.gone)]
            chosen &= _whole(aside, len(does.gone))
            chosen &= (_marked(cards, np.where(chosen[:, None], put, 0)) == _marked_classes(found, does.gone)[at]).all(
                axis=1
            )
        done = np.where(chosen & known, found.worth[number][at], done)
        made[chosen & known] = number_of[number]
    known &= np.isfinite(done)
    cost, best = np.where(known, weighed.theory[at] - done, 0.0), number_of[weighed.rows[at]]
    return GivenAway(cost=cost, known=known, best=best, made=weighed.name_made(best, made, cost))


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
