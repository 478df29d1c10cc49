"""Division of pots: what each seat is due, given the known hands, rake and smallest chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Flags, Ints, Ints32
from fairdeal.validator.engine.pots.side_pots import LayeredPots, expand_masks


class Contest(Struct, frozen=True, kw_only=True):
    """Contest for a share of the pots."""

    strength: Ints32
    """Strength of each hand, int32[S, H]; -1 if unknown."""
    lowest_winning: int
    """Lowest strength that can win."""


class NetPots(Struct, frozen=True, kw_only=True):
    """Pots after the rake, int64[P]."""

    least: Ints
    """Least possible amount."""
    most: Ints
    """Largest possible amount."""
    by_rule: Ints
    """Amount if the rake is taken by the rule of the game."""
    is_rake_known: Flags
    """True if the rake is known, bool[P]."""


class ChipUnit(Struct, frozen=True, kw_only=True):
    """Smallest chip in the division of pots."""

    unit: int | None
    """Minor units; None if the chip, or the seat that gets odd chips, is unknown."""
    largest: Ints
    """Largest possible chip, a multiple of the chip, int64[H]."""
    left_over: Literal["each", "all", "any"] = "each"
    """Odd chips: equal hands get one chip `each`, one of them may get `all`, or `any` of them may get the remainder.

    With `any`, they share in chips of exactly the largest possible size.
    """


class PotDue(Struct, frozen=True, kw_only=True):
    """Amount of all pots that each seat is due, int64[S, H] in minor units."""

    least: Ints
    """Least amount due."""
    most: Ints
    """Largest amount due."""
    by_rule: Ints
    """Amount by the game's rule for odd chips; -1 if unknown or there is no rule."""
    equal_split: Ints
    """Amount of an exactly equal split; -1 if unknown or impossible."""


def share_pots(pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit) -> PotDue:
    """Divide the pots among the seats.

    Every contest that somebody can win gets an equal part of a pot, the first one also the remainder. Equal hands share
    evenly.
    """
    rows, hands = contests[0].strength.shape
    zero = np.zeros((rows, hands), np.int64)
    sums = [zero, zero.copy(), zero.copy(), zero.copy()]
    open_ = [np.zeros((rows, hands), bool), np.zeros((rows, hands), bool)]
    for number in range(int(pots.count.max(initial=0))):
        chosen = np.flatnonzero(pots.number == number)
        hand = pots.round[chosen]
        due = share_one_pot(pots, net, contests, chips, chosen)
        for total, part in zip(sums, (due.least, due.most, due.by_rule, due.equal_split), strict=True):
            total[:, hand] += np.maximum(part, 0)
        open_[0][:, hand] |= due.by_rule < 0
        open_[1][:, hand] |= due.equal_split < 0
    return PotDue(
        least=sums[0],
        most=sums[1],
        by_rule=np.where(open_[0], -1, sums[2]),
        equal_split=np.where(open_[1], -1, sums[3]),
    )


