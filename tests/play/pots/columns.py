"""Hands of the referee as columns, and the results of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.validator.engine.betting.betting_replay import Contributions
from fairdeal.validator.engine.pots.side_pots import LayeredPots, UncalledBets, cut_into_pots, find_uncalled_bets
from fairdeal.validator.engine.pots.split_pots import (
    ChipUnit,
    Contest,
    NetPots,
    PotDue,
    Showdown,
    share_each_pot,
    sum_dues,
)
from tests.play.pots.referee import Hand

ANY = 10**9
"""A chip that is larger than any pot of these tests."""


def build_contributions(hands: Sequence[Hand]) -> Contributions:
    rows = max(hand.seats for hand in hands)

    def column(values: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        found = np.zeros((rows, len(hands)), np.int64)
        for at, value in enumerate(values):
            found[: len(value), at] = value
        return found

    seats = np.full((rows, len(hands)), -1, np.int32)
    first = 0
    for at, hand in enumerate(hands):
        seats[: hand.seats, at] = range(first, first + hand.seats)
        first += hand.seats
    return Contributions(
        seats=seats,
        matched=column([hand.matched for hand in hands]),
        capped=column([hand.capped for hand in hands]),
        whole=column([hand.whole for hand in hands]),
        dealt_in=np.array([(1 << hand.seats) - 1 for hand in hands], np.uint32),
        remaining=np.array([sum(1 << seat for seat in hand.contend) for hand in hands], np.uint32),
        conceded=np.zeros(len(hands), np.uint32),
        is_known=np.ones(len(hands), bool),
        last_bettor=np.full(len(hands), -1, np.int8),
    )


def cut(hands: Sequence[Hand]) -> tuple[UncalledBets, LayeredPots]:
    put = build_contributions(hands)
    free = find_uncalled_bets(put.matched)
    return free, cut_into_pots(put, put.remaining, free)


def pots_of(made: LayeredPots, hand: int) -> list[tuple[int, frozenset[int]]]:
    chosen = np.flatnonzero(made.round == hand)
    assert made.number[chosen].tolist() == list(range(made.count[hand]))
    return [
        (int(made.amount[pot]), frozenset(row for row in range(32) if made.eligible[pot] >> row & 1)) for pot in chosen
    ]


def contests(hands: Sequence[Hand], lowest: Sequence[int] | None = None) -> list[Contest]:
    rows = max(hand.seats for hand in hands)
    found = []
    for at in range(len(hands[0].ranks)):
        strength = np.full((rows, len(hands)), -1, np.int32)
        for column, hand in enumerate(hands):
            strength[: hand.seats, column] = hand.ranks[at]
        found.append(Contest(strength=strength, lowest_winning=0 if lowest is None else lowest[at]))
    return found


def net(made: LayeredPots, rake: Any = 0) -> NetPots:
    left = made.amount - rake
    return NetPots(least=left, most=left, by_rule=left, is_rake_known=np.ones(len(left), bool))


def share_by_columns(
    hands: Sequence[Hand], unit: int | None, *, lowest: Sequence[int] | None = None, most: int = ANY
) -> PotDue:
    _, made = cut(hands)
    chips = ChipUnit(unit=unit, largest=np.full(len(hands), most, np.int64))
    showdown = Showdown.compare(made, contests(hands, lowest))
    return sum_dues(made, [share_each_pot(made, net(made), showdown, chips)])
