"""Pots shared out: what each seat is due of them, as far as hands, rake and the smallest chip are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Ints32
from validator.engine.pots.side_pots import Layered, members


class Contest(Struct, frozen=True, kw_only=True):
    """What a share of the pots goes by: `strength` int32[S, H] of each hand, -1 where it is not known, and the
    lowest strength that can win."""

    strength: Ints32
    lowest: int


class Net(Struct, frozen=True, kw_only=True):
    """What is left of each pot once the house has raked it, int64[P]: the least and the most that may be, and what is
    if the rake is taken as the game has it; `told` is bool[P], whether it is known how much was raked."""

    least: Ints
    most: Ints
    ruled: Ints
    told: Flags


class Chips(Struct, frozen=True, kw_only=True):
    """What pots are not divided below: `unit` minor units, None where that, or who gets what is left over, is not
    known; `most` is int64[H], what the chip can be at most, and a multiple of it. `left_over` tells whether equal hands
    get a chip `each` of what is left over, or one of them may get `all` of it; or whether they share in chips of
    exactly `most`, and `any` of them may get what is left over."""

    unit: int | None
    most: Ints
    left_over: Literal["each", "all", "any"] = "each"


class Due(Struct, frozen=True, kw_only=True):
    """What each seat is due of all pots, int64[S, H] minor units.

    It lies between `least` and `most`. `ruled` is what the game's rule for odd chips comes to, `equal` an exactly
    equal split; both are -1 where the evidence does not tell, or there is none.
    """

    least: Ints
    most: Ints
    ruled: Ints
    equal: Ints


def share_out(pots: Layered, net: Net, contests: Sequence[Contest], chips: Chips) -> Due:
    """What each seat is due. Every contest that somebody can win gets the same of a pot, the first one what is left
    over; equal hands share evenly."""
    rows, hands = contests[0].strength.shape
    zero = np.zeros((rows, hands), np.int64)
    sums = [zero, zero.copy(), zero.copy(), zero.copy()]
    open_ = [np.zeros((rows, hands), bool), np.zeros((rows, hands), bool)]
    for number in range(int(pots.count.max(initial=0))):
        chosen = np.flatnonzero(pots.number == number)
        hand = pots.hand[chosen]
        due = one_pot(pots, net, contests, chips, chosen)
        for total, part in zip(sums, (due.least, due.most, due.ruled, due.equal), strict=True):
            total[:, hand] += np.maximum(part, 0)
        open_[0][:, hand] |= due.ruled < 0
        open_[1][:, hand] |= due.equal < 0
    return Due(
        least=sums[0],
        most=sums[1],
        ruled=np.where(open_[0], -1, sums[2]),
        equal=np.where(open_[1], -1, sums[3]),
    )


def due_of_each(pots: Layered, net: Net, contests: Sequence[Contest], chips: Chips) -> Ints:
    """Return the most that each row is due of each pot, int64[S, P]."""
    result = np.zeros((len(contests[0].strength), len(pots.amount)), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        chosen = np.flatnonzero(pots.number == number)
        result[:, chosen] = one_pot(pots, net, contests, chips, chosen).most
    return result


def of_one_board(net: Net, chips: Chips, boards: Ints, number: int, hand: Ints) -> Net:
    """Return the part of each pot that one of several boards wins.

    Args:
        boards: how many boards the round of each pot has, int64[P]; a board that it does not have wins nothing.
        number: the board, counted from 0.
        hand: the round of each pot, int64[P].
    """
    several, there = boards > 1, boards > number
    if chips.unit is None:
        chip = chips.most[hand]
        ruled, recorded = net.ruled // boards, net.told & (net.ruled % (boards * chip) == 0)
        # What cannot be divided may all go to one board.
        low = net.least // boards // chip * chip
        high = net.most - (boards - 1) * low
    else:
        ruled, recorded = _part(net.ruled, boards, np.full(len(boards), number), chips.unit), net.told
        low = net.least // boards // chips.unit * chips.unit
        high = np.minimum(net.most, -(-net.most // boards) + chips.unit)
    low, high = np.where(recorded, ruled, low), np.where(recorded, ruled, high)
    return Net(
        least=np.where(there, np.where(several, low, net.least), 0),
        most=np.where(there, np.where(several, high, net.most), 0),
        ruled=np.where(there, np.where(several, ruled, net.ruled), 0),
        told=np.where(several & there, recorded, net.told | ~there),
    )


def added_up(parts: Sequence[Due]) -> Due:
    """Return what each seat is due of several boards together."""
    if len(parts) == 1:
        return parts[0]
    ruled, equal = np.array([part.ruled for part in parts]), np.array([part.equal for part in parts])
    return Due(
        least=np.sum([part.least for part in parts], axis=0),
        most=np.sum([part.most for part in parts], axis=0),
        ruled=np.where((ruled < 0).any(axis=0), -1, ruled.sum(axis=0)),
        equal=np.where((equal < 0).any(axis=0), -1, equal.sum(axis=0)),
    )


def one_pot(pots: Layered, net: Net, contests: Sequence[Contest], chips: Chips, chosen: Ints) -> Due:
    """What each row is due of one pot of each round, [S, n]."""
    rows = len(contests[0].strength)
    eligible = members(pots.eligible[chosen], rows)
    contested = eligible.sum(axis=0) > 1
    least, most = net.least[chosen], net.most[chosen]
    ruled = np.where(net.told[chosen], net.ruled[chosen], -1)
    due = Due(
        least=np.where(eligible, least, 0),
        most=np.where(eligible, most, 0),
        ruled=np.where(eligible, ruled, 0),
        equal=np.where(eligible, ruled, 0),
    )
    at = np.flatnonzero(contested)
    if len(at):
        of = pots.hand[chosen[at]]
        among = [_won(contest, eligible[:, at], of) for contest in contests]
        shared = _shared(among, least[at], most[at], ruled[at], chips, of)
        for whole, part in zip(_columns(due), _columns(shared), strict=True):
            whole[:, at] = part
    return due


def _columns(due: Due) -> tuple[Ints, Ints, Ints, Ints]:
    return due.least, due.most, due.ruled, due.equal


class _Won(Struct, frozen=True, kw_only=True):
    """Who wins a contest for each pot: bool[S, n] of those who do, or who may where it is not `known`, bool[n]."""

    rows: Flags
    known: Flags


def _won(contest: Contest, eligible: Flags, hand: Ints) -> _Won:
    strength = contest.strength[:, hand]
    unknown = eligible & (strength < 0)
    best = np.where(eligible, strength, -1).max(axis=0)
    top = eligible & (strength == best) & (best >= max(contest.lowest, 0))
    return _Won(rows=top | unknown, known=np.logical_not(unknown.any(axis=0)))


def _shared(among: Sequence[_Won], least: Ints, most: Ints, ruled: Ints, chips: Chips, hand: Ints) -> Due:
    """Contested pots divided among the winners of each contest."""
    known = np.logical_and.reduce([winners.known for winners in among])
    possible = np.logical_or.reduce([winners.rows for winners in among])
    parts = sum(winners.rows.any(axis=0).astype(np.int64) for winners in among)
    parts = np.maximum(parts, 1)
    result = Due(
        least=np.zeros(possible.shape, np.int64),
        most=np.zeros(possible.shape, np.int64),
        ruled=np.zeros(possible.shape, np.int64),
        equal=np.zeros(possible.shape, np.int64),
    )
    before = np.zeros(len(least), np.int64)
    odd, even = np.zeros(len(least), bool), np.zeros(len(least), bool)
    for winners in among:
        share = _evenly(winners.rows, before, parts, (least, most, ruled), chips, hand)
        for total, part in zip(_columns(result), _columns(share), strict=True):
            np.add(total, np.maximum(part, 0), out=total)
        odd |= (share.ruled < 0).any(axis=0)
        even |= (share.equal < 0).any(axis=0)
        before += winners.rows.any(axis=0)
    return Due(
        least=np.where(known, result.least, 0),
        # Who wins several parts of a pot wins no more than the pot.
        most=np.where(known, np.minimum(result.most, most), np.where(possible, most, 0)),
        ruled=np.where(possible & (odd | ~known), -1, np.where(known, result.ruled, 0)),
        equal=np.where(possible & (even | ~known), -1, np.where(known, result.equal, 0)),
    )


def _evenly(winners: Flags, before: Ints, parts: Ints, net: tuple[Ints, Ints, Ints], chips: Chips, hand: Ints) -> Due:
    """One of `parts` even parts of what is left of each pot, shared by its winners."""
    least, most, ruled = net
    heads = np.maximum(winners.sum(axis=0), 1)
    order = np.cumsum(winners, axis=0) - 1
    divided = (parts > 1) | (heads > 1)
    # Two even shares differ by the smallest chip, and by what is less than one.
    apart = np.where(divided, chips.most[hand] if chips.unit is None else 2 * chips.unit - 1, 0)
    if chips.unit is None and chips.left_over == "each":
        # What is a multiple of even the largest chip for each of the seats leaves no odd chip, whatever the chip is.
        even = (least == most) & (least % (parts * heads * chips.most[hand]) == 0)
        apart = np.where(even, 0, apart)
    if chips.left_over == "all":
        apart *= np.maximum(heads - 1, 1)
    loose = np.where(parts > 1, apart, 0)
    low = -(-(least // parts - loose - apart * (heads - 1)) // heads)
    high = (-(-most // parts) + loose + apart * (heads - 1)) // heads
    equal = np.where((ruled >= 0) & (ruled % (parts * heads) == 0), ruled // (parts * heads), -1)
    if chips.left_over == "any":
        exact, chip = equal, chips.most[hand]
        low = least // (parts * heads) // chip * chip
        even = most // (parts * heads) // chip * chip
        high = most - even * (parts * heads - 1)
    elif chips.unit is None:
        exact = equal
    else:
        part = _part(ruled, parts, before, chips.unit)
        exact = np.where(ruled >= 0, _part(part, heads, order, chips.unit), -1)
        settled = (least == most) & (ruled >= 0)
        either = np.where(equal >= 0, equal, exact)
        low = np.where(settled, np.minimum(exact, either), low)
        high = np.where(settled, np.maximum(exact, either), high)
    return Due(
        least=np.where(winners, np.maximum(low, 0), 0),
        most=np.where(winners, np.minimum(high, most), 0),
        ruled=np.where(winners, exact, 0),
        equal=np.where(winners, np.where(equal >= 0, equal, exact), 0),
    )


def _part(amount: Ints, parts: Ints, order: Ints, unit: int) -> Ints:
    """The part of an amount that falls to each by its place in the order: whole chips, those left over one each from
    the first on; what is less than a chip to the first."""
    even = amount // parts // unit * unit
    over = amount - even * parts
    return even + unit * (order < over // unit) + np.where(order == 0, over % unit, 0)
