"""What players put in, cut into pots: who can win which of it, and what nobody matched.

A seat can win of each other seat what it put in itself, so stakes are cut at the amounts of the seats that contend.
Layers that the same seats can win are one pot; the pot that most can win is the main pot.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Flags, Ints, Ints8
from validator.cards.sorting import sort_down
from validator.engine.betting.contributions import Contributed

_ONE = np.uint32(1)


class Uncalled(Struct, frozen=True, kw_only=True):
    """What nobody matched: `amount` int64[H] minor units, 0 where there is nothing; `row` int8[H], its owner, -1
    where there is none."""

    amount: Ints
    row: Ints8


class Layered(Struct, frozen=True, kw_only=True):
    """The pots of H rounds, by round and number, each of more than 0 minor units.

    `hand` is int64[P], the round; `number` int64[P], 0 for the main pot, 1, 2, … for side pots; `amount` int64[P];
    `eligible` uint32[P], the rows that can win it. `count` is int64[H], how many pots a round has.
    """

    hand: Ints
    number: Ints
    amount: Ints
    eligible: Bits32
    count: Ints


def uncalled(matched: Ints) -> Uncalled:
    """By how much the largest of the amounts of each round (`int64[S, H]`, folded seats too) exceeds the next one."""
    hands = matched.shape[1]
    largest, second = np.zeros(hands, np.int64), np.zeros(hands, np.int64)
    owner = np.full(hands, -1, np.int8)
    for row, amount in enumerate(matched):
        np.maximum(second, np.minimum(largest, amount), out=second)
        owner[amount > largest] = row
        np.maximum(largest, amount, out=largest)
    amount = largest - second
    return Uncalled(amount=amount, row=np.where(amount > 0, owner, np.int8(-1)))


def members(masks: Bits32, rows: int) -> Flags:
    """`bool[rows, n]`: which bits are set in each mask."""
    return ((masks >> np.arange(rows, dtype=np.uint32)[:, None]) & _ONE).view(np.uint32) != 0


def layered(put_in: Contributed, contenders: Bits32, free: Uncalled, conceded: Bits32 | None = None) -> Layered:
    """The pots that what was put in makes up, `free` left out of them.

    `contenders` is uint32[H], the rows that neither folded nor gave up; where there are none, nobody can win the pots.
    Chips of others above all levels fall into the last layer, or into the main pot where no contender has any. Pots
    are also cut at what `conceded` put in, uint32[H], rows that gave up what was cut by then.
    """
    rows, hands = put_in.matched.shape
    stayed = contenders if conceded is None else contenders | conceded
    contend = members(stayed, rows)
    matched = put_in.matched.copy()
    owned = np.flatnonzero(free.amount)
    matched[free.row[owned], owned] -= free.amount[owned]
    cut = [_cut(put_in.capped, contend), _cut(matched, contend)]
    total = put_in.whole.sum(axis=0) + sum(layer.rest for layer in cut)
    staked = _mask((put_in.matched + put_in.capped + put_in.whole > 0) & contend)
    # Who is left without having put in anything wins what others left behind.
    anybody = np.where(staked != 0, staked, stayed)
    whole = _Cut(hand=np.arange(hands), amount=total, eligible=anybody, rest=total)
    pots = _merged([whole, *cut], hands)
    return pots if conceded is None else _left_to(pots, contenders)


def _left_to(pots: Layered, contenders: Bits32) -> Layered:
    """Pots that some have conceded since. What nobody is left to win falls to the pot before, or else to the next."""
    eligible = pots.eligible & contenders[pots.hand]
    kept = np.flatnonzero(eligible)
    if not len(kept):
        return pots
    places = np.arange(len(eligible))
    before = np.searchsorted(kept, places, side="right") - 1
    after = np.minimum(np.searchsorted(kept, places), len(kept) - 1)
    into = np.where((before >= 0) & (pots.hand[kept[before]] == pots.hand), before, after)
    own = np.flatnonzero(pots.hand[kept[into]] == pots.hand)
    amount = np.zeros(len(kept), np.int64)
    np.add.at(amount, into[own], pots.amount[own])
    hand = pots.hand[kept]
    count = np.bincount(hand, minlength=len(pots.count))
    return Layered(
        hand=hand,
        number=np.arange(len(hand)) - (np.cumsum(count) - count)[hand],
        amount=amount,
        eligible=eligible[kept],
        count=count,
    )


class _Cut(Struct, frozen=True, kw_only=True):
    """Layers: int64[n] rounds and amounts, uint32[n] rows that can win each. `rest` is int64[H], chips in no layer."""

    hand: Ints
    amount: Ints
    eligible: Bits32
    rest: Ints


def _mask(flags: Flags) -> Bits32:
    """The flags of each column (`bool[S, n]`) as a mask."""
    result = np.zeros(flags.shape[1], np.uint32)
    for row, flag in enumerate(flags):
        result |= flag.astype(np.uint32) << np.uint32(row)
    return result


def _cut(amounts: Ints, contend: Flags) -> _Cut:
    """Amounts cut at the levels of those that contend."""
    levels = np.where(contend, amounts, 0)
    sort_down(levels)
    reached = np.zeros(amounts.shape[1], np.int64)
    parts: list[tuple[Ints, Ints, Bits32]] = []
    last = np.full(amounts.shape[1], -1, np.int64)
    rest = amounts.sum(axis=0)
    made = 0
    for level in levels:
        # Contenders mostly put in the same, so that most rounds have one level only.
        here = np.flatnonzero(level > reached)
        if not len(here):
            continue
        put, up_to, from_ = amounts[:, here], level[here], reached[here]
        layer = (np.minimum(put, up_to) - np.minimum(put, from_)).sum(axis=0)
        parts.append((here, layer, _mask(contend[:, here] & (put >= up_to))))
        rest[here] -= layer
        reached[here] = up_to
        last[here] = made + np.arange(len(here))
        made += len(here)
    if not parts:
        empty = np.zeros(0, np.int64)
        return _Cut(hand=empty, amount=empty, eligible=np.zeros(0, np.uint32), rest=rest)
    hand, amount, eligible = (np.concatenate([part[at] for part in parts]) for at in range(3))
    above = np.flatnonzero((rest > 0) & (last >= 0))
    amount[last[above]] += rest[above]
    rest[above] = 0
    return _Cut(hand=hand, amount=amount, eligible=eligible.astype(np.uint32), rest=rest)


def _merged(cuts: list[_Cut], hands: int) -> Layered:
    """Layers that the same rows can win put together, those that most can win first."""
    hand = np.concatenate([cut.hand for cut in cuts])
    amount = np.concatenate([cut.amount for cut in cuts])
    eligible = np.concatenate([cut.eligible for cut in cuts])
    some = amount > 0
    hand, amount, eligible = hand[some], amount[some], eligible[some]
    # The key sorts by round, then from many rows to few.
    few = np.uint64(32) - np.bitwise_count(eligible)
    key = (hand.astype(np.uint64) << np.uint64(38)) | (few << np.uint64(32)) | eligible.astype(np.uint64)
    keys, pot = np.unique(key, return_inverse=True)
    total = np.zeros(len(keys), np.int64)
    np.add.at(total, pot, amount)
    of = (keys >> np.uint64(38)).astype(np.int64)
    count = np.bincount(of, minlength=hands)
    first = np.cumsum(count) - count
    return Layered(
        hand=of,
        number=np.arange(len(of)) - first[of],
        amount=total,
        eligible=(keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        count=count,
    )
