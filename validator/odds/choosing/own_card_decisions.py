"""Best decisions by the player's own cards, with the number of deals of the unseen cards of each kind.

The best alternative is worth most; of equal ones, it puts less at stake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from math import comb, lcm
from typing import Protocol

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Bits32, Codes, Flags, Ints
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.engine.core.kleene import UNKNOWN, YES
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.odds import deal_settlement
from fairdeal.validator.odds.card_sets import complete_hands, count_below, list_suit_classes
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable, TooManyDeals
from fairdeal.validator.odds.sample_rounds import DecidingHands, SampleRounds, complete_deals


class DiscardWay(Struct, frozen=True):
    """Way to follow an alternative."""

    discards: tuple[int, ...]
    """Columns of the player's cards that are discarded."""
    matters: bool
    """True if the settlement then depends on the unseen cards."""


class UnseenCards(Protocol):
    """Cards of the player by class, and deals of the unseen cards by signature.

    Settlement is the same for all deals with one signature and one cell of the player's cards.
    """

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    weight: Ints
    """Number of hands in each class, int64[n]."""
    cell_of: Ints
    """Cell of each class, int64[n]; settlement does not distinguish classes of one cell."""
    signatures: int
    """Number of signatures."""

    def find_classes(self, cards: Codes, /) -> Ints:
        """Return the class of each hand of the player, int64[m]; the cards, uint8[m, k], are in any order."""
        ...

    def list_discard_ways(self, discards: int, hands: list[str], /) -> list[DiscardWay]:
        """Return the ways to discard a number of cards, if these hands then decide the settlement."""
        ...

    def count_deals(self, way: DiscardWay) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures]."""
        ...

    def find_example_deals(
        self, at: int, way: DiscardWay, signature: int
    ) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals for a class, each with its signature: at least one with the signature that is
        wanted."""
        ...


