"""Terms of betting of a game, and the state of a betting round under them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Bits32,
    Codes,
    Flags,
    Ints,
    Ints8,
    Ints16,
    Truths,
    are_all,
    find_true,
    has_any,
)
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.recorded_betting import betting_actions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.engine.facts.seat_layout import (
    SeatLayout,
    has_several_seats,
    mask_of_first,
    seat_layout,
    seats_without_cards,
)
from fairdeal.validator.engine.timeline.deal_stages import stage_of_events
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, find_last_by_round
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.language.grammar import BUTTON
from fairdeal.validator.rules.betting_model import BettingRound, LeastBet, Position, Reopens

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def find_first_showing(scope: EvaluationContext, seats: SeatLayout, hand: str, *, best: bool) -> tuple[Ints8, Flags]:
    """Return the first row with the best, or worst, open cards, and whether it is known; ABSENT if no cards
    were dealt.
    """
    served, made = find_stage_players(scope, scope.compiled_game.hands[hand].through_stage), hand_strength(scope, hand)
    owner, rounds = scope.batch.seats.round, len(scope.batch)
    ranked, some = np.ones(rounds, bool), np.zeros(rounds, bool)
    ranked[owner[served.still_in & (made == ABSENT)]] = False
    some[owner[served.still_in]] = True
    out = np.int32(_LEAST if best else _MOST)
    shown = np.append(np.where(served.still_in, made, out), out)[seats.seat_of_row]  # ABSENT selects the last entry
    row = shown.argmax(axis=0) if best else shown.argmin(axis=0)
    known = are_kinds_recorded(scope, ("deal",), "player") & ((ranked & served.is_known) | ~served.were_cards_dealt)
    return np.where(served.were_cards_dealt & ranked & some, row, ABSENT).astype(np.int8), known


class StagePlayers(Struct, frozen=True, kw_only=True):
    """Players at a stage of the deal."""

    were_cards_dealt: Flags
    """True if any player was dealt cards in the stage, bool[rounds]."""
    still_in: Flags
    """Players who had not given up their hands when the last card of the stage was dealt, bool[seats]."""
    is_known: Flags
    """True if the log shows who had given up; before the first cards nobody has, bool[rounds]."""


@cached_fact
def find_stage_players(scope: EvaluationContext, stage: int) -> StagePlayers:
    """Return the players at a stage of the deal, by its index."""
    events, record = scope.batch.events, betting_actions(scope)
    last = find_last_by_round(
        scope, find_true((stage_of_events(scope) == stage) & (events.place == PLACES.index("player")))
    )
    folds = record.events[(record.op == betting_snapshots.FOLD) | (record.op == betting_snapshots.CONCEDE)]
    folds = folds[(folds < last[events.round[folds]]) & (events.seat[folds] != ABSENT)]
    still_in = scope.batch.seats.playing.copy()
    still_in[events.seat[folds]] = False
    earlier = scope.compiled_game.game.deal.stages[:stage]
    first = not any("player" in (earlier_stage.cards or ()) for earlier_stage in earlier)
    recorded = np.ones(len(scope.batch), bool) if first else are_kinds_recorded(scope, ("decide",))
    return StagePlayers(were_cards_dealt=last != ABSENT, still_in=still_in, is_known=recorded)


PositionRows = tuple[Ints8, Flags]
"""Row of a position, int8[rounds], ABSENT if no seat has it, and whether it is known."""
LastBettorLookup = Callable[[EvaluationContext, str], PositionRows]
"""Function that returns the last bettor of a span of play."""


def find_row_before_opener(scope: EvaluationContext, name: str) -> tuple[Bits32, Flags]:
    """Return the row before the row of the position that opens, and whether it is known.

    Returns:
        uint32[rounds]; bool[rounds].
    """
    row, recorded = locate_position(scope, name, _refuse_last_bettor)
    count = np.maximum(seat_layout(scope).seat_count, 1)
    return ((row.astype(np.int64) + count - 1) % count).astype(np.uint32), recorded & (row != ABSENT)


def _refuse_last_bettor(_: EvaluationContext, span: str) -> PositionRows:
    """Refuse to evaluate an opening seat that depends on the betting; rules with such a seat are invalid."""
    raise ValueError(f"the opening seat depends on the last bettor of the {span}")


@cached_fact
def locate_position(scope: EvaluationContext, name: str, bettors: LastBettorLookup) -> PositionRows:
    """Return the rows of a position.

    Args:
        bettors: returns the last bettor, for positions that depend on the betting.
    """
    seats = seat_layout(scope)
    if name == BUTTON:
        return seats.button_row, seats.is_order_known
    table = scope.compiled_game.game.table
    cases = [] if table is None else table.positions[name]

    def place(case: Position) -> PositionRows:
        match case.operator:
            case "at":
                return locate_position(scope, case.operand, bettors)
            case "after":
                return _next_after(seats, case.operand, locate_position(scope, case.operand, bettors))
            case "first-with":
                there = _has_stake(scope, seats, case.operand)
                return _select_row(there, there.argmax(axis=0)), seats.is_order_known
            case "last-with":
                there = _has_stake(scope, seats, case.operand)
                return _select_row(there, len(there) - 1 - there[::-1].argmax(axis=0)), seats.is_order_known
            case "best-showing" | "worst-showing":
                return find_first_showing(scope, seats, case.operand, best=case.operator == "best-showing")
            case _:
                return bettors(scope, case.operand)

    rows, known = select_first_case(scope, cases, place, np.full(len(scope.batch), ABSENT, np.int8))
    return rows, known & seats.is_order_known


def _has_stake(scope: EvaluationContext, seats: SeatLayout, wager: str) -> Flags:
    """Return the rows with a stake on a wager."""
    stakes = scope.batch.stakes
    listed = np.zeros(scope.count_items("seat") + 1, bool)
    listed[stakes.seat[(stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.bonus & ~stakes.tip]] = True
    return listed[seats.seat_of_row]  # ABSENT selects the last entry


def _select_row(there: Flags, row: Ints) -> Ints8:
    return np.where(there.any(axis=0), row, ABSENT).astype(np.int8)


def _next_after(seats: SeatLayout, name: str, where: PositionRows) -> PositionRows:
    """Return the next seat after a position; after the button, also if the button is at no playing seat."""
    rows, known = where
    some = seats.seat_count > 0
    if name == BUTTON:
        return np.where(some, np.int8(0), np.int8(ABSENT)), known
    following = (rows.astype(np.int64) + 1) % np.maximum(seats.seat_count, 1)
    return np.where(some & (rows != ABSENT), following, ABSENT).astype(np.int8), known


def build_betting_terms(scope: EvaluationContext) -> betting_snapshots.BettingTerms:
    """Build the terms of the betting of all rounds, in the order of the batch."""
    seats = seat_layout(scope)
    before, known = zip(
        *(find_row_before_opener(scope, betting_round.opens) for betting_round in scope.compiled_game.betting.rounds),
        strict=True,
    )
    return betting_snapshots.BettingTerms(
        seat_count=seats.seat_count,
        without_cards=seats_without_cards(scope),
        stacks=seats.stacks,
        are_stacks_known=seats.are_stacks_known,
        row_before_opener=np.array(before),
        smallest_bet=find_smallest_bets(scope)[0],
        half_bet=find_half_bets(scope),
        reopened_by=find_reopening_rules(scope)[0],
        is_turn_known=np.array(known) & seats.is_order_known & seats.are_stacks_known,
    )


@cached_fact
def find_smallest_bets(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return the smallest bet of each betting round, 0 if unknown, and whether it is known.

    Returns:
        int64[B, rounds]; bool[B, rounds].
    """
    betting = scope.compiled_game.betting
    nothing = np.zeros(len(scope.batch), np.int64)

    def least(case: LeastBet) -> tuple[Ints, Flags]:
        low, high = scope.compute_bounds(case.at_least, "round")
        return low, low == high

    free, recorded = select_first_case(scope, betting.sizes.opening, least, nothing)

    def of_round(betting_round: BettingRound) -> tuple[Ints, Flags]:
        if betting_round.size is None:
            return free, recorded
        low, high = scope.compute_bounds(betting_round.size, "round")
        if betting.sizes.fixed is None:
            return low, low == high
        fixed = is_fixed_limit(scope)
        return np.where(fixed == YES, low, free), np.where(fixed == YES, low == high, recorded & (fixed == NO))

    sizes = [of_round(betting_round) for betting_round in betting.rounds]
    known = np.array([is_known for _, is_known in sizes])
    return np.where(known, np.array([size for size, _ in sizes]), 0), known


