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
    Truths,
    find_true,
    flag_items,
    look_up,
)
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.recorded_betting import betting_actions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.facts.final_hands import hand_strength
from fairdeal.validator.engine.facts.seat_layout import (
    SeatLayout,
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
    shown = look_up(np.where(served.still_in, made, out), seats.seat_of_row, out)
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
    on_it = (stakes.wager.codes == stakes.wager.code(wager)) & ~stakes.bonus & ~stakes.tip
    return look_up(flag_items(stakes.seat[on_it], scope.count_items("seat")), seats.seat_of_row, missing=False)


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
