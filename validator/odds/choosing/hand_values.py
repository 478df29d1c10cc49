"""Worth of a player's hands, from the last card back to the first, and the final hands to which decisions lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Reals
from fairdeal.validator.odds.choosing.own_hands import FollowedHands, HandLevel
from fairdeal.validator.odds.choosing.rule_draws import RuleDraws
from fairdeal.validator.odds.choosing.taking_rules import TakingRules

_ROUNDING = 1e-12
"""Difference of two sums of products below which they count as equal."""
_NOTHING = -1e300
"""Less than the worth of any decision."""
_LEAST_CHANCE = 1e-300
_AT_ONCE = 1 << 11
"""Hands whose worth is computed at once."""


class FinalWorths(Struct, frozen=True, kw_only=True, eq=False):
    """Settlement of every kind of final hands."""

    net: Reals
    """Balance of the player, float64[own kinds, other kinds]."""
    pattern: Ints
    """Number of the pattern of each kind of own hand, int64[own kinds]."""
    patterns: Sequence[Flags]
    """Patterns: whether the other place receives cards after each set of its first cards, bool[starts]."""
    cost: Ints
    """Stakes at risk, int64[own kinds]."""
    is_over: Flags
    """True if the other place need not play for the hand, whose balance is then settled, bool[own kinds]."""


class LevelValues(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of the hands of one level by front, and the decision of the player."""

    worth: Reals
    """Balance of the player times the probability of the front, float64[n, fronts]."""
    choice: Ints
    """Index of the decision, int64[n, fronts]; the number of decisions for none."""


