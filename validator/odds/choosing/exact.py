"""Exact odds of a wager and what goes with it: every deal counted, with the best decisions of the player.

A player decides by the cards of the own seat. For each class of these cards, the worth of an alternative is the sum
over all deals of the other cards. The best alternative is chosen; of equal ones, the one with less at stake. Deals that
settlement does not distinguish are settled once, by the interpreter, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import lcm

import numpy as np
from msgspec.structs import replace

from validator.arrays import Codes, Ints
from validator.cards.cards import CARDS
from validator.cards.longest_flush import LongestSuited
from validator.cards.suit_tiebreak import BySuit
from validator.engine.compiled.game import Prepared, PreparedHand
from validator.language.terms import Place
from validator.odds.choosing.hidden import Hidden, OneHidden
from validator.odds.choosing.hidden_flush import TwoFlushes
from validator.odds.choosing.own_cards import ByOwnCards
from validator.odds.choosing.own_strategy import OwnStrategy, allowed
from validator.odds.choosing.staged import Staged
from validator.odds.counting.counts import Counts
from validator.odds.counting.distributions import spread_of_categories
from validator.odds.rounds.columns import MadeUp, cards_not_known
from validator.odds.rounds.deals import dealt
from validator.odds.rounds.looked_at import Looks, asked_of_hands, looked_at, of_categories
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.proof import together
from validator.odds.rounds.refusals import NotWorkedOut, TooLarge
from validator.odds.rounds.settled import Settled, settled
from validator.odds.rounds.solution import Solution, Worths, shares_of


def solve(
    table: Table,
    counts: Counts,
    meters: Mapping[str, int],
    solve_needed_group: Callable[[], Solution | None] = lambda: None,
    strategy: OwnStrategy | None = None,
) -> Solution:
    """Return the exact odds of a group at a table. Raises `TooManyDeals`, and `NoOdds` if it has none.

    If no alternative is best for all deals and the group needs another wager, players decide as is best for the other.

    Args:
        table: the game with the stakes on the wager.
        counts: hand counts of the game.
        meters: readings of the meters.
        solve_needed_group: returns the solution of the other wager.
        strategy: decisions to use instead of the best.
    """
    return _ExactSolver(table, counts, meters).solution(solve_needed_group, strategy)


def worths(table: Table, counts: Counts, meters: Mapping[str, int] | None = None) -> Worths | None:
    """Return the worth of each decision by the player's own cards; None if it cannot be counted or decisions do not
    matter."""
    try:
        return _ExactSolver(table, counts, meters or {}).worths()
    except (TooLarge, NotWorkedOut):
        return None


class _ExactSolver:
    def __init__(self, table: Table, counts: Counts, meters: Mapping[str, int]) -> None:
        self.table, self.counts, self.meters = table, counts, meters
        self.prepared = table.prepared
        self.alternatives = table.alternatives()
        self.discards = any(alternative.discards for alternative in self.alternatives)
        self._refuse_open_way_of_dealing()
        self.looks = Looks()
        for alternative in self.alternatives:
            self._find_hands(alternative, self.looks)

    def _refuse_open_way_of_dealing(self) -> None:
        """Raise `NoOdds` if settlement depends on the way of dealing, and the house leaves it open."""
        game = self.prepared.game
        ways = [] if self.table.configuration.dealing in game.deal.ways else [*game.deal.ways]
        if len({repr(game.deal.ways[way].dealt()) for way in ways}) < 2:
            return
        lines = {*self.table.group.lines}
        conditions = [case.when for case in game.settlement.cases if not lines.isdisjoint(case.lines)]
        for alternative in self.alternatives:
            rounds = MadeUp(
                dealt=cards_not_known(self.prepared), stakes=alternative.stakes, decisions=alternative.decisions
            )
            scopes = [self.table.opened(rounds, way) for way in ways]
            if any(len({int(scope.truth(when, "seat")[0]) for scope in scopes}) > 1 for when in conditions):
                raise NotWorkedOut(f"it depends on the way of dealing, which is not stated: {', '.join(ways)}")

    def _find_hands(self, alternative: Alternative, hands: Looks) -> Looks:
        looked_at(self.table.not_known(alternative.stakes, alternative.decisions), self.table.group.lines, hands)
        return hands

    def worths(self) -> Worths | None:
        _require_countable_hands(self.prepared, self.looks)
        if not self.table.is_by_own_cards or len({alternative.decisions for alternative in self.alternatives}) < 2:
            return None
        if not self._is_one_hand():
            return self._decide_by_own_cards().worths()
        if not self._can_lose_by_deciding():
            return None
        return replace(self._decide_by_own_cards().worths(), by_itself=self._solve_for_one_hand() is not None)

    def _can_lose_by_deciding(self) -> bool:
        """Return whether one decision is worth less than another, if a single hand decides."""
        _, results = self._settle_one_hand()
        per = lcm(*(result.per for result in results))
        nets = [result.net * (per // result.per) for result in results]
        return any((net != nets[0]).any() for net in nets)

    def solution(self, solve_needed_group: Callable[[], Solution | None], strategy: OwnStrategy | None) -> Solution:
        _require_countable_hands(self.prepared, self.looks)
        if self._is_one_hand():
            solution = self._solve_for_one_hand()
            if solution is not None:
                return solution
        if not self.table.is_by_own_cards:
            return self._solve_in_stages(strategy).solution()
        decisions = self._decide_by_own_cards()
        hidden = decisions.hidden
        if strategy is None or self.table.beside is not None:
            return decisions.solution(solve_needed_group())
        if not isinstance(hidden, OneHidden):
            raise NotWorkedOut("a given strategy is not supported where hands share cards")
        return decisions.solution(None, allowed(strategy, self.table, hidden.cards, self.alternatives))

    def _solve_in_stages(self, strategy: OwnStrategy | None) -> Staged:
        """Return the decisions by the cards that are seen at each. Raises `NoOdds`."""
        if strategy is not None:
            raise NotWorkedOut("a given strategy needs a game with one decision by the player's own cards")
        if self.table.beside is not None:
            raise NotWorkedOut(
                "it depends on decisions for another wager, which players take by the cards seen at each"
            )
        for alternative in self.alternatives:
            for condition in alternative.open_to:
                asked_of_hands(self.table.not_known(self.table.opening), condition, self.looks)
        return Staged(self.table, self.looks, self.alternatives, self.meters)

    def _decide_by_own_cards(self) -> ByOwnCards:
        for alternative in self.alternatives:
            for condition in alternative.open_to:
                asked_of_hands(self.table.not_known(self.table.opening), condition, self.looks)
        hands = [self._find_hands(option, Looks()).hands for option in self.alternatives]
        return ByOwnCards(self.table, self._find_unseen_cards(), self.alternatives, hands, self.meters)

    def _is_one_hand(self) -> bool:
        """Return whether at most one hand decides, and no discard of the player changes it."""
        return len(self.looks.hands) <= 1 and not any(self._is_changed_by_discards(name) for name in self.looks.hands)

    def _is_changed_by_discards(self, hand: str) -> bool:
        """Return whether discards of the player are part of a hand."""
        prepared = self.prepared.hands[hand]
        return self.discards and prepared.cards == "held" and "player" in prepared.places

    def _find_unseen_cards(self) -> Hidden:
        """Return the cards that the player does not see. Raises `TooManyDeals` if they cannot be counted."""
        seen = [name for name in self.looks.hands if self._is_seen(self.prepared.hands[name])]
        hidden = [name for name in self.looks.hands if name not in seen]
        if len(hidden) == 2 and not seen and not self.discards:
            return TwoFlushes(self.counts, self.looks)
        if len(hidden) > 1:
            raise TooLarge(f"deals are not counted where {' and '.join(hidden)} share cards or a deck")
        if self.looks.lengths:
            raise TooLarge(f"the number of cards of {' and '.join(sorted(self.looks.lengths))} is not counted here")
        return OneHidden(self.counts, self.looks, seen, hidden[0] if hidden else None)

    def _is_seen(self, hand: PreparedHand) -> bool:
        return hand.places == ("player",) and (hand.cards == "dealt" or not self.discards)

    # One hand decides, and one alternative is never worse than the others

    def _solve_for_one_hand(self) -> Solution | None:
        count, results = self._settle_one_hand()
        per = lcm(*(settled_.per for settled_ in results))
        nets = [settled_.net * (per // settled_.per) for settled_ in results]
        for number, alternative in enumerate(self.alternatives):
            if (
                not alternative.open_to
                and not alternative.is_fallback
                and all((nets[number] >= other).all() for other in nets)
            ):
                shares = tuple(shares_of(number, results[number], count))
                proof = together(result.proof() for result in results)
                return Solution(alternatives=tuple(self.alternatives), shares=shares, choice=None, proof=proof)
        return None

    def _settle_one_hand(self) -> tuple[Ints, list[Settled]]:
        """Settle a deal for each distinguished stretch of strengths, by alternative; also return the number of deals
        of each."""
        deals, count = self._find_deals(next(iter(self.looks.hands), None))
        return count, [
            settled(
                self.table,
                MadeUp(dealt=deals, stakes=alternative.stakes, decisions=alternative.decisions, meters=self.meters),
            )
            for alternative in self.alternatives
        ]

    def _find_deals(self, hand: str | None) -> tuple[dict[Place, Codes], Ints]:
        """Return a deal for each distinguished stretch of a hand's strengths, and the number of deals of each."""
        if hand is None:
            return dealt(self.prepared, {}), np.ones(1, np.int64)
        prepared, ends = self.prepared.hands[hand], tuple(sorted(self.looks.ends[hand]))
        if isinstance(prepared.ranking, LongestSuited) and of_categories(prepared.ranking, {*ends}):
            spread = spread_of_categories(sum(prepared.sizes), prepared.ranking)
        else:
            spread = self.counts.spread(hand, ends)
        parts = np.split(spread.cards, np.cumsum(prepared.sizes)[:-1], axis=1)
        return dealt(self.prepared, dict(zip(prepared.places, parts, strict=True))), spread.count


def _require_countable_hands(prepared: Prepared, looks: Looks) -> None:
    """Raise `TooManyDeals` for hands that cannot be counted by classes of suits."""
    deck = prepared.game.deck
    if looks.hands and deck.decks != 1:
        raise TooLarge(f"the game is played with {deck.decks} decks, and only deals of one deck are counted")
    if looks.hands and prepared.regulation.cards_in_play != CARDS:
        raise TooLarge(f"the deck {deck.cards} does not have the 52 cards that are counted")
    set_aside = {
        place for way in prepared.game.deal.ways.values() for place, columns in way.set_aside.items() if columns
    }
    for name in looks.hands:
        hand = prepared.hands[name]
        if hand.cards == "dealt" and not set_aside.isdisjoint(hand.places):
            raise TooLarge(f"{name} consists of all dealt cards, of which some are set aside at once")
        if hand.composed is not None or hand.cards == "open" or isinstance(hand.ranking, BySuit):
            raise TooLarge(f"{name} does not depend on a set of cards alone")
        exchanged = {drawing.place for drawing in prepared.game.drawing.values()} - {"player"}
        if hand.cards == "held" and not exchanged.isdisjoint(hand.places):
            raise TooLarge(f"{name} consists of cards that are exchanged")
