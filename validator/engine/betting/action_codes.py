"""What happened at the betting, as the loop reads it: act k of all rounds side by side."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Codes, Flags, Ints, Ints8, Ints32

OTHER, MUCK, DEAD, LIVE, AS_BET, VOID, FOLD, CONCEDE, CHECK, BRING_IN, CALL, BET, RAISE, COMPLETE, STREET = range(15)
"""What an act does. OTHER changes nothing; DEAD chips do not count toward the bet, LIVE ones do, AS_BET sets it too.
VOID takes the hand from its player, and MUCK does where the player is to act or faces a bet; FOLD and CONCEDE give it
up, CHECK passes, CALL answers the bet, BET opens and RAISE goes beyond it. BRING_IN puts in what its seat must, which
is no bet of its own will; COMPLETE makes a bet a full one that was brought in, or fell short. STREET + i begins betting
round i."""

REOPENINGS = ("full-raise", "full-raise-in-all", "any-raise")
"""Which raises open the betting again; a code is a place in this list."""
FULL_RAISE, FULL_RAISE_IN_ALL, ANY_RAISE = range(3)


class Acts(Struct, frozen=True, kw_only=True):
    """The acts of H rounds, those of the longest rounds first.

    Acts stand by step: those of step k are `starts[k]:starts[k + 1]`, the j-th of them being of round j of the H, so
    that rounds still going on are always the first ones. `events` int64[A] are their places in the batch, `op`
    uint8[A], `row` int8[A] (ABSENT where no seat of the round acts), `amount` int64[A] what goes in, `floor` int64[A]
    the least bet that an AS_BET sets. `order` int64[H] is which round of the batch each of the H is; `rank` its
    inverse.
    """

    starts: Ints
    events: Ints
    op: Codes
    row: Ints8
    amount: Ints
    floor: Ints
    order: Ints
    rank: Ints

    def last_steps(self) -> Ints:
        """int64[H]: the step of the last act of betting of each round, -1 where it has none."""
        result = np.full(len(self.order), -1, np.int64)
        chosen = np.flatnonzero((self.op >= FOLD) & (self.op < STREET) & (self.op != CONCEDE))
        steps = np.searchsorted(self.starts, chosen, side="right") - 1
        result[chosen - self.starts[steps]] = steps
        return result


class Terms(Struct, frozen=True, kw_only=True):
    """What the betting of H rounds of B betting rounds starts from, in the order of `Acts`.

    `count` uint32[H] is how many seats take part, `left_out` uint32[H] those of them that were dealt no cards;
    `stacks` int64[S, H] are their chips, 0 below them, and `stacked` bool[H] tells whether all of these are known.
    `before` uint32[B, H] is the row before the one that opens each betting round. `smallest` int64[B, H] is the
    smallest bet, `half` int64[B, H] the half of a bet that counts as a whole one, 0 where none does. `reopened_by`
    uint8[H] is which raises open the betting again, by their place in `REOPENINGS`. `turns` bool[B, H] tells
    whether whose turn it is can be known.
    """

    count: Bits32
    left_out: Bits32
    stacks: Ints
    stacked: Flags
    before: Bits32
    smallest: Ints
    half: Ints
    reopened_by: Codes
    turns: Flags

    def of(self, rounds: Ints) -> Terms:
        """Those of some of the rounds, in another order; a round may come several times."""
        return Terms(**{name: getattr(self, name)[..., rounds] for name in self.__struct_fields__})


def in_steps(rounds: int, events: Ints, owner: Ints32) -> tuple[Ints, Ints, Ints, Ints]:
    """Events of rounds (`owner` int32[A], rising) laid out by step: `starts`, the places of the events in that order,
    `order` and `rank`, as `Acts` has them."""
    counts = np.bincount(owner, minlength=rounds)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(rounds, np.int64)
    rank[order] = np.arange(rounds)
    step = np.arange(len(events)) - (np.cumsum(counts) - counts)[owner]
    places = np.argsort(step * max(rounds, 1) + rank[owner], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(step, minlength=int(counts.max(initial=0))))])
    return starts, places, order, rank