class OneUnseenHand:
    """Unseen cards that belong to one hand, or to none."""

    def __init__(self, counts: HandCounts, looks: DecidingHands, seen: list[str], hidden: str | None) -> None:
        self.counts, self.looks, self.hidden = counts, looks, hidden
        self.prepared = counts.prepared
        classes = list_suit_classes(self.prepared.game.deal.cards["player"])
        self.cards, self.weight = classes.cards, classes.weight
        self.versus = self._find_compared_hand(seen)
        self.cell_of = self._find_cells(seen)
        self.holds_own = hidden is not None and "player" in self.prepared.hands[hidden].places
        self.places = np.zeros((1, 2), np.int64)
        if hidden is not None:
            ends = tuple(sorted(looks.bounds[hidden]))
            self.completions = counts.count_completions(hidden, None if self.versus else ends)
            strengths = self.completions.spread.strengths
            inner = ends if self.versus else tuple(range(1, len(ends) + 1))
            bounds = np.array([0, *np.searchsorted(strengths, inner, "left"), len(strengths)], np.int64)
            self.places = self._find_intervals(bounds[:-1], bounds[1:])
        self.signatures = self.places.shape[1] // 2

    def _find_compared_hand(self, seen: list[str]) -> str | None:
        """Return the hand of the player that is compared with the unseen one."""
        compared = {hand for pair in self.looks.compared for hand in pair if hand != self.hidden}
        if len(compared) > 1 or not compared <= {*seen} or (compared and self.hidden is None):
            raise TooManyDeals("several hands are compared with each other")
        return next(iter(compared), None)

    def _find_cells(self, seen: list[str]) -> Ints:
        columns = [np.zeros(len(self.cards), np.int32)]
        columns += [self.counts.rank_hands(name, self.cards, tuple(sorted(self.looks.bounds[name]))) for name in seen]
        cells: Ints = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        return cells

    def _find_intervals(self, low: Ints, high: Ints) -> Ints:
        """Return the interval of the unseen hand's strengths for each signature, int64[classes or 1, 2 * signatures].

        Each distinguished stretch is divided into strengths below, equal to and above the player's hand.
        """
        if self.versus is None:
            return np.stack([low, high], axis=1).reshape(1, -1)
        strengths = self.completions.spread.strengths
        own = self.counts.rank_hands(self.versus, self.cards, None)
        left, right = np.searchsorted(strengths, own, "left"), np.searchsorted(strengths, own, "right")
        start = np.stack([np.zeros_like(left), left, right], axis=1)[:, None, :]
        stop = np.stack([left, right, np.full_like(left, len(strengths))], axis=1)[:, None, :]
        first = np.maximum(start, low[None, :, None])
        last = np.maximum(np.minimum(stop, high[None, :, None]), first)
        return np.stack([first, last], axis=3).reshape(len(own), -1)

    def find_classes(self, cards: Codes) -> Ints:
        """Return the class of each hand of the player, int64[m]."""
        return list_suit_classes(self.cards.shape[1]).find_classes(cards)

    def list_discard_ways(self, discards: int, hands: list[str]) -> list[DiscardWay]:
        """Return the ways to discard a number of cards."""
        matters = self.hidden in hands and self._keeps_whole_hand(discards)
        ways = [
            DiscardWay(discards=columns, matters=matters)
            for columns in combinations(range(self.cards.shape[1]), discards)
        ]
        return ways if matters and self.holds_own else ways[:1]

    def _keeps_whole_hand(self, discards: int) -> bool:
        """Return whether a player who discards this many cards keeps as many as the unseen hand needs."""
        if self.hidden is None or not self.holds_own:
            return True
        hand = self.prepared.hands[self.hidden]
        return self.cards.shape[1] - discards == hand.sizes[hand.places.index("player")]

    def count_deals(self, way: DiscardWay) -> Ints | Bits32:
        """Return the number of deals by class and signature, int64[n, signatures].

        If the unseen cards do not matter, all deals have the first signature.
        """
        if not way.matters:
            deals = np.zeros((len(self.cards), self.signatures), np.int64)
            deals[:, 0] = self.deals
            return deals
        kept = [at for at in range(self.cards.shape[1]) if at not in way.discards]
        in_hand, out = (
            (self.cards[:, kept], self.cards[:, way.discards]) if self.holds_own else (self.cards[:, :0], self.cards)
        )
        counted = count_below(self.completions, in_hand, out, self.places)
        return counted[:, 1::2] - counted[:, 0::2]

    @cached_property
    def deals(self) -> int:
        """Return the number of ways to deal the unseen cards of the hand."""
        if self.hidden is None:
            return 1
        hand = self.prepared.hands[self.hidden]
        unseen = sum(size for place, size in zip(hand.places, hand.sizes, strict=True) if place != "player")
        return comb(CARDS - self.cards.shape[1], unseen)

    def find_example_deals(
        self, at: int, way: DiscardWay, signature: int
    ) -> Iterator[tuple[int, Mapping[Place, Codes]]]:
        """Yield examples of deals of the unseen hand for a class of the player's cards."""
        if not way.matters:
            yield 0, {}
            return
        stretches = self.places[at if len(self.places) > 1 else 0].reshape(-1, 2)
        cards = self.cards[at]
        if not self.holds_own:
            first, last = stretches[signature].tolist()
            hands = self.completions.spread.cards[first:last]
            # Prefer a hand without the player's cards: settlement is the same for all hands that share no card.
            apart = ~np.isin(hands, cards).any(axis=1)
            yield signature, self._split_by_place(hands[int(apart.argmax())])
            return
        kept = [column for column in range(len(cards)) if column not in way.discards]
        hands = complete_hands(cards[None, kept], self.completions.size, cards[None, list(way.discards)])[0]
        spots = np.searchsorted(self.completions.spread.strengths, self.completions.strength(hands))
        for stretch, (first, last) in enumerate(stretches.tolist()):
            fits = (spots >= first) & (spots < last)
            if fits.any():
                yield stretch, self._split_by_place(hands[int(fits.argmax()), len(kept) :])

    def _split_by_place(self, cards: Codes) -> dict[Place, Codes]:
        assert self.hidden is not None
        hand, by_place, start = self.prepared.hands[self.hidden], dict[Place, Codes](), 0
        for place, size in zip(hand.places, hand.sizes, strict=True):
            if place != "player":
                by_place[place] = cards[start : start + size]
                start += size
        return by_place


_AT_ONCE = 1 << 13
"""Number of classes of cards that are processed at a time."""


