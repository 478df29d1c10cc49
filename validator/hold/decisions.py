"""Cost of the decisions of players: how much less their decision is worth than the decision of theory."""

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
"""Worths per unit staked that differ by less are equal."""


class GivenAway(Struct, frozen=True, kw_only=True):
    """Cost of the decisions at some seats."""

    cost: Reals
    """Cost per unit staked."""
    known: Flags
    """True if the cost is known."""
    best: Ints
    """Decision that theory takes, as an index into `decisions`."""
    made: Ints
    """Decision that the player made, as an index into `made_names`; the decision of theory if it is worth as much."""


class Weighed(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the decisions of a group, and the decision that theory assumes.

    Theory assumes the best decision. If the group needs another wager, theory assumes the best decision for the other.
    """

    worths: Worths
    rows: Ints
    """Row of `worths` that theory assumes, by class of the player's cards."""

    @property
    def theory(self) -> Reals:
        """Return the worth of the decision of theory, by class of the player's cards."""
        worth: Reals = self.worths.worth[self.rows, np.arange(len(self.rows))]
        return worth

    @property
    def decisions(self) -> tuple[str | None, ...]:
        """Return the decisions, each once."""
        return tuple(dict.fromkeys(done.decision for done in self.worths.does))

    @property
    def made_names(self) -> tuple[str | None, ...]:
        """Return the decisions, then the same decisions made with other discards than in theory."""
        return (*self.decisions, *(otherwise(name) for name in self.decisions))

    def name_made(self, best: Ints, made: Ints, cost: Reals) -> Ints:
        """Return the index into `made_names` of each decision that was made.

        Args:
            best: decision of theory.
            made: decision of the player.
            cost: cost of the decision of the player.
        """
        differs = abs(cost) > _SAME
        named: Ints = np.where(differs, np.where(made == best, made + len(self.decisions), made), best)
        return named

    @property
    def decision_of_row(self) -> Ints:
        """Return the index of the decision of each row of `worths`."""
        return np.array([self.decisions.index(done.decision) for done in self.worths.does], np.int64)


def otherwise(decision: str | None) -> str:
    """Return the name of a decision that is made with other discards than in theory."""
    return f"{decision or ''}*"


@lru_cache(maxsize=16)
def counts_of(prepared: Prepared) -> Counts:
    """Return the hand counts of a game, which all its wagers share."""
    return Counts(prepared)


class Decisions:
    """Worth of the decisions in a group as a house offers it, worked out when first needed."""

    def __init__(self, prepared: Prepared, configuration: Configuration | None, group: Group) -> None:
        self._of = prepared, configuration, group

    @cached_property
    def worths(self) -> Weighed | None:
        """Return the worth of each decision by the player's cards.

        It is None if there is nothing to decide, if it cannot be counted, or if the group may be offered in several
        ways.
        """
        return worths_of(*self._of)


def worths_of(prepared: Prepared, configuration: Configuration | None, group: Group) -> Weighed | None:
    """Return the worth of the decisions in a group as a house offers it; None if it cannot be worked out."""
    ways = list(variants(prepared, group, configuration))
    if len(ways) != 1:
        return None
    try:
        table = table_for(prepared, ways[0].configuration, group)
    except NotWorkedOut:
        return None
    return worths_at(table, counts_of(prepared), configuration)


def worths_at(table: Table, counts: Counts, configuration: Configuration | None) -> Weighed | None:
    """Return the worth of the decisions of a group at a table; None if no decision matters or it cannot be counted."""
    try:
        worths_here = worths(table, counts, meters_of(table)) or worths_by_exchange(table, counts)
    except NotWorkedOut:
        return None
    if worths_here is None:
        return None
    best: Ints = np.where(worths_here.may, worths_here.worth, -np.inf).argmax(axis=0)
    if worths_here.by_itself:
        # One decision is never worse. Theory takes it for all hands, even where another is worth as much.
        return Weighed(worths=worths_here, rows=np.full(len(best), worths_here.worth.sum(axis=1).argmax()))
    if table.beside is None:
        return Weighed(worths=worths_here, rows=best)
    # The wager needs another one, and players decide as is best for the other.
    other = worths_of(table.prepared, configuration, table.beside)
    if other is None:
        return None
    same = [_find_same_row(worths_here, done) for done in other.worths.does]
    if None in same:
        return None
    return Weighed(worths=worths_here, rows=np.array(same, np.int64)[other.rows])


def meters_of(table: Table) -> dict[str, int]:
    """Return the meters that a group is paid from, each at zero."""
    printed = table.prepared.printed
    return {
        printed_table.table.meter: 0
        for line in table.group.lines
        for printed_table in printed.get(line, ())
        if printed_table.table.meter is not None
    }


def _find_same_row(worths: Worths, done: Done) -> int | None:
    """Return the row of a group for a decision taken in another group; None if it has none."""
    for number, does in enumerate(worths.does):
        if does.decision == done.decision and does.gone in (None, done.gone):
            return number
    return None


def given_away(scope: Scope, weighed: Weighed, seats: Ints) -> GivenAway:
    """Return the costs of the decisions of some seats, int64[n]."""
    worths, number_of = weighed.worths, weighed.decision_of_row
    all_seats, size = scope.batch.seats, worths.cards.shape[1]
    hands = _take_rows(scope.hands_at("player"), seats)
    known = _has_all_cards(hands, size)
    cards = np.where(known[:, None], hands.cards[:, :size], worths.cards[0])
    class_of = worths.find(cards)
    worth_made, made = np.full(len(seats), np.nan), np.full(len(seats), -1, np.int64)
    aside = _take_rows(all_seats.discarded, seats)
    codes = all_seats.decision.codes[seats]
    named = {name: all_seats.decision.code(name) for name in weighed.decisions if name is not None}
    for number, does in enumerate(worths.does):
        # A decision that this wager does not have counts as no decision.
        chosen = ~np.isin(codes, [*named.values()]) if does.decision is None else codes == named[does.decision]
        if does.gone is not None:
            discards = aside.cards[:, : len(does.gone)]
            chosen &= _has_all_cards(aside, len(does.gone))
            chosen &= (
                _number_discards(cards, np.where(chosen[:, None], discards, 0))
                == _number_class_discards(worths, does.gone)[class_of]
            ).all(axis=1)
        worth_made = np.where(chosen & known, worths.worth[number][class_of], worth_made)
        made[chosen & known] = number_of[number]
    known &= np.isfinite(worth_made)
    cost, best = np.where(known, weighed.theory[class_of] - worth_made, 0.0), number_of[weighed.rows[class_of]]
    return GivenAway(cost=cost, known=known, best=best, made=weighed.name_made(best, made, cost))


def _take_rows(hands: Hands, rows: Ints) -> Hands:
    return Hands(cards=hands.cards[rows], count=hands.count[rows])


def _has_all_cards(hands: Hands, size: int) -> Flags:
    """Return for each hand whether exactly this many cards are recorded, bool[n]."""
    whole: Flags = (hands.count == size) & (hands.cards[:, :size] < CARDS).all(axis=1)
    return whole


def _number_class_discards(worths: Worths, discards: tuple[int, ...]) -> NDArray[np.uint64]:
    return _number_discards(worths.cards, worths.cards[:, list(discards)])


def _number_discards(cards: Codes, discards: Codes) -> NDArray[np.uint64]:
    """Return numbers for hands with their discards, uint64[n, 2]; equal where only suits are renamed."""
    suits = np.zeros((len(SUITS), len(cards)), np.uint64)
    for shift, columns in ((_RANKS, cards), (0, discards)):
        for column in columns.T.astype(np.int64):
            bits = np.uint64(1) << (column // len(SUITS) + shift).astype(np.uint64)
            for suit in range(len(SUITS)):
                suits[suit] |= np.where(column % len(SUITS) == suit, bits, np.uint64(0))
    suits = np.sort(suits, axis=0)
    wide = np.uint64(2 * _RANKS)
    return np.stack([suits[0] << wide | suits[1], suits[2] << wide | suits[3]], axis=1)
