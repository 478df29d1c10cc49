"""Betting actions as the replay reads them, snapshots before every action, and pending bets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8, Ints16, Ints32, find_true
from fairdeal.validator.engine.facts.seat_layout import count_seats, has_several_seats

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
        chosen = find_true((self.op >= FOLD) & (self.op < STREET) & (self.op != CONCEDE))
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
    index = np.arange(len(events))
    step = index - (np.cumsum(counts) - counts)[owner]
    starts = np.concatenate([[0], np.cumsum(np.bincount(step, minlength=int(counts.max(initial=0))))])
    # The rounds of a step are the first ones, so their ranks are their places in it.
    places = np.empty(len(events), np.int64)
    places[starts[step] + rank[owner]] = index
    return starts, places, order, rank


class BettingSnapshots(Struct, frozen=True, kw_only=True):
    """Betting state just before each action, followed by one entry for the end of each round.

    All arrays are parallel, in the order of `BettingActions`.
    """

    seat_to_act: Ints8
    """Row of the seat that must act next; ABSENT if the betting round is complete."""
    only_skipped_left: Flags
    """True if all seats still to act were skipped and owe no chips."""
    is_late_action: Flags
    """True if the seat of the action was skipped and may still act."""
    current_bet: Ints
    """Bet to be met."""
    committed: Ints
    """Chips that the seat of the action has put in during the betting round."""
    stack_left: Ints
    """Chips that the seat of the action has left."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    pot: Ints
    """Chips put in by all seats."""
    players_in: Bits32
    """Seats that have neither folded nor conceded, as masks."""
    voluntary_count: Ints8
    """Number of seats that have put chips in voluntarily."""
    still_in: Flags
    """True if the seat of the action is still in."""
    may_raise: Flags
    """True if the betting is open to a raise by the seat of the action."""
    has_acted: Flags
    """True if the seat of the action has acted in the betting round."""
    has_checked: Flags
    """True if the seat of the action has checked in the betting round."""
    is_option_owed: Flags
    """True if a forced bettor must still act in the first betting round."""
    is_option_moot: Flags
    """True if the seat of the action posted a forced bet and need not act: nobody raised, and nobody else has chips."""
    can_bet_continue: Flags
    """True if at least two players still have chips."""
    street: Ints8
    """Index of the betting round."""
    raise_count: Ints16
    """Number of raises in the betting round."""
    out_of_order: Flags
    """True if the action put chips in when none was permitted, or called ahead of the turn an amount that became the
    bet.
    """
    is_turn_uncertain: Flags
    """True if a bet came from a seat whose turn is unknown, so that it may have been no bet."""


class SeatSets(NamedTuple):
    """Sets of seats that snapshots are derived from, as masks; each is a row of one array."""

    players_in: Bits32
    """Seats that have neither folded nor conceded."""
    with_chips: Bits32
    """Seats that have chips left."""
    has_acted: Bits32
    """Seats that have acted in the betting round."""
    must_respond: Bits32
    """Seats that must respond to the bet."""
    has_checked: Bits32
    """Seats that have checked in the betting round."""
    has_posted: Bits32
    """Seats that have posted a forced bet."""
    bet_voluntarily: Bits32
    """Seats that have put chips in voluntarily."""
    to_act: Bits32
    """Seats that are still to act."""
    skipped: Bits32
    """Seats that were skipped in the betting round."""
    may_raise: Bits32
    """Seats to which the betting is open for a raise."""
    acted_after_folding: Bits32
    """Seats that acted after folding."""


