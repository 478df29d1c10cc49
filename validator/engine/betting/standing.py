"""How the betting of many rounds stands while it is played through."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8
from validator.engine.betting.action_codes import ANY_RAISE, FULL_RAISE_IN_ALL, Terms
from validator.engine.betting.offers import Offers, Step, acts_in
from validator.engine.betting.states import States
from validator.engine.seats.seat_sets import all_of, several

NOBODY = np.uint32(0)


class Standing:
    """The rounds as they stand. Columns are of all rounds; a step works on the first so many of them. `at_once` is
    whether the table takes every bet for one as it is made, whoever makes it and when."""

    def __init__(self, terms: Terms, acts: int, *, at_once: bool = False) -> None:
        self.terms, self.at_once = terms, at_once
        rounds = len(terms.count)
        self.rounds = rounds
        self.states = States.empty(acts + rounds)
        self.count = np.maximum(terms.count, np.uint32(1))
        self.all = all_of(terms.count)
        self.behind = terms.stacks.reshape(-1).copy()
        self.put = np.zeros_like(self.behind)
        self.here = np.arange(rounds)
        self.players = self.all & ~terms.left_out
        self.chips = np.zeros(rounds, np.uint32)
        for row, stack in enumerate(terms.stacks):
            self.chips |= np.where(stack > 0, np.uint32(1 << row), NOBODY)
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
        # Who has acted ahead of the turn and may act again; who is out and has acted all the same.
        self.again, self.back = np.zeros(rounds, np.uint32), np.zeros(rounds, np.uint32)
        # Who has checked when the betting round was complete, and who did so in the one before.
        self.early, self.hasty = np.zeros(rounds, np.uint32), np.zeros(rounds, np.uint32)
        self.offers = Offers(rounds)
        # The betting round whose cards came though the one before it was not complete.
        self.coming = np.zeros(rounds, np.int8)
        # Whether there was anything of this in any round, and any such cards; most often nothing of it needs a look.
        self.irregular, self.cards_early = False, False
        self.now = 0  # the first entry of the step
        # Where it is not known whose turn it is, and somebody put in beyond the bet, who may have been ahead of it.
        self.unsure = None if terms.turns.all() else np.zeros(rounds, bool)
        self.last_raise = terms.smallest[0].copy()
        self.half = terms.half[0].copy()
        self.last = terms.before[0].copy()
        self.bettor, self.bettor_of_all = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int8)
        self.street = np.zeros(rounds, np.int8)
        self.raises = np.zeros(rounds, np.int16)

    def still_to_act(self, many: int) -> Bits32:
        """uint32[many]: who still owes an act in the betting round."""
        players = self.players[:many]
        able = players & self.chips[:many]
        alone = ~several(able)
        # Who is alone left with chips owes nothing beyond what others have in, though a blind was posted short.
        owed = able & self.owes[:many] & ~np.where(alone, self.covers[:many], NOBODY)
        wanted = (owed | np.where(alone, NOBODY, able & ~self.acted[:many])) & ~self.away[:many]
        return np.where(several(players), wanted, NOBODY)

    def late(self, step: Step) -> Flags:
        """bool[many]: acts of who was passed over, or acted too early, and may act at any time."""
        return acts_in(step) & self.skipped(step.bit)

    def skipped(self, bit: Bits32) -> Flags:
        """bool[many]: where a seat may act though it is not due; or is out, and has acted all the same before."""
        many = len(bit)
        again = (self.again[:many] | self.hasty[:many]) & ~self.wanted[:many]
        still_in = (self.passed[:many] | self.away[:many] | again) & self.players[:many]
        return ((still_in | self.back[:many]) & bit) != 0

    def full(self, many: int) -> Ints:
        """int64[many]: what a raise must come to, to open the betting again."""
        half = self.half[:many]
        return np.where(half > 0, half, self.last_raise[:many])

    def cells(self, row: Ints8) -> Ints:
        """Where the columns of each seat stand; those of the first where there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.rounds + self.here[: len(row)]

    def is_a_call(self, step: Step, at: Ints) -> Flags:
        """bool[many]: where what a seat puts in meets the bet, or is all of its chips and less."""
        to, level = self.put[at] + step.amount, self.level[: len(step.op)]
        return (to == level) | ((to < level) & (step.amount >= self.behind[at]))

    def ahead(self, step: Step, due: Ints8, bit: Bits32) -> Flags:
        """bool[many]: acts of who is still to act, ahead of who is due."""
        many = len(step.op)
        known = self.terms.turns[self.street[:many], self.here[:many]]
        mine = (self.wanted[:many] & ~self.passed[:many] & bit) != 0
        return known & acts_in(step) & mine & (step.row != due)

    def begin(self, at: Ints, street: Ints8) -> None:
        """Begin betting rounds: `at` are the rounds, `street` int8 which betting round each of them begins."""
        later = street > self.street[at]
        at, street = at[later], street[later]
        self.put.reshape(-1, self.rounds)[:, at] = 0
        self.level[at] = self.most[at] = self.offers.level[at] = 0
        left_out = np.where(self.terms.stacked[at], self.wanted[at], NOBODY)  # whosever turn it was
        self.away[at] |= self.passed[at] | left_out
        self.irregular |= bool(left_out.any())
        self.passed[at] = self.wanted[at] = self.again[at] = 0
        self.last_raise[at] = self.terms.smallest[street, at]
        self.half[at] = self.terms.half[street, at]
        self.last[at] = self.terms.before[street, at]
        for marks in (self.owes, self.checked, self.covers):
            marks[at] = 0
        self.acted[at] = self.hasty[at] = self.early[at]
        self.early[at] = 0
        self.may_raise[at] = self.all[at]
        self.raises[at] = 0
        self.street[at] = street
        if self.unsure is not None:
            self.unsure[at] = False
        able = several(self.players[at] & self.chips[at])
        self.bettor[at] = np.where(able, np.int8(ABSENT), self.bettor[at])