class OwnCardDecisions:
    """Alternatives of a player at a table, weighed for every class of the own cards."""

    def __init__(
        self,
        table: OddsTable,
        hidden: UnseenCards,
        alternatives: list[Alternative],
        hands: list[list[str]],
        meters: Mapping[str, int],
    ) -> None:
        """Count the deals for every alternative.

        Args:
            table: the table.
            hidden: unseen cards.
            alternatives: alternatives of the player.
            hands: hands that decide the settlement, by alternative.
            meters: readings of the meters.
        """
        self.table, self.hidden, self.alternatives, self.meters = table, hidden, alternatives, meters
        self.ways = [
            hidden.list_discard_ways(alternative.discards, used)
            for alternative, used in zip(alternatives, hands, strict=True)
        ]
        every = dict.fromkeys(way for of_one in self.ways for way in of_one)
        self.number = {way: hidden.count_deals(way) for way in every}

    def solve(
        self, other_solution: deal_settlement.Solution | None, allowed: Flags | None = None
    ) -> deal_settlement.Solution:
        """Return the best alternatives and the resulting shares of deals. Raises `NoOdds`.

        Args:
            other_solution: solution of another wager whose decisions apply; None if there is none.
            allowed: alternatives that are permitted, bool[alternatives, classes]; None for all.
        """
        results = self._settle_all()
        best, taken = (
            self._find_best(results, allowed) if other_solution is None else self._follow_other_wager(other_solution)
        )
        shares: list[deal_settlement.OutcomeShare] = []
        for at, (of_one, (result, row, _)) in enumerate(zip(self.ways, results, strict=True)):
            count = np.zeros(len(result.net) + 1, np.int64)
            for index, way in enumerate(of_one):
                for cell in range(len(row)):
                    chosen = np.flatnonzero((best == at) & (taken == index) & (self.hidden.cell_of == cell))
                    number = np.zeros(self.hidden.signatures, np.int64)
                    for start in range(0, len(chosen), _AT_ONCE):
                        part = chosen[start : start + _AT_ONCE]
                        number += self.hidden.weight[part] @ self.number[way][part].astype(np.int64)
                    np.add.at(count, row[cell], number)
            if count[-1]:
                raise NoOdds("some deals could not be settled")
            shares += deal_settlement.count_shares(at, result, count[:-1])
        return deal_settlement.Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(shares),
            choice=self._make_choices(best, taken),
            proof=deal_settlement.merge_proofs(result.proof() for result, _, _ in results),
        )

    def weigh_alternatives(self) -> deal_settlement.DecisionWorths:
        """Return the worth of every alternative and every way to discard, by class of the own cards. Raises
        `NoOdds`."""
        results = self._settle_all()
        per = lcm(*(result.denominator for result, _, _ in results))
        does, worth, may = [], [], []
        for alternative, of_one, (result, row, is_open) in zip(self.alternatives, self.ways, results, strict=True):
            net = np.append(result.net * (per // result.denominator), 0)[row]
            for way in of_one:
                deals = int(self.number[way][0].astype(np.int64).sum())
                does.append(
                    deal_settlement.DecisionWithDiscards(alternative.name, way.discards if len(of_one) > 1 else None)
                )
                worth.append(self._sum_deals(way, net) / (deals * per * self.table.stake))
                may.append(is_open[self.hidden.cell_of])
        return deal_settlement.DecisionWorths(
            cards=self.hidden.cards,
            find_classes=self.hidden.find_classes,
            decisions_taken=tuple(does),
            worth=np.stack(worth),
            is_open=np.stack(may),
        )

    def _sum_deals(self, way: DiscardWay, net: Ints) -> Ints:
        """Return the balance summed over all deals for a way to discard, int64[classes]."""
        total = np.zeros(len(self.hidden.cell_of), np.int64)
        for start in range(0, len(total), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            net_of_part = net[self.hidden.cell_of[part]]
            total[part] = (self.number[way][part].astype(np.int64) * net_of_part).sum(axis=1)
        return total

    def _find_best(
        self, results: list[tuple[deal_settlement.SettledDeals, Ints, Flags]], allowed: Flags | None
    ) -> tuple[Ints, Ints]:
        """Return the alternative that is worth most, and the index of its way to discard, int64[classes] each."""
        cell_of, per = self.hidden.cell_of, lcm(*(result.denominator for result, _, _ in results))
        best = np.full(len(cell_of), -1, np.int64)
        worth, taken = np.zeros(len(best), np.int64), np.zeros(len(best), np.int64)
        for at, (of_one, (result, row, is_open)) in enumerate(zip(self.ways, results, strict=True)):
            net = np.append(result.net * (per // result.denominator), 0)[row]
            for index, way in enumerate(of_one):
                total = self._sum_deals(way, net)
                may = is_open[cell_of] if allowed is None else is_open[cell_of] & allowed[at]
                better = may & ((best < 0) | (total > worth))
                best[better], worth[better], taken[better] = at, total[better], index
        if (best < 0).any():
            raise NoOdds("no decision is open to some hands")
        return best, taken

    def _follow_other_wager(self, other_solution: deal_settlement.Solution) -> tuple[Ints, Ints]:
        """Return the alternative that is best for another wager, and the index of its way to discard, int64[classes]
        each."""
        names = [(alternative.decisions, alternative.discards) for alternative in self.alternatives]
        own = np.array(
            [names.index((alternative.decisions, alternative.discards)) for alternative in other_solution.alternatives]
        )
        nothing = np.zeros(len(self.hidden.cards), np.int64)
        if other_solution.choice is None:
            return np.full(len(nothing), own[other_solution.shares[0].alternative]), nothing
        best, taken = own[other_solution.choice.best], nothing
        for at, of_one in enumerate(self.ways):
            places = {way.discards: index for index, way in enumerate(of_one)}
            index = np.array([places.get(columns, 0) for columns in other_solution.choice.discard_ways])
            taken = np.where(best == at, index[other_solution.choice.best_discards], taken)
        return best, taken

    def _make_choices(self, best: Ints, taken: Ints) -> deal_settlement.BestChoices:
        discard_ways = tuple({way.discards: None for of_one in self.ways for way in of_one})
        index = np.zeros((len(self.ways), max(map(len, self.ways))), np.int64)
        for at, of_one in enumerate(self.ways):
            index[at, : len(of_one)] = [discard_ways.index(way.discards) for way in of_one]
        hidden = self.hidden
        return deal_settlement.BestChoices(
            cards=hidden.cards,
            weight=hidden.weight,
            best=best,
            best_discards=index[best, taken],
            discard_ways=discard_ways,
        )

    # One deal of each signature

    def _settle_all(self) -> list[tuple[deal_settlement.SettledDeals, Ints, Flags]]:
        """Return the settlement of each alternative, as from `_settle`."""
        results = [
            self._settle(alternative, ways) for alternative, ways in zip(self.alternatives, self.ways, strict=True)
        ]
        fallback = [alternative.is_fallback for alternative in self.alternatives]
        open_ = [is_open for is_last, (_, _, is_open) in zip(fallback, results, strict=True) if not is_last]
        return [
            (result, row, ~np.any(open_, axis=0) if is_last else is_open)
            for is_last, (result, row, is_open) in zip(fallback, results, strict=True)
        ]

    def _settle(
        self, alternative: Alternative, ways: list[DiscardWay]
    ) -> tuple[deal_settlement.SettledDeals, Ints, Flags]:
        """Settle one deal of an alternative for each cell of the player's cards and each signature of the unseen cards.

        Returns:
            The settled deals; int64[cells, signatures], the index of the deal, or -1 for none; and bool[cells], True if
                the alternative is open.
        """
        cells = int(self.hidden.cell_of.max()) + 1
        row = np.full((cells, self.hidden.signatures), -1, np.int64)
        own: list[Codes] = []
        aside: list[Codes] = []
        others: list[Mapping[Place, Codes]] = []
        for way in ways:
            counted = self.number[way]
            for cell in range(cells):
                of_cell = np.flatnonzero(self.hidden.cell_of == cell)
                # The class with most deals of a signature gives an example soonest.
                likely = of_cell[counted[of_cell].argmax(axis=0)]
                for signature in np.flatnonzero(row[cell] < 0).tolist():
                    at = int(likely[signature])
                    if row[cell, signature] >= 0 or not counted[at, signature]:
                        continue
                    for other, deal in self.hidden.find_example_deals(at, way, signature):
                        if row[cell, other] < 0:
                            row[cell, other] = len(own)
                            own.append(self.hidden.cards[at])
                            aside.append(self.hidden.cards[at][list(way.discards)])
                            others.append(deal)
        others_by_place: dict[Place, Codes] = {place: np.stack([deal[place] for deal in others]) for place in others[0]}
        deals = complete_deals(self.table.prepared, {"player": np.stack(own), **others_by_place})
        rounds = SampleRounds(
            dealt=deals,
            stakes=alternative.stakes,
            decisions=alternative.decisions,
            discarded={"player": np.stack(aside)},
            meters=self.meters,
        )
        return deal_settlement.settle_deals(self.table, rounds), row, self._find_open_cells(alternative, deals, row)

    def _find_open_cells(self, alternative: Alternative, deals: Mapping[Place, Codes], row: Ints) -> Flags:
        """Return the cells to which an alternative is open, bool[cells]."""
        if not alternative.open_to:
            return np.ones(len(row), bool)
        (condition,) = alternative.open_to
        rounds = SampleRounds(dealt=deals, stakes=self.table.opening_stakes, meters=self.meters)
        scope = self.table.open_rounds(rounds)
        answer = np.append(scope.evaluate(condition, "seat"), 0)[row]
        if (answer == UNKNOWN).any():
            raise NoOdds(f"who may take {alternative.name} depends on more than the cards")
        return (answer == YES).any(axis=1)
