"""Independent referee: it builds pots and hands them out one chip at a time, with sets and lists, without levels.

It shares no code with the columns under test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

Pot = tuple[int, frozenset[int]]


@dataclass(frozen=True, kw_only=True)
class Hand:
    """Chips each seat put in, clockwise from the button, by how they join the pots; the contenders and their
    strength.
    """

    matched: tuple[int, ...]
    capped: tuple[int, ...]
    whole: tuple[int, ...]
    contend: frozenset[int]
    ranks: tuple[tuple[int, ...], ...]
    """Strengths of the seats, a tuple for each hand that wins a share."""

    @property
    def seats(self) -> int:
        return len(self.matched)


def random_hand(rng: Random, *, shares: int = 1) -> Hand:
    """Draw contributions as betting produces them, and some that it never would."""
    seats = rng.randint(2, 9)
    most = rng.choice([3, 20, 60])
    stacks = [rng.randint(1, most) for _ in range(seats)]
    level = rng.randint(1, most)
    matched = [min(stack, rng.choice([level, level, level, rng.randint(0, level)])) for stack in stacks]
    ante = rng.choice([0, 0, 3])
    contend = {seat for seat in range(seats) if rng.random() < 0.6} or {rng.randrange(seats)}
    return Hand(
        matched=tuple(matched),
        capped=tuple(rng.choice([ante, ante, rng.randint(0, ante)]) for _ in range(seats)),
        whole=tuple(rng.choice([0, 0, 0, 2]) for _ in range(seats)),
        contend=frozenset(contend),
        ranks=tuple(tuple(rng.randint(1, 4) for _ in range(seats)) for _ in range(shares)),
    )


def take_uncalled(hand: Hand) -> tuple[int, int]:
    """Return the uncalled amount and its seat: chips come off the highest pile while no other is as high."""
    piles, back, owner = list(hand.matched), 0, -1
    while True:
        highest = max(piles)
        tallest = [seat for seat, pile in enumerate(piles) if pile == highest]
        if highest == 0 or len(tallest) > 1:
            return back, owner
        piles[tallest[0]] -= 1
        back, owner = back + 1, tallest[0]


def pots(hand: Hand) -> list[Pot]:
    """Return the pots, main pot first. A chip belongs to the contenders whose piles are at least as deep."""
    back, owner = take_uncalled(hand)
    piles = [pile - (back if seat == owner else 0) for seat, pile in enumerate(hand.matched)]
    everybody = frozenset(
        seat for seat in hand.contend if hand.matched[seat] + hand.capped[seat] + hand.whole[seat] > 0
    )
    everybody = everybody or hand.contend
    heap: dict[frozenset[int], int] = {everybody: sum(hand.whole)}
    for line in (list(hand.capped), piles):
        deepest = everybody
        for depth in range(1, max(line) + 1):
            able = frozenset(seat for seat in hand.contend if line[seat] >= depth)
            deepest = able or deepest
            for pile in line:
                if pile >= depth:
                    heap[deepest] = heap.get(deepest, 0) + 1
    found = [(chips, able) for able, chips in heap.items() if chips]
    return sorted(found, key=lambda pot: (-len(pot[1]), sum(1 << seat for seat in pot[1])))


def hand_out(amount: int, receivers: Sequence[int], unit: int) -> dict[int, int]:
    """Hand out an amount chip by chip, one to each receiver in turn; the first takes what is less than a chip."""
    got = dict.fromkeys(receivers, 0)
    turn = 0
    while amount >= unit:
        got[receivers[turn % len(receivers)]] += unit
        amount, turn = amount - unit, turn + 1
    got[receivers[0]] += amount
    return got


def award_pots(hand: Hand, unit: int, lowest: Sequence[int] | None = None) -> list[int]:
    """Return the winnings of each seat. Each pot is split by winning hand, each part among the best holders."""
    lowest = lowest or [0] * len(hand.ranks)
    won = [0] * hand.seats
    for amount, able in pots(hand):
        winners: list[list[int]] = []
        for ranks, floor in zip(hand.ranks, lowest, strict=True):
            fit = [seat for seat in sorted(able) if ranks[seat] >= floor]
            if len(able) == 1:
                fit = sorted(able)
            if fit:
                best = max(ranks[seat] for seat in fit)
                winners.append([seat for seat in fit if ranks[seat] == best])
        parts = hand_out(amount, range(len(winners)), unit)
        for part, seats in zip(parts.values(), winners, strict=True):
            for seat, chips in hand_out(part, seats, unit).items():
                won[seat] += chips
    return won
