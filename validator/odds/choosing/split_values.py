"""Worth of splitting a hand of two cards of one class, as often as the rules permit.

Each hand of the box is played by its own cards and the cards that its player saw before the split. The cards that
come later are exchangeable, so every hand with the same cards gone has the same worth, whichever is played first. Draws
of the split class open further hands; a draw of another class is the complement of such a draw. So the worth is a sum
over the numbers of further cards of the class that are gone. It is exact for players who use no other hand's cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Flags, Ints, Reals
from fairdeal.validator.odds.choosing.hand_values import FinalWorths, HandValues, LevelValues
from fairdeal.validator.odds.choosing.own_hands import HandLevel
from fairdeal.validator.odds.choosing.rule_draws import RuleDraws
from fairdeal.validator.odds.choosing.taking_rules import TakingRules

_LEAST_CHANCE = 1e-300


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
