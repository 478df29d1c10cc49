"""Cost of the decisions of players: how much less their decision is worth than the decision of theory."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import Codes, Flags, Ints, Reals
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.ranking_models import RANKS, SUITS
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.licensee_configuration import LicenseeConfiguration
from fairdeal.validator.evidence.columns.batch import Hands
from fairdeal.validator.hold.taken_costs import TakenCosts
from fairdeal.validator.odds.choosing.composition_odds import find_single_alternative
from fairdeal.validator.odds.choosing.exact_odds import weigh_decisions
from fairdeal.validator.odds.choosing.exchange_odds import weigh_exchanges
from fairdeal.validator.odds.choosing.taken_cards import TakenCards, needs_taken_cards
from fairdeal.validator.odds.choosing.taking_rules import TakingRules
from fairdeal.validator.odds.counting.hand_counts import HandCounts
from fairdeal.validator.odds.rounds.deal_settlement import DecisionWithDiscards, DecisionWorths
from fairdeal.validator.odds.rounds.player_options import (
    NoOdds,
    OddsTable,
    TooManyDeals,
    WagerGroup,
    set_up_table,
)
from fairdeal.validator.odds.wager_odds import list_variants

_RANKS = len(RANKS)
_SAME = 1e-9
"""Worths per unit staked that differ by less are equal."""


class DecisionCosts(Struct, frozen=True, kw_only=True):
    """Cost of the decisions at some seats."""

    cost: Reals
    """Cost per unit staked."""
    is_known: Flags
    """True if the cost is known."""
    best: Ints
    """Decision that theory takes, as an index into `decisions`."""
    made: Ints
    """Decision that the player made, as an index into `made_names`; the decision of theory if it is worth as much."""


class GroupDecisions(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the decisions of a group, and the decision that theory assumes.

    Theory assumes the best decision. If the group needs another wager, theory assumes the best decision for the other.
    """

    worths: DecisionWorths
    theory_rows: Ints
    """Row of `worths` that theory assumes, by class of the player's cards."""

    @property
    def theory_worth(self) -> Reals:
        """Return the worth of the decision of theory, by class of the player's cards."""
        worth: Reals = self.worths.worth[self.theory_rows, np.arange(len(self.theory_rows))]
        return worth

    @property
    def decisions(self) -> tuple[str | None, ...]:
        """Return the decisions, each once."""
        return tuple(dict.fromkeys(done.decision for done in self.worths.decisions_taken))

    @property
    def made_names(self) -> tuple[str | None, ...]:
        """Return the decisions, then the same decisions made with other discards than in theory."""
        return (*self.decisions, *(name_other_discards(name) for name in self.decisions))

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
        return np.array([self.decisions.index(done.decision) for done in self.worths.decisions_taken], np.int64)


def name_other_discards(decision: str | None) -> str:
    """Return the name of a decision that is made with other discards than in theory."""
    return f"{decision or ''}*"


@lru_cache(maxsize=16)
def share_hand_counts(prepared: CompiledGame) -> HandCounts:
    """Return the hand counts of a game, which all its wagers share."""
    return HandCounts(prepared)


class LazyGroupDecisions:
    """Worth of the decisions in a group as a house offers it, worked out when first needed."""

    def __init__(self, prepared: CompiledGame, configuration: LicenseeConfiguration | None, group: WagerGroup) -> None:
        self._of = prepared, configuration, group

    @cached_property
    def worths(self) -> GroupDecisions | None:
        """Return the worth of each decision by the player's cards.

        It is None if there is nothing to decide, if it cannot be counted, or if the group may be offered in several
        ways.
        """
        return weigh_offered_decisions(*self._of)

    @cached_property
    def taken(self) -> TakenCosts | None:
        """Return the costs of decisions that take cards.

        None for a wager without such decisions, or if rules distinguish the first hand of a split from the others.
        """
        prepared, configuration, group = self._of
        ways = list(list_variants(prepared, group, configuration))
        if len(ways) != 1:
            return None
        try:
            table = set_up_table(prepared, ways[0].configuration, group)
            if table.placed_by is None and needs_taken_cards(table) and find_single_alternative(table) is None:
                rules = TakingRules(table, {})
                return None if rules.tells_split_off else TakenCosts(TakenCards(rules))
        except (NoOdds, TooManyDeals):
            pass
        return None


