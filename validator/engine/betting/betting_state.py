"""State of the betting of many rounds during the replay."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16
from fairdeal.validator.engine.betting.betting_snapshots import (
    ANY_RAISE,
    FULL_RAISE_IN_ALL,
    BettingSnapshots,
    BettingTerms,
    PendingBets,
    StepActions,
    is_betting_action,
)
from fairdeal.validator.engine.facts.seat_layout import has_several_seats, mask_of_first

NOBODY = np.uint32(0)


class BettingState:
    """State of the betting in all rounds during the replay.

    Columns hold all rounds; a step uses the first of them, in which the betting goes on. Sets of seats are masks,
    uint32[rounds]. Fields per seat are flat, int64[S * rounds].
    """

    terms: BettingTerms
    """Terms of the betting."""
    accepts_all_bets: bool
    """True if the table accepts every bet when it is made, whoever makes it."""
    round_count: int
    """Number of rounds."""
    snapshots: BettingSnapshots
    """Snapshots, to be filled in."""
    seat_count: Bits32
    """Number of seats of each round, at least 1."""
    all_seats: Bits32
    """All playing seats."""
    stack_left: Ints
    """Chips that each seat has left."""
    committed: Ints
    """Chips that each seat has put in during the betting round."""
    round_indices: Ints
    """Index of each round."""
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
    has_conceded: Bits32
    """Seats that have conceded."""
    to_act: Bits32
    """Seats that are still to act."""
    skipped: Bits32
    """Seats that were skipped in the betting round."""
    skipped_last_street: Bits32
    """Seats that were skipped in an earlier betting round."""
    may_raise: Bits32
    """Seats to which the betting is open for a raise."""
    any_raise_reopens: Flags
    """True if any raise reopens the betting."""
    raises_add_up: Flags
    """True if several raises that add up to a full raise reopen the betting."""
    bet_when_last_acted: Ints | None
    """Bet after the last action of each seat; None if no round needs it, for speed."""
    current_bet: Ints
    """Bet to be met."""
    pot: Ints
    """Chips put in by all seats."""
    highest_commitment: Ints
    """Largest amount that a seat has put in during the betting round."""
    seats_at_highest: Bits32
    """Seats that have put in this amount."""
    may_act_again: Bits32
    """Seats that acted ahead of the turn and may act again."""
    acted_after_folding: Bits32
    """Seats that acted after folding."""
    checked_after_close: Bits32
    """Seats that checked after the betting round was complete."""
    checked_after_close_last_street: Bits32
    """Seats that did so in the previous betting round."""
    pending_bets: PendingBets
    """Pending bets."""
    pending_street: Ints8
    """Betting round whose cards came before the current one was complete; 0 if there is none."""
    has_irregularity: bool
    """True once any round has an irregularity; without one, most checks are skipped."""
    has_early_cards: bool
    """True once cards came early in any round."""
    first_entry: int
    """Index of the first snapshot of the step."""
    is_turn_uncertain: Flags | None
    """True if a bet came from a seat whose turn is unknown; None if all turns are known."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    half_bet: Ints
    """Half of a bet that counts as a whole bet; 0 if none does."""
    last_actor: Bits32
    """Row of the last actor."""
    last_bettor: Ints8
    """Row of the last bet or raise in the betting round; ABSENT if there is none."""
    last_bettor_of_hand: Ints8
    """Row of the last bet or raise in the hand; ABSENT if there is none."""
    street: Ints8
    """Index of the betting round."""
    raise_count: Ints16
    """Number of raises in the betting round."""

    def __init__(self, terms: BettingTerms, acts: int, *, at_once: bool = False) -> None:
        self.terms, self.accepts_all_bets = terms, at_once
        rounds = len(terms.seat_count)
        self.round_count = rounds
        self.snapshots = BettingSnapshots.allocate(acts + rounds)
        self.seat_count = np.maximum(terms.seat_count, np.uint32(1))
        self.all_seats = mask_of_first(terms.seat_count)
        self.stack_left = terms.stacks.reshape(-1).copy()
        self.committed = np.zeros_like(self.stack_left)
        self.round_indices = np.arange(rounds)
        self.players_in = self.all_seats & ~terms.without_cards
        self.with_chips = np.zeros(rounds, np.uint32)
        for row, stack in enumerate(terms.stacks):
            self.with_chips |= np.where(stack > 0, np.uint32(1 << row), NOBODY)
        self.has_acted, self.must_respond, self.has_checked = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.has_posted, self.bet_voluntarily, self.has_conceded = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.to_act, self.skipped, self.skipped_last_street = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.may_raise = self.all_seats.copy()
        self.any_raise_reopens = terms.reopened_by == ANY_RAISE
        self.raises_add_up = terms.reopened_by == FULL_RAISE_IN_ALL
        self.bet_when_last_acted = np.zeros_like(self.committed) if self.raises_add_up.any() else None
        self.current_bet, self.pot = np.zeros(rounds, np.int64), np.zeros(rounds, np.int64)
        self.highest_commitment, self.seats_at_highest = np.zeros(rounds, np.int64), np.zeros(rounds, np.uint32)
        self.may_act_again, self.acted_after_folding = np.zeros(rounds, np.uint32), np.zeros(rounds, np.uint32)
        self.checked_after_close, self.checked_after_close_last_street = (
            np.zeros(rounds, np.uint32),
            np.zeros(rounds, np.uint32),
        )
        self.pending_bets = PendingBets(rounds)
        self.pending_street = np.zeros(rounds, np.int8)
        self.has_irregularity, self.has_early_cards = False, False
        self.first_entry = 0
        self.is_turn_uncertain = None if terms.is_turn_known.all() else np.zeros(rounds, bool)
        self.last_raise = terms.smallest_bet[0].copy()
        self.half_bet = terms.half_bet[0].copy()
        self.last_actor = terms.row_before_opener[0].copy()
        self.last_bettor, self.last_bettor_of_hand = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int8)
        self.street = np.zeros(rounds, np.int8)
        self.raise_count = np.zeros(rounds, np.int16)

    def find_seats_to_act(self, active: int) -> Bits32:
        """Return the seats that must still act in the betting round.

        Returns:
            uint32[n].
        """
        players = self.players_in[:active]
        able = players & self.with_chips[:active]
        alone = ~has_several_seats(able)
        # The only seat with chips owes nothing beyond what the others have in, even after a short blind.
        owed = able & self.must_respond[:active] & ~np.where(alone, self.seats_at_highest[:active], NOBODY)
        wanted = (owed | np.where(alone, NOBODY, able & ~self.has_acted[:active])) & ~self.skipped_last_street[:active]
        return np.where(has_several_seats(players), wanted, NOBODY)

    def is_late_action(self, step: StepActions) -> Flags:
        """Return the actions of seats that were skipped, or acted too early, and may act at any time.

        Returns:
            bool[n].
        """
        return is_betting_action(step) & self.may_act_out_of_turn(step.bit)

    def may_act_out_of_turn(self, bit: Bits32) -> Flags:
        """Return where a seat may act out of turn, or is out and has already acted after folding.

        Returns:
            bool[n].
        """
        active = len(bit)
        acting_again = (self.may_act_again[:active] | self.checked_after_close_last_street[:active]) & ~self.to_act[
            :active
        ]
        still_in = (self.skipped[:active] | self.skipped_last_street[:active] | acting_again) & self.players_in[:active]
        return ((still_in | self.acted_after_folding[:active]) & bit) != 0

    def find_full_raise(self, active: int) -> Ints:
        """Return the size of a raise that reopens the betting.

        Returns:
            int64[n].
        """
        half = self.half_bet[:active]
        return np.where(half > 0, half, self.last_raise[:active])

    def locate_cells(self, row: Ints8) -> Ints:
        """Return the index of each seat in the columns per seat; that of row 0 if there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.round_count + self.round_indices[: len(row)]

    def is_a_call(self, step: StepActions, at: Ints) -> Flags:
        """Return where the chips of a seat meet the bet, or are all of its chips and less.

        Returns:
            bool[n].
        """
        to, level = self.committed[at] + step.amount, self.current_bet[: len(step.op)]
        return (to == level) | ((to < level) & (step.amount >= self.stack_left[at]))

    def is_ahead_of_turn(self, step: StepActions, due: Ints8, bit: Bits32) -> Flags:
        """Return the actions of seats that are still to act, ahead of the seat to act.

        Returns:
            bool[n].
        """
        active = len(step.op)
        known = self.terms.is_turn_known[self.street[:active], self.round_indices[:active]]
        mine = (self.to_act[:active] & ~self.skipped[:active] & bit) != 0
        return known & is_betting_action(step) & mine & (step.row != due)

    def begin_streets(self, at: Ints, street: Ints8) -> None:
        """Begin betting rounds.

        Args:
            at: the rounds.
            street: int8, the betting round that each of them begins.
        """
        later = street > self.street[at]
        at, street = at[later], street[later]
        self.committed.reshape(-1, self.round_count)[:, at] = 0
        self.current_bet[at] = self.highest_commitment[at] = self.pending_bets.total[at] = 0
        left_out = np.where(self.terms.are_stacks_known[at], self.to_act[at], NOBODY)  # also the seat whose turn it was
        self.skipped_last_street[at] |= self.skipped[at] | left_out
        self.has_irregularity |= bool(left_out.any())
        self.skipped[at] = self.to_act[at] = self.may_act_again[at] = 0
        self.last_raise[at] = self.terms.smallest_bet[street, at]
        self.half_bet[at] = self.terms.half_bet[street, at]
        self.last_actor[at] = self.terms.row_before_opener[street, at]
        for marks in (self.must_respond, self.has_checked, self.seats_at_highest):
            marks[at] = 0
        self.has_acted[at] = self.checked_after_close_last_street[at] = self.checked_after_close[at]
        self.checked_after_close[at] = 0
        self.may_raise[at] = self.all_seats[at]
        self.raise_count[at] = 0
        self.street[at] = street
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain[at] = False
        able = has_several_seats(self.players_in[at] & self.with_chips[at])
        self.last_bettor[at] = np.where(able, np.int8(ABSENT), self.last_bettor[at])
