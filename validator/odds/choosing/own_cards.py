"""Best decisions by the player's own cards: what is worth most, and of equal worth what puts less at stake."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

import numpy as np

from validator.arrays import Codes, Flags, Ints
from validator.engine.core.kleene import UNKNOWN, YES
from validator.language.terms import Place
from validator.odds.choosing.hidden import Hidden, Way
from validator.odds.rounds.columns import MadeUp
from validator.odds.rounds.deals import dealt
from validator.odds.rounds.play import Alternative, Table
from validator.odds.rounds.proof import together
from validator.odds.rounds.refusals import NotWorkedOut
from validator.odds.rounds.settled import Settled, settled
from validator.odds.rounds.solution import Choice, Done, Share, Solution, Worths, shares_of

_AT_ONCE = 1 << 13
"""Number of classes of cards that are processed at a time."""


class ByOwnCards:
    """Alternatives of a player at a table, weighed for every class of the own cards."""

    def __init__(
        self,
        table: Table,
        hidden: Hidden,
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
            hidden.ways(alternative.discards, used) for alternative, used in zip(alternatives, hands, strict=True)
        ]
        every = dict.fromkeys(way for of_one in self.ways for way in of_one)
        self.number = {way: hidden.numbers(way) for way in every}

    def solution(self, other_solution: Solution | None, allowed: Flags | None = None) -> Solution:
        """Return the best alternatives and the resulting shares of deals. Raises `NoOdds`.

        Args:
            other_solution: solution of another wager whose decisions apply; None if there is none.
            allowed: alternatives that are permitted, bool[alternatives, classes]; None for all.
        """
        results = self._settle_all()
        best, taken = (
            self._find_best(results, allowed) if other_solution is None else self._follow_other_wager(other_solution)
        )
        shares: list[Share] = []
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
                raise NotWorkedOut("some deals could not be settled")
            shares += shares_of(at, result, count[:-1])
        return Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(shares),
            choice=self._make_choices(best, taken),
            proof=together(result.proof() for result, _, _ in results),
        )

    def worths(self) -> Worths:
        """Return the worth of every alternative and every way to discard, by class of the own cards. Raises
        `NoOdds`."""
        results = self._settle_all()
        per = lcm(*(result.per for result, _, _ in results))
        does, worth, may = [], [], []
        for alternative, of_one, (result, row, is_open) in zip(self.alternatives, self.ways, results, strict=True):
            net = np.append(result.net * (per // result.per), 0)[row]
            for way in of_one:
                deals = int(self.number[way][0].astype(np.int64).sum())
                does.append(Done(alternative.name, way.gone if len(of_one) > 1 else None))
                worth.append(self._sum_deals(way, net) / (deals * per * self.table.stake))
                may.append(is_open[self.hidden.cell_of])
        return Worths(
            cards=self.hidden.cards,
            find=self.hidden.find,
            does=tuple(does),
            worth=np.stack(worth),
            may=np.stack(may),
        )

    def _sum_deals(self, way: Way, net: Ints) -> Ints:
        """Return the balance summed over all deals for a way to discard, int64[classes]."""
        total = np.zeros(len(self.hidden.cell_of), np.int64)
        for start in range(0, len(total), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            net_of_part = net[self.hidden.cell_of[part]]
            total[part] = (self.number[way][part].astype(np.int64) * net_of_part).sum(axis=1)
        return total

    def _find_best(self, results: list[tuple[Settled, Ints, Flags]], allowed: Flags | None) -> tuple[Ints, Ints]:
        """Return the alternative that is worth most, and the index of its way to discard, int64[classes] each."""
        cell_of, per = self.hidden.cell_of, lcm(*(result.per for result, _, _ in results))
        best = np.full(len(cell_of), -1, np.int64)
        worth, taken = np.zeros(len(best), np.int64), np.zeros(len(best), np.int64)
        for at, (of_one, (result, row, is_open)) in enumerate(zip(self.ways, results, strict=True)):
            net = np.append(result.net * (per // result.per), 0)[row]
            for index, way in enumerate(of_one):
                total = self._sum_deals(way, net)
                may = is_open[cell_of] if allowed is None else is_open[cell_of] & allowed[at]
                better = may & ((best < 0) | (total > worth))
                best[better], worth[better], taken[better] = at, total[better], index
        if (best < 0).any():
            raise NotWorkedOut("no decision is open to some hands")
        return best, taken

    def _follow_other_wager(self, other_solution: Solution) -> tuple[Ints, Ints]:
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
            places = {way.gone: index for index, way in enumerate(of_one)}
            index = np.array([places.get(columns, 0) for columns in other_solution.choice.ways])
            taken = np.where(best == at, index[other_solution.choice.gone], taken)
        return best, taken

    def _make_choices(self, best: Ints, taken: Ints) -> Choice:
        discard_ways = tuple({way.gone: None for of_one in self.ways for way in of_one})
        index = np.zeros((len(self.ways), max(map(len, self.ways))), np.int64)
        for at, of_one in enumerate(self.ways):
            index[at, : len(of_one)] = [discard_ways.index(way.gone) for way in of_one]
        hidden = self.hidden
        return Choice(cards=hidden.cards, weight=hidden.weight, best=best, gone=index[best, taken], ways=discard_ways)

    # One deal of each signature

    def _settle_all(self) -> list[tuple[Settled, Ints, Flags]]:
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

    def _settle(self, alternative: Alternative, ways: list[Way]) -> tuple[Settled, Ints, Flags]:
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
                    for other, deal in self.hidden.examples(at, way, signature):
                        if row[cell, other] < 0:
                            row[cell, other] = len(own)
                            own.append(self.hidden.cards[at])
                            aside.append(self.hidden.cards[at][list(way.gone)])
                            others.append(deal)
        others_by_place: dict[Place, Codes] = {place: np.stack([deal[place] for deal in others]) for place in others[0]}
        deals = dealt(self.table.prepared, {"player": np.stack(own), **others_by_place})
        rounds = MadeUp(
            dealt=deals,
            stakes=alternative.stakes,
            decisions=alternative.decisions,
            discarded={"player": np.stack(aside)},
            meters=self.meters,
        )
        return settled(self.table, rounds), row, self._find_open_cells(alternative, deals, row)

    def _find_open_cells(self, alternative: Alternative, deals: Mapping[Place, Codes], row: Ints) -> Flags:
        """Return the cells to which an alternative is open, bool[cells]."""
        if not alternative.open_to:
            return np.ones(len(row), bool)
        (condition,) = alternative.open_to
        rounds = MadeUp(dealt=deals, stakes=self.table.opening, meters=self.meters)
        scope = self.table.opened(rounds)
        answer = np.append(scope.truth(condition, "seat"), 0)[row]
        if (answer == UNKNOWN).any():
            raise NotWorkedOut(f"who may take {alternative.name} depends on more than the cards")
        return (answer == YES).any(axis=1)