def find_most_due_of_each(pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit) -> Ints:
    """Return the most that each row is due of each pot.

    Returns:
        int64[S, P].
    """
    result = np.zeros((len(contests[0].strength), len(pots.amount)), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        chosen = np.flatnonzero(pots.number == number)
        result[:, chosen] = share_one_pot(pots, net, contests, chips, chosen).most
    return result


def take_board_part(net: NetPots, chips: ChipUnit, boards: Ints, number: int, hand: Ints) -> NetPots:
    """Return the part of each pot that one of several boards wins.

    Args:
        boards: int64[P], number of boards of the round of each pot; a board beyond it wins nothing.
        number: the board, counted from 0.
        hand: int64[P], the round of each pot.
    """
    several, there = boards > 1, boards > number
    if chips.unit is None:
        chip = chips.largest[hand]
        ruled, recorded = net.by_rule // boards, net.is_rake_known & (net.by_rule % (boards * chip) == 0)
        # An indivisible remainder may all go to one board.
        low = net.least // boards // chip * chip
        high = net.most - (boards - 1) * low
    else:
        ruled, recorded = _take_part(net.by_rule, boards, np.full(len(boards), number), chips.unit), net.is_rake_known
        low = net.least // boards // chips.unit * chips.unit
        high = np.minimum(net.most, -(-net.most // boards) + chips.unit)
    low, high = np.where(recorded, ruled, low), np.where(recorded, ruled, high)
    return NetPots(
        least=np.where(there, np.where(several, low, net.least), 0),
        most=np.where(there, np.where(several, high, net.most), 0),
        by_rule=np.where(there, np.where(several, ruled, net.by_rule), 0),
        is_rake_known=np.where(several & there, recorded, net.is_rake_known | ~there),
    )


def add_dues(parts: Sequence[PotDue]) -> PotDue:
    """Add what each seat is due from several boards."""
    if len(parts) == 1:
        return parts[0]
    ruled, equal = np.array([part.by_rule for part in parts]), np.array([part.equal_split for part in parts])
    return PotDue(
        least=np.sum([part.least for part in parts], axis=0),
        most=np.sum([part.most for part in parts], axis=0),
        by_rule=np.where((ruled < 0).any(axis=0), -1, ruled.sum(axis=0)),
        equal_split=np.where((equal < 0).any(axis=0), -1, equal.sum(axis=0)),
    )


def share_one_pot(
    pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit, chosen: Ints
) -> PotDue:
    """Divide one pot of each round among its rows, [S, n]."""
    rows = len(contests[0].strength)
    eligible = expand_masks(pots.eligible[chosen], rows)
    contested = eligible.sum(axis=0) > 1
    least, most = net.least[chosen], net.most[chosen]
    ruled = np.where(net.is_rake_known[chosen], net.by_rule[chosen], -1)
    due = PotDue(
        least=np.where(eligible, least, 0),
        most=np.where(eligible, most, 0),
        by_rule=np.where(eligible, ruled, 0),
        equal_split=np.where(eligible, ruled, 0),
    )
    at = np.flatnonzero(contested)
    if len(at):
        of = pots.round[chosen[at]]
        among = [_find_winners(contest, eligible[:, at], of) for contest in contests]
        shared = _share_contested(among, least[at], most[at], ruled[at], chips, of)
        for whole, part in zip(_list_columns(due), _list_columns(shared), strict=True):
            whole[:, at] = part
    return due


def _list_columns(due: PotDue) -> tuple[Ints, Ints, Ints, Ints]:
    return due.least, due.most, due.by_rule, due.equal_split


class _Winners(Struct, frozen=True, kw_only=True):
    """Winners of a contest for each pot."""

    rows: Flags
    """Rows that win, or may win if unknown, bool[S, n]."""
    known: Flags
    """True if the winners are known, bool[n]."""


def _find_winners(contest: Contest, eligible: Flags, hand: Ints) -> _Winners:
    strength = contest.strength[:, hand]
    unknown = eligible & (strength < 0)
    best = np.where(eligible, strength, -1).max(axis=0)
    top = eligible & (strength == best) & (best >= max(contest.lowest_winning, 0))
    return _Winners(rows=top | unknown, known=np.logical_not(unknown.any(axis=0)))


def _share_contested(
    among: Sequence[_Winners], least: Ints, most: Ints, ruled: Ints, chips: ChipUnit, hand: Ints
) -> PotDue:
    """Divide contested pots among the winners of each contest."""
    known = np.logical_and.reduce([winners.known for winners in among])
    possible = np.logical_or.reduce([winners.rows for winners in among])
    parts = sum(winners.rows.any(axis=0).astype(np.int64) for winners in among)
    parts = np.maximum(parts, 1)
    result = PotDue(
        least=np.zeros(possible.shape, np.int64),
        most=np.zeros(possible.shape, np.int64),
        by_rule=np.zeros(possible.shape, np.int64),
        equal_split=np.zeros(possible.shape, np.int64),
    )
    before = np.zeros(len(least), np.int64)
    odd, even = np.zeros(len(least), bool), np.zeros(len(least), bool)
    for winners in among:
        share = _share_evenly(winners.rows, before, parts, (least, most, ruled), chips, hand)
        for total, part in zip(_list_columns(result), _list_columns(share), strict=True):
            np.add(total, np.maximum(part, 0), out=total)
        odd |= (share.by_rule < 0).any(axis=0)
        even |= (share.equal_split < 0).any(axis=0)
        before += winners.rows.any(axis=0)
    return PotDue(
        least=np.where(known, result.least, 0),
        # A seat that wins several parts of a pot wins at most the pot.
        most=np.where(known, np.minimum(result.most, most), np.where(possible, most, 0)),
        by_rule=np.where(possible & (odd | ~known), -1, np.where(known, result.by_rule, 0)),
        equal_split=np.where(possible & (even | ~known), -1, np.where(known, result.equal_split, 0)),
    )


def _share_evenly(
    winners: Flags, before: Ints, parts: Ints, net: tuple[Ints, Ints, Ints], chips: ChipUnit, hand: Ints
) -> PotDue:
    """Divide one of several equal parts of each pot among its winners."""
    least, most, ruled = net
    heads = np.maximum(winners.sum(axis=0), 1)
    order = np.cumsum(winners, axis=0) - 1
    divided = (parts > 1) | (heads > 1)
    # Two even shares differ by the smallest chip, and by amounts below one chip.
    apart = np.where(divided, chips.largest[hand] if chips.unit is None else 2 * chips.unit - 1, 0)
    if chips.unit is None and chips.left_over == "each":
        # An amount that divides evenly by the largest possible chip leaves no odd chip.
        even = (least == most) & (least % (parts * heads * chips.largest[hand]) == 0)
        apart = np.where(even, 0, apart)
    if chips.left_over == "all":
        apart *= np.maximum(heads - 1, 1)
    loose = np.where(parts > 1, apart, 0)
    low = -(-(least // parts - loose - apart * (heads - 1)) // heads)
    high = (-(-most // parts) + loose + apart * (heads - 1)) // heads
    equal = np.where((ruled >= 0) & (ruled % (parts * heads) == 0), ruled // (parts * heads), -1)
    if chips.left_over == "any":
        exact, chip = equal, chips.largest[hand]
        low = least // (parts * heads) // chip * chip
        even = most // (parts * heads) // chip * chip
        high = most - even * (parts * heads - 1)
    elif chips.unit is None:
        exact = equal
    else:
        part = _take_part(ruled, parts, before, chips.unit)
        exact = np.where(ruled >= 0, _take_part(part, heads, order, chips.unit), -1)
        settled = (least == most) & (ruled >= 0)
        either = np.where(equal >= 0, equal, exact)
        low = np.where(settled, np.minimum(exact, either), low)
        high = np.where(settled, np.maximum(exact, either), high)
    return PotDue(
        least=np.where(winners, np.maximum(low, 0), 0),
        most=np.where(winners, np.minimum(high, most), 0),
        by_rule=np.where(winners, exact, 0),
        equal_split=np.where(winners, np.where(equal >= 0, equal, exact), 0),
    )


def _take_part(amount: Ints, parts: Ints, order: Ints, unit: int) -> Ints:
    """Return the part of an amount for each position in the order.

    Parts are whole chips. Odd chips go one each to the first positions, and an amount below one chip to the first.
    """
    even = amount // parts // unit * unit
    over = amount - even * parts
    return even + unit * (order < over // unit) + np.where(order == 0, over % unit, 0)
