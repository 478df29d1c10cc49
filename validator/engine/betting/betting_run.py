"""Replay of the betting: the k-th action of all rounds at once.

The replay accepts an action that breaks a rule as recorded: a short call answers the bet, and a bet of more than the
stack takes all chips. After an action ahead of the turn, the betting continues from that seat. A skipped seat may act
at any time; the others do not wait, and in later betting rounds nobody waits for a seat that has not acted since. A
seat that acted ahead may act again at its turn. A check after the betting is complete counts for the next betting
round, where the seat may still act.

Chips beyond the bet from a call, ahead of the turn, or without a permitted action are a pending bet. It becomes the
bet when another seat answers it. Until then, chips ahead of the turn or without it are in the pot and answer nothing.
If cards come before the betting is complete, the next betting round begins with the first action that does not belong
to the current one.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8, find_true, has_any
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.betting_state import NOBODY, BettingState
from fairdeal.validator.engine.facts import seat_layout


def play_actions(
    acts: betting_snapshots.BettingActions, terms: betting_snapshots.BettingTerms
) -> tuple[betting_snapshots.BettingSnapshots, betting_snapshots.FinalBettingState]:
    """Replay the actions, and return the snapshots before every action and the final state of each round."""
    play = BettingRun(terms, len(acts.events))
    bits, last, starts = seat_layout.mask_of_seat(acts.row), acts.find_last_steps(), acts.step_starts
    lengths = np.diff(starts)
    # The j-th action of a step belongs to the j-th round.
    rounds_of_actions = np.arange(len(acts.events)) - starts[:-1].repeat(lengths)
    cells = np.maximum(acts.row, 0).astype(np.int64) * play.round_count + rounds_of_actions
    step_numbers = np.arange(len(lengths)).repeat(lengths)
    mucks, effects, streets = (
        np.bincount(step_numbers, chosen, len(lengths)).tolist()
        for chosen in (
            acts.op == betting_snapshots.MUCK,
            acts.op != betting_snapshots.OTHER,
            acts.op >= betting_snapshots.STREET,
        )
    )
    for number, (lo, hi) in enumerate(pairwise(starts.tolist())):
        now = slice(lo, hi)
        step = betting_snapshots.StepActions(
            op=acts.op[now],
            row=acts.row[now],
            bit=bits[now],
            cell=cells[now],
            amount=acts.amount[now],
            floor=acts.minimum_bet[now],
        )
        due = play.take_snapshots(now, step.row, step.bit, step)
        if mucks[number]:
            step = step._replace(op=play.convert_mucks(step, due))
        if effects[number]:  # all other actions change nothing
            play.apply_actions(step, due)
        if streets[number]:
            begun = find_true(step.op >= betting_snapshots.STREET)
            play.apply_cards(
                begun, (step.op[begun] - betting_snapshots.STREET).astype(np.int8), due, last[begun] > number
            )
    rounds = len(acts.round_order)
    ends = slice(len(acts.events), len(acts.events) + rounds)
    play.take_snapshots(ends, np.full(rounds, ABSENT, np.int8), np.zeros(rounds, np.uint32))
    is_betting = (acts.op >= betting_snapshots.FOLD) & (acts.op < betting_snapshots.STREET)
    snapshots = play.snapshots.derive_snapshots(
        np.concatenate([bits, np.zeros(rounds, np.uint32)]), np.concatenate([is_betting, np.zeros(rounds, bool)])
    )
    return snapshots, betting_snapshots.FinalBettingState(
        players_in=play.players_in,
        conceded=play.has_conceded,
        last_bettor=play.last_bettor,
        last_bettor_of_hand=play.last_bettor_of_hand,
    )


class BettingRun(BettingState):
    """Betting state that advances action by action."""

    def take_snapshots(
        self, now: slice, row: Ints8, bit: Bits32, step: betting_snapshots.StepActions | None = None
    ) -> Ints8:
        """Store the snapshots before the actions of a step, and return the seat to act in each round."""
        active = len(row)
        seen = self.snapshots
        at = self.locate_cells(row) if step is None else step.cell
        if self.has_irregularity:
            self.to_act[:active] = self.find_seats_to_act(active)
            if self.has_early_cards:
                self._begin_pending_streets(step, row, bit, at)
            if step is not None:
                self._accept_pending(step, at)
        self.to_act[:active] = wanted = self.find_seats_to_act(active)
        first = wanted
        if self.has_irregularity:
            first = wanted & ~self.skipped[:active]
            first = np.where(first != 0, first, wanted)
        due = seat_layout.find_next_seat_in(first, self.last_actor[:active], self.seat_count[:active])
        if step is not None and self.has_irregularity:
            # Announcements by skipped seats count as in turn while the betting is open.
            speaks = (step.op == betting_snapshots.OTHER) & (due != ABSENT) & self.may_act_out_of_turn(bit)
            seen.is_late_action[now] = speaks | self.is_late_action(step)
        if self.bet_when_last_acted is not None:
            since = self.current_bet[:active] - self.bet_when_last_acted[at]
            seen.is_raise_by_sum[now] = (
                self.raises_add_up[:active] & (bit != 0) & (since >= self.find_full_raise(active))
            )
        if self.is_turn_uncertain is not None:
            seen.is_turn_uncertain[now] = self.is_turn_uncertain[:active]
        self.first_entry = now.start
        seen.seat_to_act[now] = due
        seen.seat_sets[:, now] = self.seat_sets[:, :active]
        seen.numbers[:, now] = self.numbers[:, :active]
        seen.committed[now] = self.committed[at]
        seen.stack_left[now] = self.stack_left[at]
        seen.last_bettor[now] = self.last_bettor[:active]
        seen.street[now] = self.street[:active]
        seen.raise_count[now] = self.raise_count[:active]
        return due

    def convert_mucks(self, step: betting_snapshots.StepActions, due: Ints8) -> Codes:
        """Return the effects of actions, with mucks by seats that must act or face a bet turned into FOLD.

        A fold that the seat announces afterwards does not count as an action of a folded seat.

        Returns:
            uint8[n].
        """
        active = len(due)
        faced = self.committed[step.cell] < self.current_bet[:active]
        open_ = (due != ABSENT) & ((self.players_in[:active] & step.bit) != 0)
        given_up = (step.op == betting_snapshots.MUCK) & open_ & ((step.row == due) | faced)
        self.acted_after_folding[:active] |= np.where(given_up, step.bit, NOBODY)
        self.has_irregularity |= bool(has_any(given_up))
        return np.where(given_up, np.uint8(betting_snapshots.FOLD), step.op)

    def apply_actions(self, step: betting_snapshots.StepActions, due: Ints8) -> None:
        """Apply the actions of a step as recorded."""
        op, active = step.op, len(step.op)
        at = step.cell
        paying = (step.row >= 0) & (op >= betting_snapshots.DEAD) & (op < betting_snapshots.STREET)
        live, acting = paying & (op >= betting_snapshots.LIVE), paying & (op >= betting_snapshots.VOID)
        bit = np.where(paying, step.bit, NOBODY)
        late, ahead = self.is_late_action(step), self.is_ahead_of_turn(step, due, bit)
        amount = np.where(paying, step.amount, 0)
        apart, idle = self._find_uncommitted(step, due, at, bit, ahead, late)
        if self.has_irregularity:
            self._update_skipped(step, due, bit, ahead)
            live, acting = live & ~idle, acting & ~idle
        counts = live & ~apart

        held = self.with_chips[:active].copy()
        left = self.stack_left[at] - amount
        self.stack_left[at] = np.maximum(left, 0)
        self.committed[at] += np.where(counts, amount, 0)
        self.pot[:active] += amount
        self.with_chips[:active] &= ~np.where(left <= 0, bit, NOBODY)
        leaves = acting & (op <= betting_snapshots.CONCEDE)
        if has_any(leaves):
            self._leave(op, np.where(leaves, bit, NOBODY), due, held)
        self.bet_voluntarily[:active] |= np.where(
            (acting | idle) & (op != betting_snapshots.BRING_IN) & (amount > 0), bit, NOBODY
        )

        put, level = self.committed[at], self.current_bet[:active].copy()
        most = np.where(counts, np.maximum(self.highest_commitment[:active], put), self.highest_commitment[:active])
        self.seats_at_highest[:active] = np.where(
            most > self.highest_commitment[:active], NOBODY, self.seats_at_highest[:active]
        ) | np.where(counts & (put == most), bit, NOBODY)
        self.highest_commitment[:active] = most
        target = np.where(op == betting_snapshots.AS_BET, np.maximum(put, step.floor), put)
        beyond = counts & (target > level) & ((amount > 0) | (op == betting_snapshots.AS_BET))
        up = beyond & (op != betting_snapshots.CALL)
        self._record_pending(step, apart, beyond & ~up, put)
        self.current_bet[:active] = np.where(up, target, level)
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain[:active] |= acting & beyond & ~self.is_turn_known(active)
        if self.bet_when_last_acted is not None:
            self.bet_when_last_acted[at[acting]] = self.current_bet[:active][acting]
        self._mark_acted(op, bit, acting, live, up, put)
        self._apply_raise(
            op, step.row, bit, acting & up & (op != betting_snapshots.BRING_IN), target - level, level > 0
        )
        moves = acting & ((step.row == due) | ahead | (late & up))
        self.last_actor[:active] = np.where(moves, step.row.astype(np.uint8), self.last_actor[:active])

    def _leave(self, op: Codes, leaving: Bits32, due: Ints8, held: Bits32) -> None:
        """Take seats that fold or concede out of play. The last player has nobody to concede to.

        Args:
            leaving: the seat that leaves each round; no seat where nobody does.
            held: seats with chips before the action.
        """
        active, concedes = len(op), op == betting_snapshots.CONCEDE
        leaving = np.where(concedes & (self.players_in[:active] == leaving), NOBODY, leaving)
        self.players_in[:active] &= ~leaving
        # A concession while the seat must surely still act is a fold.
        open_ = self.terms.are_stacks_known[:active] & (due != ABSENT)
        must_act = (self.must_respond[:active] | ~self.has_acted[:active]) & held
        self.has_conceded[:active] |= np.where(concedes & ~(open_ & ((must_act & leaving) != 0)), leaving, NOBODY)

    def _find_uncommitted(
        self, step: betting_snapshots.StepActions, due: Ints8, at: Ints, bit: Bits32, ahead: Flags, late: Flags
    ) -> tuple[Flags, Flags]:
        """Find chips that do not count toward the bet.

        Returns:
            bool[n], chips ahead of the turn that do not match the amount to call, or without a permitted action;
            bool[n], the latter only.
        """
        op, active = step.op, len(step.op)
        idle = (step.row != due) & ~ahead & ~late & (bit != 0)
        idle &= (op >= betting_snapshots.CHECK) & (op < betting_snapshots.STREET)
        if self.accepts_all_bets:
            idle[:] = False
        if has_any(idle):
            idle &= self.is_turn_known(active) & ~self.is_option_moot(step.bit)
        odd = ahead & (op >= betting_snapshots.BRING_IN)
        acting_folded = betting_snapshots.is_betting_action(step) & (bit != 0) & ((self.players_in[:active] & bit) == 0)
        if not has_any(idle | ahead | acting_folded):
            return idle, idle
        self.has_irregularity = True
        self.acted_after_folding[:active] |= np.where(acting_folded, bit, NOBODY)
        self.snapshots.out_of_order[self.first_entry : self.first_entry + active] = idle
        self.checked_after_close[:active] |= np.where(
            idle & (op == betting_snapshots.CHECK) & (due == ABSENT), bit, NOBODY
        )
        answers = (op == betting_snapshots.CALL) & self.is_a_call(step, at)
        return (idle | (odd & ~answers & (not self.accepts_all_bets))) & (step.amount > 0), idle

    def _update_skipped(self, step: betting_snapshots.StepActions, due: Ints8, bit: Bits32, ahead: Flags) -> None:
        """Update the seats that an action ahead of the turn skips, and the seats that may act again."""
        active = len(step.op)
        acting = np.where(betting_snapshots.is_betting_action(step) | (step.op == betting_snapshots.VOID), bit, NOBODY)
        regular = (step.row == due) & (acting != 0) & ((self.skipped[:active] & bit) == 0)
        skipped = seat_layout.seats_between(self.last_actor[:active], np.maximum(step.row, 0), self.to_act[:active])
        self.skipped[:active] = (self.skipped[:active] | np.where(ahead, skipped, NOBODY)) & ~acting
        self.skipped_last_street[:active] &= ~acting
        self.checked_after_close_last_street[:active] &= ~acting
        acting_again = np.where(regular, NOBODY, self.may_act_again[:active] & ~acting)
        self.may_act_again[:active] = acting_again | np.where(
            ahead & (step.op > betting_snapshots.CONCEDE), bit, NOBODY
        )

    def _record_pending(self, step: betting_snapshots.StepActions, apart: Flags, over_called: Flags, put: Ints) -> None:
        """Record chips beyond the bet as a pending bet."""
        offers = apart | over_called
        if has_any(offers):
            self.has_irregularity = True
            held = np.where(apart, step.amount, 0)
            self.pending_bets.record(
                offers, step, put + held, held, self.first_entry + self.round_indices[: len(offers)]
            )

    def _accept_pending(self, step: betting_snapshots.StepActions, at: Ints) -> None:
        """Turn a pending bet into the bet if another seat answers it; add uncommitted chips to an answer of their own
        seat.
        """
        active, offers = len(step.op), self.pending_bets
        level, offer, held, by = (
            self.current_bet[:active].copy(),
            offers.total[:active].copy(),
            offers.uncommitted,
            offers.row[:active],
        )
        owing = (self.to_act[:active] & step.bit) != 0
        self.committed[at] += np.where(offers.is_applied_to_own_call(step, self.committed[at], level), held[:active], 0)
        follows = offers.is_accepted(step, self.committed[at], level, self.stack_left[at], owing)
        own = betting_snapshots.is_betting_action(step) & (step.row == by)
        offers.total[:active] = np.where(own | follows, 0, offer)
        if not has_any(follows):
            return
        self.current_bet[:active] = np.where(follows, offer, level)
        self.committed[self.locate_cells(by)] += np.where(follows, held[:active], 0)
        if self.bet_when_last_acted is not None:
            self.bet_when_last_acted[self.locate_cells(by)[follows]] = offer[follows]
        bit = np.where(follows, seat_layout.mask_of_seat(by), NOBODY)
        self.highest_commitment[:active] = np.where(follows, offer, self.highest_commitment[:active])
        self.seats_at_highest[:active] = np.where(follows, bit, self.seats_at_highest[:active])
        for row, has in enumerate(self.committed.reshape(-1, self.round_count)):
            owes = follows & (has[:active] < offer)
            self.must_respond[:active] |= np.where(owes, np.uint32(1 << row), NOBODY) & self.all_seats[:active] & ~bit
        self._apply_raise(offers.op[:active], by, bit, follows, offer - level, level > 0)
        calls_ahead = find_true(follows & (held[:active] > 0) & (offers.op[:active] == betting_snapshots.CALL))
        self.snapshots.out_of_order[offers.snapshot_index[calls_ahead]] = True
        closed = follows & ((self.to_act[:active] & ~self.skipped[:active]) == 0)  # the betting was complete before
        self.last_actor[:active] = np.where(closed, by.astype(np.uint8), self.last_actor[:active])

    def _mark_acted(self, op: Codes, bit: Bits32, acting: Flags, live: Flags, up: Flags, put: Ints) -> None:
        """Update which seats have acted, and which must respond."""
        active = len(op)
        counted, acted = np.where(live, bit, NOBODY), np.where(acting, bit, NOBODY)
        owes = np.where(up, self.all_seats[:active], self.must_respond[:active]) & ~counted
        short = live & ~acting & (put < self.current_bet[:active])
        self.must_respond[:active] = owes | np.where(short, bit, NOBODY)
        self.has_acted[:active] |= acted
        self.may_raise[:active] &= ~acted
        self.has_checked[:active] |= np.where(op == betting_snapshots.CHECK, acted, NOBODY)
        self.has_posted[:active] |= counted & ~acted

    def _apply_raise(self, op: Codes, row: Ints8, bit: Bits32, raising: Flags, by: Ints, faced: Flags) -> None:
        """Apply the effects of a bet or raise. A bet that completes a bring-in is a full bet and no raise.

        Args:
            by: how much it exceeds the previous bet.
        """
        if not has_any(raising | (op == betting_snapshots.AS_BET)):
            return
        active = len(op)
        last_raise = self.last_raise[:active]
        completing = op == betting_snapshots.COMPLETE
        size = np.where(completing, self.current_bet[:active], by)
        full = raising & (size >= self.find_full_raise(active))
        opens = full | (raising & self.any_raise_reopens[:active])
        self.may_raise[:active] = np.where(opens, self.all_seats[:active] & ~bit, self.may_raise[:active])
        set_by = np.where(
            full,
            size,
            np.where(op == betting_snapshots.AS_BET, np.maximum(last_raise, self.current_bet[:active]), last_raise),
        )
        self.last_raise[:active] = set_by
        half, before = self.half_bet[:active], self.current_bet[:active] - by
        whole = (half == 0) | (full & (before >= half))  # completing half a bet or more is no raise
        self.raise_count[:active] += raising & faced & ~completing & whole
        self.last_bettor[:active] = np.where(raising, row, self.last_bettor[:active])
        self.last_bettor_of_hand[:active] = np.where(raising, row, self.last_bettor_of_hand[:active])

    def apply_cards(self, at: Ints, street: Ints8, due: Ints8, acts_follow: Flags) -> None:
        """Apply cards that begin betting rounds.

        Args:
            at: the rounds.
            street: int8, the betting round that each of them begins.
            due: int8[n], the seat that must still act in the round before.
            acts_follow: bool, whether any action follows.
        """
        early = (
            acts_follow
            & (due[at] != ABSENT)
            & self.terms.is_turn_known[self.street[at], at]
            & (street > self.street[at])
        )
        self.pending_street[at[early]] = street[early]
        self.has_early_cards |= bool(has_any(early))
        self.has_irregularity |= self.has_early_cards
        self.begin_streets(at[~early], street[~early])

    def _begin_pending_streets(
        self, step: betting_snapshots.StepActions | None, row: Ints8, bit: Bits32, at: Ints
    ) -> None:
        """Begin the betting rounds whose cards came too early, with the first action that belongs to them.

        This is an action of a seat that has nothing to do in the current round, or that opens the next and answers no
        bet.
        """
        active = len(row)
        wanted, coming = self.to_act[:active], self.pending_street[:active]
        begins = coming > 0
        if step is not None:
            answers = (step.op == betting_snapshots.FOLD) | (
                (step.op == betting_snapshots.CALL) & self.is_a_call(step, at)
            )
            answers = answers & (self.committed[at] < self.current_bet[:active]) | (step.op == betting_snapshots.RAISE)
            able = self.players_in[:active] & self.with_chips[:active]
            opener = seat_layout.find_next_seat_in(
                able, self.terms.row_before_opener[coming, self.round_indices[:active]], self.seat_count[:active]
            )
            goes_on = ((wanted & bit) != 0) & (answers | (opener != row)) & (step.op != betting_snapshots.CONCEDE)
            begins &= (
                (wanted == 0)
                | (step.op >= betting_snapshots.STREET)
                | (betting_snapshots.is_betting_action(step) & ~goes_on)
            )
        rounds = find_true(begins)
        self.begin_streets(rounds, coming[rounds])
        self.pending_street[rounds] = 0
