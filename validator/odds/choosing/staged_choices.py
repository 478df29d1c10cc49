"""Best decisions of a seat that decides several times, from the last decision point back to the first.

The states of a point are the sets of cards that a player may see there. Subclasses say what the states are, how each
leads to states of the next point, and what the deals after the last point are worth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Flags, Ints
from fairdeal.validator.engine.core.decision_points import DecisionPoint
from fairdeal.validator.odds.rounds import deal_settlement
from fairdeal.validator.odds.rounds.player_options import Alternative, DecisionOption, NoOdds, OddsTable

EXACT = 1 << 53
"""Whole numbers below it are exact as floats."""
Decisions = tuple[str, ...]
"""Decisions of a seat, in order."""


class TooManyStates(NoOdds):
    """Error for a game with too many deals to rank each of them."""


class PointOptions(Struct, frozen=True, kw_only=True):
    """Options of a seat at a decision point, after some decisions."""

    options: tuple[DecisionOption, ...]
    open_: tuple[Flags, ...]
    """States to which each option is open, bool[n]."""


class StateWorth(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the states of a point after some decisions, summed over all deals that follow."""

    net: Ints
    """Balance of the player, int64[n]."""
    staked: Ints
    """Stakes at risk, int64[n]."""
    best: Ints
    """Best option of the point, int64[n]; empty after the last decision."""


def choose_best(worths: Iterable[StateWorth], open_: Iterable[Flags]) -> StateWorth:
    """Return the worth of the best option that is open to each state: of equal ones, the first with the least stake.

    The best option is -1 if none is open.
    """
    (first, is_open), *others = zip(worths, open_, strict=True)
    net, staked = first.net.copy(), first.staked.copy()
    best = np.where(is_open, 0, -1)
    for number, (worth, is_open_here) in enumerate(others, start=1):
        better = (best < 0) | (worth.net > net) | ((worth.net == net) & (worth.staked < staked))
        chosen = np.nonzero(is_open_here & better)
        best[chosen], net[chosen], staked[chosen] = number, worth.net[chosen], worth.staked[chosen]
    return StateWorth(net=net, staked=staked, best=best)


