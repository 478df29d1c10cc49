"""Replay of the betting: the k-th action of all rounds at once.

The replay accepts an action that breaks a rule as recorded: a short call answers the bet, and a bet of more than the
stack takes all chips. After an action ahead of the turn, the betting continues from that seat. A skipped seat may act
at any time; the others do not wait, and in later betting rounds nobody waits for a seat that has not acted since. A
seat that acted ahead may act again at its turn. A check after the betting is complete counts for the next betting
round, where the seat may still act.

Chips beyond the bet from a call, ahead of the turn, or without a permitted action are a pending bet. It becomes the bet
when another seat answers it. Until then, chips ahead of the turn or without it are in the pot and answer nothing. If
cards come before the betting is complete, the next betting round begins with the first action that does not belong to
the current one.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8
from validator.engine.betting.action_codes import (
    AS_BET,
    BRING_IN,
    CALL,
    CHECK,
    COMPLETE,
    CONCEDE,
    DEAD,
    FOLD,
    LIVE,
    MUCK,
    OTHER,
    RAISE,
    STREET,
    VOID,
    Acts,
    Terms,
)
from validator.engine.betting.offers import Step, acts_in
from validator.engine.betting.standing import NOBODY, Standing
from validator.engine.betting.states import Over, States
from validator.engine.seats.seat_sets import between, bit_of, next_of, several, size


def played(acts: Acts, terms: Terms) -> tuple[States, Over]:
    """Replay the actions, and return the snapshots before every action and the final state of each round."""
    play = Running(terms, len(acts.events))
    bits, last = bit_of(acts.row), acts.last_steps()
    for number, (lo, hi) in enumerate(pairwise(acts.starts.tolist())):
        now = slice(lo, hi)
        step = Step(op=acts.op[now], row=acts.row[now], bit=bits[now], amount=acts.amount[now], floor=acts.floor[now])
        due = play.see(now, step.row, step.bit, step)
        if (step.op == MUCK).any():
            step = step._replace(op=play.muck(step, due))
        if step.op.any():  # all other actions change nothing
            play.pay(step, due)
        begun = np.flatnonzero(step.op >= STREET)
        if len(begun):
            play.deal(begun, (step.op[begun] - STREET).astype(np.int8), due, last[begun] > number)
    rounds = len(acts.order)
    ends = slice(len(acts.events), len(acts.events) + rounds)
    play.see(ends, np.full(rounds, ABSENT, np.int8), np.zeros(rounds, np.uint32))
    return play.states, Over(
        players=play.players, conceded=play.conceded, last_bettor=play.bettor, last_bettor_of_all=play.bettor_of_all
    )


class Running(Standing):
    """Betting state that advances action by action."""

    def see(self, now: slice, row: Ints8, bit: Bits32, step: Step | None = None) -> Ints8:
        """Store the snapshots before the actions of a step, and return the seat to act in each round."""
        active = len(row)
        seen = self.states
        at = self.cells(row)
        if self.irregular:
            self.wanted[:active] = self.still_to_act(active)
            if self.cards_early:
                self._begin_pending_streets(step, row, bit, at)
            if step is not None:
                self._accept_pending(step, at)
        players, level = self.players[:active], self.level[:active]
        able = players & self.chips[:active]
        alone, undecided_seats = ~several(able), able & ~self.acted[:active]
        self.wanted[:active] = wanted = self.still_to_act(active)
        first = wanted & ~self.passed[:active]
        due = next_of(np.where(first != 0, first, wanted), self.last[:active], self.count[:active])
        seen.due[now] = due
        seen.skipped[now] = (wanted != 0) & ((first | (wanted & self.owes[:active])) == 0)
        if step is not None:  # announcements by skipped seats count as in turn while the betting is open
            speaks = (step.op == OTHER) & (due != ABSENT) & self.skipped(bit)
            seen.late[now] = speaks | self.late(step)
        seen.level[now] = level
        seen.put[now] = self.put[at]
        seen.behind[now] = self.behind[at]
        seen.last_raise[now] = self.last_raise[:active]
        seen.pot[now] = self.pot[:active]
        seen.players[now] = players
        seen.voluntary[now] = size(self.voluntary[:active])
        self.now = now.start
        seen.still_in[now] = (players & bit) != 0
        if step is not None and self.irregular:  # only the first action of a folded seat is reported
            seen.still_in[now] |= acts_in(step) & ((self.back[:active] & bit) != 0)
        seen.may_raise[now] = (self.may_raise[:active] & bit) != 0
        if self.left_at is not None:
            since = level - self.left_at[at]
            seen.may_raise[now] |= self.in_all[:active] & (bit != 0) & (since >= self.full(active))
        seen.acted[now] = (self.acted[:active] & bit) != 0
        seen.checked[now] = (self.checked[:active] & bit) != 0
        quiet = (self.street[:active] == 0) & (self.bettor[:active] == ABSENT)
        waiting = np.where(quiet, undecided_seats & self.posted[:active], NOBODY)
        seen.option[now] = ~alone & (waiting != 0)
        seen.moot[now] = alone & ((waiting & bit) != 0)
        seen.able[now] = ~alone
        seen.street[now] = self.street[:active]
        seen.raises[now] = self.raises[:active]
        if self.unsure is not None:
            seen.unsure[now] = self.unsure[:active]
        return due

    def muck(self, step: Step, due: Ints8) -> Codes:
        """Return the effects of actions, with mucks by seats that must act or face a bet turned into VOID.

        A fold that the seat announces afterwards does not count as an action of a folded seat.

        Returns:
            uint8[n].
        """
        active = len(due)
        faced = self.put[self.cells(step.row)] < self.level[:active]
        open_ = (due != ABSENT) & ((self.players[:active] & step.bit) != 0)
        given_up = (step.op == MUCK) & open_ & ((step.row == due) | faced)
        self.back[:active] |= np.where(given_up, step.bit, NOBODY)
        self.irregular |= bool(given_up.any())
        return np.where(given_up, np.uint8(VOID), step.op)

    def pay(self, step: Step, due: Ints8) -> None:
        """Apply the actions of a step as recorded."""
        op, active = step.op, len(step.op)
        at = self.cells(step.row)
        paying = (step.row >= 0) & (op >= DEAD) & (op < STREET)
        live, acting = paying & (op >= LIVE), paying & (op >= VOID)
        bit = np.where(paying, step.bit, NOBODY)
        late, ahead = self.late(step), self.ahead(step, due, bit)
        amount = np.where(paying, step.amount, 0)
        apart, idle = self._find_uncommitted(step, due, at, bit, ahead, late)
        if self.irregular:
            self._update_skipped(step, due, bit, ahead)
            live, acting = live & ~idle, acting & ~idle
        counts = live & ~apart

        held = self.chips[:active].copy()
        left = self.behind[at] - amount
        self.behind[at] = np.maximum(left, 0)
        self.put[at] += np.where(counts, amount, 0)
        self.pot[:active] += amount
        self.chips[:active] &= ~np.where(left <= 0, bit, NOBODY)
        leaving = np.where(acting & (op <= CONCEDE), bit, NOBODY)
        # The last player has nobody to concede to.
        leaving = np.where((op == CONCEDE) & (self.players[:active] == leaving), NOBODY, leaving)
        self.players[:active] &= ~leaving
        # A concession while the seat must surely still act is a fold.
        open_ = self.terms.stacked[:active] & (due != ABSENT)
        acting_yet = open_ & (((self.owes[:active] | ~self.acted[:active]) & held & bit) != 0)
        self.conceded[:active] |= np.where((op == CONCEDE) & ~acting_yet, leaving, NOBODY)
        self.voluntary[:active] |= np.where((acting | idle) & (op != BRING_IN) & (amount > 0), bit, NOBODY)

        put, level = self.put[at], self.level[:active].copy()
        most = np.where(counts, np.maximum(self.most[:active], put), self.most[:active])
        self.covers[:active] = np.where(most > self.most[:active], NOBODY, self.covers[:active]) | np.where(
            counts & (put == most), bit, NOBODY
        )
        self.most[:active] = most
        target = np.where(op == AS_BET, np.maximum(put, step.floor), put)
        beyond = counts & (target > level) & ((amount > 0) | (op == AS_BET))
        up = beyond & (op != CALL)
        self._record_pending(step, apart, beyond & ~up, put)
        self.level[:active] = np.where(up, target, level)
        if self.unsure is not None:
            self.unsure[:active] |= acting & beyond & ~self.terms.turns[self.street[:active], self.here[:active]]
        if self.left_at is not None:
            self.left_at[at[acting]] = self.level[:active][acting]
        self._mark_acted(op, bit, acting, live, up, put)
        self._apply_raise(op, step.row, bit, acting & up & (op != BRING_IN), target - level, level > 0)
        moves = acting & ((step.row == due) | ahead | (late & up))
        self.last[:active] = np.where(moves, step.row.astype(np.uint8), self.last[:active])

    def _find_uncommitted(
        self, step: Step, due: Ints8, at: Ints, bit: Bits32, ahead: Flags, late: Flags
    ) -> tuple[Flags, Flags]:
        """Find chips that do not count toward the bet.

        Returns:
            bool[n], chips ahead of the turn that do not match the amount to call, or without a permitted action;
            bool[n], the latter only.
        """
        op, active = step.op, len(step.op)
        idle = (step.row != due) & ~ahead & ~late & (bit != 0) & (op >= CHECK) & (op < STREET)
        if self.at_once:
            idle[:] = False
        idle &= (
            self.terms.turns[self.street[:active], self.here[:active]] & ~self.states.moot[self.now : self.now + active]
        )
        odd = ahead & (op >= BRING_IN)
        acting_folded = acts_in(step) & (bit != 0) & ((self.players[:active] & bit) == 0)
        if not (idle.any() or ahead.any() or acting_folded.any()):
            return idle, idle
        self.irregular = True
        self.back[:active] |= np.where(acting_folded, bit, NOBODY)
        self.states.out_of_order[self.now : self.now + active] = idle
        self.early[:active] |= np.where(idle & (op == CHECK) & (due == ABSENT), bit, NOBODY)
        answers = (op == CALL) & self.is_a_call(step, at)
        return (idle | (odd & ~answers & (not self.at_once))) & (step.amount > 0), idle

    def _update_skipped(self, step: Step, due: Ints8, bit: Bits32, ahead: Flags) -> None:
        """Update the seats that an action ahead of the turn skips, and the seats that may act again."""
        active = len(step.op)
        acting = np.where(acts_in(step) | (step.op == VOID), bit, NOBODY)
        regular = (step.row == due) & (acting != 0) & ((self.passed[:active] & bit) == 0)
        skipped = between(self.last[:active], np.maximum(step.row, 0), self.wanted[:active])
        self.passed[:active] = (self.passed[:active] | np.where(ahead, skipped, NOBODY)) & ~acting
        self.away[:active] &= ~acting
        self.hasty[:active] &= ~acting
        acting_again = np.where(regular, NOBODY, self.again[:active] & ~acting)
        self.again[:active] = acting_again | np.where(ahead & (step.op > CONCEDE), bit, NOBODY)

    def _record_pending(self, step: Step, apart: Flags, over_called: Flags, put: Ints) -> None:
        """Record chips beyond the bet as a pending bet."""
        offers = apart | over_called
        if offers.any():
            self.irregular = True
            held = np.where(apart, step.amount, 0)
            self.offers.note(offers, step, put + held, held, self.now + self.here[: len(offers)])

    def _accept_pending(self, step: Step, at: Ints) -> None:
        """Turn a pending bet into the bet if another seat answers it; add uncommitted chips to an answer of their own
        seat.
        """
        active, offers = len(step.op), self.offers
        level, offer, held, by = (
            self.level[:active].copy(),
            offers.level[:active].copy(),
            offers.apart,
            offers.by[:active],
        )
        owing = (self.wanted[:active] & step.bit) != 0
        self.put[at] += np.where(offers.counted(step, self.put[at], level), held[:active], 0)
        follows = offers.answered(step, self.put[at], level, self.behind[at], owing)
        own = acts_in(step) & (step.row == by)
        offers.level[:active] = np.where(own | follows, 0, offer)
        if not follows.any():
            return
        self.level[:active] = np.where(follows, offer, level)
        self.put[self.cells(by)] += np.where(follows, held[:active], 0)
        if self.left_at is not None:
            self.left_at[self.cells(by)[follows]] = offer[follows]
        bit = np.where(follows, bit_of(by), NOBODY)
        self.most[:active] = np.where(follows, offer, self.most[:active])
        self.covers[:active] = np.where(follows, bit, self.covers[:active])
        for row, has in enumerate(self.put.reshape(-1, self.rounds)):
            owes = follows & (has[:active] < offer)
            self.owes[:active] |= np.where(owes, np.uint32(1 << row), NOBODY) & self.all[:active] & ~bit
        self._apply_raise(offers.op[:active], by, bit, follows, offer - level, level > 0)
        calls_ahead = np.flatnonzero(follows & (held[:active] > 0) & (offers.op[:active] == CALL))
        self.states.out_of_order[offers.entry[calls_ahead]] = True
        closed = follows & ((self.wanted[:active] & ~self.passed[:active]) == 0)  # the betting was complete before
        self.last[:active] = np.where(closed, by.astype(np.uint8), self.last[:active])

    def _mark_acted(self, op: Codes, bit: Bits32, acting: Flags, live: Flags, up: Flags, put: Ints) -> None:
        """Update which seats have acted, and which must respond."""
        active = len(op)
        counted, acted = np.where(live, bit, NOBODY), np.where(acting, bit, NOBODY)
        owes = np.where(up, self.all[:active], self.owes[:active]) & ~counted
        short = live & ~acting & (put < self.level[:active])
        self.owes[:active] = owes | np.where(short, bit, NOBODY)
        self.acted[:active] |= acted
        self.may_raise[:active] &= ~acted
        self.checked[:active] |= np.where(op == CHECK, acted, NOBODY)
        self.posted[:active] |= counted & ~acted

    def _apply_raise(self, op: Codes, row: Ints8, bit: Bits32, raising: Flags, by: Ints, faced: Flags) -> None:
        """Apply the effects of a bet or raise. A bet that completes a bring-in is a full bet and no raise.

        Args:
            by: how much it exceeds the previous bet.
        """
        active = len(op)
        last_raise = self.last_raise[:active]
        completing = op == COMPLETE
        size = np.where(completing, self.level[:active], by)
        full = raising & (size >= self.full(active))
        opens = full | (raising & self.any_raise[:active])
        self.may_raise[:active] = np.where(opens, self.all[:active] & ~bit, self.may_raise[:active])
        set_by = np.where(full, size, np.where(op == AS_BET, np.maximum(last_raise, self.level[:active]), last_raise))
        self.last_raise[:active] = set_by
        half, before = self.half[:active], self.level[:active] - by
        whole = (half == 0) | (full & (before >= half))  # completing half a bet or more is no raise
        self.raises[:active] += raising & faced & ~completing & whole
        self.bettor[:active] = np.where(raising, row, self.bettor[:active])
        self.bettor_of_all[:active] = np.where(raising, row, self.bettor_of_all[:active])

    def deal(self, at: Ints, street: Ints8, due: Ints8, acts_follow: Flags) -> None:
        """Apply cards that begin betting rounds.

        Args:
            at: the rounds.
            street: int8, the betting round that each of them begins.
            due: int8[n], the seat that must still act in the round before.
            acts_follow: bool, whether any action follows.
        """
        early = acts_follow & (due[at] != ABSENT) & self.terms.turns[self.street[at], at] & (street > self.street[at])
        self.coming[at[early]] = street[early]
        self.cards_early |= bool(early.any())
        self.irregular |= self.cards_early
        self.begin(at[~early], street[~early])

    def _begin_pending_streets(self, step: Step | None, row: Ints8, bit: Bits32, at: Ints) -> None:
        """Begin the betting rounds whose cards came too early, with the first action that belongs to them.

        This is an action of a seat that has nothing to do in the current round, or that opens the next and answers no
        bet.
        """
        active = len(row)
        wanted, coming = self.wanted[:active], self.coming[:active]
        begins = coming > 0
        if step is not None:
            answers = (step.op == FOLD) | ((step.op == CALL) & self.is_a_call(step, at))
            answers = answers & (self.put[at] < self.level[:active]) | (step.op == RAISE)
            able = self.players[:active] & self.chips[:active]
            opener = next_of(able, self.terms.before[coming, self.here[:active]], self.count[:active])
            goes_on = ((wanted & bit) != 0) & (answers | (opener != row)) & (step.op != CONCEDE)
            begins &= (wanted == 0) | (step.op >= STREET) | (acts_in(step) & ~goes_on)
        rounds = np.flatnonzero(begins)
        self.begin(rounds, coming[rounds])
        self.coming[rounds] = 0
