"""Side pots: contributions cut into pots, the rows that can win each, and uncalled bets.

A seat can win from each other seat only what it put in itself, so contributions are cut at the amounts of the
contending seats. Layers that the same seats can win form one pot. The pot that most seats can win is the main pot.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Flags, Ints, Ints8
from validator.cards.sorting import sort_in_place
from validator.engine.betting.contributions import Contributions

_ONE = np.uint32(1)


class UncalledBets(Struct, frozen=True, kw_only=True):
    """Uncalled bets."""

    amount: Ints
    """Amount in minor units, int64[H]; 0 if there is none."""
    row: Ints8
    """Row of the owner, int8[H]; -1 if there is none."""


class LayeredPots(Struct, frozen=True, kw_only=True):
    """Pots of H rounds, by round and number, each of more than 0 minor units."""

    round: Ints
    """Round of each pot, int64[P]."""
    number: Ints
    """Number of each pot, int64[P]: 0 for the main pot, 1, 2, … for side pots."""
    amount: Ints
    """Amount of each pot, int64[P]."""
    eligible: Bits32
    """Rows that can win each pot, as masks, uint32[P]."""
    count: Ints
    """Number of pots of each round, int64[H]."""


def find_uncalled_bets(matched: Ints) -> UncalledBets:
    """Find the uncalled bets: by how much the largest amount of each round exceeds the next one.

    Args:
        matched: int64[S, H], the amounts, folded seats included.
    """
    hands = matched.shape[1]
    largest, second = np.zeros(hands, np.int64), np.zeros(hands, np.int64)
    owner = np.full(hands, -1, np.int8)
    for row, amount in enumerate(matched):
        np.maximum(second, np.minimum(largest, amount), out=second)
        owner[amount > largest] = row
        np.maximum(largest, amount, out=largest)
    amount = largest - second
    return UncalledBets(amount=amount, row=np.where(amount > 0, owner, np.int8(-1)))


def expand_masks(masks: Bits32, rows: int) -> Flags:
    """Return which bits are set in each mask.

    Returns:
        bool[rows, n].
    """
    return ((masks >> np.arange(rows, dtype=np.uint32)[:, None]) & _ONE).view(np.uint32) != 0


def cut_into_pots(
    put_in: Contributions, contenders: Bits32, free: UncalledBets, conceded: Bits32 | None = None
) -> LayeredPots:
    """Cut contributions into pots, uncalled bets left out.

    Chips of others above all levels belong to the last layer, or to the main pot if no contender has any.

    Args:
        contenders: uint32[H], rows that neither folded nor gave up; without any, nobody can win the pots.
        conceded: uint32[H], rows that gave up the pots cut so far; pots are also cut at their contributions.
    """
    rows, hands = put_in.matched.shape
    stayed = contenders if conceded is None else contenders | conceded
    contend = expand_masks(stayed, rows)
    matched = put_in.matched.copy()
    owned = np.flatnonzero(free.amount)
    matched[free.row[owned], owned] -= free.amount[owned]
    cut = [_cut_at_levels(put_in.capped, contend), _cut_at_levels(matched, contend)]
    total = put_in.whole.sum(axis=0) + sum(layer.rest for layer in cut)
    staked = _pack_mask((put_in.matched + put_in.capped + put_in.whole > 0) & contend)
    # A seat that put in nothing wins what others abandoned.
    anybody = np.where(staked != 0, staked, stayed)
    whole = _Layers(hand=np.arange(hands), amount=total, eligible=anybody, rest=total)
    pots = _merge_layers([whole, *cut], hands)
    return pots if conceded is None else _reassign_conceded(pots, contenders)


def _reassign_conceded(pots: LayeredPots, contenders: Bits32) -> LayeredPots:
    """Reassign pots that some rows conceded. A pot without a winner joins the pot before it, or else the next one."""
    eligible = pots.eligible & contenders[pots.round]
    kept = np.flatnonzero(eligible)
    if not len(kept):
        return pots
    places = np.arange(len(eligible))
    before = np.searchsorted(kept, places, side="right") - 1
    after = np.minimum(np.searchsorted(kept, places), len(kept) - 1)
    into = np.where((before >= 0) & (pots.round[kept[before]] == pots.round), before, after)
    own = np.flatnonzero(pots.round[kept[into]] == pots.round)
    amount = np.zeros(len(kept), np.int64)
    np.add.at(amount, into[own], pots.amount[own])
    hand = pots.round[kept]
    count = np.bincount(hand, minlength=len(pots.count))
    return LayeredPots(
        round=hand,
        number=np.arange(len(hand)) - (np.cumsum(count) - count)[hand],
        amount=amount,
        eligible=eligible[kept],
        count=count,
    )


class _Layers(Struct, frozen=True, kw_only=True):
    """Layers of contributions."""

    hand: Ints
    """Round of each layer, int64[n]."""
    amount: Ints
    """Amount of each layer, int64[n]."""
    eligible: Bits32
    """Rows that can win each layer, uint32[n]."""
    rest: Ints
    """Chips in no layer, int64[H]."""


def _pack_mask(flags: Flags) -> Bits32:
    """Return the flags of each column, as masks."""
    result = np.zeros(flags.shape[1], np.uint32)
    for row, flag in enumerate(flags):
        result |= flag.astype(np.uint32) << np.uint32(row)
    return result


def _cut_at_levels(amounts: Ints, contend: Flags) -> _Layers:
    """Cut amounts at the levels of the contending rows."""
    levels = np.where(contend, amounts, 0)
    sort_in_place(levels)
    reached = np.zeros(amounts.shape[1], np.int64)
    parts: list[tuple[Ints, Ints, Bits32]] = []
    last = np.full(amounts.shape[1], -1, np.int64)
    rest = amounts.sum(axis=0)
    made = 0
    for level in levels:
        # Contenders mostly put in equal amounts, so most rounds have one level only.
        here = np.flatnonzero(level > reached)
        if not len(here):
            continue
        put, up_to, from_ = amounts[:, here], level[here], reached[here]
        layer = (np.minimum(put, up_to) - np.minimum(put, from_)).sum(axis=0)
        parts.append((here, layer, _pack_mask(contend[:, here] & (put >= up_to))))
        rest[here] -= layer
        reached[here] = up_to
        last[here] = made + np.arange(len(here))
        made += len(here)
    if not parts:
        empty = np.zeros(0, np.int64)
        return _Layers(hand=empty, amount=empty, eligible=np.zeros(0, np.uint32), rest=rest)
    hand, amount, eligible = (np.concatenate([part[at] for part in parts]) for at in range(3))
    above = np.flatnonzero((rest > 0) & (last >= 0))
    amount[last[above]] += rest[above]
    rest[above] = 0
    return _Layers(hand=hand, amount=amount, eligible=eligible.astype(np.uint32), rest=rest)


def _merge_layers(cuts: list[_Layers], hands: int) -> LayeredPots:
    """Merge the layers that the same rows can win, and sort them by the number of these rows, descending."""
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
    return LayeredPots(
        round=of,
        number=np.arange(len(of)) - first[of],
        amount=total,
        eligible=(keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
        count=count,
    )
