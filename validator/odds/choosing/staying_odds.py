"""Exact odds of a stake that stays on the table until it is decided: a Markov chain of rounds, solved in fractions.

A state of the chain is the selection of the stake and the state of the carried results. A round decides the stake or
leads to another state. A payment after which the stake may stay counts as the decision, as the player may take it back.
Players call no wagers on or off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.engine.facts.outcome_values import (
    Transitions,
    compile_transitions,
    follow_results,
    list_other_operators,
)
from fairdeal.validator.odds.deal_settlement import (
    OutcomeShare,
    SettlementProof,
    Solution,
    merge_proofs,
    settle_deals,
)
from fairdeal.validator.odds.player_options import Alternative, NoOdds, OddsTable, list_wager_groups
from fairdeal.validator.odds.sample_rounds import SampleRounds

MOST_STATES = 256
"""Most states of a chain."""
_WAGER_OPERATORS: Final = frozenset(
    {"some-seat", "every-seat", "seats", "placed", "amount", "total", "staked", "money"}
)
"""Operators that read wagers, by which the round of a single player may carry a result."""

State = tuple[str | None, int]
"""Selection of the stake, and number of the state of the carried results."""
Decided = tuple[str, Fraction]
"""Case that decides a stake, and the balance of the player in minor units."""
Distribution = dict[State, Fraction]


class RoundOfStake(Struct, frozen=True, kw_only=True):
    """Results of one round for a stake in some state, with their probabilities."""

    decided: Mapping[Decided, Fraction]
    stays: Mapping[State, Fraction]


class _Chain:
    """Rounds of a stake on one wager."""

    def __init__(self, table: OddsTable) -> None:
        self.table = replace(table, unrecorded=0)
        self.prepared, self.wager = table.prepared, table.group.wager
        if self.prepared.game.deck is not None:
            raise NoOdds("a stake that stays on the table is counted only in games without cards")
        if len(table.group.lines) > 1:
            raise NoOdds("a stake that stays on the table is counted only by itself")
        others = list_other_operators(self.prepared)
        if others - _WAGER_OPERATORS:
            raise NoOdds("a carried result depends on more than results and wagers")
        self.transitions: Transitions = compile_transitions(self.prepared)
        if others:
            rounds = SampleRounds(dealt={}, stakes=table.opening_stakes, outcomes=self._list_results())
            following = follow_results(self.table.open_rounds(rounds))
            self.transitions = replace(self.transitions, following=following.reshape(self.transitions.following.shape))
        if (self.transitions.following == ABSENT).any():
            raise NoOdds("the conditions of a carried result leave it open")
        self.weights = self._weigh_draws()
        self.proofs: list[SettlementProof] = []
        self._rounds: dict[tuple[str | None, bool], list[RoundOfStake]] = {}

    def _weigh_draws(self) -> Ints:
        """Return the number of equally likely results of each draw, int64[draws]."""
        weights = np.ones(1, np.int64)
        for name in self.transitions.drawn:
            weights = (weights[:, None] * np.array(self.prepared.outcomes[name].weights, np.int64)).reshape(-1)
        return weights

    def play(self, state: State, *, is_fresh: bool) -> RoundOfStake:
        """Return the results of a round; `is_fresh` is true if the stake is placed in it."""
        selection, number = state
        key = (selection, is_fresh)
        if key not in self._rounds:
            self._rounds[key] = self._play_all(selection, is_fresh=is_fresh)
        return self._rounds[key][number]

    def _play_all(self, selection: str | None, *, is_fresh: bool) -> list[RoundOfStake]:
        """Return the results of a round in every state of the carried results."""
        table = replace(self.table, selections={} if selection is None else {self.wager: selection})
        states, draws = self.transitions.following.shape
        rounds = SampleRounds(
            dealt={},
            stakes=table.opening_stakes,
            outcomes=self._list_results(),
            brought=not is_fresh,
        )
        settled = settle_deals(table, rounds)
        self.proofs.append(settled.proof())
        cases = {case.case: case for case in self.prepared.game.settlement.cases}
        total, played = int(self.weights.sum()), list[RoundOfStake]()
        for state in range(states):
            decided, stays = dict[Decided, Fraction](), dict[State, Fraction]()
            for draw, weight in enumerate(self.weights.tolist()):
                row = state * draws + draw
                name, chance = settled.outcomes[int(settled.outcome[row])], Fraction(weight, total)
                if cases[name].due.leaves_stake and cases[name].due.stays is None:
                    following = (self._select(selection, draw), int(self.transitions.following[state, draw]))
                    stays[following] = stays.get(following, Fraction(0)) + chance
                else:
                    key = name, Fraction(int(settled.net[row]), settled.denominator)
                    decided[key] = decided.get(key, Fraction(0)) + chance
            played.append(RoundOfStake(decided=decided, stays=stays))
        return played

    def _list_results(self) -> dict[str, Ints]:
        """Return the value of each result in every state with every draw, int64[states * draws] by name."""
        names = (*self.transitions.carried, *self.transitions.drawn)
        sizes = [len(self.prepared.outcomes[name].values) for name in names]
        return dict(zip(names, np.unravel_index(np.arange(np.prod(sizes)), sizes), strict=True))

    def _select(self, selection: str | None, draw: int) -> str | None:
        """Return the selection of a stake after a round in which it stays."""
        rule = self.prepared.selections.get(self.wager)
        if rule is None or selection is not None:
            return selection
        sizes = [len(self.prepared.outcomes[name].values) for name in self.transitions.drawn]
        value = int(np.unravel_index(draw, sizes)[self.transitions.drawn.index(rule.outcome)])
        outcome = self.prepared.outcomes[rule.outcome]
        return str(outcome.numbers[value]) if rule.by == "total" else outcome.values[value]

    def find_starts(self) -> Distribution:
        """Return the states in which a stake may be placed, with their probabilities in a long session.

        A stake behind another is placed when the other one stays for the first time.
        """
        selection = self.table.selections.get(self.wager)
        behind = self.prepared.game.wagers[self.wager].behind
        if behind is not None:
            chain = self._open_chain_behind(behind)
            found: Distribution = {}
            for state, share in chain.find_starts().items():
                for following, chance in chain.play(state, is_fresh=True).stays.items():
                    if following[0] == selection or selection is None:
                        key = selection, following[1]
                        found[key] = found.get(key, Fraction(0)) + share * chance
        else:
            usual = _find_stationary(self.transitions, self.weights)
            open_ = self._find_open_states()
            found = {(selection, state): usual[state] for state in open_ if usual[state]}
        total = sum(found.values(), Fraction(0))
        if not total:
            raise NoOdds("there is no state in which it may be placed")
        return {state: share / total for state, share in found.items()}

    def _open_chain_behind(self, wager: str) -> _Chain:
        group = next(group for group in list_wager_groups(self.prepared.game) if group.wager == wager)
        stakes = {wager: self.table.stake}
        selects = self.prepared.selections.get(wager)
        selections = {wager: selects.permitted[0]} if selects is not None and selects.when == "placed" else {}
        return _Chain(
            replace(self.table, group=group, base_stakes=stakes, opening_stakes=stakes, selections=selections)
        )

    def _find_open_states(self) -> list[int]:
        """Return the states of the carried results in which the wager may be placed by a seat without it."""
        needs, states = self.prepared.game.wagers[self.wager].when, self.transitions.states
        carried = self.transitions.carried
        if needs is None or not carried:
            return [*range(states)]
        sizes = [len(self.prepared.outcomes[name].values) for name in carried]
        values = np.unravel_index(np.arange(states), sizes)
        beside = {name: stake for name, stake in self.table.opening_stakes.items() if name != self.wager}
        rounds = SampleRounds(dealt={}, stakes=beside, outcomes=dict(zip(carried, values, strict=True)))
        answers = self.table.open_rounds(rounds).evaluate(needs, "seat")
        return np.flatnonzero(answers == YES).tolist()


def solve_staying(table: OddsTable) -> Solution:
    """Return the exact odds of a stake that may stay on the table. Raises `NoOdds`."""
    chain = _Chain(table)
    decided = dict[Decided, Fraction]()
    after: Distribution = {}
    for state, share in chain.find_starts().items():
        first = chain.play(state, is_fresh=True)
        for key, chance in first.decided.items():
            decided[key] = decided.get(key, Fraction(0)) + share * chance
        for following, chance in first.stays.items():
            after[following] = after.get(following, Fraction(0)) + share * chance
    for state, visits in _count_visits(chain, after).items():
        for key, chance in chain.play(state, is_fresh=False).decided.items():
            decided[key] = decided.get(key, Fraction(0)) + visits * chance
    per = lcm(*(share.denominator for share in decided.values()))
    alternative = Alternative(decisions=(), discards=0, stakes=table.opening_stakes, at_risk=table.stake, open_to=())
    shares = [
        OutcomeShare(outcome=name, alternative=0, net=net, count=int(share * per))
        for (name, net), share in sorted(decided.items())
        if share
    ]
    return Solution(alternatives=(alternative,), shares=tuple(shares), choice=None, proof=merge_proofs(chain.proofs))


def _count_visits(chain: _Chain, after: Distribution) -> Distribution:
    """Return how often a stake is in each state on average, from a distribution over states. Raises `NoOdds`."""
    states = [*after]
    for state in states:  # grows while it is read
        states += [following for following in chain.play(state, is_fresh=False).stays if following not in states]
        if len(states) > MOST_STATES:
            raise NoOdds(f"a stake may be in more than {MOST_STATES} states")
    index = {state: at for at, state in enumerate(states)}
    # The visits v satisfy v = after + v Q.
    rows = [[Fraction(int(at == other)) for other in range(len(states))] for at in range(len(states))]
    for state, at in index.items():
        for following, chance in chain.play(state, is_fresh=False).stays.items():
            rows[index[following]][at] -= chance
    visits = solve_linear(rows, [after.get(state, Fraction(0)) for state in states])
    return dict(zip(states, visits, strict=True))


def _find_stationary(transitions: Transitions, weights: Ints) -> list[Fraction]:
    """Return the share of rounds that begin in each state, in a long session. Raises `NoOdds`.

    A table opens with state 0; states to which it never leads have no share.
    """
    following, total, reached = transitions.following.tolist(), int(weights.sum()), [0]
    for state in reached:  # grows while it is read
        reached += [after for after in dict.fromkeys(following[state]) if after not in reached]
    place = {state: at for at, state in enumerate(reached)}
    rows = [[Fraction(-int(at == other)) for other in place.values()] for at in place.values()]
    for state, at in place.items():
        for after, weight in zip(following[state], weights.tolist(), strict=True):
            rows[place[after]][at] += Fraction(weight, total)
    rows[-1] = [Fraction(1)] * len(rows)
    shares = solve_linear(rows, [Fraction(0)] * (len(rows) - 1) + [Fraction(1)])
    return [shares[place[state]] if state in place else Fraction(0) for state in range(transitions.states)]


def solve_linear(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """Return the solution of a system of linear equations. Raises `NoOdds` if it has not exactly one.

    Args:
        rows: coefficients of each equation.
        right: right side of each equation.
    """
    system = [[*row, value] for row, value in zip(rows, right, strict=True)]
    size = len(system)
    for column in range(size):
        pivot = next((at for at in range(column, size) if system[at][column]), None)
        if pivot is None:
            raise NoOdds("a stake may stay for ever, or the states do not lead to each other")
        system[column], system[pivot] = system[pivot], system[column]
        scale = system[column][column]
        system[column] = [value / scale for value in system[column]]
        for at in range(size):
            factor = system[at][column]
            if at != column and factor:
                system[at] = [value - factor * other for value, other in zip(system[at], system[column], strict=True)]
    return [row[-1] for row in system]