def weigh_offered_decisions(
    prepared: CompiledGame, configuration: LicenseeConfiguration | None, group: WagerGroup
) -> GroupDecisions | None:
    """Return the worth of the decisions in a group as a house offers it; None if it cannot be worked out."""
    ways = list(list_variants(prepared, group, configuration))
    if len(ways) != 1:
        return None
    try:
        table = set_up_table(prepared, ways[0].configuration, group)
    except NoOdds:
        return None
    return weigh_table_decisions(table, share_hand_counts(prepared), configuration)


def weigh_table_decisions(
    table: OddsTable, counts: HandCounts, configuration: LicenseeConfiguration | None
) -> GroupDecisions | None:
    """Return the worth of the decisions of a group at a table; None if no decision matters or it cannot be counted."""
    try:
        worths_here = weigh_decisions(table, counts, list_empty_meters(table)) or weigh_exchanges(table, counts)
    except NoOdds:
        return None
    if worths_here is None:
        return None
    best: Ints = np.where(worths_here.is_open, worths_here.worth, -np.inf).argmax(axis=0)
    if worths_here.is_dominated_by_one:
        # One decision is never worse. Theory takes it for all hands, even where another is worth as much.
        return GroupDecisions(
            worths=worths_here, theory_rows=np.full(len(best), worths_here.worth.sum(axis=1).argmax())
        )
    if table.needed_group is None:
        return GroupDecisions(worths=worths_here, theory_rows=best)
    # The wager needs another one, and players decide as is best for the other.
    other = weigh_offered_decisions(table.prepared, configuration, table.needed_group)
    if other is None:
        return None
    same = [_find_same_row(worths_here, done) for done in other.worths.decisions_taken]
    if None in same:
        return None
    return GroupDecisions(worths=worths_here, theory_rows=np.array(same, np.int64)[other.theory_rows])


def list_empty_meters(table: OddsTable) -> dict[str, int]:
    """Return the meters that a group is paid from, each at zero."""
    printed = table.prepared.printed_tables
    return {
        printed_table.table.meter: 0
        for line in table.group.lines
        for printed_table in printed.get(line, ())
        if printed_table.table.meter is not None
    }


def _find_same_row(worths: DecisionWorths, done: DecisionWithDiscards) -> int | None:
    """Return the row of a group for a decision taken in another group; None if it has none."""
    for number, does in enumerate(worths.decisions_taken):
        if does.decision == done.decision and does.discards in (None, done.discards):
            return number
    return None


def find_decision_costs(scope: EvaluationContext, weighed: GroupDecisions, seats: Ints) -> DecisionCosts:
    """Return the costs of the decisions of some seats, int64[n]."""
    worths, number_of = weighed.worths, weighed.decision_of_row
    all_seats, size = scope.batch.seats, worths.cards.shape[1]
    hands = _take_rows(scope.dealt_hands("player"), seats)
    known = _has_all_cards(hands, size)
    cards = np.where(known[:, None], hands.cards[:, :size], worths.cards[0])
    class_of = worths.find_classes(cards)
    worth_made, made = np.full(len(seats), np.nan), np.full(len(seats), -1, np.int64)
    aside = _take_rows(all_seats.discarded, seats)
    codes = all_seats.decision.codes[seats]
    named = {name: all_seats.decision.code(name) for name in weighed.decisions if name is not None}
    for number, does in enumerate(worths.decisions_taken):
        # A decision that this wager does not have counts as no decision.
        chosen = ~np.isin(codes, [*named.values()]) if does.decision is None else codes == named[does.decision]
        if does.discards is not None:
            discards = aside.cards[:, : len(does.discards)]
            chosen &= _has_all_cards(aside, len(does.discards))
            chosen &= (
                _number_discards(cards, np.where(chosen[:, None], discards, 0))
                == _number_class_discards(worths, does.discards)[class_of]
            ).all(axis=1)
        worth_made = np.where(chosen & known, worths.worth[number][class_of], worth_made)
        made[chosen & known] = number_of[number]
    known &= np.isfinite(worth_made)
    cost, best = (
        np.where(known, weighed.theory_worth[class_of] - worth_made, 0.0),
        number_of[weighed.theory_rows[class_of]],
    )
    return DecisionCosts(cost=cost, is_known=known, best=best, made=weighed.name_made(best, made, cost))


def _take_rows(hands: Hands, rows: Ints) -> Hands:
    return Hands(cards=hands.cards[rows], count=hands.count[rows])


def _has_all_cards(hands: Hands, size: int) -> Flags:
    """Return for each hand whether exactly this many cards are recorded, bool[n]."""
    whole: Flags = (hands.count == size) & (hands.cards[:, :size] < CARDS).all(axis=1)
    return whole


def _number_class_discards(worths: DecisionWorths, discards: tuple[int, ...]) -> NDArray[np.uint64]:
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
