"""Betting actions as the replay reads them, snapshots before every action, and pending bets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8, Ints16, Ints32, number_items
from fairdeal.validator.engine.facts.seat_layout import count_seats, has_several_seats, mask_of_seat

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


def is_betting_action(op: Codes) -> Flags:
    """Return which effects are of betting actions of seats: from FOLD to COMPLETE."""
    return (op >= FOLD) & (op < STREET)


def is_bet_or_call(op: Codes) -> Flags:
    """Return which effects put chips in toward the bet by an action of the seat: from BRING_IN to COMPLETE."""
    return (op >= BRING_IN) & (op < STREET)


def meets_bet(to: Ints, bet: Ints, all_in: Flags) -> Flags:
    """Return which actions put in as much as a call must: the bet, or less with all chips.

    Args:
        to: int64[n], chips of the seat in the betting round, with the action.
        bet: int64[n], the bet to be met.
        all_in: bool[n], whether the action takes all chips of the seat.
    """
    return (to == bet) | ((to < bet) & all_in)


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

    @classmethod
    def arrange(
        cls, owner: Ints32, rounds: int, *, events: Ints, op: Codes, row: Ints8, amount: Ints, minimum_bet: Ints
    ) -> tuple[BettingActions, Ints]:
        """Arrange actions by step.

        Args:
            owner: int32[A], the round of each action, ascending.
            rounds: number of rounds.
            events: the events; the other columns are parallel, as in `BettingActions`.

        Returns:
            The actions; int64[A], the index of each in the given columns.
        """
        counts = np.bincount(owner, minlength=rounds)
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(rounds, np.int64)
        rank[order] = np.arange(rounds)
        index = np.arange(len(events))
        step = number_items(counts)
        starts = np.concatenate([[0], np.cumsum(np.bincount(step, minlength=int(counts.max(initial=0))))])
        # The rounds of a step are the first ones, so their ranks are their places in it.
        places = np.empty(len(events), np.int64)
        places[starts[step] + rank[owner]] = index
        actions = cls(
            step_starts=starts,
            events=events[places],
            op=op[places],
            row=row[places],
            amount=amount[places],
            minimum_bet=minimum_bet[places],
            round_order=order,
            round_rank=rank,
        )
        return actions, places

    def number_rounds(self) -> Ints:
        """Return the index, among the H rounds, of each action.

        Returns:
            int64[A].
        """
        return np.arange(len(self.events)) - self.step_starts[:-1].repeat(np.diff(self.step_starts))

    def number_steps(self) -> Ints:
        """Return the step of each action.

        Returns:
            int64[A].
        """
        return np.arange(len(self.step_starts) - 1).repeat(np.diff(self.step_starts))

    def describe_entries(self) -> tuple[Bits32, Flags]:
        """Return the seat of each action as a mask, and which are betting actions of seats; neither at the ends.

        Returns:
            uint32[A + H]; bool[A + H].
        """
        rounds = len(self.round_order)
        seats = np.concatenate([mask_of_seat(self.row), np.zeros(rounds, np.uint32)])
        return seats, np.concatenate([is_betting_action(self.op), np.zeros(rounds, bool)])

    def list_entries(self, number: int) -> Ints:
        """Return the actions of one of the H rounds, in log order."""
        steps = np.searchsorted(-np.diff(self.step_starts), -number)  # the steps get shorter
        return self.step_starts[:steps] + number


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


class StoredState(Struct, frozen=True, kw_only=True):
    """Betting state just before each action, followed by one entry for the end of each round, as the replay stores it.

    All arrays are parallel, in the order of `BettingActions`.
    """

    seat_to_act: Ints8
    """Row of the seat that must act next; ABSENT if the betting round is complete."""
    is_late_action: Flags
    """True if the seat of the action was skipped and may still act."""
    committed: Ints
    """Chips that the seat of the action has put in during the betting round."""
    stack_left: Ints
    """Chips that the seat of the action has left."""
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


class BettingSnapshots(StoredState, frozen=True, kw_only=True):
    """Betting state with all that follows from the sets of seats."""

    only_skipped_left: Flags
    """True if all seats still to act were skipped and owe no chips."""
    current_bet: Ints
    """Bet to be met."""
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


class SeatSets:
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

    def __init__(self, seat_sets: Bits32) -> None:
        self.seat_sets = seat_sets
        for name, seats in zip(SEAT_SETS, seat_sets, strict=True):
            setattr(self, name, seats)


SEAT_SETS = tuple(SeatSets.__annotations__)
"""Names of the sets, in the order of the rows."""


class SnapshotLog(StoredState, frozen=True, kw_only=True):
    """State before each action, from which snapshots are derived for all actions at once."""

    seat_sets: Bits32
    """Rows of `SeatSets`, uint32[sets, n]."""
    numbers: Ints
    """Bet to be met, size of the last raise and the pot, int64[3, n]."""
    last_bettor: Ints8
    """Row of the last bet or raise in the betting round; ABSENT if there is none."""
    is_raise_by_sum: Flags
    """True if several raises that add up open the betting to a raise by the seat of the action."""

    @classmethod
    def allocate(cls, length: int) -> SnapshotLog:
        """Allocate the columns, to be filled in."""
        late, by_sum, out_of_order, is_turn_uncertain = np.zeros((4, length), bool)
        committed, stack_left = np.zeros((2, length), np.int64)
        return cls(
            seat_to_act=np.full(length, ABSENT, np.int8),
            is_late_action=late,
            committed=committed,
            stack_left=stack_left,
            street=np.zeros(length, np.int8),
            raise_count=np.zeros(length, np.int16),
            out_of_order=out_of_order,
            is_turn_uncertain=is_turn_uncertain,
            seat_sets=np.zeros((len(SEAT_SETS), length), np.uint32),
            numbers=np.zeros((3, length), np.int64),
            last_bettor=np.full(length, ABSENT, np.int8),
            is_raise_by_sum=by_sum,
        )

    def store(self, entries: Ints, states: Sequence[Struct]) -> None:
        """Store states that have a value in place of each column.

        Args:
            entries: int64[m], the snapshots to be replaced.
            states: m states.
        """
        for name in SnapshotLog.__struct_fields__:
            values = np.array([getattr(state, name) for state in states])
            getattr(self, name)[..., entries] = values.T

    def derive_snapshots(self, bit: Bits32, is_betting: Flags | None = None) -> BettingSnapshots:
        """Derive the snapshots.

        Args:
            bit: seat of each action as a mask, uint32[n].
            is_betting: True for betting actions of seats, bool[n]; None if there are none.
        """
        sets = SeatSets(self.seat_sets)
        current_bet, last_raise, pot = self.numbers
        alone = ~has_several_seats(sets.players_in & sets.with_chips)
        still_in = (sets.players_in & bit) != 0
        if is_betting is not None:  # only the first action of a folded seat is reported
            still_in |= is_betting & ((sets.acted_after_folding & bit) != 0)
        waiting = find_waiting_options(sets, self.street, self.last_bettor)
        urgent = sets.to_act & (~sets.skipped | sets.must_respond)
        return BettingSnapshots(
            **{name: getattr(self, name) for name in StoredState.__struct_fields__},
            only_skipped_left=(sets.to_act != 0) & (urgent == 0),
            current_bet=current_bet,
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

    def select(self, rounds: Ints) -> FinalBettingState:
        """Return the state of the rounds in the given order."""
        return FinalBettingState(**{name: getattr(self, name)[rounds] for name in self.__struct_fields__})


class StepActions(NamedTuple):
    """Actions of one step, one per active round, as in `BettingActions`, with the mask of each seat and its cell."""

    op: Codes
    row: Ints8
    bit: Bits32
    cell: Ints
    amount: Ints
    minimum_bet: Ints
