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
        levels: Sequence[HandLevel],
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
            plays: whether the other place receives cards after each set of its first cards, while a hand is open.
            card: the class.
            most: the most hands of the box.
        """
        self.rules, self.draws, self.levels, self.finals, self.plays = rules, draws, levels, finals, plays
        self.card, self.most = card, most
        self._hands: dict[int, SplitHand] = {}
        self._policy: Sequence[LevelValues] | None = None
        self.play_hand(1)  # decides how every hand is played
        worth = {hands: self.sum_worth(hands) for hands in {2, most}}
        self.worth = np.maximum(worth[2], worth[most])
        """Worth of a split, float64[fronts]."""
        self.is_split_again = worth[most] > worth[2]
        """True if a further card of the class is split again, bool[fronts]."""

    def play_hand(self, gone: int) -> SplitHand:
        """Return a hand with some cards of the class gone in other hands."""
        if gone not in self._hands:
            counts = np.zeros(len(self.rules.stock), np.int64)
            counts[self.card] = gone
            values = HandValues(self.rules, self.draws, self.levels, self.finals, counts, policy=self._policy)
            self._policy = self._policy or values.values
            likely = self.draws.weigh(self.plays, (counts + self.levels[0].counts[0])[None, :])[0]
            self._hands[gone] = SplitHand(values, self.card, likely)
        return self._hands[gone]

    @cached_property
    def gain(self) -> Reals:
        """Return what a player wins more by splitting a pair again, for one who sees the front, float64[fronts].

        Hands that a further split would make again are not counted.
        """
        pair = self.levels[1].hands.index((self.card, self.card))
        values = self.play_hand(1).values
        fronts = self.draws.weigh(self.plays, (values.gone + self.levels[1].counts[pair])[None, :]).sum(axis=2)[0]
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
        return sum(
            (
                weight * (shape.free * hand.worth)
                for shape in list_draw_patterns(most)
                for weight, hand in self._expand(shape.again, shape.others)
            ),
            np.zeros(len(self.draws.fronts)),
        ) + sum(
            (
                weight * (shape.others * (hand.worth - hand.pair_worth))
                for shape in list_draw_patterns(most)
                if shape.others
                for weight, hand in self._expand(shape.again, shape.others - 1)
            ),
            np.zeros(len(self.draws.fronts)),
        )

    def _expand(self, again: int, others: int) -> Iterator[tuple[Reals, SplitHand]]:
        """Yield weighted hands that add up to one hand, while cards of the class and other cards came elsewhere."""
        for more in range(others + 1):
            sign = (-1) ** more * comb(others, more)
            yield sign * self.chance_again(again + more), self.play_hand(1 + again + more)

    def list_boxes(self) -> list[SplitBox]:
        """Return the final hands of the box by its number of hands, with the better of splitting again or not."""
        boxes = []
        for most, chosen in {(2, False), (self.most, True)}:
            fronts = self.is_split_again if chosen else ~self.is_split_again
            by_number: dict[int, list[DrawPattern]] = {}
            for shape in list_draw_patterns(most):
                by_number.setdefault(shape.hands, []).append(shape)
            for hands, shapes in by_number.items() if fronts.any() else ():
                finals = np.zeros((len(self.draws.fronts), *self.finals.net.shape))
                for shape in shapes:
                    for weight, hand in self._expand(shape.again, shape.others):
                        finals += shape.free * (weight * fronts)[:, None, None] * hand.finals
                    for weight, hand in self._expand(shape.again, shape.others - 1) if shape.others else ():
                        part = hand.finals - hand.pair_finals
                        finals += shape.others * (weight * fronts)[:, None, None] * part
                boxes.append(SplitBox(hands=hands, finals=finals))
        return boxes


def sum_hands(box: SplitBox, front: int, net: Ints, cost: Ints) -> dict[tuple[int, int], float]:
    """Return the probability of each sum of balances and of stakes at risk of a box at a front.

    Hands are independent given the other hand. Their mean is exact, and only their spread depends on that.

    Args:
        box: the box.
        front: the front.
        net: balance of each pair of kinds, int64[own kinds, other kinds].
        cost: stakes at risk of each own kind, int64[own kinds].
    """
    finals = box.finals[front]
    total = finals.sum(axis=0)
    result: dict[tuple[int, int], float] = {}
    for other in np.flatnonzero(total > 0).tolist():
        of_hand: dict[tuple[int, int], float] = {}
        for own in np.flatnonzero(finals[:, other]).tolist():
            key = int(net[own, other]), int(cost[own])
            of_hand[key] = of_hand.get(key, 0.0) + float(finals[own, other] / total[other])
        sums = {(0, 0): float(total[other]) / box.hands}
        for _ in range(box.hands):
            further: dict[tuple[int, int], float] = {}
            for (balance, risked), chance in sums.items():
                for (more, also), likely in of_hand.items():
                    key = balance + more, risked + also
                    further[key] = further.get(key, 0.0) + chance * likely
            sums = further
        for key, chance in sums.items():
            result[key] = result.get(key, 0.0) + chance
    return result
