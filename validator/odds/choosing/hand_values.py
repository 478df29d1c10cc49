"""Worth of a player's hands, from the last card back to the first, and worth of splitting a hand.

Each hand of the box is played by its own cards and the cards that its player saw before the split. The cards that
come later are exchangeable, so every hand with the same cards gone has the same worth, whichever is played first. Draws
of the split class open further hands; a draw of another class is the complement of such a draw. So the worth is a sum
over the numbers of further cards of the class that are gone. It is exact for players who use no other hand's cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import comb

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Reals
from fairdeal.validator.odds.choosing.own_hands import FollowedHands, HandLevel, RuleDraws
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


class DrawPattern(Struct, frozen=True, kw_only=True):
    """Way in which the second cards of all hands of a box come."""

    again: int
    """Number of cards of the class that were split again."""
    others: int
    """Number of hands whose second card is of another class."""
    free: int
    """Number of hands whose second card may be any."""

    @property
    def hands(self) -> int:
        """Return the number of hands."""
        return self.others + self.free


def list_draw_patterns(most: int) -> Iterator[DrawPattern]:
    """Yield the ways in which the hands of a box receive second cards, one for each order."""
    waiting = [(2, 2, 0, 0)]
    while waiting:
        hands, pending, again, others = waiting.pop()
        if hands == most or not pending:
            yield DrawPattern(again=again, others=others, free=pending)
            continue
        waiting.append((hands + 1, pending + 1, again + 1, others))
        waiting.append((hands, pending - 1, again, others + 1))


class SplitLevels(Struct, frozen=True, kw_only=True, eq=False):
    """Hands that follow a split of two cards of one class."""

    decision: str
    """Decision that splits."""
    first: Sequence[HandLevel]
    """Hands that follow from the first card."""
    split_off: Sequence[HandLevel]
    """Hands that follow from a card that was split off; the same object if no rule distinguishes them."""

    @property
    def by_role(self) -> tuple[Sequence[HandLevel], ...]:
        """Return the hands of each role, once if no rule distinguishes them."""
        return (self.first,) if self.first is self.split_off else (self.first, self.split_off)


class SplitHand:
    """Hand of a box, with some cards of the split class gone in other hands."""

    def __init__(self, values: HandValues, card: int, likely: Reals) -> None:
        """Find the worth of the hand.

        Args:
            values: worth of the hands that follow from one card.
            card: the class.
            likely: probability of each front and kind of the other hand, float64[fronts, other kinds].
        """
        self.values, self._likely = values, likely
        self._pair, self._fronts = values.levels[1].hands.index((card, card)), len(values.group)
        self._chance = values.draw_chances(values.levels[0], np.zeros(1, np.int64))[0, :, card]
        self.worth: Reals = values.values[0].worth[0]
        """Worth of the hand, float64[fronts]."""
        self.pair_worth: Reals = self._chance * values.values[1].worth[self._pair]
        """Worth of the hand if its second card is of the class, times the probability of that card, float64[fronts]."""

    @cached_property
    def finals(self) -> Reals:
        """Return the probability of each pair of kinds of final hands, float64[fronts, own kinds, other kinds]."""
        return self._spread(self.values.follow(np.ones((1, self._fronts))))

    @cached_property
    def pair_finals(self) -> Reals:
        """Return the same with a second card of the class."""
        reach = np.zeros((len(self.values.levels[1].hands), self._fronts))
        reach[self._pair] = self._chance
        return self._spread(self.values.follow(reach, 1))

    def _spread(self, finals: Reals) -> Reals:
        """Return the pairs of kinds if the other place plays on for another hand of the box.

        A hand that ends its play has one balance, so it does not matter which kind of the other hand it meets.
        """
        over = self.values.finals.is_over
        share = self._likely / np.maximum(self._likely.sum(axis=1, keepdims=True), 1e-300)
        finals[:, over] = finals[:, over].sum(axis=2)[:, :, None] * share[:, None, :]
        return finals


class SplitBox(Struct, frozen=True, kw_only=True, eq=False):
    """Final hands of a box with some number of hands, by front."""

    hands: int
    finals: Reals
    """Sum over the hands of the probability of each pair of kinds, float64[fronts, own kinds, other kinds]."""


class SplitValues:
    """Worth of a split of two cards of one class."""

    def __init__(
        self,
        rules: TakingRules,
        draws: RuleDraws,
        levels: SplitLevels,
        finals: FinalWorths,
        plays: Flags,
        card: int,
        most: int,
    ) -> None:
        """Compute the worth.

        Args:
            rules: the rules.
            draws: the final hands of the other place.
            levels: the hands that follow from one card of the class.
            finals: the settlement.
            plays: stages by rule in which the other place receives cards, while a hand is open, bool[starts, stages].
            card: the class.
            most: the most hands of the box.
        """
        self.rules, self.draws, self.levels, self.finals, self.plays = rules, draws, levels, finals, plays
        self.card, self.most = card, most
        self._hands: dict[tuple[int, int], SplitHand] = {}
        self._policies: dict[int, Sequence[LevelValues]] = {}
        for levels_of_role in levels.by_role:
            self._play(levels_of_role, 1)  # decides how every hand is played
        worth = {hands: self.sum_worth(hands) for hands in {2, most}}
        self.worth = np.maximum(worth[2], worth[most])
        """Worth of a split, float64[fronts]."""
        self.is_split_again = worth[most] > worth[2]
        """True if a further card of the class is split again, bool[fronts]."""

    def play_hand(self, gone: int, *, is_first: bool = False) -> SplitHand:
        """Return a hand with some cards of the class gone in other hands."""
        return self._play(self.levels.first if is_first else self.levels.split_off, gone)

    def _play(self, levels: Sequence[HandLevel], gone: int) -> SplitHand:
        key = id(levels), gone
        if key not in self._hands:
            counts = np.zeros(len(self.rules.stock), np.int64)
            counts[self.card] = gone
            policy = self._policies.get(id(levels))
            values = HandValues(self.rules, self.draws, levels, self.finals, counts, policy=policy)
            self._policies.setdefault(id(levels), values.values)
            likely = self.draws.weigh(self.plays, (counts + levels[0].counts[0])[None, :])[0]
            self._hands[key] = SplitHand(values, self.card, likely)
        return self._hands[key]

    @cached_property
    def gain(self) -> Reals:
        """Return what a player wins more by splitting a pair again, for one who sees the front, float64[fronts].

        Hands that a further split would make again are not counted.
        """
        level, values = self.levels.split_off[1], self.play_hand(1).values
        pair = level.hands.index((self.card, self.card))
        fronts = self.draws.weigh(self.plays, (values.gone + level.counts[pair])[None, :]).sum(axis=2)[0]
        more: Reals = 2 * self.play_hand(2).worth - values.values[1].worth[pair]
        return more / np.maximum(fronts, _LEAST_CHANCE)

    def chance_again(self, number: int) -> Reals:
        """Return the probability that the next cards are all of the class, float64[fronts]."""
        left = self.rules.stock - self.draws.seen_counts
        result = np.ones(len(left))
        for drawn in range(number):
            gone = 2 + drawn
            result = result * np.maximum(left[:, self.card] - gone, 0) / np.maximum(left.sum(axis=1) - gone, 1)
        return result

    def sum_worth(self, most: int) -> Reals:
        """Return the worth of a box with a limit on its hands, float64[fronts]."""
        total = np.zeros(len(self.draws.fronts))
        for part in self._list_parts(most):
            worth = part.hand.worth - part.hand.pair_worth if part.is_other else part.hand.worth
            total = total + part.weight * worth
        return total

    def _list_parts(self, most: int) -> Iterator[_BoxPart]:
        """Yield weighted hands that add up to a box. The first hand is completed before all others."""
        for shape in list_draw_patterns(most):
            firsts = (0, 1) if shape.others else (1, 0)
            for number, first, is_other in ((shape.free, firsts[0], False), (shape.others, firsts[1], True)):
                for is_first, times in ((True, first), (False, number - first)):
                    expanded = self._expand(shape.again, shape.others - is_other, is_first) if times else ()
                    for weight, hand in expanded:
                        yield _BoxPart(hands=shape.hands, weight=times * weight, hand=hand, is_other=is_other)

    def _expand(self, again: int, others: int, is_first: bool) -> Iterator[tuple[Reals, SplitHand]]:
        """Yield weighted hands that add up to one hand, while cards of the class and other cards came elsewhere."""
        for more in range(others + 1):
            sign = (-1) ** more * comb(others, more)
            yield sign * self.chance_again(again + more), self.play_hand(1 + again + more, is_first=is_first)

    def list_boxes(self) -> list[SplitBox]:
        """Return the final hands of the box by its number of hands, with the better of splitting again or not."""
        boxes = []
        for most, chosen in {(2, False), (self.most, True)}:
            fronts = self.is_split_again if chosen else ~self.is_split_again
            by_number: dict[int, Reals] = {}
            for part in self._list_parts(most) if fronts.any() else ():
                finals = part.hand.finals - part.hand.pair_finals if part.is_other else part.hand.finals
                sums = by_number.setdefault(part.hands, np.zeros((len(self.draws.fronts), *self.finals.net.shape)))
                sums += (part.weight * fronts)[:, None, None] * finals
            boxes += [SplitBox(hands=hands, finals=finals) for hands, finals in by_number.items()]
        return boxes


class _BoxPart(Struct, frozen=True, kw_only=True, eq=False):
    """Weighted hand of a box."""

    hands: int
    """Number of hands of the box."""
    weight: Reals
    """Weight by front, float64[fronts]."""
    hand: SplitHand
    is_other: bool
    """True if the second card of the hand is of another class."""


def sum_hands(finals: Reals, hands: int, net: Ints, cost: Ints) -> dict[tuple[int, int], float]:
    """Return the probability of each sum of balances and of stakes at risk of a box at a front.

    Hands are independent given the other hand. Their mean is exact, and only their spread depends on that.

    Args:
        finals: sum over the hands of the probability of each pair of kinds, float64[own kinds, other kinds].
        hands: number of hands of the box.
        net: balance of each pair of kinds, int64[own kinds, other kinds].
        cost: stakes at risk of each own kind, int64[own kinds].
    """
    total = finals.sum(axis=0)
    result: dict[tuple[int, int], float] = {}
    for other in np.flatnonzero(total > 0).tolist():
        of_hand: dict[tuple[int, int], float] = {}
        for own in np.flatnonzero(finals[:, other]).tolist():
            key = int(net[own, other]), int(cost[own])
            of_hand[key] = of_hand.get(key, 0.0) + float(finals[own, other] / total[other])
        sums = {(0, 0): float(total[other]) / hands}
        for _ in range(hands):
            further: dict[tuple[int, int], float] = {}
            for (balance, risked), chance in sums.items():
                for (more, also), likely in of_hand.items():
                    key = balance + more, risked + also
                    further[key] = further.get(key, 0.0) + chance * likely
            sums = further
        for key, chance in sums.items():
            result[key] = result.get(key, 0.0) + chance
    return result