def is_fixed_limit(scope: EvaluationContext) -> Truths:
    """Return whether the limit of each round is fixed, for betting rounds with a size.

    Returns:
        uint8[rounds].
    """
    when = scope.compiled_game.betting.sizes.fixed
    return kleene.constant(YES, len(scope.batch)) if when is None else scope.evaluate(when, "round")


@cached_fact
def find_half_bets(scope: EvaluationContext) -> Ints:
    """Return the half bet, rounded up, that counts as a whole bet; 0 if none does.

    Returns:
        int64[B, rounds].
    """
    betting, (sizes, known) = scope.compiled_game.betting, find_smallest_bets(scope)
    if betting.sizes.half_counts is None:
        return np.zeros_like(sizes)
    counts = np.minimum(scope.evaluate(betting.sizes.half_counts, "round"), is_fixed_limit(scope)) == YES
    sized = np.array([betting_round.size is not None for betting_round in betting.rounds])[:, None]
    return np.where(sized & counts & known, (sizes + 1) // 2, 0)


@cached_fact
def find_reopening_rules(scope: EvaluationContext) -> tuple[Codes, Flags]:
    """Return the raises that reopen the betting, as indices of `REOPENINGS`, and whether they are known.

    Returns:
        uint8[rounds]; bool[rounds].
    """
    length = len(scope.batch)

    def read_case(case: Reopens) -> tuple[Codes, Flags]:
        return np.full(length, betting_snapshots.REOPENINGS.index(case.by), np.uint8), np.ones(length, bool)

    return select_first_case(scope, scope.compiled_game.betting.reopens, read_case, np.zeros(length, np.uint8))


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
    skipped_last_street: Bits32
    """Seats that were skipped in an earlier betting round."""
    may_act_again: Bits32
    """Seats that acted ahead of the turn and may act again."""
    checked_after_close: Bits32
    """Seats that checked after the betting round was complete."""
    checked_after_close_last_street: Bits32
    """Seats that did so in the previous betting round."""
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
    pending_street: Ints8
    """Betting round whose cards came before the current one was complete; 0 if there is none."""
    raise_count: Ints16
    """Number of raises in the betting round."""
    is_turn_uncertain: Flags | None
    """True if a bet came from a seat whose turn is unknown; None if all turns are known."""


ROUND_COLUMNS = (*betting_snapshots.SEAT_SETS, *ActiveRounds.__annotations__)
"""Names of these columns."""


class BettingState(ActiveRounds):
    """State of the betting during the replay. Columns per seat are flat, int64[S * rounds], and are never cut."""

    terms: betting_snapshots.BettingTerms
    """Terms of the betting."""
    accepts_all_bets: bool
    """True if the table accepts every bet when it is made, whoever makes it."""
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
    pending_bets: betting_snapshots.PendingBets
    """Pending bets."""
    has_irregularity: bool
    """True once any round has an irregularity; without one, most checks are skipped."""
    has_early_cards: bool
    """True once cards came early in any round."""
    first_entry: int
    """Index of the first snapshot of the step."""

    def __init__(self, terms: betting_snapshots.BettingTerms, acts: int, *, at_once: bool = False) -> None:
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
        self.has_conceded, self.skipped_last_street, self.may_act_again = np.zeros((3, rounds), np.uint32)
        self.checked_after_close, self.checked_after_close_last_street = np.zeros((2, rounds), np.uint32)
        self.numbers = np.zeros((3, rounds), np.int64)
        self.current_bet, self.last_raise, self.pot = self.numbers
        self.last_raise[:] = terms.smallest_bet[0]
        self.half_bet = terms.half_bet[0].copy()
        self.highest_commitment, self.seats_at_highest = np.zeros(rounds, np.int64), np.zeros(rounds, np.uint32)
        self.last_actor = terms.row_before_opener[0].copy()
        self.last_bettor, self.last_bettor_of_hand = np.full((2, rounds), ABSENT, np.int8)
        self.street, self.pending_street = np.zeros((2, rounds), np.int8)
        self.raise_count = np.zeros(rounds, np.int16)
        self.is_turn_uncertain = None if are_all(terms.is_turn_known) else np.zeros(rounds, bool)
        self._all_columns = {name: getattr(self, name) for name in ROUND_COLUMNS}
        self.pending_bets = self._all_pending_bets = betting_snapshots.PendingBets.allocate(rounds)

        self.terms, self.accepts_all_bets, self.round_count = terms, at_once, rounds
        self.snapshots = betting_snapshots.SnapshotLog.allocate(acts + rounds)
        self.stack_left = terms.stacks.reshape(-1).copy()
        self.committed = np.zeros_like(self.stack_left)
        self.bet_when_last_acted = np.zeros_like(self.committed) if has_any(self.raises_add_up) else None
        self.has_irregularity, self.has_early_cards = False, False
        self.first_entry = 0

    def cut_to_active(self, active: int) -> None:
        """Cut the columns of rounds to the first rounds, in which the betting goes on."""
        if active != len(self.round_indices):
            for name, column in self._all_columns.items():
                setattr(self, name, None if column is None else column[..., :active])
            self.pending_bets = self._all_pending_bets.cut_to_active(active)

    def find_seats_to_act(self) -> Bits32:
        """Return the seats that must still act in the betting round.

        Returns:
            uint32[n].
        """
        able = self.players_in & self.with_chips
        alone = ~has_several_seats(able)
        # The only seat with chips owes nothing beyond what the others have in, even after a short blind.
        owed = able & self.must_respond & ~np.where(alone, self.seats_at_highest, NOBODY)
        unheard = np.where(alone, NOBODY, able & ~self.has_acted)
        return np.where(has_several_seats(self.players_in), (owed | unheard) & ~self.skipped_last_street, NOBODY)

    def is_late_action(self, step: betting_snapshots.StepActions) -> Flags:
        """Return the actions of seats that were skipped, or acted too early, and may act at any time.

        Returns:
            bool[n].
        """
        if not self.has_irregularity:
            return np.zeros(len(step.op), bool)
        return betting_snapshots.is_betting_action(step.op) & self.may_act_out_of_turn(step.bit)

    def may_act_out_of_turn(self, bit: Bits32) -> Flags:
        """Return where a seat may act out of turn, or is out and has already acted after folding.

        Returns:
            bool[n].
        """
        acting_again = (self.may_act_again | self.checked_after_close_last_street) & ~self.to_act
        still_in = (self.skipped | self.skipped_last_street | acting_again) & self.players_in
        return ((still_in | self.acted_after_folding) & bit) != 0

    def find_full_raise(self) -> Ints:
        """Return the size of a raise that reopens the betting.

        Returns:
            int64[n].
        """
        return np.where(self.half_bet > 0, self.half_bet, self.last_raise)

    def locate_cells(self, row: Ints8) -> Ints:
        """Return the index of each seat in the columns per seat; that of row 0 if there is no seat."""
        return np.maximum(row, 0).astype(np.int64) * self.round_count + self.round_indices

    def is_a_call(self, step: betting_snapshots.StepActions) -> Flags:
        """Return where the chips of a seat meet the bet, or are all of its chips and less.

        Returns:
            bool[n].
        """
        return betting_snapshots.meets_bet(
            self.committed[step.cell] + step.amount, self.current_bet, step.amount >= self.stack_left[step.cell]
        )

    def is_ahead_of_turn(self, step: betting_snapshots.StepActions, due: Ints8, bit: Bits32) -> Flags:
        """Return the actions of seats that are still to act, ahead of the seat to act.

        Args:
            due: int8[n], the seat to act.
            bit: uint32[n], the seats that act.

        Returns:
            bool[n].
        """
        ahead: Flags = ((self.to_act & ~self.skipped & bit) != 0) & (step.row != due)
        if has_any(ahead):
            ahead &= betting_snapshots.is_betting_action(step.op) & self.is_turn_known()
        return ahead

    def is_turn_known(self) -> Flags:
        """Return whether it can be known whose turn it is.

        Returns:
            bool[n].
        """
        return self.terms.is_turn_known[self.street, self.round_indices]

    def is_option_moot(self, bit: Bits32) -> Flags:
        """Return where a seat posted a forced bet and need not act: nobody raised, and nobody else has chips.

        Returns:
            bool[n].
        """
        waiting = betting_snapshots.find_waiting_options(self, self.street, self.last_bettor)
        return ~has_several_seats(self.players_in & self.with_chips) & ((waiting & bit) != 0)

    def begin_streets(self, rounds: Ints, street: Ints8) -> None:
        """Begin betting rounds.

        Args:
            rounds: the rounds.
            street: int8, the betting round that each of them begins.
        """
        later = street > self.street[rounds]
        rounds, street = rounds[later], street[later]
        self.committed.reshape(-1, self.round_count)[:, rounds] = 0
        for numbers in (self.current_bet, self.highest_commitment, self.pending_bets.total, self.raise_count):
            numbers[rounds] = 0
        # The seat whose turn it was is left out as well.
        left_out = np.where(self.are_stacks_known[rounds], self.to_act[rounds], NOBODY)
        self.skipped_last_street[rounds] |= self.skipped[rounds] | left_out
        self.has_irregularity |= has_any(left_out)
        for seats in (self.skipped, self.to_act, self.may_act_again, self.must_respond, self.has_checked):
            seats[rounds] = NOBODY
        self.seats_at_highest[rounds] = NOBODY
        self.last_raise[rounds] = self.terms.smallest_bet[street, rounds]
        self.half_bet[rounds] = self.terms.half_bet[street, rounds]
        self.last_actor[rounds] = self.terms.row_before_opener[street, rounds]
        self.has_acted[rounds] = self.checked_after_close_last_street[rounds] = self.checked_after_close[rounds]
        self.checked_after_close[rounds] = NOBODY
        self.may_raise[rounds] = self.all_seats[rounds]
        self.street[rounds] = street
        if self.is_turn_uncertain is not None:
            self.is_turn_uncertain[rounds] = False
        able = has_several_seats(self.players_in[rounds] & self.with_chips[rounds])
        self.last_bettor[rounds] = np.where(able, np.int8(ABSENT), self.last_bettor[rounds])
