"""Betting of one round, action by action: the rules of betting as the checks understand them.

An action that breaks a rule counts as recorded: a short call answers the bet, and a bet of more than the stack takes
all chips. After an action ahead of the turn, the betting continues from that seat. A skipped seat may act at any time;
the others do not wait, and in later betting rounds nobody waits for a seat that has not acted since. A seat that acted
ahead may act again at its turn. A check after the betting is complete counts for the next betting round, where the
seat may still act.

Chips beyond the bet from a call, ahead of the turn, or without a permitted action are a pending bet. It becomes the
bet when another seat answers it. Until then, chips ahead of the turn or without it are in the pot and answer nothing.
If cards come before the betting is complete, the next betting round begins with the first action that does not belong
to the current one.

This replay is the specification. `RegularBetting` replays the rounds without any irregularity, many at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.betting.betting_snapshots import (
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
    MUCK,
    OTHER,
    RAISE,
    SEAT_SETS,
    STREET,
    VOID,
    BettingTerms,
)

NOBODY = 0
"""Set without any seat. A set of seats is a number; bit i is the seat of row i."""


class PlainAction(NamedTuple):
    """Action of a round, as in `BettingActions`."""

    op: int
    row: int
    amount: int
    minimum_bet: int

    @property
    def bit(self) -> int:
        """Return the seat as a set; empty if no seat of the round acts."""
        return 1 << self.row if self.row >= 0 else NOBODY

    @property
    def is_betting(self) -> bool:
        """Return whether it is a betting action of a seat: from FOLD to COMPLETE."""
        return FOLD <= self.op < STREET

    @property
    def is_bet_or_call(self) -> bool:
        """Return whether it puts chips in toward the bet: from BRING_IN to COMPLETE."""
        return BRING_IN <= self.op < STREET


class PlainSnapshot(Struct):
    """State just before an action, or at the end of the round; the fields are those of `SnapshotLog`."""

    seat_to_act: int
    is_late_action: bool
    committed: int
    stack_left: int
    street: int
    raise_count: int
    is_turn_uncertain: bool
    numbers: tuple[int, int, int]
    last_bettor: int
    is_raise_by_sum: bool
    seat_sets: tuple[int, ...]
    out_of_order: bool = False


class PendingBet(NamedTuple):
    """Chips beyond the bet, which become the bet when another seat accepts them."""

    total: int
    """Total that the bet would be, in minor units."""
    uncommitted: int
    """Chips of it that count for nothing until then, in minor units."""
    action: PlainAction
    """Action that put them in."""
    snapshot: PlainSnapshot
    """State before this action."""


class PlainBetting:
    """Betting state of one round, which advances action by action. The fields have the names of `RegularBetting`."""

    def __init__(self, terms: BettingTerms, number: int, *, accepts_all_bets: bool = False) -> None:
        """Begin the betting of a round.

        Args:
            terms: terms of the betting.
            number: index of the round in the terms.
            accepts_all_bets: whether the table accepts every bet when it is made, whoever makes it.
        """
        seat_count, playing = int(terms.seat_count[number]), (1 << int(terms.seat_count[number])) - 1
        self.accepts_all_bets = accepts_all_bets
        self.seat_count, self.all_seats = max(seat_count, 1), playing
        self.stack_left: list[int] = terms.stacks[:, number].tolist()
        self.are_stacks_known = bool(terms.are_stacks_known[number])
        self.row_before_opener: list[int] = terms.row_before_opener[:, number].tolist()
        self.smallest_bets: list[int] = terms.smallest_bet[:, number].tolist()
        self.half_bets: list[int] = terms.half_bet[:, number].tolist()
        self.turns_known: list[bool] = terms.is_turn_known[:, number].tolist()
        self.reopened_by = int(terms.reopened_by[number])

        self.players_in = playing & ~int(terms.without_cards[number])
        self.with_chips = sum(1 << row for row, stack in enumerate(self.stack_left) if stack > 0)
        self.may_raise = playing
        self.has_acted = self.must_respond = self.has_checked = self.has_posted = self.bet_voluntarily = NOBODY
        self.to_act = self.skipped = self.skipped_last_street = self.may_act_again = NOBODY
        self.acted_after_folding = self.checked_after_close = self.checked_after_close_last_street = NOBODY
        self.has_conceded = self.seats_at_highest = NOBODY
        self.committed = [0] * len(self.stack_left)
        self.bet_when_last_acted = [0] * len(self.stack_left)
        self.current_bet = self.pot = self.highest_commitment = self.raise_count = self.street = 0
        self.last_raise, self.half_bet = self.smallest_bets[0], self.half_bets[0]
        self.last_actor = self.row_before_opener[0]
        self.last_bettor = self.last_bettor_of_hand = ABSENT
        self.is_turn_uncertain = False
        self.pending_street = 0
        """Betting round whose cards came before the current one was complete; 0 if there is none."""
        self.pending_bet: PendingBet | None = None

    def replay(self, actions: Sequence[PlainAction]) -> list[PlainSnapshot]:
        """Replay all actions of the round, and return the states before each of them and at the end."""
        snapshots = []
        acts = (number for number, action in enumerate(actions) if action.is_betting and action.op != CONCEDE)
        last = max(acts, default=ABSENT)
        for number, action in enumerate(actions):
            snapshots.append(self.take_snapshot(action))
            self.apply(action, snapshots[-1], acts_follow=number < last)
        return [*snapshots, self.take_snapshot(None)]

    # Whose turn it is.

    def find_seats_to_act(self) -> int:
        """Return the seats that must still act in the betting round."""
        if not has_several(self.players_in):
            return NOBODY
        able = self.players_in & self.with_chips & ~self.skipped_last_street
        if has_several(self.players_in & self.with_chips):
            return able & (self.must_respond | ~self.has_acted)
        # The only seat with chips owes nothing beyond what the others have in, even after a short blind.
        return able & self.must_respond & ~self.seats_at_highest

    def find_next_seat(self, among: int, after: int) -> int:
        """Return the first row of a set clockwise after a row; ABSENT if the set is empty."""
        rows = ((after + step) % self.seat_count for step in range(1, self.seat_count + 1))
        return next((row for row in rows if among >> row & 1), ABSENT) if among else ABSENT

    def may_act_out_of_turn(self, action: PlainAction) -> bool:
        """Return whether the seat was skipped or acted too early, or is out and has acted after folding."""
        acting_again = (self.may_act_again | self.checked_after_close_last_street) & ~self.to_act
        still_in = (self.skipped | self.skipped_last_street | acting_again) & self.players_in
        return ((still_in | self.acted_after_folding) & action.bit) != 0

    def is_ahead_of_turn(self, action: PlainAction, due: int) -> bool:
        """Return whether the seat is still to act, but not yet."""
        waits = (self.to_act & ~self.skipped & action.bit) != 0
        return waits and action.row != due and action.is_betting and self.turns_known[self.street]

    def is_option_moot(self, action: PlainAction) -> bool:
        """Return whether the seat posted a forced bet and need not act: nobody raised, and nobody else has chips."""
        if self.street > 0 or self.last_bettor != ABSENT or has_several(self.players_in & self.with_chips):
            return False
        return (self.players_in & self.with_chips & ~self.has_acted & self.has_posted & action.bit) != 0

    def find_full_raise(self) -> int:
        """Return the size of a raise that reopens the betting."""
        return self.half_bet if self.half_bet > 0 else self.last_raise

    def is_a_call(self, action: PlainAction) -> bool:
        """Return whether the chips of the seat meet the bet, or are all of its chips and less."""
        at = max(action.row, 0)
        to = self.committed[at] + action.amount
        return to == self.current_bet or (to < self.current_bet and action.amount >= self.stack_left[at])

    def take_snapshot(self, action: PlainAction | None) -> PlainSnapshot:
        """Return the state before an action, or at the end, with all that the action shows about earlier ones."""
        self.to_act = self.find_seats_to_act()
        if self.pending_street:
            self.begin_pending_street(action)
        if action is not None:
            self.accept_pending_bet(action)
        self.to_act = self.find_seats_to_act()
        due = self.find_next_seat((self.to_act & ~self.skipped) or self.to_act, self.last_actor)
        at = 0 if action is None else max(action.row, 0)
        is_late = is_raise_by_sum = False
        if action is not None:
            # Announcements by skipped seats count as in turn while the betting is open.
            may_speak = action.is_betting or (action.op == OTHER and due != ABSENT)
            is_late = may_speak and self.may_act_out_of_turn(action)
            raised = self.current_bet - self.bet_when_last_acted[at]
            adds_up = self.reopened_by == FULL_RAISE_IN_ALL and action.row >= 0
            is_raise_by_sum = adds_up and raised >= self.find_full_raise()
        return PlainSnapshot(
            seat_to_act=due,
            is_late_action=is_late,
            committed=self.committed[at],
            stack_left=self.stack_left[at],
            street=self.street,
            raise_count=self.raise_count,
            is_turn_uncertain=self.is_turn_uncertain,
            numbers=(self.current_bet, self.last_raise, self.pot),
            last_bettor=self.last_bettor,
            is_raise_by_sum=is_raise_by_sum,
            seat_sets=collect_seat_sets(self),
        )

    # What actions do.

    def apply(self, action: PlainAction, snapshot: PlainSnapshot, *, acts_follow: bool) -> None:
        """Apply an action as recorded.

        Args:
            action: the action.
            snapshot: state before it.
            acts_follow: whether any betting action follows.
        """
        due = snapshot.seat_to_act
        if action.op >= STREET:
            street = action.op - STREET
            if acts_follow and due != ABSENT and self.turns_known[self.street] and street > self.street:
                self.pending_street = street
            else:
                self.begin_street(street)
            return
        if action.op == MUCK:
            faces_bet = self.committed[max(action.row, 0)] < self.current_bet
            if due == ABSENT or not self.players_in & action.bit or not (action.row == due or faces_bet):
                return
            # A fold that the seat announces afterwards does not count as an action of a folded seat.
            self.acted_after_folding |= action.bit
            action = action._replace(op=FOLD)
        if action.row >= 0 and action.op >= DEAD:
            self.act(action, snapshot)

    def act(self, action: PlainAction, snapshot: PlainSnapshot) -> None:
        """Apply an action of a seat: a forced bet, the loss of its hand, or a betting action."""
        op, row, amount, _ = action
        bit, due = action.bit, snapshot.seat_to_act
        is_late = action.is_betting and self.may_act_out_of_turn(action)
        is_ahead, is_turn_known = self.is_ahead_of_turn(action, due), self.turns_known[self.street]
        is_forbidden = self.is_forbidden(action, due, is_late or is_ahead)
        snapshot.out_of_order = is_forbidden
        if is_forbidden and op == CHECK and due == ABSENT:
            self.checked_after_close |= bit
        if action.is_betting and not self.players_in & bit:
            self.acted_after_folding |= bit
        bets_ahead = is_ahead and action.is_bet_or_call and not (op == CALL and self.is_a_call(action))
        is_pending = amount > 0 and (is_forbidden or (bets_ahead and not self.accepts_all_bets))
        self.update_skipped(action, due, is_ahead=is_ahead)
        acts, is_live = op >= VOID and not is_forbidden, op >= LIVE and not is_forbidden
        counts = is_live and not is_pending

        if acts and op <= CONCEDE:
            self.leave(action, due)
        self.put_in(action, counts=counts)
        if amount > 0 and op >= VOID and op != BRING_IN:
            self.bet_voluntarily |= bit
        bet_before, committed = self.current_bet, self.committed[row]
        to = max(committed, action.minimum_bet) if op == AS_BET else committed
        exceeds = counts and to > bet_before and (amount > 0 or op == AS_BET)
        raises = exceeds and op != CALL
        if is_pending:
            self.pending_bet = PendingBet(committed + amount, amount, action, snapshot)
        elif exceeds and not raises:
            self.pending_bet = PendingBet(committed, 0, action, snapshot)
        if raises:
            self.current_bet, self.must_respond = to, self.all_seats
        if acts and exceeds and not is_turn_known:
            self.is_turn_uncertain = True
        if is_live:
            self.must_respond &= ~bit
        if acts:
            self.mark_acted(action)
        elif is_live:
            self.has_posted |= bit
            if committed < self.current_bet:
                self.must_respond |= bit
        if acts and raises and op != BRING_IN:
            self.apply_raise(op, row, bet_before)
        elif op == AS_BET and raises:
            self.last_raise = max(self.last_raise, self.current_bet)
        if acts and (row == due or is_ahead or (is_late and raises)):
            self.last_actor = row

    def is_forbidden(self, action: PlainAction, due: int, may_act: bool) -> bool:
        """Return whether no action is open to the seat.

        Args:
            action: the action.
            due: row that must act.
            may_act: whether the seat acts ahead of its turn, or may act at any time.
        """
        if action.row == due or may_act or self.accepts_all_bets or not self.turns_known[self.street]:
            return False
        return CHECK <= action.op < STREET and not self.is_option_moot(action)

    def update_skipped(self, action: PlainAction, due: int, *, is_ahead: bool) -> None:
        """Update the seats that an action ahead of the turn skips, and the seats that may act again."""
        bit = action.bit
        if action.op < VOID:
            return
        if action.row == due and not self.skipped & bit:
            self.may_act_again = NOBODY
        if is_ahead:
            row = (self.last_actor + 1) % self.seat_count
            while row != action.row:
                self.skipped |= self.to_act & (1 << row)
                row = (row + 1) % self.seat_count
        self.skipped &= ~bit
        self.skipped_last_street &= ~bit
        self.checked_after_close_last_street &= ~bit
        self.may_act_again &= ~bit
        if is_ahead and action.op > CONCEDE:
            self.may_act_again |= bit

    def leave(self, action: PlainAction, due: int) -> None:
        """Take a seat that folds or concedes out of play. The last player has nobody to concede to."""
        bit = action.bit
        if action.op == CONCEDE and self.players_in == bit:
            return
        self.players_in &= ~bit
        # A concession while the seat must surely still act is a fold.
        must_act = (self.must_respond | ~self.has_acted) & self.with_chips & bit
        if action.op == CONCEDE and not (self.are_stacks_known and due != ABSENT and must_act):
            self.has_conceded |= bit

    def put_in(self, action: PlainAction, *, counts: bool) -> None:
        """Put the chips of an action into the pot.

        Args:
            action: the action.
            counts: whether the chips count toward the bet.
        """
        row, amount, bit = action.row, action.amount, action.bit
        stack_left = self.stack_left[row] - amount
        self.stack_left[row] = max(stack_left, 0)
        if stack_left <= 0:
            self.with_chips &= ~bit
        self.pot += amount
        if not counts:
            return
        self.committed[row] += amount
        if self.committed[row] > self.highest_commitment:
            self.highest_commitment, self.seats_at_highest = self.committed[row], NOBODY
        if self.committed[row] == self.highest_commitment:
            self.seats_at_highest |= bit

    def mark_acted(self, action: PlainAction) -> None:
        """Note that a seat has acted."""
        self.bet_when_last_acted[action.row] = self.current_bet
        self.has_acted |= action.bit
        self.may_raise &= ~action.bit
        if action.op == CHECK:
            self.has_checked |= action.bit

    def apply_raise(self, op: int, row: int, bet_before: int) -> None:
        """Apply the effects of a bet or raise. A bet that completes a bring-in is a full bet and no raise."""
        size = self.current_bet if op == COMPLETE else self.current_bet - bet_before
        is_full = size >= self.find_full_raise()
        if is_full or self.reopened_by == ANY_RAISE:
            self.may_raise = self.all_seats & ~(1 << row)
        if is_full:
            self.last_raise = size
        # Completing half a bet or more is no raise.
        completes_half = self.half_bet > 0 and not (is_full and bet_before >= self.half_bet)
        if bet_before > 0 and op != COMPLETE and not completes_half:
            self.raise_count += 1
        self.last_bettor = self.last_bettor_of_hand = row

    def accept_pending_bet(self, action: PlainAction) -> None:
        """Turn the pending bet into the bet if another seat answers it; add uncommitted chips to an answer of their own
        seat.
        """
        pending, at = self.pending_bet, max(action.row, 0)
        if pending is None:
            return
        total, uncommitted = pending.total, pending.uncommitted
        to, bet, offeror = self.committed[at] + action.amount, self.current_bet, pending.action.row
        if action.row == offeror:
            fits = to + uncommitted == bet if action.op == CALL else to <= bet < to + uncommitted
            if fits and uncommitted > 0 and action.is_bet_or_call:
                self.committed[at] += uncommitted
            if action.is_betting:
                self.pending_bet = None
            return
        if total <= bet or not self.answers(action, total):
            return
        self.pending_bet = None
        self.current_bet = self.highest_commitment = self.bet_when_last_acted[offeror] = total
        self.committed[offeror] += uncommitted
        self.seats_at_highest = pending.action.bit
        short = sum(1 << row for row, committed in enumerate(self.committed) if committed < total)
        self.must_respond |= short & self.all_seats & ~pending.action.bit
        self.apply_raise(pending.action.op, offeror, bet)
        if uncommitted > 0 and pending.action.op == CALL:
            pending.snapshot.out_of_order = True
        if not self.to_act & ~self.skipped:  # the betting was complete before
            self.last_actor = offeror

    def answers(self, action: PlainAction, total: int) -> bool:
        """Return whether a seat accepts a pending bet.

        It calls, also with all its chips, or bets or raises to at least the total. A seat that is in the hand and owes
        nothing also accepts the bet by folding to it, in words or in silence.
        """
        at = max(action.row, 0)
        to = self.committed[at] + action.amount
        if action.op == CALL:
            return to == total or (action.amount >= self.stack_left[at] and self.current_bet < to < total)
        if action.op in (FOLD, MUCK):
            is_free = self.players_in & ~self.to_act & action.bit
            return self.committed[at] >= self.current_bet and is_free != NOBODY
        return action.is_bet_or_call and to >= total

    # Betting rounds.

    def begin_street(self, street: int) -> None:
        """Begin a betting round, unless it has begun."""
        if street <= self.street:
            return
        # The seat whose turn it was is left out as well.
        self.skipped_last_street |= self.skipped | (self.to_act if self.are_stacks_known else NOBODY)
        self.skipped = self.to_act = self.may_act_again = self.must_respond = self.has_checked = NOBODY
        self.has_acted = self.checked_after_close_last_street = self.checked_after_close
        self.checked_after_close = self.seats_at_highest = NOBODY
        self.may_raise = self.all_seats
        self.committed = [0] * len(self.committed)
        self.current_bet = self.highest_commitment = self.raise_count = 0
        self.pending_bet = None
        self.last_raise, self.half_bet = self.smallest_bets[street], self.half_bets[street]
        self.last_actor, self.street = self.row_before_opener[street], street
        self.is_turn_uncertain = False
        if has_several(self.players_in & self.with_chips):
            self.last_bettor = ABSENT

    def begin_pending_street(self, action: PlainAction | None) -> None:
        """Begin the betting round whose cards came too early, if an action belongs to it.

        This is an action of a seat that has nothing to do in the current round, or that opens the next and answers no
        bet.
        """
        if action is not None and self.to_act and action.op < STREET:
            able, before = self.players_in & self.with_chips, self.row_before_opener[self.pending_street]
            faces_bet = self.committed[max(action.row, 0)] < self.current_bet
            answers = faces_bet and (action.op == FOLD or (action.op == CALL and self.is_a_call(action)))
            answers = answers or action.op == RAISE or self.find_next_seat(able, before) != action.row
            goes_on = self.to_act & action.bit and answers and action.op != CONCEDE
            if goes_on or not action.is_betting:
                return
        self.begin_street(self.pending_street)
        self.pending_street = 0


def has_several(seats: int) -> bool:
    """Return whether a set has two seats or more."""
    return seats & (seats - 1) != 0


collect_seat_sets = attrgetter(*SEAT_SETS)
"""Return the sets of seats of a state, in the order of the rows of `SeatSets`."""
