"""Betting played through: act k of all rounds at once.

An act that breaks a rule is taken as it stood: a short call answers the bet, a bet of more than the stack empties it.
From who acts ahead of the turn it goes on. Who was passed over so may act at any time, the others not waiting; in later
betting rounds nobody waits for who has not acted since. A call of more than the bet does not raise it, unless who calls
next puts in as much.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Ints8
from validator.engine.betting.action_codes import (
    ANY_RAISE,
    AS_BET,
    BRING_IN,
    CALL,
    CHECK,
    COMPLETE,
    CONCEDE,
    DEAD,
    FOLD,
    FULL_RAISE_IN_ALL,
    LIVE,
    OTHER,
    STREET,
    VOID,
    Acts,
    Terms,
)
from validator.engine.betting.states import Over, States
from validator.engine.seats.seat_sets import all_of, between, bit_of, next_of, several, size

_NOBODY = np.uint32(0)


def played(acts: Acts, terms: Terms) -> tuple[States, Over]:
    """The state before every act and at the end, and who was left."""
    play = Running(terms, len(acts.events))
    bits = bit_of(acts.row)
    for lo, hi in pairwise(acts.starts.tolist()):
        now = slice(lo, hi)
        step = Step(op=acts.op[now], row=acts.row[now], bit=bits[now], amount=acts.amount[now], floor=acts.floor[now])
        due = play.see(now, step.row, step.bit, step)
        if step.op.any():  # all else changes nothing
            play.pay(step, due)
        begun = np.flatnonzero(step.op >= STREET)
        if len(begun):
            play.begin(begun, (step.op[begun] - STREET).astype(np.int8))
    rounds = len(acts.order)
    ends = slice(len(acts.events), len(acts.events) + rounds)
    play.see(ends, np.full(rounds, ABSENT, np.int8), np.zeros(rounds, np.uint32))
    return play.states, Over(
        players=play.players, conceded=play.conceded, last_bettor=play.bettor, last_bettor_of_all=play.bettor_of_all
    )


class Step(NamedTuple):
    """The acts of one step, a round each; as in `Acts`, and the mask of the seat of each."""

    op: Codes
    row: Ints8
    bit: Bits32
    amount: Ints
    floor: Ints


class Running:
    """The rounds as they stand. Columns are of all rounds; a step works on the first so many of them."""

    def __init__(self, terms: Terms, acts: int) -> None:
        self.terms = terms
        rounds = len(terms.count)
        self.rounds = rounds
        self.states = States.empty(acts + rounds)
        self.count = np.maximum(terms.count, np.uint32(1))
        self.all = all_of(terms.count)
        self.behind = terms.stacks.reshape(-1).copy()
        self.put = np.zeros_like(self.behind)
        self.here = np.arange(rounds)
        self.players = self.all.copy()
        self.chips = np.zeros(rounds, np.uint32)
        for row, stack in enumerate(terms.stacks):
            self.chips |= np.where(stack > 0, np.uint32(1 << row), _NOBODY)
        self.acted, self.owes, self.checked = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.posted, self.voluntary, self.conceded = (np.zeros(rounds, np.uint32) for _ in range(3))
        # Who is still to act; who was passed over in this betting round, and in those before it.
        self.wanted, self.passed, self.away = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.may_raise = self.all.copy()
        self.any_raise = terms.reopened_by == ANY_RAISE
        self.in_all = terms.reopened_by == FULL_RAISE_IN_ALL
        # The bet as each seat left it when it acted last; told from none where nothing hangs on it, for speed.
        self.left_at = np.zeros_like(self.put) if self.in_all.any() else None
        self.level, self.pot = np.zeros(rounds, np.int64), np.zeros(rounds, np.int64)
        self.most, self.covers = np.zeros(rounds, np.int64), np.zeros(rounds, np.uint32)
        self.over_called = np.zeros(rounds, np.int64)  # what somebody had in after a call of more than the bet
        self.last_raise = terms.smallest[0].copy()
        self.half = terms.half[0].copy()
        self.last = terms.before[0].copy()
        self.bettor, self.bettor_of_all = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int8)
        self.street = np.zeros(rounds, np.int8)
        self.raises = np.zeros(rounds, np.int16)

    def see(self, now: slice, row: Ints8, bit: Bits32, step: Step | None = None) -> Ints8:
        """Note the state before the acts of a step, where it is known what they are, and tell who is due."""
        many = len(row)
        seen = self.states
        at = self._cells(row)
        if step is not None:
            self._follow(step, at)
        players, level = self.players[:many], self.level[:many]
        able = players & self.chips[:many]
        alone = ~several(able)
        unheard = able & ~self.acted[:many]
        # Who is alone left with chips owes nothing beyond what others have in, though a blind was posted short.
        owed = able & self.owes[:many] & ~np.where(alone, self.covers[:many], _NOBODY)
        wanted = (owed | np.where(alone, _NOBODY, unheard)) & ~self.away[:many]
        self.wanted[:many] = wanted = np.where(several(players), wanted, _NOBODY)
        first = wanted & ~self.passed[:many]
        due = next_of(np.where(first != 0, first, wanted), self.last[:many], self.count[:many])
        seen.due[now] = due
        if step is not None:  # what they say and put forward while the betting is open is in turn as well
            speaks = (step.op == OTHER) & (due != ABSENT) & self._skipped(bit)
            seen.late[now] = speaks | self._late(step)
        seen.level[now] = level
        seen.put[now] = self.put[at]
        seen.behind[now] = self.behind[at]
        seen.last_raise[now] = self.last_raise[:many]
        seen.pot[now] = self.pot[:many]
        seen.players[now] = players
        seen.voluntary[now] = size(self.voluntary[:many])
        seen.still_in[now] = (players & bit) != 0
        seen.may_raise[now] = (self.may_raise[:many] & bit) != 0
        if self.left_at is not None:
            since = level - self.left_at[at]
            seen.may_raise[now] |= self.in_all[:many] & (bit != 0) & (since >= self._full(many))
        seen.acted[now] = (self.acted[:many] & bit) != 0
        seen.checked[now] = (self.checked[:many] & bit) != 0
        quiet = (self.street[:many] == 0) & (self.bettor[:many] == ABSENT)
        waiting = np.where(quiet, unheard & self.posted[:many], _NOBODY)
        seen.option[now] = ~alone & (waiting != 0)
        seen.moot[now] = alone & ((waiting & bit) != 0)
        seen.able[now] = ~alone
        seen.street[now] = self.street[:many]
        seen.raises[now] = self.raises[:many]
        return due

    def _late(self, step: Step) -> Flags:
        """bool[many]: acts of who was passed over, and may act at any time."""
        return (step.op >= FOLD) & (step.op < STREET) & self._skipped(step.bit)

    def _skipped(self, bit: Bits32) -> Flags:
        """bool[many]: where a seat still in was passed over."""
        many = len(bit)
        return ((self.passed[:many] | self.away[:many]) & self.players[:many] & bit) != 0

    def _follow(self, step: Step, at: Ints) -> None:
        """Take a call of more than the bet as the bet, where somebody calls as much."""
        many = len(step.op)
        level, beyond = self.level[:many], self.over_called[:many]
        follows = (step.op == CALL) & (beyond > level) & (self.put[at] + step.amount == beyond)
        if not follows.any():
            return
        self.level[:many] = np.where(follows, beyond, level)
        for row, put in enumerate(self.put.reshape(-1, self.rounds)):
            self.owes[:many] |= (
                np.where(follows & (put[:many] < beyond), np.uint32(1 << row), _NOBODY) & self.all[:many]
            )

    def _full(self, many: int) -> Ints:
        """int64[many]: what a raise must come to, to open the betting again."""
        half = self.half[:many]
        return np.where(half > 0, half, self.last_raise[:many])

    def _cells(self, row: Ints8) -> Ints:
        """Where the columns of each seat stand; those of the first where there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.rounds + self.here[: len(row)]

    def pay(self, step: Step, due: Ints8) -> None:
        """Take the acts of a step as they stood."""
        op, many = step.op, len(step.op)
        at = self._cells(step.row)
        paying = (step.row >= 0) & (op >= DEAD) & (op < STREET)
        live, acting = paying & (op >= LIVE), paying & (op >= VOID)
        bit = np.where(paying, step.bit, _NOBODY)
        late, ahead = self._late(step), self._ahead(step, due, bit)
        self.passed[:many] |= np.where(
            ahead, between(self.last[:many], np.maximum(step.row, 0), self.wanted[:many]), _NOBODY
        )
        heard = ~np.where(acting, bit, _NOBODY)
        self.passed[:many] &= heard
        self.away[:many] &= heard
        amount = np.where(paying, step.amount, 0)

        held = self.chips[:many].copy()
        left = self.behind[at] - amount
        self.behind[at] = np.maximum(left, 0)
        self.put[at] += np.where(live, amount, 0)
        self.pot[:many] += amount
        self.chips[:many] &= ~np.where(left <= 0, bit, _NOBODY)
        gone = np.where(acting & (op <= CONCEDE), bit, _NOBODY)
        # Who is alone left has nobody to concede to.
        gone = np.where((op == CONCEDE) & (self.players[:many] == gone), _NOBODY, gone)
        self.players[:many] &= ~gone
        # Who gives the hand up while an act is surely still open to the seat in the betting round folds it.
        open_ = self.terms.stacked[:many] & (due != ABSENT)
        acting_yet = open_ & (((self.owes[:many] | ~self.acted[:many]) & held & bit) != 0)
        self.conceded[:many] |= np.where((op == CONCEDE) & ~acting_yet, gone, _NOBODY)
        self.voluntary[:many] |= np.where(acting & (op != BRING_IN) & (amount > 0), bit, _NOBODY)

        put, level = self.put[at], self.level[:many].copy()
        most = np.where(live, np.maximum(self.most[:many], put), self.most[:many])
        self.covers[:many] = np.where(most > self.most[:many], _NOBODY, self.covers[:many]) | np.where(
            live & (put == most), bit, _NOBODY
        )
        self.most[:many] = most
        target = np.where(op == AS_BET, np.maximum(put, step.floor), put)
        beyond = live & (target > level) & ((amount > 0) | (op == AS_BET))
        up = beyond & (op != CALL)
        self.over_called[:many] = np.where(beyond & ~up, target, self.over_called[:many])
        self.level[:many] = np.where(up, target, level)
        if self.left_at is not None:
            self.left_at[at[acting]] = self.level[:many][acting]
        self._mark(op, bit, acting, live, up, put)
        self._raise(op, step.row, bit, acting & up & (op != BRING_IN), target - level, level > 0)
        moves = acting & ((step.row == due) | ahead | (late & up))
        self.last[:many] = np.where(moves, step.row.astype(np.uint8), self.last[:many])

    def _ahead(self, step: Step, due: Ints8, bit: Bits32) -> Flags:
        """bool[many]: acts of who is still to act, ahead of who is due."""
        many = len(step.op)
        known = self.terms.turns[self.street[:many], self.here[:many]]
        mine = (self.wanted[:many] & ~self.passed[:many] & bit) != 0
        return known & (step.op >= FOLD) & (step.op < STREET) & mine & (step.row != due)

    def _mark(self, op: Codes, bit: Bits32, acting: Flags, live: Flags, up: Flags, put: Ints) -> None:
        """Who has acted, who owes an answer."""
        many = len(op)
        counted, acted = np.where(live, bit, _NOBODY), np.where(acting, bit, _NOBODY)
        owes = np.where(up, self.all[:many], self.owes[:many]) & ~counted
        short = live & ~acting & (put < self.level[:many])
        self.owes[:many] = owes | np.where(short, bit, _NOBODY)
        self.acted[:many] |= acted
        self.may_raise[:many] &= ~acted
        self.checked[:many] |= np.where(op == CHECK, acted, _NOBODY)
        self.posted[:many] |= counted & ~acted

    def _raise(self, op: Codes, row: Ints8, bit: Bits32, raising: Flags, by: Ints, faced: Flags) -> None:
        """What a bet or raise brings with it; `by` is how much it exceeds the bet before it. One that completes a bet
        to its full size is a full bet, and no raise."""
        many = len(op)
        last_raise = self.last_raise[:many]
        completing = op == COMPLETE
        size = np.where(completing, self.level[:many], by)
        full = raising & (size >= self._full(many))
        opens = full | (raising & self.any_raise[:many])
        self.may_raise[:many] = np.where(opens, self.all[:many] & ~bit, self.may_raise[:many])
        set_by = np.where(full, size, np.where(op == AS_BET, np.maximum(last_raise, self.level[:many]), last_raise))
        self.last_raise[:many] = set_by
        half, before = self.half[:many], self.level[:many] - by
        whole = (half == 0) | (full & (before >= half))  # what makes half a bet or more a whole one raises nothing
        self.raises[:many] += raising & faced & ~completing & whole
        self.bettor[:many] = np.where(raising, row, self.bettor[:many])
        self.bettor_of_all[:many] = np.where(raising, row, self.bettor_of_all[:many])

    def begin(self, at: Ints, street: Ints8) -> None:
        """Begin betting rounds: `at` are the rounds, `street` int8 which betting round each of them begins."""
        later = street > self.street[at]
        at, street = at[later], street[later]
        self.put.reshape(-1, self.rounds)[:, at] = 0
        self.level[at] = self.most[at] = self.over_called[at] = 0
        left_out = np.where(self.terms.stacked[at], self.wanted[at], _NOBODY)  # whosever turn it was
        self.away[at] |= self.passed[at] | left_out
        self.passed[at] = self.wanted[at] = 0
        self.last_raise[at] = self.terms.smallest[street, at]
        self.half[at] = self.terms.half[street, at]
        self.last[at] = self.terms.before[street, at]
        for marks in (self.acted, self.owes, self.checked, self.covers):
            marks[at] = 0
        self.may_raise[at] = self.all[at]
        self.raises[at] = 0
        self.street[at] = street
        able = several(self.players[at] & self.chips[at])
        self.bettor[at] = np.where(able, np.int8(ABSENT), self.bettor[at])
