"""Betting without irregularities: the k-th action of many rounds at once.

`PlainBetting` states the rules, and replays each round that has an irregularity.
"""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16, are_all, find_true, has_any
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.betting_snapshots import is_betting_action
from fairdeal.validator.engine.facts.seat_layout import (
    find_next_seat_in,
    has_several_seats,
    mask_of_first,
    mask_of_seat,
)

NOBODY = np.uint32(0)


class ActiveRounds(betting_snapshots.SeatSets):
    """Columns of rounds, which a step sees cut to the rounds in which the betting goes on: the first ones.

    Sets of seats are masks, uint32[rounds].
    """

    seat_sets: Bits32
    """Sets of seats of which each snapshot has a copy, as rows of `SeatSets`, uint32[sets, rounds]."""
    numbers: Ints
    """Rows `current_bet`, `last_raise` and `pot`, int64[3, rounds]."""
    round_indices: Ints
    """Index of each round."""
    seat_count: Bits32
    """Number of seats of each round, at least 1."""
    all_seats: Bits32
    """All playing seats."""
    are_stacks_known: Flags
    """True if all stacks of the round are known."""
    any_raise_reopens: Flags
    """True if any raise reopens the betting."""
    raises_add_up: Flags
    """True if several raises that add up to a full raise reopen the betting."""
    has_conceded: Bits32
    """Seats that have conceded."""
    current_bet: Ints
    """Bet to be met."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    pot: Ints
    """Chips put in by all seats."""
    half_bet: Ints
    """Half of a bet that counts as a whole bet; 0 if none does."""
    highest_commitment: Ints
    """Largest amount that a seat has put in during the betting round."""
    seats_at_highest: Bits32
    """Seats that have put in this amount."""
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
    is_turn_uncertain: Flags | None
    """True if a bet came from a seat whose turn is unknown; None if all turns are known."""
    is_irregular: Flags
    """True from the first irregularity on: the other columns of the round are wrong."""
    breaks_order: Flags
    """True if this first irregularity is an action, or cards, while another seat must act."""


ROUND_COLUMNS = (*betting_snapshots.SEAT_SETS, *ActiveRounds.__annotations__)
"""Names of these columns."""


class RegularBetting(ActiveRounds):
    """Betting state that advances action by action. Columns per seat are flat, int64[S * rounds], and are never cut."""

    terms: betting_snapshots.BettingTerms
    """Terms of the betting."""
    round_count: int
    """Number of rounds."""
    snapshots: betting_snapshots.SnapshotLog
    """State before each action, to be filled in."""
    stack_left: Ints
    """Chips that each seat has left."""
    committed: Ints
    """Chips that each seat has put in during the betting round."""
    bet_when_last_acted: Ints | None
    """Bet after the last action of each seat; None if no round needs it, for speed."""

    def __init__(self, terms: betting_snapshots.BettingTerms, acts: int) -> None:
        """Begin the betting.

        Args:
            terms: terms of the rounds.
            acts: number of actions of all rounds.
        """
        rounds = len(terms.seat_count)
        super().__init__(np.zeros((len(betting_snapshots.SEAT_SETS), rounds), np.uint32))
        self.round_indices = np.arange(rounds)
        self.seat_count = np.maximum(terms.seat_count, np.uint32(1))
        self.all_seats = mask_of_first(terms.seat_count)
        self.players_in[:] = self.all_seats & ~terms.without_cards
        for row, stack in enumerate(terms.stacks):
            self.with_chips |= np.where(stack > 0, np.uint32(1 << row), NOBODY)
        self.may_raise[:] = self.all_seats
        self.are_stacks_known = terms.are_stacks_known
        self.any_raise_reopens = terms.reopened_by == betting_snapshots.ANY_RAISE
        self.raises_add_up = terms.reopened_by == betting_snapshots.FULL_RAISE_IN_ALL
        self.has_conceded, self.seats_at_highest = np.zeros((2, rounds), np.uint32)
        self.numbers = np.zeros((3, rounds), np.int64)
        self.current_bet, self.last_raise, self.pot = self.numbers
        self.last_raise[:] = terms.smallest_bet[0]
        self.half_bet, self.highest_commitment = terms.half_bet[0].copy(), np.zeros(rounds, np.int64)
        self.last_actor = terms.row_before_opener[0].copy()
        self.last_bettor, self.last_bettor_of_hand = np.full((2, rounds), ABSENT, np.int8)
        self.street, self.raise_count = np.zeros(rounds, np.int8), np.zeros(rounds, np.int16)
        self.is_turn_uncertain = None if are_all(terms.is_turn_known) else np.zeros(rounds, bool)
        self.is_irregular, self.breaks_order = np.zeros((2, rounds), bool)
        self._all_columns = {name: getattr(self, name) for name in ROUND_COLUMNS}

        self.terms, self.round_count = terms, rounds
        self.snapshots = betting_snapshots.SnapshotLog.allocate(acts + rounds)
        self.stack_left = terms.stacks.reshape(-1).copy()
        self.committed = np.zeros_like(self.stack_left)
        self.bet_when_last_acted = np.zeros_like(self.committed) if has_any(self.raises_add_up) else None

    def cut_to_active(self, active: int) -> None:
        """Cut the columns of rounds to the first rounds, in which the betting goes on."""
        if active != len(self.round_indices):
            for name, column in self._all_columns.items():
                setattr(self, name, None if column is None else column[..., :active])

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
        self.to_act[:] = self._find_seats_to_act()
        due = find_next_seat_in(self.to_act, self.last_actor, self.seat_count)
        log = self.snapshots
        if step is not None and has_any(self.acted_after_folding):
            # A seat that gave up its hand without a word may still announce it.
            speaks = (step.op == betting_snapshots.OTHER) & (due != ABSENT)
            log.is_late_action[now] = speaks & ((self.acted_after_folding & bit) != 0)
        if self.bet_when_last_acted is not None:
            raised_since = self.current_bet - self.bet_when_last_acted[cells]
            log.is_raise_by_sum[now] = self.raises_add_up & (bit != 0) & (raised_since >= self._find_full_raise())
        if self.is_turn_uncertain is not None:
            log.is_turn_uncertain[now] = self.is_turn_uncertain
        log.seat_to_act[now] = due
        log.seat_sets[:, now] = self.seat_sets
        log.numbers[:, now] = self.numbers
        log.committed[now] = self.committed[cells]
        log.stack_left[now] = self.stack_left[cells]
        log.last_bettor[now] = self.last_bettor
        log.street[now] = self.street
        log.raise_count[now] = self.raise_count
        return due

    def observe(self, row: Ints8) -> Ints8:
        """Store the state that each row faces, and return the seat to act in each round.

        Args:
            row: int8[rounds]; ABSENT for nobody.
        """
        return self.take_snapshots(slice(0, len(row)), row, mask_of_seat(row))

    def locate_cells(self, row: Ints8) -> Ints:
        """Return the index of each seat in the columns per seat; that of row 0 if there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.round_count + self.round_indices

    def _find_seats_to_act(self) -> Bits32:
        able = self.players_in & self.with_chips
        alone = ~has_several_seats(able)
        # The only seat with chips owes nothing beyond what the others have in, even after a short blind.
        owed = able & self.must_respond & ~np.where(alone, self.seats_at_highest, NOBODY)
        unheard = np.where(alone, NOBODY, able & ~self.has_acted)
        return np.where(has_several_seats(self.players_in), owed | unheard, NOBODY)

    def _find_full_raise(self) -> Ints:
        return np.where(self.half_bet > 0, self.half_bet, self.last_raise)

    def take_mucked_hands(self, step: betting_snapshots.StepActions, due: Ints8) -> betting_snapshots.StepActions:
        """Return the actions, with mucks by seats that must act or face a bet turned into FOLD."""
        faces_bet = self.committed[step.cell] < self.current_bet
        is_open = (due != ABSENT) & ((self.players_in & step.bit) != 0)
        folds = (step.op == betting_snapshots.MUCK) & is_open & ((step.row == due) | faces_bet)
        self.acted_after_folding |= np.where(folds, step.bit, NOBODY)
        return step._replace(op=np.where(folds, np.uint8(betting_snapshots.FOLD), step.op))

    def apply_actions(self, step: betting_snapshots.StepActions, due: Ints8) -> None:
        """Apply the actions of a step.

        Args:
            step: the actions.
            due: int8[n], the seat to act in each round.
        """
        op, cells = step.op, step.cell
        paying = (step.row >= 0) & (op >= betting_snapshots.DEAD) & (op < betting_snapshots.STREET)
        live, acting = paying & (op >= betting_snapshots.LIVE), paying & (op >= betting_snapshots.VOID)
        bit, amount = np.where(paying, step.bit, NOBODY), np.where(paying, step.amount, 0)
        paid, acted = np.where(live, bit, NOBODY), np.where(acting, bit, NOBODY)
        self._find_breaks_of_order(step, due, acted)

        leaves = acting & (op <= betting_snapshots.CONCEDE)
        if has_any(leaves):
            self._leave(step, due, np.where(leaves, bit, NOBODY))
        stack_left = self.stack_left[cells] - amount
        self.stack_left[cells] = np.maximum(stack_left, 0)
        self.committed[cells] += np.where(live, amount, 0)
        self.pot += amount
        self.with_chips &= ~np.where(stack_left <= 0, bit, NOBODY)
        self.bet_voluntarily |= np.where((op != betting_snapshots.BRING_IN) & (amount > 0), acted, NOBODY)

        committed, bet_before = self.committed[cells], self.current_bet.copy()
        highest = np.where(live, np.maximum(self.highest_commitment, committed), self.highest_commitment)
        self.seats_at_highest[highest > self.highest_commitment] = NOBODY
        self.seats_at_highest |= np.where(committed == highest, paid, NOBODY)
        self.highest_commitment[:] = highest
        posts_bet = op == betting_snapshots.AS_BET
        to = np.where(posts_bet, np.maximum(committed, step.minimum_bet), committed)
        exceeds = live & (to > bet_before) & ((amount > 0) | posts_bet)
        self.is_irregular |= exceeds & (op == betting_snapshots.CALL)
        raises = exceeds & (op != betting_snapshots.CALL)
        np.copyto(self.current_bet, to, where=raises)
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain |= acting & exceeds & ~self._is_turn_known()
        if self.bet_when_last_acted is not None:
            self.bet_when_last_acted[cells[acting]] = self.current_bet[acting]

        must_respond = np.where(raises, self.all_seats, self.must_respond) & ~paid
        self.must_respond[:] = must_respond | np.where(committed < self.current_bet, paid & ~acted, NOBODY)
        self.has_acted |= acted
        self.may_raise &= ~acted
        self.has_checked |= np.where(op == betting_snapshots.CHECK, acted, NOBODY)
        self.has_posted |= paid & ~acted
        if has_any(raises):
            self._apply_raise(step, raises, acting & (op != betting_snapshots.BRING_IN), bet_before)
        np.copyto(self.last_actor, step.row.astype(np.uint8), where=acting & (step.row == due))

    def _find_breaks_of_order(self, step: betting_snapshots.StepActions, due: Ints8, acted: Bits32) -> None:
        """Find actions of seats that are out, that act ahead of their turn, or to which no action is open."""
        off_turn = is_betting_action(step.op) & (acted != 0) & (step.row != due)
        if not has_any(off_turn):
            return  # who is due is in play
        waits, is_out = (self.to_act & acted) != 0, (self.players_in & acted) == 0
        forbidden = (step.op >= betting_snapshots.CHECK) & ~self._is_option_moot(acted)
        breaks_order = off_turn & (is_out | (self._is_turn_known() & (waits | forbidden)))
        self.breaks_order |= breaks_order & ~self.is_irregular
        self.is_irregular |= breaks_order

    def _is_turn_known(self) -> Flags:
        return self.terms.is_turn_known[self.street, self.round_indices]

    def _is_option_moot(self, bit: Bits32) -> Flags:
        """Return where a seat posted a forced bet and need not act: nobody raised, and nobody else has chips."""
        waiting = betting_snapshots.find_waiting_options(self, self.street, self.last_bettor)
        return ~has_several_seats(self.players_in & self.with_chips) & ((waiting & bit) != 0)

    def _leave(self, step: betting_snapshots.StepActions, due: Ints8, leaving: Bits32) -> None:
        """Take seats that fold or concede out of play. The last player has nobody to concede to.

        Args:
            leaving: the seat that leaves each round; no seat where nobody does.
        """
        concedes = step.op == betting_snapshots.CONCEDE
        leaving = np.where(concedes & (self.players_in == leaving), NOBODY, leaving)
        self.players_in &= ~leaving
        # A concession while the seat must surely still act is a fold.
        must_act = (self.must_respond | ~self.has_acted) & self.with_chips
        folds = self.are_stacks_known & (due != ABSENT) & ((must_act & leaving) != 0)
        self.has_conceded |= np.where(concedes & ~folds, leaving, NOBODY)

    def _apply_raise(self, step: betting_snapshots.StepActions, raises: Flags, by_choice: Flags, before: Ints) -> None:
        """Apply the effects of bets and raises. A bet that completes a bring-in is a full bet and no raise.

        Args:
            step: the actions.
            raises: bool[n], the actions that set the bet.
            by_choice: bool[n], the actions that are neither forced bets nor bring-ins.
            before: int64[n], the bets before.
        """
        raising, completes = raises & by_choice, step.op == betting_snapshots.COMPLETE
        size = np.where(completes, self.current_bet, self.current_bet - before)
        is_full = raising & (size >= self._find_full_raise())
        np.copyto(self.may_raise, self.all_seats & ~step.bit, where=is_full | (raising & self.any_raise_reopens))
        posted = raises & (step.op == betting_snapshots.AS_BET)
        np.copyto(self.last_raise, np.maximum(self.last_raise, self.current_bet), where=posted)
        np.copyto(self.last_raise, size, where=is_full)
        # Completing half a bet or more is no raise.
        is_raise = (self.half_bet == 0) | (is_full & (before >= self.half_bet))
        self.raise_count += raising & (before > 0) & ~completes & is_raise
        np.copyto(self.last_bettor, step.row, where=raising)
        np.copyto(self.last_bettor_of_hand, step.row, where=raising)

    def apply_cards(self, step: betting_snapshots.StepActions, due: Ints8) -> None:
        """Apply cards that begin betting rounds. While a seat must act, they are irregular.

        Args:
            step: the actions.
            due: int8[n], the seat that must still act in the round before.
        """
        begun = find_true(step.op >= betting_snapshots.STREET)
        street = (step.op[begun] - betting_snapshots.STREET).astype(np.int8)
        later = street > self.street[begun]
        begun, street = begun[later], street[later]
        early = begun.compress((due[begun] != ABSENT) & self.are_stacks_known[begun])
        self.breaks_order[early] |= ~self.is_irregular[early]
        self.is_irregular[early] = True
        self.begin_streets(begun, street)

    def set_row_before_opener(self, street: int, rows: Bits32) -> None:
        """Set the row before the one that opens a betting round, where its cards were not known in advance."""
        self.terms.row_before_opener[street] = rows
        if not street:
            self.last_actor[:] = rows

    def call_off(self, rounds: Flags) -> None:
        """Take all seats of some rounds out of play."""
        self.players_in[rounds] = NOBODY

    def begin_streets(self, rounds: Ints, street: Ints8) -> None:
        """Begin betting rounds.

        Args:
            rounds: the rounds.
            street: int8, the betting round that each of them begins.
        """
        self.committed.reshape(-1, self.round_count)[:, rounds] = 0
        for column in (self.current_bet, self.highest_commitment, self.raise_count, self.seats_at_highest):
            column[rounds] = 0
        for seats in (self.to_act, self.must_respond, self.has_checked, self.has_acted):
            seats[rounds] = NOBODY
        self.last_raise[rounds] = self.terms.smallest_bet[street, rounds]
        self.half_bet[rounds] = self.terms.half_bet[street, rounds]
        self.last_actor[rounds] = self.terms.row_before_opener[street, rounds]
        self.may_raise[rounds] = self.all_seats[rounds]
        self.street[rounds] = street
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain[rounds] = False
        able = has_several_seats(self.players_in[rounds] & self.with_chips[rounds])
        self.last_bettor[rounds] = np.where(able, np.int8(ABSENT), self.last_bettor[rounds])
