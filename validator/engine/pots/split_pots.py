"""Division of pots in columns: who wins each pot, and what each row is due of it.

Most pots have one winner, or winners that are unknown. `plain_split` divides the others one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Flags, Ints, Ints32, find_true, make_offsets
from fairdeal.validator.engine.pots import plain_split
from fairdeal.validator.engine.pots.side_pots import LayeredPots, expand_masks


class Contest(Struct, frozen=True, kw_only=True):
    """Contest for a share of the pots."""

    strength: Ints32
    """Strength of each hand, int32[S, H]; -1 if unknown."""
    lowest_winning: int
    """Lowest strength that can win."""


class Showdown(Struct, frozen=True, kw_only=True):
    """Contests of one board, and who wins the pots by them."""

    contests: Sequence[Contest]
    """Contest for each share of a pot."""
    wins: Flags
    """True if a row wins a pot, or may win it, bool[S, P]."""
    is_known: Flags
    """True if the winners of a pot are known, bool[P]."""
    is_shared: Flags
    """True if the known winners share a pot, or win several shares of it, bool[P]."""

    @classmethod
    def compare(cls, pots: LayeredPots, contests: Sequence[Contest]) -> Showdown:
        """Compare the hands that can win each pot. A pot that only one row can win needs no comparison."""
        eligible = expand_masks(pots.eligible, len(contests[0].strength))
        wins, is_known = eligible & ~pots.is_contested, ~pots.is_contested
        count, at = np.zeros(len(is_known), np.int64), find_true(pots.is_contested)
        among, hand, unknown = eligible[:, at], pots.round[at], np.zeros(len(at), bool)
        for contest in contests:
            strength = contest.strength[:, hand]
            is_hidden = among & (strength < 0)
            best = np.where(among, strength, -1).max(axis=0)
            won = is_hidden | (among & (strength == best) & (best >= max(contest.lowest_winning, 0)))
            wins[:, at] |= won
            unknown |= is_hidden.any(axis=0)
            count[at] += won.sum(axis=0)
        is_known[at] = ~unknown
        return cls(contests=contests, wins=wins, is_known=is_known, is_shared=is_known & (count > 1))


class NetPots(Struct, frozen=True, kw_only=True):
    """Pots after the rake, [P]; fields as in `plain_split.RakedPot`."""

    least: Ints
    most: Ints
    by_rule: Ints
    is_rake_known: Flags

    def list_amounts(self, chosen: Ints) -> list[plain_split.RakedPot]:
        """Return the amounts of some pots."""
        columns = (self.least, self.most, self.by_rule, self.is_rake_known)
        return [
            plain_split.RakedPot(*amount)
            for amount in zip(*(column[chosen].tolist() for column in columns), strict=True)
        ]


class ChipUnit(Struct, frozen=True, kw_only=True):
    """Smallest chip in the division of pots; fields as in `plain_split.Chip`."""

    unit: int | None
    largest: Ints
    """Largest possible chip of each round, int64[H]."""
    left_over: Literal["each", "all", "any"] = "each"

    def list_chips(self, rounds: Ints) -> list[plain_split.Chip]:
        """Return the chip of some rounds."""
        return [plain_split.Chip(largest, self.unit, self.left_over) for largest in self.largest[rounds].tolist()]


class PotDue(Struct, frozen=True, kw_only=True):
    """Amount that each row is due, in minor units: of each pot, int64[S, P], or of all pots of a round, int64[S, H].

    Fields as in `plain_split.SeatShare`.
    """

    least: Ints
    most: Ints
    by_rule: Ints
    equal_split: Ints

    def list_shares(self, at: tuple[Ints, Ints]) -> list[plain_split.SeatShare]:
        """Return the amounts of some rows, in some pots or rounds each."""
        columns = (self.least, self.most, self.by_rule, self.equal_split)
        return [
            plain_split.SeatShare(*share) for share in zip(*(column[at].tolist() for column in columns), strict=True)
        ]


def share_each_pot(pots: LayeredPots, net: NetPots, showdown: Showdown, chips: ChipUnit) -> PotDue:
    """Divide each pot among its rows."""
    least, is_ruled = net.least, showdown.is_known & net.is_rake_known
    if chips.left_over == "any":
        # Of a contested pot only whole chips are certain.
        whole = np.where(pots.is_contested, chips.largest[pots.round], 1)
        least = least // whole * whole
    least = np.where(showdown.wins & showdown.is_known, least, 0)
    most = np.where(showdown.wins, net.most, 0)
    by_rule = np.where(showdown.wins, np.where(is_ruled, net.by_rule, plain_split.NO_AMOUNT), 0)
    equal_split = by_rule.copy()
    shared = find_true(showdown.is_shared)
    amounts, of_rounds = net.list_amounts(shared), chips.list_chips(pots.round[shared])
    hands = _list_compared_hands(pots, showdown, shared)
    shares = [
        (row, pot, *share)
        for pot, amount, contests, chip in zip(shared.tolist(), amounts, hands, of_rounds, strict=True)
        for row, share in plain_split.divide_pot(amount, contests, chip).items()
    ]
    if shares:
        row, pot, *columns = np.array(shares, np.int64).T
        for column, values in zip((least, most, by_rule, equal_split), columns, strict=True):
            column[row, pot] = values
    return PotDue(least=least, most=most, by_rule=by_rule, equal_split=equal_split)


def _list_compared_hands(pots: LayeredPots, showdown: Showdown, chosen: Ints) -> list[list[plain_split.ComparedHands]]:
    """Return the hands that are compared for each share of some pots."""
    eligible = pots.eligible[chosen].tolist()
    strengths = [contest.strength[:, pots.round[chosen]].T.tolist() for contest in showdown.contests]
    return [
        [
            plain_split.ComparedHands(
                {row: strength for row, strength in enumerate(rows[at]) if able >> row & 1}, contest.lowest_winning
            )
            for contest, rows in zip(showdown.contests, strengths, strict=True)
        ]
        for at, able in enumerate(eligible)
    ]


def sum_dues(pots: LayeredPots, parts: Sequence[PotDue]) -> PotDue:
    """Add what each row is due of the pots of a round, on all boards; a sum with an unknown part is unknown.

    Args:
        parts: amounts of each pot, on each board.
    """
    columns = np.array([(part.least, part.most, part.by_rule, part.equal_split) for part in parts])
    total = np.zeros((*columns.shape[1:3], len(pots.count)), np.int64)
    played = find_true(pots.count)
    if len(played):
        first = make_offsets(pots.count)[played]
        is_unknown = np.minimum.reduceat(columns, first, axis=-1).min(axis=0) < 0
        amount = np.add.reduceat(np.maximum(columns, 0), first, axis=-1).sum(axis=0)
        total[..., played] = np.where(is_unknown, plain_split.NO_AMOUNT, amount)
    return PotDue(least=total[0], most=total[1], by_rule=total[2], equal_split=total[3])


def take_board_parts(net: NetPots, chips: ChipUnit, boards: Ints, number: int, hand: Ints) -> NetPots:
    """Return the part of each pot that one of several boards wins.

    Args:
        boards: int64[P], number of boards of the round of each pot; a board beyond it wins nothing.
        number: the board, counted from 0.
        hand: int64[P], the round of each pot.
    """
    there = boards > number
    least, most, by_rule = (np.where(there, column, 0) for column in (net.least, net.most, net.by_rule))
    is_rake_known = net.is_rake_known | ~there
    several = find_true(there & (boards > 1))
    amounts, of_rounds = net.list_amounts(several), chips.list_chips(hand[several])
    for pot, amount, chip in zip(several.tolist(), amounts, of_rounds, strict=True):
        part = plain_split.take_board_part(amount, chip, int(boards[pot]), number)
        least[pot], most[pot], by_rule[pot], is_rake_known[pot] = part
    return NetPots(least=least, most=most, by_rule=by_rule, is_rake_known=is_rake_known)
