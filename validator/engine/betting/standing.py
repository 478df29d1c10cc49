"""State of the betting of many rounds during the replay."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16
from validator.engine.betting.action_codes import ANY_RAISE, FULL_RAISE_IN_ALL, Terms
from validator.engine.betting.offers import Offers, Step, acts_in
from validator.engine.betting.states import States
from validator.engine.seats.seat_sets import all_of, several

NOBODY = np.uint32(0)


class Standing:
    """State of the betting in all rounds during the replay.

    Columns hold all rounds; a step uses the first of them, in which the betting goes on. Sets of seats are masks,
    uint32[rounds]. Fields per seat are flat, int64[S * rounds].
    """

    terms: Terms
    """Terms of the betting."""
    at_once: bool
    """True if the table accepts every bet when it is made, whoever makes it."""
    rounds: int
    """Number of rounds."""
    states: States
    """Snapshots, to be filled in."""
    count: Bits32
    """Number of seats of each round, at least 1."""
    all: Bits32
    """All playing seats."""
    behind: Ints
    """Chips that each seat has left."""
    put: Ints
    """Chips that each seat has put in during the betting round."""
    here: Ints
    """Index of each round."""
    players: Bits32
    """Seats that have neither folded nor conceded."""
    chips: Bits32
    """Seats that have chips left."""
    acted: Bits32
    """Seats that have acted in the betting round."""
    owes: Bits32
    """Seats that must respond to the bet."""
    checked: Bits32
    """Seats that have checked in the betting round."""
    posted: Bits32
    """Seats that have posted a forced bet."""
    voluntary: Bits32
    """Seats that have put chips in voluntarily."""
    conceded: Bits32
    """Seats that have conceded."""
    wanted: Bits32
    """Seats that are still to act."""
    passed: Bits32
    """Seats that were skipped in the betting round."""
    away: Bits32
    """Seats that were skipped in an earlier betting round."""
    may_raise: Bits32
    """Seats to which the betting is open for a raise."""
    any_raise: Flags
    """True if any raise reopens the betting."""
    in_all: Flags
    """True if several raises that add up to a full raise reopen the betting."""
    left_at: Ints | None
    """Bet after the last action of each seat; None if no round needs it, for speed."""
    level: Ints
    """Bet to be met."""
    pot: Ints
    """Chips put in by all seats."""
    most: Ints
    """Largest amount that a seat has put in during the betting round."""
    covers: Bits32
    """Seats that have put in this amount."""
    again: Bits32
    """Seats that acted ahead of the turn and may act again."""
    back: Bits32
    """Seats that acted after folding."""
    early: Bits32
    """Seats that checked after the betting round was complete."""
    hasty: Bits32
    """Seats that did so in the previous betting round."""
    offers: Offers
    """Pending bets."""
    coming: Ints8
    """Betting round whose cards came before the current one was complete; 0 if there is none."""
    irregular: bool
    """True once any round has an irregularity; without one, most checks are skipped."""
    cards_early: bool
    """True once cards came early in any round."""
    now: int
    """Index of the first snapshot of the step."""
    unsure: Flags | None
    """True if a bet came from a seat whose turn is unknown; None if all turns are known."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    half: Ints
    """Half of a bet that counts as a whole bet; 0 if none does."""
    last: Bits32
    """Row of the last actor."""
    bettor: Ints8
    """Row of the last bet or raise in the betting round; ABSENT if there is none."""
    bettor_of_all: Ints8
    """Row of the last bet or raise in the hand; ABSENT if there is none."""
    street: Ints8
    """Index of the betting round."""
    raises: Ints16
    """Number of raises in the betting round."""

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
        self.wanted, self.passed, self.away = (np.zeros(rounds, np.uint32) for _ in range(3))
        self.may_raise = self.all.copy()
        self.any_raise = terms.reopened_by == ANY_RAISE
        self.in_all = terms.reopened_by == FULL_RAISE_IN_ALL
        self.left_at = np.zeros_like(self.put) if self.in_all.any() else None
        self.level, self.pot = np.zeros(rounds, np.int64), np.zeros(rounds, np.int64)
        self.most, self.covers = np.zeros(rounds, np.int64), np.zeros(rounds, np.uint32)
        self.again, self.back = np.zeros(rounds, np.uint32), np.zeros(rounds, np.uint32)
        self.early, self.hasty = np.zeros(rounds, np.uint32), np.zeros(rounds, np.uint32)
        self.offers = Offers(rounds)
        self.coming = np.zeros(rounds, np.int8)
        self.irregular, self.cards_early = False, False
        self.now = 0
        self.unsure = None if terms.turns.all() else np.zeros(rounds, bool)
        self.last_raise = terms.smallest[0].copy()
        self.half = terms.half[0].copy()
        self.last = terms.before[0].copy()
        self.bettor, self.bettor_of_all = np.full(rounds, ABSENT, np.int8), np.full(rounds, ABSENT, np.int8)
        self.street = np.zeros(rounds, np.int8)
        self.raises = np.zeros(rounds, np.int16)

    def still_to_act(self, active: int) -> Bits32:
        """Return the seats that must still act in the betting round.

        Returns:
            uint32[n].
        """
        players = self.players[:active]
        able = players & self.chips[:active]
        alone = ~several(able)
        # The only seat with chips owes nothing beyond what the others have in, even after a short blind.
        owed = able & self.owes[:active] & ~np.where(alone, self.covers[:active], NOBODY)
        wanted = (owed | np.where(alone, NOBODY, able & ~self.acted[:active])) & ~self.away[:active]
        return np.where(several(players), wanted, NOBODY)

    def late(self, step: Step) -> Flags:
        """Return the actions of seats that were skipped, or acted too early, and may act at any time.

        Returns:
            bool[n].
        """
        return acts_in(step) & self.skipped(step.bit)

    def skipped(self, bit: Bits32) -> Flags:
        """Return where a seat may act out of turn, or is out and has already acted after folding.

        Returns:
            bool[n].
        """
        active = len(bit)
        acting_again = (self.again[:active] | self.hasty[:active]) & ~self.wanted[:active]
        still_in = (self.passed[:active] | self.away[:active] | acting_again) & self.players[:active]
        return ((still_in | self.back[:active]) & bit) != 0

    def full(self, active: int) -> Ints:
        """Return the size of a raise that reopens the betting.

        Returns:
            int64[n].
        """
        half = self.half[:active]
        return np.where(half > 0, half, self.last_raise[:active])

    def cells(self, row: Ints8) -> Ints:
        """Return the index of each seat in the columns per seat; that of row 0 if there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.rounds + self.here[: len(row)]

    def is_a_call(self, step: Step, at: Ints) -> Flags:
        """Return where the chips of a seat meet the bet, or are all of its chips and less.

        Returns:
            bool[n].
        """
        to, level = self.put[at] + step.amount, self.level[: len(step.op)]
        return (to == level) | ((to < level) & (step.amount >= self.behind[at]))

    def ahead(self, step: Step, due: Ints8, bit: Bits32) -> Flags:
        """Return the actions of seats that are still to act, ahead of the seat to act.

        Returns:
            bool[n].
        """
        active = len(step.op)
        known = self.terms.turns[self.street[:active], self.here[:active]]
        mine = (self.wanted[:active] & ~self.passed[:active] & bit) != 0
        return known & acts_in(step) & mine & (step.row != due)

    def begin(self, at: Ints, street: Ints8) -> None:
        """Begin betting rounds.

        Args:
            at: the rounds.
            street: int8, the betting round that each of them begins.
        """
        later = street > self.street[at]
        at, street = at[later], street[later]
        self.put.reshape(-1, self.rounds)[:, at] = 0
        self.level[at] = self.most[at] = self.offers.level[at] = 0
        left_out = np.where(self.terms.stacked[at], self.wanted[at], NOBODY)  # also the seat whose turn it was
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
