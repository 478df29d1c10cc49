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
from fairdeal.validator.engine.betting.betting_snapshots import is_betting_action
from fairdeal.validator.engine.betting.betting_state import NOBODY, BettingState
from fairdeal.validator.engine.facts import seat_layout


def play_actions(
    acts: betting_snapshots.BettingActions, terms: betting_snapshots.BettingTerms
) -> tuple[betting_snapshots.BettingSnapshots, betting_snapshots.FinalBettingState]:
    """Replay the actions, and return the snapshots before every action and the final state of each round."""
    play, rounds = BettingRun(terms, len(acts.events)), len(acts.round_order)
    bits, last, step_numbers = seat_layout.mask_of_seat(acts.row), acts.find_last_steps(), acts.number_steps()
    cells = np.maximum(acts.row, 0).astype(np.int64) * rounds + acts.number_rounds()
    mucks, effects, streets = (
        np.bincount(step_numbers, chosen, len(acts.step_starts) - 1).tolist()
        for chosen in (
            acts.op == betting_snapshots.MUCK,
            acts.op != betting_snapshots.OTHER,
            acts.op >= betting_snapshots.STREET,
        )
    )
    for number, (start, end) in enumerate(pairwise(acts.step_starts.tolist())):
        now = slice(start, end)
        step = betting_snapshots.StepActions(
            op=acts.op[now],
            row=acts.row[now],
            bit=bits[now],
            cell=cells[now],
            amount=acts.amount[now],
            minimum_bet=acts.minimum_bet[now],
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
    ends, no_bits = slice(len(acts.events), len(acts.events) + rounds), np.full(rounds, NOBODY)
    play.take_snapshots(ends, np.full(rounds, ABSENT, np.int8), no_bits)
    snapshots = play.snapshots.derive_snapshots(
        np.concatenate([bits, no_bits]), np.concatenate([is_betting_action(acts.op), np.zeros(rounds, bool)])
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
        """Store the snapshots before the actions of a step, and return the seat to act in each round.

        Args:
            now: the snapshots of the step.
            row: int8[n], the rows of the seats whose state is stored, one for each active round.
            bit: uint32[n], the same seats as masks.
            step: the actions; None if nobody acts.
        """
        self.cut_to_active(len(row))
        cells = self.locate_cells(row) if step is None else step.cell
        if self.has_irregularity:
            self.to_act[:] = self.find_seats_to_act()
            if self.has_early_cards:
                self._begin_pending_streets(step)
            if step is not None:
                self._accept_pending(step)
        self.to_act[:] = self.find_seats_to_act()
        waited_for = self.to_act
        if self.has_irregularity:
            not_skipped = self.to_act & ~self.skipped
            waited_for = np.where(not_skipped != 0, not_skipped, self.to_act)
        due = seat_layout.find_next_seat_in(waited_for, self.last_actor, self.seat_count)
        log = self.snapshots
        if step is not None and self.has_irregularity:
            # Announcements by skipped seats count as in turn while the betting is open.
            speaks = (step.op == betting_snapshots.OTHER) & (due != ABSENT) & self.may_act_out_of_turn(bit)
            log.is_late_action[now] = speaks | self.is_late_action(step)
        if self.bet_when_last_acted is not None:
            raised_since = self.current_bet - self.bet_when_last_acted[cells]
            log.is_raise_by_sum[now] = self.raises_add_up & (bit != 0) & (raised_since >= self.find_full_raise())
        if self.is_turn_uncertain is not None:
            log.is_turn_uncertain[now] = self.is_turn_uncertain
        self.first_entry = now.start
        log.seat_to_act[now] = due
        log.seat_sets[:, now] = self.seat_sets
        log.numbers[:, now] = self.numbers
        log.committed[now] = self.committed[cells]
        log.stack_left[now] = self.stack_left[cells]
        log.last_bettor[now] = self.last_bettor
        log.street[now] = self.street
        log.raise_count[now] = self.raise_count
        return due

    def convert_mucks(self, step: betting_snapshots.StepActions, due: Ints8) -> Codes:
        """Return the effects of actions, with mucks by seats that must act or face a bet turned into FOLD.

        A fold that the seat announces afterwards does not count as an action of a folded seat.

        Returns:
            uint8[n].
        """
        faces_bet = self.committed[step.cell] < self.current_bet
        is_open = (due != ABSENT) & ((self.players_in & step.bit) != 0)
        folds = (step.op == betting_snapshots.MUCK) & is_open & ((step.row == due) | faces_bet)
        self.acted_after_folding |= np.where(folds, step.bit, NOBODY)
        self.has_irregularity |= has_any(folds)
        return np.where(folds, np.uint8(betting_snapshots.FOLD), step.op)

    def apply_actions(self, step: betting_snapshots.StepActions, due: Ints8) -> None:
        """Apply the actions of a step as recorded.

        Args:
            due: int8[n], the seat to act in each round.
        """
        op, cells = step.op, step.cell
        paying = (step.row >= 0) & (op >= betting_snapshots.DEAD) & (op < betting_snapshots.STREET)
        live, acting = paying & (op >= betting_snapshots.LIVE), paying & (op >= betting_snapshots.VOID)
        bit, amount = np.where(paying, step.bit, NOBODY), np.where(paying, step.amount, 0)
        late, ahead = self.is_late_action(step), self.is_ahead_of_turn(step, due, bit)
        uncommitted, forbidden = self._find_uncommitted(step, due, bit, ahead, late)
        if self.has_irregularity:
            self._update_skipped(step, due, bit, ahead)
            live, acting = live & ~forbidden, acting & ~forbidden
        counts = live & ~uncommitted

        had_chips = self.with_chips.copy()
        stack_left = self.stack_left[cells] - amount
        self.stack_left[cells] = np.maximum(stack_left, 0)
        self.committed[cells] += np.where(counts, amount, 0)
        self.pot += amount
        self.with_chips &= ~np.where(stack_left <= 0, bit, NOBODY)
        leaves = acting & (op <= betting_snapshots.CONCEDE)
        if has_any(leaves):
            self._leave(op, np.where(leaves, bit, NOBODY), due, had_chips)
        is_voluntary = (acting | forbidden) & (op != betting_snapshots.BRING_IN) & (amount > 0)
        self.bet_voluntarily |= np.where(is_voluntary, bit, NOBODY)

        committed, bet_before = self.committed[cells], self.current_bet.copy()
        self._update_highest(counts, bit, committed)
        to = np.where(op == betting_snapshots.AS_BET, np.maximum(committed, step.minimum_bet), committed)
        exceeds = counts & (to > bet_before) & ((amount > 0) | (op == betting_snapshots.AS_BET))
        raises = exceeds & (op != betting_snapshots.CALL)
        self._record_pending(step, uncommitted, exceeds & ~raises, committed)
        self.current_bet[:] = np.where(raises, to, bet_before)
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain |= acting & exceeds & ~self.is_turn_known()
        if self.bet_when_last_acted is not None:
            self.bet_when_last_acted[cells[acting]] = self.current_bet[acting]
        self._mark_acted(op, bit, acting, live, raises, committed)
        self._apply_raise(op, step.row, bit, acting & raises & (op != betting_snapshots.BRING_IN), bet_before)
        moves_turn = acting & ((step.row == due) | ahead | (late & raises))
        self.last_actor[:] = np.where(moves_turn, step.row.astype(np.uint8), self.last_actor)

    def _leave(self, op: Codes, leaving: Bits32, due: Ints8, had_chips: Bits32) -> None:
        """Take seats that fold or concede out of play. The last player has nobody to concede to.

        Args:
            leaving: the seat that leaves each round; no seat where nobody does.
            had_chips: seats with chips before the action.
        """
        concedes = op == betting_snapshots.CONCEDE
        leaving = np.where(concedes & (self.players_in == leaving), NOBODY, leaving)
        self.players_in &= ~leaving
        # A concession while the seat must surely still act is a fold.
        must_act = (self.must_respond | ~self.has_acted) & had_chips
        folds = self.are_stacks_known & (due != ABSENT) & ((must_act & leaving) != 0)
        self.has_conceded |= np.where(concedes & ~folds, leaving, NOBODY)

    def _find_uncommitted(
        self, step: betting_snapshots.StepActions, due: Ints8, bit: Bits32, ahead: Flags, late: Flags
    ) -> tuple[Flags, Flags]:
        """Find chips that do not count toward the bet.

        Returns:
            bool[n], chips ahead of the turn that do not match the amount to call, or without a permitted action;
            bool[n], actions that are not permitted.
        """
        op = step.op
        forbidden = (step.row != due) & ~ahead & ~late & (bit != 0)
        forbidden &= (op >= betting_snapshots.CHECK) & (op < betting_snapshots.STREET)
        if self.accepts_all_bets:
            forbidden[:] = False
        if has_any(forbidden):
            forbidden &= self.is_turn_known() & ~self.is_option_moot(step.bit)
        is_out = is_betting_action(op) & (bit != 0) & ((self.players_in & bit) == 0)
        if not has_any(forbidden | ahead | is_out):
            return forbidden, forbidden
        self.has_irregularity = True
        self.acted_after_folding |= np.where(is_out, bit, NOBODY)
        self.snapshots.out_of_order[self.first_entry : self.first_entry + len(op)] = forbidden
        after_close = forbidden & (op == betting_snapshots.CHECK) & (due == ABSENT)
        self.checked_after_close |= np.where(after_close, bit, NOBODY)
        calls = (op == betting_snapshots.CALL) & self.is_a_call(step)
        bets_ahead = ahead & (op >= betting_snapshots.BRING_IN) & ~calls & (not self.accepts_all_bets)
        return (forbidden | bets_ahead) & (step.amount > 0), forbidden

    def _update_skipped(self, step: betting_snapshots.StepActions, due: Ints8, bit: Bits32, ahead: Flags) -> None:
        """Update the seats that an action ahead of the turn skips, and the seats that may act again."""
        acting = np.where(is_betting_action(step.op) | (step.op == betting_snapshots.VOID), bit, NOBODY)
        regular = (step.row == due) & (acting != 0) & ((self.skipped & bit) == 0)
        between = seat_layout.seats_between(self.last_actor, np.maximum(step.row, 0), self.to_act)
        self.skipped |= np.where(ahead, between, NOBODY)
        for seats in (self.skipped, self.skipped_last_street, self.checked_after_close_last_street, self.may_act_again):
            np.bitwise_and(seats, ~acting, out=seats)
        self.may_act_again[regular] = NOBODY
        self.may_act_again |= np.where(ahead & (step.op > betting_snapshots.CONCEDE), bit, NOBODY)

    def _update_highest(self, counts: Flags, bit: Bits32, committed: Ints) -> None:
        """Update the largest amount put in, and the seats that have put it in."""
        highest = np.where(counts, np.maximum(self.highest_commitment, committed), self.highest_commitment)
        self.seats_at_highest[highest > self.highest_commitment] = NOBODY
        self.seats_at_highest |= np.where(counts & (committed == highest), bit, NOBODY)
        self.highest_commitment[:] = highest

    def _record_pending(
        self, step: betting_snapshots.StepActions, uncommitted: Flags, over_called: Flags, committed: Ints
    ) -> None:
        """Record chips beyond the bet as a pending bet."""
        offers = uncommitted | over_called
        if has_any(offers):
            self.has_irregularity = True
            chips = np.where(uncommitted, step.amount, 0)
            self.pending_bets.record(
                offers,
                step,
                total=committed + chips,
                uncommitted=chips,
                snapshot_index=self.first_entry + self.round_indices,
            )

    def _accept_pending(self, step: betting_snapshots.StepActions) -> None:
        """Turn a pending bet into the bet if another seat answers it; add uncommitted chips to an answer of their own
        seat.
        """
        offers, bet_before, total = self.pending_bets, self.current_bet.copy(), self.pending_bets.total.copy()
        may_fold = (self.players_in & ~self.to_act & step.bit) != 0
        is_applied = offers.is_applied_to_own_call(step, self.committed[step.cell], bet_before)
        self.committed[step.cell] += np.where(is_applied, offers.uncommitted, 0)
        accepted = offers.is_accepted(step, self.committed[step.cell], bet_before, self.stack_left[step.cell], may_fold)
        own = is_betting_action(step.op) & (step.row == offers.row)
        offers.total[own | accepted] = 0
        if not has_any(accepted):
            return
        cells = self.locate_cells(offers.row)
        np.copyto(self.current_bet, total, where=accepted)
        self.committed[cells] += np.where(accepted, offers.uncommitted, 0)
        if self.bet_when_last_acted is not None:
            self.bet_when_last_acted[cells[accepted]] = total[accepted]
        bit = np.where(accepted, seat_layout.mask_of_seat(offers.row), NOBODY)
        np.copyto(self.highest_commitment, total, where=accepted)
        np.copyto(self.seats_at_highest, bit, where=accepted)
        for row, committed in enumerate(self.committed.reshape(-1, self.round_count)):
            owes = accepted & (committed[: len(total)] < total)
            self.must_respond |= np.where(owes, np.uint32(1 << row), NOBODY) & self.all_seats & ~bit
        self._apply_raise(offers.op, offers.row, bit, accepted, bet_before)
        calls_ahead = find_true(accepted & (offers.uncommitted > 0) & (offers.op == betting_snapshots.CALL))
        self.snapshots.out_of_order[offers.snapshot_index[calls_ahead]] = True
        closed = accepted & ((self.to_act & ~self.skipped) == 0)  # the betting was complete before
        self.last_actor[:] = np.where(closed, offers.row.astype(np.uint8), self.last_actor)

    def _mark_acted(self, op: Codes, bit: Bits32, acting: Flags, live: Flags, raises: Flags, committed: Ints) -> None:
        """Update which seats have acted, and which must respond."""
        paid, acted = np.where(live, bit, NOBODY), np.where(acting, bit, NOBODY)
        is_short = live & ~acting & (committed < self.current_bet)
        must_respond = np.where(raises, self.all_seats, self.must_respond) & ~paid
        self.must_respond[:] = must_respond | np.where(is_short, bit, NOBODY)
        self.has_acted |= acted
        self.may_raise &= ~acted
        self.has_checked |= np.where(op == betting_snapshots.CHECK, acted, NOBODY)
        self.has_posted |= paid & ~acted

    def _apply_raise(self, op: Codes, row: Ints8, bit: Bits32, raising: Flags, bet_before: Ints) -> None:
        """Apply the effects of a bet or raise. A bet that completes a bring-in is a full bet and no raise."""
        posts_bet = op == betting_snapshots.AS_BET
        if not has_any(raising | posts_bet):
            return
        completes = op == betting_snapshots.COMPLETE
        size = np.where(completes, self.current_bet, self.current_bet - bet_before)
        is_full = raising & (size >= self.find_full_raise())
        reopens = is_full | (raising & self.any_raise_reopens)
        self.may_raise[:] = np.where(reopens, self.all_seats & ~bit, self.may_raise)
        posted = np.where(posts_bet, np.maximum(self.last_raise, self.current_bet), self.last_raise)
        self.last_raise[:] = np.where(is_full, size, posted)
        # Completing half a bet or more is no raise.
        is_raise = (self.half_bet == 0) | (is_full & (bet_before >= self.half_bet))
        self.raise_count += raising & (bet_before > 0) & ~completes & is_raise
        self.last_bettor[:] = np.where(raising, row, self.last_bettor)
        self.last_bettor_of_hand[:] = np.where(raising, row, self.last_bettor_of_hand)

    def apply_cards(self, rounds: Ints, street: Ints8, due: Ints8, acts_follow: Flags) -> None:
        """Apply cards that begin betting rounds.

        Args:
            rounds: the rounds.
            street: int8, the betting round that each of them begins.
            due: int8[n], the seat that must still act in the round before.
            acts_follow: bool, whether any action follows.
        """
        is_early = acts_follow & (due[rounds] != ABSENT) & self.is_turn_known()[rounds]
        is_early &= street > self.street[rounds]
        self.pending_street[rounds[is_early]] = street[is_early]
        self.has_early_cards |= has_any(is_early)
        self.has_irregularity |= self.has_early_cards
        self.begin_streets(rounds[~is_early], street[~is_early])

    def _begin_pending_streets(self, step: betting_snapshots.StepActions | None) -> None:
        """Begin the betting rounds whose cards came too early, with the first action that belongs to them.

        This is an action of a seat that has nothing to do in the current round, or that opens the next and answers no
        bet.
        """
        begins = self.pending_street > 0
        if step is not None:
            calls = (step.op == betting_snapshots.CALL) & self.is_a_call(step)
            faces_bet = self.committed[step.cell] < self.current_bet
            answers = ((step.op == betting_snapshots.FOLD) | calls) & faces_bet
            answers |= step.op == betting_snapshots.RAISE
            before_opener = self.terms.row_before_opener[self.pending_street, self.round_indices]
            opener = seat_layout.find_next_seat_in(self.players_in & self.with_chips, before_opener, self.seat_count)
            goes_on = ((self.to_act & step.bit) != 0) & (answers | (opener != step.row))
            goes_on &= step.op != betting_snapshots.CONCEDE
            is_next = is_betting_action(step.op) & ~goes_on
            begins &= (self.to_act == 0) | (step.op >= betting_snapshots.STREET) | is_next
        rounds = find_true(begins)
        self.begin_streets(rounds, self.pending_street[rounds])
        self.pending_street[rounds] = 0
