"""The odds of a wager and what goes with it, exactly: every deal counted, the player choosing what is worth most.

What a player knows when deciding are the cards dealt to the own seat. For each class of those, every alternative is
worth the sum of what all deals of the other cards come to; the best is taken, of equal ones that which puts less at
stake. Deals that nothing tells apart (the same categories, and the same hand ahead) are settled once, by the
interpreter, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, lcm

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards.cards import CARDS
from validator.cards.longest_flush import LongestSuited
from validator.cards.suit_tiebreak import BySuit
from validator.engine.compiled.game import Prepared, PreparedHand
from validator.engine.core.context import Scope
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.terms import Place
from validator.odds.columns import MadeUp, batch_of
from validator.odds.distributions import Completions, Spread, below, completed, spread_of_categories, spread_of_sets
from validator.odds.looked_at import Looks, asked_of_hands, looked_at, of_categories
from validator.odds.play import Alternative, NotWorkedOut, Table
from validator.odds.settled import Settled, settled
from validator.odds.suit_classes import suit_classes


class TooLarge(Exception):
    """Why the deals of a wager are too many to be counted."""


class Share(Struct, frozen=True, kw_only=True):
    """A part of all deals: what comes of it, by which alternative, for how much (in minor units), how often."""

    outcome: str
    alternative: int
    net: Fraction
    count: int


class Choice(Struct, frozen=True, kw_only=True, eq=False):
    """What is best, by class of the player's cards: `cards`, uint8[n, k], `weight`, int64[n]; `best`, int64[n], is an
    index into alternatives, `gone`, int64[n], into `ways`, which of the cards are then put aside, by their places."""

    cards: Codes
    weight: Ints
    best: Ints
    gone: Ints
    ways: tuple[tuple[int, ...], ...]


class Solution(Struct, frozen=True, kw_only=True):
    """A wager worked out: the alternatives there were, the shares of all deals, and what is best where it hangs on the
    cards."""

    alternatives: tuple[Alternative, ...]
    shares: tuple[Share, ...]
    choice: Choice | None


class Way(Struct, frozen=True):
    """A way to follow an alternative: which of the player's cards are put aside, by their places, and whether the hand
    that is not seen then matters."""

    gone: tuple[int, ...]
    matters: bool


class Counts:
    """What was counted of the deck a game is played with; kept from wager to wager."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self._spreads: dict[tuple[str, tuple[int, ...] | None], Spread] = {}
        self._completions: dict[tuple[str, tuple[int, ...] | None], Completions] = {}

    def rank(self, hand: str, cards: Codes, ends: tuple[int, ...] | None) -> Ints32:
        """int32[n]: the strengths of hands, or, where only some ends matter, between which of those they lie."""
        strengths = self.prepared.hands[hand].strength(cards)
        return strengths if ends is None else np.searchsorted(np.array(ends), strengths, "right").astype(np.int32)

    def spread(self, hand: str, ends: tuple[int, ...] | None) -> Spread:
        """The strengths of all hands."""
        if (hand, ends) not in self._spreads:
            size = sum(self.prepared.hands[hand].sizes)
            self._spreads[hand, ends] = spread_of_sets(size, lambda cards: self.rank(hand, cards, ends))
        return self._spreads[hand, ends]

    def completions(self, hand: str, ends: tuple[int, ...] | None) -> Completions:
        """Hands completed from some of their cards."""
        if (hand, ends) not in self._completions:
            size = sum(self.prepared.hands[hand].sizes)
            self._completions[hand, ends] = Completions(
                size, lambda cards: self.rank(hand, cards, ends), self.spread(hand, ends)
            )
        return self._completions[hand, ends]


def solve(
    table: Table, counts: Counts, meters: Mapping[str, int], beside: Callable[[], Solution | None] = lambda: None
) -> Solution:
    """The odds of a group at a table. Where no alternative is the best of all deals, and the group needs another one,
    players do what is best for that, which `beside` works out. Raises TooLarge, and NotWorkedOut where it has none."""
    return _Solving(table, counts, meters, beside).solution()


