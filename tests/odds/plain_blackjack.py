"""Blackjack in plain Python, written from the text of the template, without the program: a reference for its odds.

Cards are counts of 1 (ace) to 10. The shoe is a list of how many of each are left. Probabilities are those of the next
card, one card after the other, so no formula is shared with the program. Fractions or floats follow from the shoe.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

RANKS = range(1, 11)
Shoe = tuple[int, ...]


class House(NamedTuple):
    """Choices of the house."""

    decks: int = 6
    draws_soft_17: bool = False
    surrender: bool = True


def fill_shoe(decks: int) -> Shoe:
    """Return the numbers of cards that count 1 to 10; index 0 is not used."""
    return (0, *[4 * decks] * 9, 16 * decks)


def take(shoe: Shoe, *cards: int) -> Shoe:
    left = list(shoe)
    for card in cards:
        left[card] -= 1
    return tuple(left)


def total(cards: tuple[int, ...]) -> tuple[int, bool]:
    """Return the points of a hand, and whether an ace counts 11."""
    points = sum(cards)
    soft = 1 in cards and points <= 11
    return (points + 10 if soft else points), soft


@cache
def follow_dealer(shoe: Shoe, cards: tuple[int, ...], house: House) -> dict[int, float]:
    """Return the probability of each final total of the dealer, 22 for bust."""
    points, soft = total(cards)
    if points > 21:
        return {22: 1.0}
    if points > 17 or (points == 17 and not (soft and house.draws_soft_17)):
        return {points: 1.0}
    result: dict[int, float] = {}
    left = sum(shoe)
    for card in RANKS:
        if shoe[card]:
            for final, chance in follow_dealer(take(shoe, card), tuple(sorted((*cards, card))), house).items():
                result[final] = result.get(final, 0.0) + chance * shoe[card] / left
    return result


class Hand:
    """A player's hand against an up card; the dealer has no blackjack."""

    def __init__(self, house: House, up: int) -> None:
        self.house, self.up = house, up
        self.blackjack = {1: 10, 10: 1}.get(up, 0)
        self._memory: dict[tuple[Shoe, tuple[int, ...], bool], float] = {}

    def list_holes(self, shoe: Shoe) -> list[tuple[int, float]]:
        """Return the hole cards that leave no blackjack, with their probabilities given that."""
        left = sum(shoe) - (shoe[self.blackjack] if self.blackjack else 0)
        return [(card, shoe[card] / left) for card in RANKS if shoe[card] and card != self.blackjack]

    def draw(self, shoe: Shoe) -> list[tuple[int, float]]:
        """Return the next cards with their probabilities, given that the dealer has no blackjack."""
        chances = dict.fromkeys(RANKS, 0.0)
        for hole, chance in self.list_holes(shoe):
            rest = take(shoe, hole)
            for card in RANKS:
                chances[card] += chance * rest[card] / sum(rest)
        return [(card, chance) for card, chance in chances.items() if chance]

    def stand(self, shoe: Shoe, cards: tuple[int, ...]) -> float:
        own, result = total(cards)[0], 0.0
        if own > 21:
            return -1.0
        for hole, chance in self.list_holes(shoe):
            finals = follow_dealer(take(shoe, hole), tuple(sorted((self.up, hole))), self.house)
            for final, likely in finals.items():
                result += chance * likely * (1 if final == 22 or final < own else -1 if final > own else 0)
        return result

    def hit(self, shoe: Shoe, cards: tuple[int, ...]) -> float:
        return sum(
            chance * self.play(take(shoe, card), tuple(sorted((*cards, card))), may_double=False)
            for card, chance in self.draw(shoe)
        )

    def double(self, shoe: Shoe, cards: tuple[int, ...]) -> float:
        return 2 * sum(chance * self.stand(take(shoe, card), (*cards, card)) for card, chance in self.draw(shoe))

    def play(self, shoe: Shoe, cards: tuple[int, ...], *, may_double: bool) -> float:
        """Return the worth of a hand with the best decisions but surrender and split."""
        points = total(cards)[0]
        if points > 21:
            return -1.0
        if points == 21:
            return self.stand(shoe, cards)
        key = shoe, cards, may_double
        if key not in self._memory:
            worth = [self.stand(shoe, cards), self.hit(shoe, cards)]
            worth += [self.double(shoe, cards)] if may_double else []
            self._memory[key] = max(worth)
        return self._memory[key]

    def begin(self, shoe: Shoe, cards: tuple[int, int]) -> float:
        """Return the worth of the first two cards without a split."""
        if sorted(cards) == [1, 10]:
            return 1.5
        return max(self.play(shoe, tuple(sorted(cards)), may_double=True), -0.5 if self.house.surrender else -1.0)


def list_deals(shoe: Shoe) -> list[tuple[int, int, int, float]]:
    """Return the first two cards and the up card, with their probabilities; the first two ascending."""
    deals = []
    for first in RANKS:
        for second in range(first, 11):
            for up in RANKS:
                chance, left = 1.0, shoe
                for card in (first, second, up):
                    chance *= left[card] / sum(left)
                    left = take(left, card)
                if chance > 0:
                    deals.append((first, second, up, chance * (1 if first == second else 2)))
    return deals


def value_without_splits(house: House) -> float:
    """Return what a player wins with the best decisions but splits."""
    shoe, result = fill_shoe(house.decks), 0.0
    hands = {up: Hand(house, up) for up in RANKS}
    for first, second, up, chance in list_deals(shoe):
        hand, left = hands[up], take(shoe, first, second, up)
        lost = left[hand.blackjack] / sum(left) if hand.blackjack else 0.0
        against_blackjack = 0.0 if sorted((first, second)) == [1, 10] else -1.0
        result += chance * (lost * against_blackjack + (1 - lost) * hand.begin(left, (first, second)))
    return result
