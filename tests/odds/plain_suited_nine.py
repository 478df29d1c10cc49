"""Suited Nine in plain Python, written from its rules without the program: a reference for odds in which suits count.

Cards count 1 to 4. The shoe has two cards of each count and suit. Players decide without regard to suits.
"""

from __future__ import annotations

from functools import cache
from itertools import product

Shoe = tuple[int, ...]
COPIES, SUITS = 2, 4
RED = {1, 2}
SPADES = 3
FULL: Shoe = (0, *[COPIES * SUITS] * 4)


def take(shoe: Shoe, *cards: int) -> Shoe:
    left = list(shoe)
    for card in cards:
        left[card] -= 1
    return tuple(left)


def draw(shoe: Shoe) -> list[tuple[int, float]]:
    return [(card, shoe[card] / sum(shoe)) for card in range(1, 5) if shoe[card]]


@cache
def follow_dealer(shoe: Shoe, cards: tuple[int, ...]) -> dict[int, float]:
    """Return the probability of each final total of the dealer, with 10 for bust."""
    if sum(cards) > 5 and len(cards) > 1:
        return {min(sum(cards), 10): 1.0}
    result: dict[int, float] = {}
    for card, chance in draw(shoe):
        for final, likely in follow_dealer(take(shoe, card), (*cards, card)).items():
            result[final] = result.get(final, 0.0) + chance * likely
    return result


@cache
def pay_nine(cards: tuple[int, ...]) -> tuple[float, float]:
    """Return what three cards with nine points are paid by their suits, and the chance that their suits pay nothing."""
    total = paid = plain = 0.0
    for suits in product(range(SUITS), repeat=len(cards)):
        weight, used = 1, dict[tuple[int, int], int]()
        for card in zip(cards, suits, strict=True):
            weight *= max(COPIES - used.get(card, 0), 0)
            used[card] = used.get(card, 0) + 1
        total += weight
        if {*suits} == {SPADES}:
            paid += 5 * weight
        elif {*suits} <= RED or not {*suits} & RED:
            paid += 2 * weight
        else:
            plain += weight
    return paid / total, plain / total


class Player:
    """Player against an up card, in one role of a box."""

    def __init__(self, up: int, eight: float) -> None:
        """Remember the up card, and what a hand wins against eight points in two cards of the dealer."""
        self.up, self.eight = up, eight

    def stand(self, shoe: Shoe, cards: tuple[int, ...]) -> float:
        own = sum(cards)
        if own > 9:
            return -1.0
        paid, plain = pay_nine(tuple(sorted(cards))) if own == 9 and len(cards) == 3 else (0.0, 1.0)
        return paid + plain * self._compare(shoe, own)

    def _compare(self, shoe: Shoe, own: int) -> float:
        result = 0.0
        for hole, chance in draw(shoe):
            if self.up + hole == 8:
                result += chance * self.eight
                continue
            finals = follow_dealer(take(shoe, hole), (self.up, hole))
            wins = sum(likely for final, likely in finals.items() if final == 10 or final < own)
            loses = sum(likely for final, likely in finals.items() if own < final < 10)
            result += chance * (wins - loses)
        return result

    def play(self, shoe: Shoe, cards: tuple[int, ...]) -> float:
        """Return the worth of a hand with the best decisions but a split."""
        if sum(cards) > 8:
            return self.stand(shoe, cards)
        hit = sum(chance * self.play(take(shoe, card), (*cards, card)) for card, chance in draw(shoe))
        return max(self.stand(shoe, cards), hit)

    def give_up(self, shoe: Shoe) -> float:
        return sum(chance * (-1.0 if self.up + hole == 8 else -0.5) for hole, chance in draw(shoe))


def value_split(up: int, card: int) -> float:
    """Return the worth of both hands of a split."""
    shoe, total = take(FULL, up, card, card), 0.0
    for role in (Player(up, -1.0), Player(up, 0.0)):
        total += sum(chance * role.play(take(shoe, second), (card, second)) for second, chance in draw(shoe))
    return total


def value_game() -> float:
    """Return what a player wins with the best decisions."""
    total = 0.0
    for up, first_chance in draw(FULL):
        for first, chance in draw(take(FULL, up)):
            for second, likely in draw(take(FULL, up, first)):
                shoe, player = take(FULL, up, first, second), Player(up, -1.0)
                worths = [player.play(shoe, (first, second)), player.give_up(shoe)]
                worths += [value_split(up, first)] if first == second else []
                total += first_chance * chance * likely * max(worths)
    return total