class _Solving:
    def __init__(
        self, table: Table, counts: Counts, meters: Mapping[str, int], beside: Callable[[], Solution | None]
    ) -> None:
        self.table, self.counts, self.meters, self.beside = table, counts, meters, beside
        self.prepared = table.prepared
        self.deal = self.prepared.game.deal
        self.alternatives = table.alternatives()
        self.discards = any(one.discards for one in self.alternatives)

    @cached_property
    def looks(self) -> Looks:
        """What is asked of hands under any of the alternatives."""
        found = Looks()
        for one in self.alternatives:
            looked_at(self.table.not_known(one.stakes, one.decision), self.table.group.lines, found)
        return found

    def hands_of(self, alternative: Alternative) -> list[str]:
        """The hands that something is asked of under one alternative."""
        found = Looks()
        looked_at(self.table.not_known(alternative.stakes, alternative.decision), self.table.group.lines, found)
        return found.hands

    def solution(self) -> Solution:
        _countable(self.prepared, self.looks)
        if len(self.looks.hands) <= 1 and not any(self._changes(name) for name in self.looks.hands):
            found = self._by_one_hand()
            if found is not None:
                return found
        for one in self.alternatives:
            if one.open_to is not None:
                asked_of_hands(self.table.not_known(self.table.opening), one.open_to, self.looks)
        return self._by_own_cards()

    def _changes(self, hand: str) -> bool:
        """Whether what a player puts aside is part of a hand."""
        prepared = self.prepared.hands[hand]
        return self.discards and prepared.cards == "held" and "player" in prepared.places

    # One hand decides, and one alternative is never worse than the others

    def _by_one_hand(self) -> Solution | None:
        hand = next(iter(self.looks.hands), None)
        rounds, count = self._deals_of(hand)
        results = [settled(self.table, one, rounds, self.meters) for one in self.alternatives]
        per = lcm(*(one.per for one in results))
        nets = [one.net * (per // one.per) for one in results]
        for number, one in enumerate(self.alternatives):
            if one.open_to is None and all((nets[number] >= other).all() for other in nets):
                return Solution(
                    alternatives=tuple(self.alternatives),
                    shares=tuple(_shares(number, results[number], count)),
                    choice=None,
                )
        return None

    def _deals_of(self, hand: str | None) -> tuple[dict[str, object], Ints]:
        """A deal for each stretch of a hand's strengths that is told apart, and how many there are of it."""
        if hand is None:
            return self._dealt({}, 1), np.ones(1, np.int64)
        prepared, ends = self.prepared.hands[hand], self.looks.ends[hand]
        size = sum(prepared.sizes)
        if isinstance(prepared.ranking, LongestSuited) and of_categories(prepared.ranking, ends):
            spread = spread_of_categories(size, prepared.ranking)
            cell = np.searchsorted(np.array(sorted(ends)), spread.strengths, "right")
            kinds, first, kind = np.unique(cell, return_index=True, return_inverse=True)
            cards, count = spread.cards[first], np.bincount(kind, spread.count).astype(np.int64)
            assert len(kinds) == len(count)
        else:
            spread = self.counts.spread(hand, tuple(sorted(ends)))
            cards, count = spread.cards, spread.count
        parts = np.split(cards, np.cumsum(prepared.sizes)[:-1], axis=1)
        return self._dealt(dict(zip(prepared.places, parts, strict=True)), len(cards)), count

    def _dealt(self, held: Mapping[Place, Codes], count: int) -> dict[str, object]:
        """Regular deals: the cards that are given, and others of the deck for all places that lack some."""
        known = np.concatenate([np.zeros((count, 0), np.uint8), *held.values()], axis=1)
        free = np.ones((count, CARDS), bool)
        np.put_along_axis(free, known.astype(np.int64), False, axis=1)
        rest = np.argsort(~free, axis=1, kind="stable").astype(np.uint8)
        dealt: dict[Place, Codes] = {}
        used = 0
        for place, wanted in self.deal.cards.items():
            cards = held.get(place, np.zeros((count, 0), np.uint8))
            lacking = max(wanted - cards.shape[1], 0)
            dealt[place] = np.concatenate([cards, rest[:, used : used + lacking]], axis=1)
            used += lacking
        return {"dealt": dealt}

    # The player chooses by the own cards

    def _by_own_cards(self) -> Solution:
        return _ByOwnCards(self).solution()


class _ByOwnCards:
    """Classes of the player's cards, and of one hand that is not seen whole."""

    def __init__(self, solving: _Solving) -> None:
        self.solving, self.table, self.looks = solving, solving.table, solving.looks
        self.prepared, self.counts = solving.prepared, solving.counts
        self.classes = suit_classes(solving.deal.cards["player"])
        seen = [name for name in self.looks.hands if self._is_seen(self.prepared.hands[name])]
        hidden = [name for name in self.looks.hands if name not in seen]
        if len(hidden) > 1 or self.looks.lengths:
            raise TooLarge(f"{' and '.join(hidden)} hang on each other")
        self.hidden = hidden[0] if hidden else None
        self.versus = self._compared(seen)
        self.holds_own = self.hidden is not None and "player" in self.prepared.hands[self.hidden].places
        self.cell_of = self._cells(seen)
        if self.hidden is not None:
            ends = tuple(sorted(self.looks.ends[self.hidden]))
            self.completions = self.counts.completions(self.hidden, None if self.versus else ends)
            rows = np.arange(len(ends) + 1)
            strengths = self.completions.spread.strengths
            bounds = (
                np.searchsorted(strengths, ends, "left")
                if self.versus
                else np.searchsorted(strengths, rows[1:], "left")
            )
            self.bounds = np.array([0, *bounds, len(strengths)], np.int64)
        self.relations = 3 if self.versus else 1

    def _is_seen(self, hand: PreparedHand) -> bool:
        return hand.places == ("player",) and (hand.cards == "dealt" or not self.solving.discards)

    def _compared(self, seen: list[str]) -> str | None:
        """The hand of the player that is held against the one that is not seen."""
        found = {one for pair in self.looks.compared for one in pair if one != self.hidden}
        if len(found) > 1 or not found <= {*seen} or (found and self.hidden is None):
            raise TooLarge("several hands are held against each other")
        return next(iter(found), None)

    def _cells(self, seen: list[str]) -> Ints:
        """int64[classes]: classes of the player's cards of which nothing asks have one number."""
        columns = [np.zeros(len(self.classes.cards), np.int32)]
        columns += [self.counts.rank(name, self.classes.cards, tuple(sorted(self.looks.ends[name]))) for name in seen]
        return np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)

    def _places(self) -> Ints:
        """int64[classes or 1, 2 * signatures]: from and up to which place of the hidden hand's strengths each
        signature goes: one after the other the stretches that are told apart, in each those below the player's hand,
        as high as it, and above it."""
        low, high = self.bounds[:-1], self.bounds[1:]
        if self.versus is None:
            return np.stack([low, high], axis=1).reshape(1, -1)
        strengths = self.completions.spread.strengths
        own = self.counts.rank(self.versus, self.classes.cards, None)
        left, right = np.searchsorted(strengths, own, "left"), np.searchsorted(strengths, own, "right")
        start = np.stack([np.zeros_like(left), left, right], axis=1)[:, None, :]
        stop = np.stack([left, right, np.full_like(left, len(strengths))], axis=1)[:, None, :]
        first = np.maximum(start, low[None, :, None])
        last = np.maximum(np.minimum(stop, high[None, :, None]), first)
        return np.stack([first, last], axis=3).reshape(len(own), -1)

    def _ways(self, alternative: Alternative) -> list[Way]:
        """The ways to follow an alternative: which cards are put aside, and whether the hidden hand then matters."""
        matters = self.hidden in self.solving.hands_of(alternative) and self._is_whole(alternative)
        ways = [
            Way(gone=gone, matters=matters) for gone in combinations(range(self.classes.size), alternative.discards)
        ]
        return ways if matters and self.holds_own else ways[:1]

    def _is_whole(self, alternative: Alternative) -> bool:
        """Whether a player who follows an alternative keeps as many cards as the hidden hand is made of."""
        if self.hidden is None or not self.holds_own:
            return True
        hand = self.prepared.hands[self.hidden]
        return self.classes.size - alternative.discards == hand.sizes[hand.places.index("player")]

    def _numbers(self, way: Way, places: Ints) -> Ints:
        """int64[classes, signatures]: how many deals of the hidden hand there are of each signature; all of the first
        where it does not matter."""
        cards = self.classes.cards
        if not way.matters:
            found = np.zeros((len(cards), places.shape[1] // 2), np.int64)
            found[:, 0] = self.deals
            return found
        kept = [at for at in range(cards.shape[1]) if at not in way.gone]
        held, out = (cards[:, kept], cards[:, way.gone]) if self.holds_own else (cards[:, :0], cards)
        counted = below(self.completions, held, out, places)
        return counted[:, 1::2] - counted[:, 0::2]

    @cached_property
    def deals(self) -> int:
        """How many ways there are to deal the cards of the hidden hand that the player has not."""
        if self.hidden is None:
            return 1
        hand = self.prepared.hands[self.hidden]
        unseen = sum(size for place, size in zip(hand.places, hand.sizes, strict=True) if place != "player")
        return comb(CARDS - self.classes.size, unseen)

    def solution(self) -> Solution:
        places = np.zeros((1, 2), np.int64) if self.hidden is None else self._places()
        ways = [self._ways(one) for one in self.solving.alternatives]
        number = {way: self._numbers(way, places) for way in dict.fromkeys(way for of_one in ways for way in of_one)}
        results = [
            self._settle(one, {way: number[way] for way in of_one}, places)
            for one, of_one in zip(self.solving.alternatives, ways, strict=True)
        ]
        per = lcm(*(one.per for one, _, _ in results))
        best = np.full(len(self.classes.cards), -1, np.int64)
        worth, taken = np.zeros(len(best), np.int64), np.zeros(len(best), np.int64)
        for at, (of_one, (result, row, is_open)) in enumerate(zip(ways, results, strict=True)):
            net = np.append(result.net * (per // result.per), 0)[row]
            for index, way in enumerate(of_one):
                total = (number[way] * net[self.cell_of]).sum(axis=1)
                better = is_open[self.cell_of] & ((best < 0) | (total > worth))
                best[better], worth[better], taken[better] = at, total[better], index
        if (best < 0).any():
            raise NotWorkedOut("no decision is open to some hands")
        beside = self.solving.beside()
        if beside is not None:
            best, taken = self._as_beside(beside, ways)
        shares: list[Share] = []
        for at, (of_one, (result, row, _)) in enumerate(zip(ways, results, strict=True)):
            count = np.zeros(len(result.net) + 1, np.int64)
            for index, way in enumerate(of_one):
                chosen = np.flatnonzero((best == at) & (taken == index))
                if len(chosen):
                    np.add.at(count, row[self.cell_of[chosen]], number[way][chosen] * self.classes.weight[chosen, None])
            shares += _shares(at, result, count[:-1])
        return Solution(
            alternatives=tuple(self.solving.alternatives),
            shares=tuple(shares),
            choice=self._choice(best, taken, ways),
        )

    def _choice(self, best: Ints, taken: Ints, ways: list[list[Way]]) -> Choice:
        gone = {way.gone: None for of_one in ways for way in of_one}
        number = {one: at for at, one in enumerate(gone)}
        table = np.full((len(ways), max(map(len, ways))), 0, np.int64)
        for at, of_one in enumerate(ways):
            table[at, : len(of_one)] = [number[way.gone] for way in of_one]
        return Choice(
            cards=self.classes.cards,
            weight=self.classes.weight,
            best=best,
            gone=table[best, taken],
            ways=tuple(gone),
        )

    def _as_beside(self, beside: Solution, ways: list[list[Way]]) -> tuple[Ints, Ints]:
        """int64[classes] both: the alternatives, and which of their ways, that are best for another group."""
        alternatives = [(one.decision, one.discards) for one in self.solving.alternatives]
        own = [alternatives.index((one.decision, one.discards)) for one in beside.alternatives]
        if beside.choice is None:
            only = own[beside.shares[0].alternative]
            return np.full(len(self.classes.cards), only), np.zeros(len(self.classes.cards), np.int64)
        best = np.array(own)[beside.choice.best]
        taken = np.zeros(len(best), np.int64)
        for at, of_one in enumerate(ways):
            places = {way.gone: index for index, way in enumerate(of_one)}
            taken = np.where(
                best == at, np.array([places.get(gone, 0) for gone in beside.choice.ways])[beside.choice.gone], taken
            )
        return best, taken

    # One deal of each signature

    def _settle(
        self, alternative: Alternative, number: Mapping[Way, Ints], places: Ints
    ) -> tuple[Settled, Ints, Flags]:
        """What an alternative comes to, a deal for each cell of the player's cards and signature of the hidden hand:
        the deals settled; int64[cells, signatures], which of them it is, -1 where there is none; bool[cells], whether
        the alternative is open."""
        cells, signatures = int(self.cell_of.max()) + 1, places.shape[1] // 2
        row = np.full((cells, signatures), -1, np.int64)
        own: list[Codes] = []
        other: list[Codes] = []
        aside: list[Codes] = []
        for way, counted in number.items():
            for cell, signature in np.argwhere(row < 0).tolist():
                if row[cell, signature] >= 0:
                    continue
                of_cell = np.flatnonzero((self.cell_of == cell) & (counted[:, signature] > 0))
                if not len(of_cell):
                    continue
                at = int(of_cell[0])
                cards = self.classes.cards[at]
                for found, hand in self._examples(at, way, signature, places):
                    if row[cell, found] < 0:
                        row[cell, found] = len(own)
                        own.append(cards)
                        other.append(hand)
                        aside.append(cards[list(way.gone)])
        rounds = self._rounds(np.stack(own), np.stack(other), np.stack(aside))
        result = settled(self.table, alternative, rounds, self.solving.meters)
        return result, row, self._open(alternative, rounds, row)

    def _examples(self, at: int, way: Way, signature: int, places: Ints) -> Iterator[tuple[int, Codes]]:
        """Hidden hands beside the cards of a class, each with its signature."""
        if not way.matters:
            yield 0, np.zeros(0, np.uint8)
            return
        stretches = places[at if len(places) > 1 else 0].reshape(-1, 2)
        if not self.holds_own:
            first, last = stretches[signature].tolist()
            hands = self.completions.spread.cards[first:last]
            apart = ~np.isin(hands, self.classes.cards[at]).any(axis=1)
            # Which cards make up two hands that share none does not matter to their settlement, nor if they do.
            yield signature, hands[int(apart.argmax())]
            return
        cards = self.classes.cards[at]
        kept = [one for one in range(len(cards)) if one not in way.gone]
        hands = completed(cards[None, kept], self.completions.size, cards[None, list(way.gone)])[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        for found, (first, last) in enumerate(stretches.tolist()):
            fits = (spots >= first) & (spots < last)
            if fits.any():
                yield found, hands[int(fits.argmax()), len(kept) :]

    def _rounds(self, own: Codes, other: Codes, aside: Codes) -> dict[str, object]:
        held: dict[Place, Codes] = {"player": own}
        if self.hidden is not None and other.shape[1]:
            prepared, start = self.prepared.hands[self.hidden], 0
            for place, size in zip(prepared.places, prepared.sizes, strict=True):
                if place != "player":
                    held[place] = other[:, start : start + size]
                    start += size
        return {**self.solving._dealt(held, len(own)), "discarded": {"player": aside}}

    def _open(self, alternative: Alternative, rounds: dict[str, object], row: Ints) -> Flags:
        """bool[cells]: to which cells an alternative is open."""
        if alternative.open_to is None:
            return np.ones(len(row), bool)
        made_up = MadeUp(dealt=rounds["dealt"], stakes=self.table.opening, meters=self.solving.meters)  # type: ignore[arg-type]
        scope = Scope(batch_of(self.prepared, made_up), self.prepared, self.table.configuration)
        answer = np.append(scope.truth(alternative.open_to, "seat"), 0)[row]
        if (answer == UNKNOWN).any():
            raise NotWorkedOut(f"to whom {alternative.decision} is open hangs on more than the cards")
        return (answer == YES).any(axis=1)


def _shares(alternative: int, result: Settled, count: Ints) -> Iterator[Share]:
    """The shares of all deals that come to one outcome and one balance."""
    for outcome, net in sorted({*zip(result.outcome.tolist(), result.net.tolist(), strict=True)}):
        number = int(count[(result.outcome == outcome) & (result.net == net)].sum())
        if number:
            yield Share(
                outcome=result.outcomes[outcome],
                alternative=alternative,
                net=Fraction(net, result.per),
                count=number,
            )


def _countable(prepared: Prepared, looks: Looks) -> None:
    """Raises TooLarge where hands are not counted by sets of cards that differ in the names of suits."""
    deck = prepared.game.deck
    if deck.decks != 1 or len(prepared.regulation.vocabulary.decks[deck.cards].ranks) * 4 != CARDS:
        raise TooLarge("only one deck of 52 cards is counted through")
    for name in looks.hands:
        hand = prepared.hands[name]
        if hand.composed is not None or hand.cards == "open" or isinstance(hand.ranking, BySuit):
            raise TooLarge(f"{name} does not go by a set of cards alone")
        if hand.cards == "held" and any(
            place != "player" and drawing.place == place
            for place in hand.places
            for drawing in prepared.game.drawing.values()
        ):
            raise TooLarge(f"{name} is made of cards that are exchanged")


__all__ = ["Choice", "Counts", "Share", "Solution", "TooLarge", "solve"]
