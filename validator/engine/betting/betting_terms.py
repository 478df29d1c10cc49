"""Terms of the betting: the opening seat, the size of bets, and the raises that reopen the betting."""

from __future__ import annotations

import numpy as np

from validator.arrays import Codes, Flags, Ints, Truths
from validator.engine.betting.action_codes import REOPENINGS, BettingTerms
from validator.engine.betting.positions import find_row_before_opener
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.first_case import select_first_case
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_order import seat_layout, seats_without_cards
from validator.rules.model.betting import BettingRound, LeastBet, Reopens


def build_betting_terms(scope: EvaluationContext) -> BettingTerms:
    """Build the terms of the betting of all rounds, in the order of the batch."""
    seats = seat_layout(scope)
    before, known = zip(
        *(find_row_before_opener(scope, betting_round.opens) for betting_round in scope.compiled_game.betting.rounds),
        strict=True,
    )
    return BettingTerms(
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

    def of_round(betting_round: BettingRound) -> tuple[Ints, Flags]:
        if betting_round.size is None:
            return select_first_case(scope, betting.sizes.opening, least, nothing)
        low, high = scope.compute_bounds(betting_round.size, "round")
        if betting.sizes.fixed is None:
            return low, low == high
        fixed, (free, recorded) = is_fixed_limit(scope), select_first_case(scope, betting.sizes.opening, least, nothing)
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
        return np.full(length, REOPENINGS.index(case.by), np.uint8), np.ones(length, bool)

    return select_first_case(scope, scope.compiled_game.betting.reopens, read_case, np.zeros(length, np.uint8))
