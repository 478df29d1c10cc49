"""Betting actions as the replay reads them: the k-th action of all rounds side by side."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Bits32, Codes, Flags, Ints, Ints8, Ints32

OTHER, MUCK, DEAD, LIVE, AS_BET, VOID, FOLD, CONCEDE, CHECK, BRING_IN, CALL, BET, RAISE, COMPLETE, STREET = range(15)
"""Effects of actions.

OTHER changes nothing. DEAD chips do not count toward the bet; LIVE chips do; AS_BET chips also set the bet. VOID takes
the hand from its player, and so does MUCK if the player must act or faces a bet. FOLD and CONCEDE give the hand up,
CHECK passes, CALL answers the bet, BET opens, and RAISE exceeds the bet. BRING_IN is a mandatory bet of its seat.
COMPLETE raises a bring-in or short bet to a full bet. STREET + i begins betting round i.
"""

REOPENINGS = ("full-raise", "full-raise-in-all", "any-raise")
"""Raises that reopen the betting; a code is an index of this list."""
FULL_RAISE, FULL_RAISE_IN_ALL, ANY_RAISE = range(3)


class BettingActions(Struct, frozen=True, kw_only=True):
    """Actions of H rounds, arranged by step, rounds with the most actions first.

    The actions of step k are `step_starts[k]:step_starts[k + 1]`. The j-th of them belongs to round j of the H, so
    unfinished rounds are always the first ones.
    """

    step_starts: Ints
    """Index of the first action of each step, and the number of all actions."""
    events: Ints
    """Event of each action, int64[A]."""
    op: Codes
    """Effect of each action, uint8[A]."""
    row: Ints8
    """Row of the seat of each action, int8[A]; ABSENT if no seat of the round acts."""
    amount: Ints
    """Chips that go in, int64[A]."""
    minimum_bet: Ints
    """Least bet that an AS_BET sets, int64[A]."""
    round_order: Ints
    """Round of the batch of each of the H rounds, int64[H]."""
    round_rank: Ints
    """Inverse of `round_order`, int64[H]."""

    def find_last_steps(self) -> Ints:
        """Return the step of the last betting action of each round; -1 if there is none.

        Returns:
            int64[H].
        """
        result = np.full(len(self.round_order), -1, np.int64)
        chosen = np.flatnonzero((self.op >= FOLD) & (self.op < STREET) & (self.op != CONCEDE))
        steps = np.searchsorted(self.step_starts, chosen, side="right") - 1
        result[chosen - self.step_starts[steps]] = steps
        return result


class BettingTerms(Struct, frozen=True, kw_only=True):
    """Terms on which the betting of H rounds starts, in the order of `BettingActions`. B is the number of betting
    rounds.
    """

    seat_count: Bits32
    """Number of playing seats, uint32[H]."""
    without_cards: Bits32
    """Playing seats without cards, as masks, uint32[H]."""
    stacks: Ints
    """Chips of each row, int64[S, H]; 0 below the last seat."""
    are_stacks_known: Flags
    """True if all stacks of the round are known, bool[H]."""
    row_before_opener: Bits32
    """Row before the row that opens each betting round, uint32[B, H]."""
    smallest_bet: Ints
    """Smallest bet, int64[B, H]."""
    half_bet: Ints
    """Half of a bet that counts as a whole bet, int64[B, H]; 0 if none does."""
    reopened_by: Codes
    """Raises that reopen the betting, as an index of `REOPENINGS`, uint8[H]."""
    is_turn_known: Flags
    """True if it can be known whose turn it is, bool[B, H]."""

    def select(self, rounds: Ints) -> BettingTerms:
        """Return the terms of some of the rounds, in the given order; a round may occur several times."""
        return BettingTerms(**{name: getattr(self, name)[..., rounds] for name in self.__struct_fields__})


def arrange_by_step(rounds: int, events: Ints, owner: Ints32) -> tuple[Ints, Ints, Ints, Ints]:
    """Arrange events of rounds by step.

    Args:
        owner: int32[A], the round of each event, ascending.

    Returns:
        `step_starts`, the indices of the events in step order, `round_order` and `round_rank`, as in `BettingActions`.
    """
    counts = np.bincount(owner, minlength=rounds)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(rounds, np.int64)
    rank[order] = np.arange(rounds)
    step = np.arange(len(events)) - (np.cumsum(counts) - counts)[owner]
    places = np.argsort(step * max(rounds, 1) + rank[owner], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(step, minlength=int(counts.max(initial=0))))])
    return starts, places, order, rank
