"""The odds of a wager and what goes with it, exactly: every deal counted, the player choosing what is worth most.

What a player knows when deciding are the cards dealt to the own seat. For each class of those, every alternative is
worth the sum of what all deals of the other cards come to; the best is taken, of equal ones that which puts less at
stake. Deals that nothing tells apart (the same categories, and the same hand ahead) are settled once, by the
interpreter, and counted.
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
    beside: Callable[[], Solution | None] = lambda: None,
    strategy: OwnStrategy | None = None,
) -> Solution:
    """The odds of a group at a table. Where no alternative is the best of all deals, and the group needs another one,
    players do what is best for that, which `beside` works out. A `strategy` says
    what is done otherwise. Raises TooLarge, and NotWorkedOut where it has none."""
    return _Solving(table, counts, meters).solution(beside, strategy)


def worths(table: Table, counts: Counts, meters: Mapping[str, int] | None = None) -> Worths | None:
    """Return the worth of each decision by the player's own cards; None where decisions change nothing or are not
    counted."""
    try:
        return _Solving(table, counts, meters or {}).worths()
    except (TooLarge, NotWorkedOut):
        return None


class _Solving:
    def __init__(self, table: Table, counts: Counts, meters: Mapping[str, int]) -> None:
        self.table, self.counts, self.meters = table, counts, meters
        self.prepared = table.prepared
        self.alternatives = table.alternatives()
        self.discards = any(alternative.discards for alternative in self.alternatives)
        self._refuse_open_way_of_dealing()
        self.looks = Looks()
        for alternative in self.alternatives:
            self._look(alternative, self.looks)

    def _refuse_open_way_of_dealing(self) -> None:
        """Raise NotWorkedOut where settlement asks how the cards were dealt, and the house leaves that open."""
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

    def _look(self, alternative: Alternative, found: Looks) -> Looks:
        looked_at(self.table.not_known(alternative.stakes, alternative.decisions), self.table.group.lines, found)
        return found

    def worths(self) -> Worths | None:
        _countable(self.prepared, self.looks)
        if not self.table.is_by_own_cards or len({alternative.decisions for alternative in self.alternatives}) < 2:
            return None
        if not self._is_one_hand():
            return self._by_own_cards().worths()
        if not self._can_lose_by_deciding():
            return None
        return replace(self._by_own_cards().worths(), by_itself=self._by_one_hand() is not None)

    def _can_lose_by_deciding(self) -> bool:
        """Return whether one decision is worth less than another, given a single hand that decides."""
        _, results = self._results_of_one_hand()
        per = lcm(*(result.per for result in results))
        nets = [result.net * (per // result.per) for result in results]
        return any((net != nets[0]).any() for net in nets)

    def solution(self, beside: Callable[[], Solution | None], strategy: OwnStrategy | None) -> Solution:
        _countable(self.prepared, self.looks)
        if self._is_one_hand():
            found = self._by_one_hand()
            if found is not None:
                return found
        if not self.table.is_by_own_cards:
            return self._staged(strategy).solution()
        chosen = self._by_own_cards()
        hidden = chosen.hidden
        if strategy is None or self.table.beside is not None:
            return chosen.solution(beside())
        if not isinstance(hidden, OneHidden):
            raise NotWorkedOut("a strategy of one's own is not reckoned with where hands share cards")
        return chosen.solution(None, allowed(strategy, self.table, hidden.cards, self.alternatives))

    def _staged(self, strategy: OwnStrategy | None) -> Staged:
        """Return the decisions by what is seen at each. Raises NotWorkedOut."""
        if strategy is not None:
            raise NotWorkedOut("a strategy of one's own is for games with one decision by the own cards")
        if self.table.beside is not None:
            raise NotWorkedOut("it goes by decisions for another wager, taken by what is seen at each")
        for alternative in self.alternatives:
            for condition in alternative.open_to:
                asked_of_hands(self.table.not_known(self.table.opening), condition, self.looks)
        return Staged(self.table, self.looks, self.alternatives, self.meters)

    def _by_own_cards(self) -> ByOwnCards:
        for alternative in self.alternatives:
            for condition in alternative.open_to:
                asked_of_hands(self.table.not_known(self.table.opening), condition, self.looks)
        hands = [self._look(option, Looks()).hands for option in self.alternatives]
        return ByOwnCards(self.table, self._hidden(), self.alternatives, hands, self.meters)

    def _is_one_hand(self) -> bool:
        """Whether one hand decides, or none, and nothing that a player puts aside changes it."""
        return len(self.looks.hands) <= 1 and not any(self._changes(name) for name in self.looks.hands)

    def _changes(self, hand: str) -> bool:
        """Whether what a player puts aside is part of a hand."""
        prepared = self.prepared.hands[hand]
        return self.discards and prepared.cards == "held" and "player" in prepared.places

    def _hidden(self) -> Hidden:
        """What the player does not see. Raises TooLarge where it is not counted."""
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

    def _by_one_hand(self) -> Solution | None:
        count, results = self._results_of_one_hand()
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

    def _results_of_one_hand(self) -> tuple[Ints, list[Settled]]:
        """Settle a deal for each stretch of strengths, by alternative; also return how many deals each stands for."""
        deals, count = self._deals_of(next(iter(self.looks.hands), None))
        return count, [
            settled(
                self.table,
                MadeUp(dealt=deals, stakes=alternative.stakes, decisions=alternative.decisions, meters=self.meters),
            )
            for alternative in self.alternatives
        ]

    def _deals_of(self, hand: str | None) -> tuple[dict[Place, Codes], Ints]:
        """A deal for each stretch of a hand's strengths that is told apart, and how many there are of it."""
        if hand is None:
            return dealt(self.prepared, {}), np.ones(1, np.int64)
        prepared, ends = self.prepared.hands[hand], tuple(sorted(self.looks.ends[hand]))
        if isinstance(prepared.ranking, LongestSuited) and of_categories(prepared.ranking, {*ends}):
            spread = spread_of_categories(sum(prepared.sizes), prepared.ranking)
        else:
            spread = self.counts.spread(hand, ends)
        parts = np.split(spread.cards, np.cumsum(prepared.sizes)[:-1], axis=1)
        return dealt(self.prepared, dict(zip(prepared.places, parts, strict=True))), spread.count


def _countable(prepared: Prepared, looks: Looks) -> None:
    """Raise TooLarge where hands are not counted by sets of cards that differ in the names of suits."""
    deck = prepared.game.deck
    if looks.hands and deck.decks != 1:
        raise TooLarge(f"the game is played with {deck.decks} decks, and only deals of one deck are counted")
    if looks.hands and prepared.regulation.cards_in_play != CARDS:
        raise TooLarge(f"the deck {deck.cards} has other cards than the 52 that are counted")
    set_aside = {place for way in prepared.game.deal.ways.values() for place, gone in way.set_aside.items() if gone}
    for name in looks.hands:
        hand = prepared.hands[name]
        if hand.cards == "dealt" and not set_aside.isdisjoint(hand.places):
            raise TooLarge(f"{name} is made of all cards that are dealt, of which some are put aside at once")
        if hand.composed is not None or hand.cards == "open" or isinstance(hand.ranking, BySuit):
            raise TooLarge(f"{name} does not go by a set of cards alone")
        exchanged = {drawing.place for drawing in prepared.game.drawing.values()} - {"player"}
        if hand.cards == "held" and not exchanged.isdisjoint(hand.places):
            raise TooLarge(f"{name} is made of cards that are exchanged")