class SnapshotLog(Struct, frozen=True, kw_only=True):
    """State before each action as the replay stores it, from which snapshots are derived for all actions at once."""

    seat_sets: Bits32
    """`SeatSets`, uint32[sets, n]."""
    numbers: Ints
    """Bet to be met, size of the last raise and the pot, int64[3, n]."""
    committed: Ints
    """Chips that the seat of the action has put in during the betting round."""
    stack_left: Ints
    """Chips that the seat of the action has left."""
    seat_to_act: Ints8
    """Row of the seat that must act next; ABSENT if the betting round is complete."""
    last_bettor: Ints8
    """Row of the last bet or raise in the betting round; ABSENT if there is none."""
    street: Ints8
    """Index of the betting round."""
    raise_count: Ints16
    """Number of raises in the betting round."""
    is_late_action: Flags
    """True if the seat of the action was skipped and may still act."""
    is_raise_by_sum: Flags
    """True if several raises that add up open the betting to a raise by the seat of the action."""
    out_of_order: Flags
    """True for chips without permission, as in `BettingSnapshots`."""
    is_turn_uncertain: Flags
    """True after a bet from a seat whose turn is unknown, as in `BettingSnapshots`."""

    @classmethod
    def allocate(cls, length: int) -> SnapshotLog:
        """Allocate the columns, to be filled in."""
        late, by_sum, out_of_order, is_turn_uncertain = np.zeros((4, length), bool)
        committed, stack_left = np.zeros((2, length), np.int64)
        return cls(
            seat_sets=np.zeros((len(SeatSets._fields), length), np.uint32),
            numbers=np.zeros((3, length), np.int64),
            committed=committed,
            stack_left=stack_left,
            seat_to_act=np.full(length, ABSENT, np.int8),
            last_bettor=np.full(length, ABSENT, np.int8),
            street=np.zeros(length, np.int8),
            raise_count=np.zeros(length, np.int16),
            is_late_action=late,
            is_raise_by_sum=by_sum,
            out_of_order=out_of_order,
            is_turn_uncertain=is_turn_uncertain,
        )

    def derive_snapshots(self, bit: Bits32, is_betting: Flags | None = None) -> BettingSnapshots:
        """Derive the snapshots.

        Args:
            bit: seat of each action as a mask, uint32[n].
            is_betting: True for betting actions of seats, bool[n]; None if there are none.
        """
        sets = SeatSets(*self.seat_sets)
        current_bet, last_raise, pot = self.numbers
        alone = ~has_several_seats(sets.players_in & sets.with_chips)
        still_in = (sets.players_in & bit) != 0
        if is_betting is not None:  # only the first action of a folded seat is reported
            still_in |= is_betting & ((sets.acted_after_folding & bit) != 0)
        waiting = find_waiting_options(sets, self.street, self.last_bettor)
        urgent = sets.to_act & (~sets.skipped | sets.must_respond)
        return BettingSnapshots(
            seat_to_act=self.seat_to_act,
            only_skipped_left=(sets.to_act != 0) & (urgent == 0),
            is_late_action=self.is_late_action,
            current_bet=current_bet,
            committed=self.committed,
            stack_left=self.stack_left,
            last_raise=last_raise,
            pot=pot,
            players_in=sets.players_in.copy(),  # a view would keep all sets in memory
            voluntary_count=count_seats(sets.bet_voluntarily).astype(np.int8),
            still_in=still_in,
            may_raise=((sets.may_raise & bit) != 0) | self.is_raise_by_sum,
            has_acted=(sets.has_acted & bit) != 0,
            has_checked=(sets.has_checked & bit) != 0,
            is_option_owed=~alone & (waiting != 0),
            is_option_moot=alone & ((waiting & bit) != 0),
            can_bet_continue=~alone,
            street=self.street,
            raise_count=self.raise_count,
            out_of_order=self.out_of_order,
            is_turn_uncertain=self.is_turn_uncertain,
        )


def find_waiting_options(sets: SeatSets, street: Ints8, last_bettor: Ints8) -> Bits32:
    """Return the forced bettors that have not acted in the first betting round while nobody has raised.

    Returns:
        uint32[n], masks.
    """
    is_quiet = (street == 0) & (last_bettor == ABSENT)
    undecided = sets.players_in & sets.with_chips & ~sets.has_acted & sets.has_posted
    return np.where(is_quiet, undecided, np.uint32(0))