class HandValues:
    """Worth of hands with some cards gone, with the best decisions or those of an earlier computation."""

    def __init__(
        self,
        rules: TakingRules,
        draws: RuleDraws,
        levels: Sequence[HandLevel],
        finals: FinalWorths,
        gone: Ints,
        *,
        splits: Reals | None = None,
        policy: Sequence[LevelValues] | None = None,
    ) -> None:
        """Compute the worth of all hands.

        Args:
            rules: the rules.
            draws: the final hands of the other place.
            levels: the hands.
            finals: the settlement.
            gone: number of cards of each class that are also gone, int64[classes].
            splits: worth of splitting each hand of the first level, float64[n, fronts]; None if nothing is split.
            policy: decisions to take; None for the best.
        """
        self.rules, self.draws, self.levels, self.finals, self.gone = rules, draws, levels, finals, gone
        self.splits, self.policy = splits, policy
        self.group = draws.group_of_front
        self._likely = [self._weigh_finals(level) for level in levels]
        self.values: list[LevelValues] = []
        for at in range(len(levels) - 1, -1, -1):
            self.values.insert(0, self._value_level(at))

    def _weigh_finals(self, level: HandLevel) -> tuple[Ints, Mapping[int, tuple[Ints, Reals]]]:
        """Return the set of cards of each hand, int64[n]. Also return, by pattern, the row of each set, and the
        probability of each front and kind in that row."""
        sets, number = np.unique(level.counts, axis=0, return_inverse=True)
        number, likely = number.reshape(-1), dict[int, tuple[Ints, Reals]]()
        ending = level.may_end.any(axis=2)
        for pattern, plays in enumerate(self.finals.patterns):
            rows = np.flatnonzero((ending & (self.finals.pattern[level.ends] == pattern)).any(axis=0))
            if len(rows):
                used, place = np.unique(number[rows]), np.zeros(len(sets), np.int64)
                place[used] = np.arange(len(used))
                likely[pattern] = place, self.draws.weigh(plays, sets[used] + self.gone)
        return number, likely

    def find_ends(self, at: int, kinds: Ints, rows: Ints) -> Reals:
        """Return the probability of each front and kind of the other hand, float64[n, fronts, other kinds].

        Args:
            at: number of the level.
            kinds: kind of each own hand.
            rows: the hands.
        """
        number, likely = self._likely[at]
        result = np.zeros((len(rows), len(self.group), self.finals.net.shape[1]))
        patterns = self.finals.pattern[kinds]
        for pattern in np.unique(patterns).tolist():
            chosen = np.flatnonzero(patterns == pattern)
            place, chances = likely[pattern]
            result[chosen] = chances[place[number[rows[chosen]]]]
        return result

    def draw_chances(self, level: HandLevel, rows: Ints) -> Reals:
        """Return the probability that the next card is of each class, float64[n, fronts, classes]."""
        left = self.rules.stock - self.gone - level.counts[rows][:, None, :] - self.draws.seen_counts[None, :, :]
        left = np.maximum(left, 0)
        return left / np.maximum(left.sum(axis=2, keepdims=True), 1)

    def _value_level(self, at: int) -> LevelValues:
        level, fronts = self.levels[at], len(self.group)
        worth = np.zeros((len(level.hands), fronts))
        choice = np.zeros((len(level.hands), fronts), np.int64)
        for start in range(0, len(level.hands), _AT_ONCE):
            rows = np.arange(start, min(start + _AT_ONCE, len(level.hands)))
            values = self._value_decisions(at, rows)
            if self.policy is None:
                worth[rows], choice[rows] = self._choose(level, rows, values)
            else:
                choice[rows] = self.policy[at].choice[rows]
                worth[rows] = np.take_along_axis(values, choice[rows][None], axis=0)[0]
        return LevelValues(worth=worth, choice=choice)

    def _value_decisions(self, at: int, rows: Ints) -> Reals:
        """Return the worth of each decision, and of none, float64[decisions + 1, n, fronts]."""
        level, many = self.levels[at], len(self.rules.decisions)
        values = np.zeros((many + 1, len(rows), len(self.group)))
        chances: Reals | None = None
        may_end: Flags = np.logical_or.reduce(level.may_end, axis=2)
        for decision in range(many + 1):
            if self._is_split(level, decision):
                values[decision] = 2 * _NOTHING if self.splits is None or at else self.splits[rows]
                continue
            chosen = np.flatnonzero(may_end[decision, rows])
            if len(chosen):
                ends = level.ends[decision, rows[chosen]]
                likely = self.find_ends(at, ends, rows[chosen])
                values[decision, chosen] = np.einsum("nfl,nl->nf", likely, self.finals.net[ends])
            if decision < many and level.takes[decision, rows].any():
                chances = self.draw_chances(level, rows) if chances is None else chances
                taken = self._value_cards(at, decision, rows, chances)
                values[decision] = np.where(level.takes[decision, rows][:, self.group], taken, values[decision])
        return values

    def measure_costs(self, at: int) -> Reals:
        """Return how much less each decision, or none, is worth than the best, float64[decisions + 1, n, fronts].

        The costs hold for a player who sees the front, in the parts of a minor unit of the settlement.
        """
        level = self.levels[at]
        fronts = self.draws.weigh(self.finals.patterns[0], level.counts + self.gone).sum(axis=2)
        blocks = np.array_split(np.arange(len(level.hands)), len(level.hands) // _AT_ONCE + 1)
        values = np.concatenate([self._value_decisions(at, rows) for rows in blocks], axis=1)
        costs: Reals = (self.values[at].worth - values) / np.maximum(fronts, _LEAST_CHANCE)
        return costs

    def _value_cards(self, at: int, decision: int, rows: Ints, chances: Reals) -> Reals:
        """Return the worth of a further card, float64[n, fronts]."""
        # While the worths are computed, those of earlier levels are missing.
        missing = len(self.levels) - len(self.values)
        next_, later = self.levels[at].next_[decision, rows], self.values[at + 1 - missing].worth
        result = np.zeros((len(rows), len(self.group)))
        for card in range(next_.shape[1]):
            chosen = np.flatnonzero(next_[:, card] != ABSENT)
            result[chosen] += chances[chosen][:, :, card] * later[next_[chosen, card]]
        return result

    def _choose(self, level: HandLevel, rows: Ints, values: Reals) -> tuple[Reals, Ints]:
        """Return the worth and the index of the best decision. Of equal ones, the one with less at risk comes first."""
        many = len(self.rules.decisions)
        is_open: Flags = level.open_[:, rows][:, :, self.group]
        number = is_open.sum(axis=0)
        best, choice = np.full(number.shape, _NOTHING), np.full(number.shape, many)
        least = np.full(number.shape, np.iinfo(np.int64).max)
        for decision in range(many + 1):
            may = is_open[decision] if decision < many else (number < 2) & (not level.is_decided)
            ends = level.ends[decision, rows]
            cost = np.where(ends == ABSENT, np.iinfo(np.int64).max - 1, self.finals.cost[ends])[:, None]
            better = values[decision] > best + _ROUNDING
            equal = (np.abs(values[decision] - best) <= _ROUNDING) & (cost < least)
            chosen = may & (better | equal)
            best, choice = np.where(chosen, values[decision], best), np.where(chosen, decision, choice)
            least = np.where(chosen, cost, least)
        return best, choice

    def follow(self, reach: Reals, at: int = 0) -> Reals:
        """Return the probability of each front and pair of kinds of final hands, with the decisions of the player.

        Args:
            reach: probability of each hand of a level, without its unseen cards, float64[n, fronts].
            at: number of the level.

        Returns:
            float64[fronts, own kinds, other kinds].
        """
        own, other = self.finals.net.shape
        result = np.zeros((len(self.group), own, other))
        for number in range(at, len(self.levels)):
            choice = self.values[number].choice
            later = (
                None
                if number + 1 == len(self.levels)
                else np.zeros((len(self.levels[number + 1].hands), len(self.group)))
            )
            rows = np.flatnonzero(reach.any(axis=1))
            for begin in range(0, len(rows), _AT_ONCE):
                part = rows[begin : begin + _AT_ONCE]
                self._follow_hands(number, part, reach[part], choice[part], result, later)
            if later is None:
                break
            reach = later
        return result

    def _follow_hands(
        self, at: int, rows: Ints, reach: Reals, choice: Ints, result: Reals, later: Reals | None
    ) -> None:
        level, many = self.levels[at], len(self.rules.decisions)
        chances: Reals | None = None
        for decision in range(many + 1):
            here = np.where(choice == decision, reach, 0.0)
            if not here.any() or self._is_split(level, decision):
                continue
            takes = np.zeros(here.shape, bool)
            if decision < many:
                takes = level.takes[decision, rows][:, self.group]
            ending = np.where(takes, 0.0, here)
            chosen = np.flatnonzero(ending.any(axis=1))
            if len(chosen):
                kinds = level.ends[decision, rows[chosen]]
                likely = self.find_ends(at, kinds, rows[chosen]) * ending[chosen][:, :, None]
                for kind in np.unique(kinds).tolist():
                    result[:, kind] += likely[kinds == kind].sum(axis=0)
            taking = np.where(takes, here, 0.0)
            if later is not None and taking.any():
                chances = self.draw_chances(level, rows) if chances is None else chances
                next_ = level.next_[decision, rows]
                for card in range(next_.shape[1]):
                    moved = np.flatnonzero(next_[:, card] != ABSENT)
                    np.add.at(later, next_[moved, card], taking[moved] * chances[moved][:, :, card])

    def _is_split(self, level: HandLevel, decision: int) -> bool:
        """Return whether a decision splits the hands of a level, so that it is not followed here."""
        names = self.rules.decisions
        return decision < len(names) and names[decision] in self.rules.splitting and not level.is_decided


def find_patterns(own: FollowedHands) -> tuple[Ints, list[Flags]]:
    """Return the pattern of each kind of own hand, and the patterns."""
    numbers: dict[bytes, int] = {}
    patterns: list[Flags] = []
    of_kind = []
    for plays in own.list_plays():
        if plays.tobytes() not in numbers:
            numbers[plays.tobytes()] = len(patterns)
            patterns.append(plays)
        of_kind.append(numbers[plays.tobytes()])
    return np.array(of_kind, np.int64), patterns