class StagedChoices(ABC):
    """Decisions of a player at a table, weighed at each decision point by the cards that are seen there."""

    def __init__(
        self,
        table: OddsTable,
        alternatives: list[Alternative],
        points: tuple[DecisionPoint, ...],
        meters: Mapping[str, int],
    ) -> None:
        """Prepare the decisions. Raises `NoOdds` if the rules do not distinguish them.

        Args:
            table: the table.
            alternatives: sequences of decisions that a seat may take.
            points: the decision points whose states are weighed.
            meters: readings of the meters.
        """
        self.table, self.alternatives, self.points, self.meters = table, alternatives, points, meters
        self.prepared = table.prepared
        self.number = {alternative.decisions: at for at, alternative in enumerate(alternatives)}
        if len(self.number) < len(alternatives):
            raise NoOdds("the rules do not distinguish decisions of one name at several points of a round")
        self._options: dict[tuple[int, Decisions], PointOptions] = {}
        self._worths: dict[tuple[int, Decisions], StateWorth] = {}

    @property
    @abstractmethod
    def first_weight(self) -> Ints:
        """Return the number of deals that lead to each state of the first point, int64[n]."""

    @abstractmethod
    def _find_last_worth(self, before: Decisions) -> StateWorth:
        """Return the worth of the states of the last point, after its decision."""

    @abstractmethod
    def _step_back(self, at: int, later: StateWorth) -> StateWorth:
        """Return the worth of the states of a point, given the worth of those of the next one."""

    @abstractmethod
    def _move_weights(self, at: int, weight: Ints) -> Ints:
        """Return the number of deals that lead to each state of the next point."""

    @abstractmethod
    def _is_open(self, at: int, before: Decisions, stakes: Mapping[str, int], option: DecisionOption) -> Flags:
        """Return the states to which an option is open, bool[n]. Raises `NoOdds`."""

    @abstractmethod
    def _list_shares(self, reached: Mapping[Decisions, Ints]) -> Iterator[deal_settlement.OutcomeShare]:
        """Yield the shares of all deals, given the number that leads to each state of the last point, by decisions."""

    @abstractmethod
    def _prove(self) -> deal_settlement.SettlementProof:
        """Return the results of all deals with every decision."""

    @abstractmethod
    def _describe_choices(self, at: int, before: Decisions, weight: Ints) -> deal_settlement.PointChoices:
        """Describe the best decisions at a point, given the number of deals that leads to each state."""

    def solve(self) -> deal_settlement.Solution:
        """Return the shares of all deals, and the best decisions at each point. Raises `NoOdds`."""
        self._weigh(0, (), self.table.opening_stakes)
        reached: dict[tuple[int, Decisions], Ints] = {}
        self._follow(0, (), self.table.opening_stakes, self.first_weight, reached)
        last = len(self.points)
        return deal_settlement.Solution(
            alternatives=tuple(self.alternatives),
            shares=tuple(self._list_shares({before: weight for (at, before), weight in reached.items() if at == last})),
            choice=None,
            points=tuple(self._list_choices(reached)),
            proof=self._prove(),
        )

    def _weigh(self, at: int, before: Decisions, stakes: Mapping[str, int]) -> StateWorth:
        """Return the worth of the states of a point after some decisions."""
        if at == len(self.points):
            return self._find_last_worth(before)
        point, worths = self._find_options(at, before, stakes), list[StateWorth]()
        for option in point.options:
            later = self._weigh(at + 1, append_decision(before, option), option.stakes)
            worths.append(later if at + 1 == len(self.points) else self._step_back(at, later))
        worth = choose_best(worths, point.open_)
        if (worth.best < 0).any():
            raise NoOdds("no decision is open to some hands")
        self._worths[at, before] = worth
        return worth

    def _find_options(self, at: int, before: Decisions, stakes: Mapping[str, int]) -> PointOptions:
        if (at, before) not in self._options:
            options = self.table.list_options(self.points[at], before, stakes)
            is_open = [self._is_open(at, before, stakes, option) for option in options]
            for number, option in enumerate(options):
                if option.is_fallback:
                    is_open[number] = ~np.any([*is_open[:number], *is_open[number + 1 :]], axis=0)
            self._options[at, before] = PointOptions(options=tuple(options), open_=tuple(is_open))
        return self._options[at, before]

    def _follow(
        self,
        at: int,
        before: Decisions,
        stakes: Mapping[str, int],
        weight: Ints,
        reached: dict[tuple[int, Decisions], Ints],
    ) -> None:
        """Record the number of deals that lead to each state of each point with the best decisions."""
        if at == len(self.points):
            reached[at, before] = reached.get((at, before), 0) + weight
            return
        reached[at, before] = weight
        best = self._worths[at, before].best
        for number, option in enumerate(self._find_options(at, before, stakes).options):
            chosen = np.where(best == number, weight, 0)
            if chosen.any():
                if at + 1 < len(self.points):
                    chosen = self._move_weights(at, chosen)
                self._follow(at + 1, append_decision(before, option), option.stakes, chosen, reached)

    def _list_choices(self, reached: Mapping[tuple[int, Decisions], Ints]) -> Iterator[deal_settlement.PointChoices]:
        """Yield the best decisions at each point that they lead to, after each sequence of decisions."""
        for (at, before), weight in sorted(reached.items(), key=lambda state: state[0]):
            if at < len(self.points):
                yield self._describe_choices(at, before, weight)


def append_decision(before: Decisions, option: DecisionOption) -> Decisions:
    """Return some decisions with that of an option, if it is one."""
    return before if option.decision is None else (*before, option.decision)