class FinalBettingState(Struct, frozen=True, kw_only=True):
    """State at the end of each of H rounds."""

    players_in: Bits32
    """Seats that had neither folded nor conceded, as masks."""
    conceded: Bits32
    """Seats that conceded, as masks."""
    last_bettor: Ints8
    """Row of the last bet or raise in the last betting round in which anybody could act; ABSENT if there is none."""
    last_bettor_of_hand: Ints8
    """Row of the last bet or raise in the hand; ABSENT if there is none."""


class StepActions(NamedTuple):
    """Actions of one step, one per round, as in `BettingActions`, with the mask of each seat and its cell."""

    op: Codes
    row: Ints8
    bit: Bits32
    cell: Ints
    amount: Ints
    floor: Ints


def is_betting_action(step: StepActions) -> Flags:
    """Return which actions are betting actions of seats.

    Returns:
        bool[n].
    """
    return (step.op >= FOLD) & (step.op < STREET)


class PendingBets:
    """Last pending bet of each round."""

    total: Ints
    """Total that the bet would be, int64[rounds]; 0 if there is none."""
    uncommitted: Ints
    """Chips of it that count for nothing until another seat accepts the bet, int64[rounds]."""
    snapshot_index: Ints
    """Index of the snapshot of its action, int64[rounds]."""
    row: Ints8
    """Row of the seat that made it, int8[rounds]."""
    op: Codes
    """Effect of its action, uint8[rounds]."""

    def __init__(self, rounds: int) -> None:
        self.total, self.uncommitted, self.snapshot_index = (np.zeros(rounds, np.int64) for _ in range(3))
        self.row, self.op = np.zeros(rounds, np.int8), np.zeros(rounds, np.uint8)

    def record(self, offers: Flags, step: StepActions, level: Ints, apart: Ints, entry: Ints) -> None:
        """Record the pending bets among the actions of a step.

        Args:
            offers: the actions that are pending bets.
            level: the total of each.
            apart: the uncommitted chips of each.
            entry: the snapshot of each.
        """
        active = len(offers)
        for column, values in (
            (self.total, level),
            (self.uncommitted, apart),
            (self.snapshot_index, entry),
            (self.row, step.row),
            (self.op, step.op),
        ):
            column[:active] = np.where(offers, values, column[:active])

    def is_applied_to_own_call(self, step: StepActions, put: Ints, level: Ints) -> Flags:
        """Return where the next action of the same seat shows that uncommitted chips are part of a call.

        Returns:
            bool[n].
        """
        active, to = len(step.op), put + step.amount
        apart = self.uncommitted[:active]
        own = (self.total[:active] > 0) & (step.row == self.row[:active]) & (apart > 0)
        fits = np.where(step.op == CALL, to + apart == level, (to <= level) & (to + apart > level))
        return own & fits & (step.op >= BRING_IN) & (step.op < STREET)

    def is_accepted(self, step: StepActions, put: Ints, level: Ints, behind: Ints, owing: Flags) -> Flags:
        """Return where another seat accepts the pending bet.

        It calls, also with all its chips, or bets or raises to at least the total. A seat that owes nothing also
        accepts the bet by folding to it, in words or in silence.

        Returns:
            bool[n].
        """
        op, to, offer = step.op, put + step.amount, self.total[: len(step.op)]
        all_in = (step.amount >= behind) & (to > level) & (to < offer)
        calls = (op == CALL) & ((to == offer) | all_in)
        reaches = (op >= BRING_IN) & (op != CALL) & (op < STREET) & (to >= offer)
        folds = ((op == FOLD) | (op == MUCK)) & (put >= level) & ~owing
        return (offer > level) & (step.row != self.row[: len(op)]) & (calls | reaches | folds)
