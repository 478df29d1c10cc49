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
        many = len(row)
        seen = self.states
        at = self.cells(row)
        if self.irregular:
            self.wanted[:many] = self.still_to_act(many)
            if self.cards_early:
                self._begin_pending_streets(step, row, bit, at)
            if step is not None:
                self._accept_pending(step, at)
        players, level = self.players[:many], self.level[:many]
        able = players & self.chips[:many]
        alone, unheard = ~several(able), able & ~self.acted[:many]
        self.wanted[:many] = wanted = self.still_to_act(many)
        first = wanted & ~self.passed[:many]
        due = next_of(np.where(first != 0, first, wanted), self.last[:many], self.count[:many])
        seen.due[now] = due
        seen.skipped[now] = (wanted != 0) & ((first | (wanted & self.owes[:many])) == 0)
        if step is not None:  # announcements by skipped seats count as in turn while the betting is open
            speaks = (step.op == OTHER) & (due != ABSENT) & self.skipped(bit)
            seen.late[now] = speaks | self.late(step)
        seen.level[now] = level
        seen.put[now] = self.put[at]
        seen.behind[now] = self.behind[at]
        seen.last_raise[now] = self.last_raise[:many]
        seen.pot[now] = self.pot[:many]
        seen.players[now] = players
        seen.voluntary[now] = size(self.voluntary[:many])
        self.now = now.start
        seen.still_in[now] = (players & bit) != 0
        if step is not None and self.irregular:  # only the first action of a folded seat is reported
            seen.still_in[now] |= acts_in(step) & ((self.back[:many] & bit) != 0)
        seen.may_raise[now] = (self.may_raise[:many] & bit) != 0
        if self.left_at is not None:
            since = level - self.left_at[at]
            seen.may_raise[now] |= self.in_all[:many] & (bit != 0) & (since >= self.full(many))
        seen.acted[now] = (self.acted[:many] & bit) != 0
        seen.checked[now] = (self.checked[:many] & bit) != 0
        quiet = (self.street[:many] == 0) & (self.bettor[:many] == ABSENT)
        waiting = np.where(quiet, unheard & self.posted[:many], NOBODY)
        seen.option[now] = ~alone & (waiting != 0)
        seen.moot[now] = alone & ((waiting & bit) != 0)
        seen.able[now] = ~alone
        seen.street[now] = self.street[:many]
        seen.raises[now] = self.raises[:many]
        if self.unsure is not None:
            seen.unsure[now] = self.unsure[:many]
        return due

    def muck(self, step: Step, due: Ints8) -> Codes:
        """Return the effects of actions, with mucks by seats that must act or face a bet turned into VOID.

        A fold that the seat announces afterwards does not count as an action of a folded seat.

        Returns:
            uint8[n].
        """
        many = len(due)
        faced = self.put[self.cells(step.row)] < self.level[:many]
        open_ = (due != ABSENT) & ((self.players[:many] & step.bit) != 0)
        given_up = (step.op == MUCK) & open_ & ((step.row == due) | faced)
        self.back[:many] |= np.where(given_up, step.bit, NOBODY)
        self.irregular |= bool(given_up.any())
        return np.where(given_up, np.uint8(VOID), step.op)

    def pay(self, step: Step, due: Ints8) -> None:
        """Apply the actions of a step as recorded."""
        op, many = step.op, len(step.op)
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

        held = self.chips[:many].copy()
        left = self.behind[at] - amount
        self.behind[at] = np.maximum(left, 0)
        self.put[at] += np.where(counts, amount, 0)
        self.pot[:many] += amount
        self.chips[:many] &= ~np.where(left <= 0, bit, NOBODY)
        gone = np.where(acting & (op <= CONCEDE), bit, NOBODY)
        # The last player has nobody to concede to.
        gone = np.where((op == CONCEDE) & (self.players[:many] == gone), NOBODY, gone)
        self.players[:many] &= ~gone
        # A concession while the seat must surely still act is a fold.
        open_ = self.terms.stacked[:many] & (due != ABSENT)
        acting_yet = open_ & (((self.owes[:many] | ~self.acted[:many]) & held & bit) != 0)
        self.conceded[:many] |= np.where((op == CONCEDE) & ~acting_yet, gone, NOBODY)
        self.voluntary[:many] |= np.where((acting | idle) & (op != BRING_IN) & (amount > 0), bit, NOBODY)

        put, level = self.put[at], self.level[:many].copy()
        most = np.where(counts, np.maximum(self.most[:many], put), self.most[:many])
        self.covers[:many] = np.where(most > self.most[:many], NOBODY, self.covers[:many]) | np.where(
            counts & (put == most), bit, NOBODY
        )
        self.most[:many] = most
        target = np.where(op == AS_BET, np.maximum(put, step.floor), put)
        beyond = counts & (target > level) & ((amount > 0) | (op == AS_BET))
        up = beyond & (op != CALL)
        self._record_pending(step, apart, beyond & ~up, put)
        self.level[:many] = np.where(up, target, level)
        if self.unsure is not None:
            self.unsure[:many] |= acting & beyond & ~self.terms.turns[self.street[:many], self.here[:many]]
        if self.left_at is not None:
            self.left_at[at[acting]] = self.level[:many][acting]
        self._mark_acted(op, bit, acting, live, up, put)
        self._apply_raise(op, step.row, bit, acting & up & (op != BRING_IN), target - level, level > 0)
        moves = acting & ((step.row == due) | ahead | (late & up))
        self.last[:many] = np.where(moves, step.row.astype(np.uint8), self.last[:many])

    def _find_uncommitted(
        self, step: Step, due: Ints8, at: Ints, bit: Bits32, ahead: Flags, late: Flags
    ) -> tuple[Flags, Flags]:
        """Find chips that do not count toward the bet.

        Returns:
            bool[n], chips ahead of the turn that do not match the amount to call, or without a permitted action;
            bool[n], the latter only.
        """
        op, many = step.op, len(step.op)
        idle = (step.row != due) & ~ahead & ~late & (bit != 0) & (op >= CHECK) & (op < STREET)
        if self.at_once:
            idle[:] = False
        idle &= self.terms.turns[self.street[:many], self.here[:many]] & ~self.states.moot[self.now : self.now + many]
        odd = ahead & (op >= BRING_IN)
        gone = acts_in(step) & (bit != 0) & ((self.players[:many] & bit) == 0)
        if not (idle.any() or ahead.any() or gone.any()):
            return idle, idle
        self.irregular = True
        self.back[:many] |= np.where(gone, bit, NOBODY)
        self.states.out_of_order[self.now : self.now + many] = idle
        self.early[:many] |= np.where(idle & (op == CHECK) & (due == ABSENT), bit, NOBODY)
        answers = (op == CALL) & self.is_a_call(step, at)
        return (idle | (odd & ~answers & (not self.at_once))) & (step.amount > 0), idle

    def _update_skipped(self, step: Step, due: Ints8, bit: Bits32, ahead: Flags) -> None:
        """Update the seats that an action ahead of the turn skips, and the seats that may act again."""
        many = len(step.op)
        acting = np.where(acts_in(step) | (step.op == VOID), bit, NOBODY)
        regular = (step.row == due) & (acting != 0) & ((self.passed[:many] & bit) == 0)
        skipped = between(self.last[:many], np.maximum(step.row, 0), self.wanted[:many])
        self.passed[:many] = (self.passed[:many] | np.where(ahead, skipped, NOBODY)) & ~acting
        self.away[:many] &= ~acting
        self.hasty[:many] &= ~acting
        again = np.where(regular, NOBODY, self.again[:many] & ~acting)
        self.again[:many] = again | np.where(ahead & (step.op > CONCEDE), bit, NOBODY)

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
        many, offers = len(step.op), self.offers
        level, offer, held, by = self.level[:many].copy(), offers.level[:many].copy(), offers.apart, offers.by[:many]
        owing = (self.wanted[:many] & step.bit) != 0
        self.put[at] += np.where(offers.counted(step, self.put[at], level), held[:many], 0)
        follows = offers.answered(step, self.put[at], level, self.behind[at], owing)
        own = acts_in(step) & (step.row == by)
        offers.level[:many] = np.where(own | follows, 0, offer)
        if not follows.any():
            return
        self.level[:many] = np.where(follows, offer, level)
        self.put[self.cells(by)] += np.where(follows, held[:many], 0)
        if self.left_at is not None:
            self.left_at[self.cells(by)[follows]] = offer[follows]
        bit = np.where(follows, bit_of(by), NOBODY)
        self.most[:many] = np.where(follows, offer, self.most[:many])
        self.covers[:many] = np.where(follows, bit, self.covers[:many])
        for row, has in enumerate(self.put.reshape(-1, self.rounds)):
            owes = follows & (has[:many] < offer)
            self.owes[:many] |= np.where(owes, np.uint32(1 << row), NOBODY) & self.all[:many] & ~bit
        self._apply_raise(offers.op[:many], by, bit, follows, offer - level, level > 0)
        calls_ahead = np.flatnonzero(follows & (held[:many] > 0) & (offers.op[:many] == CALL))
        self.states.out_of_order[offers.entry[calls_ahead]] = True
        closed = follows & ((self.wanted[:many] & ~self.passed[:many]) == 0)  # the betting was complete before
        self.last[:many] = np.where(closed, by.astype(np.uint8), self.last[:many])

    def _mark_acted(self, op: Codes, bit: Bits32, acting: Flags, live: Flags, up: Flags, put: Ints) -> None:
        """Update which seats have acted, and which must respond."""
        many = len(op)
        counted, acted = np.where(live, bit, NOBODY), np.where(acting, bit, NOBODY)
        owes = np.where(up, self.all[:many], self.owes[:many]) & ~counted
        short = live & ~acting & (put < self.level[:many])
        self.owes[:many] = owes | np.where(short, bit, NOBODY)
        self.acted[:many] |= acted
        self.may_raise[:many] &= ~acted
        self.checked[:many] |= np.where(op == CHECK, acted, NOBODY)
        self.posted[:many] |= counted & ~acted

    def _apply_raise(self, op: Codes, row: Ints8, bit: Bits32, raising: Flags, by: Ints, faced: Flags) -> None:
        """Apply the effects of a bet or raise. A bet that completes a bring-in is a full bet and no raise.

        Args:
            by: how much it exceeds the previous bet.
        """
        many = len(op)
        last_raise = self.last_raise[:many]
        completing = op == COMPLETE
        size = np.where(completing, self.level[:many], by)
        full = raising & (size >= self.full(many))
        opens = full | (raising & self.any_raise[:many])
        self.may_raise[:many] = np.where(opens, self.all[:many] & ~bit, self.may_raise[:many])
        set_by = np.where(full, size, np.where(op == AS_BET, np.maximum(last_raise, self.level[:many]), last_raise))
        self.last_raise[:many] = set_by
        half, before = self.half[:many], self.level[:many] - by
        whole = (half == 0) | (full & (before >= half))  # completing half a bet or more is no raise
        self.raises[:many] += raising & faced & ~completing & whole
        self.bettor[:many] = np.where(raising, row, self.bettor[:many])
        self.bettor_of_all[:many] = np.where(raising, row, self.bettor_of_all[:many])

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
        many = len(row)
        wanted, coming = self.wanted[:many], self.coming[:many]
        begins = coming > 0
        if step is not None:
            answers = (step.op == FOLD) | ((step.op == CALL) & self.is_a_call(step, at))
            answers = answers & (self.put[at] < self.level[:many]) | (step.op == RAISE)
            able = self.players[:many] & self.chips[:many]
            opener = next_of(able, self.terms.before[coming, self.here[:many]], self.count[:many])
            goes_on = ((wanted & bit) != 0) & (answers | (opener != row)) & (step.op != CONCEDE)
            begins &= (wanted == 0) | (step.op >= STREET) | (acts_in(step) & ~goes_on)
        rounds = np.flatnonzero(begins)
        self.begin(rounds, coming[rounds])
        self.coming[rounds] = 0
