"""Terms of the betting: the opening seat, the size of bets, and the raises that reopen the betting."""

from __future__ import annotations

import numpy as np

from validator.arrays import Codes, Flags, Ints, Tri
from validator.engine.betting.action_codes import REOPENINGS, Terms
from validator.engine.betting.positions import opener
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.first_case import first_holding
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_order import left_out, seating
from validator.rules.model.betting import BettingRound, LeastBet, Reopens


def terms_of(scope: Scope) -> Terms:
    """Build the terms of the betting of all rounds, in the order of the batch."""
    seats = seating(scope)
    before, known = zip(
        *(opener(scope, betting_round.opens) for betting_round in scope.prepared.betting.rounds), strict=True
    )
    return Terms(
        count=seats.count,
        left_out=left_out(scope),
        stacks=seats.stacks,
        stacked=seats.stacked,
        before=np.array(before),
        smallest=smallest_bets(scope)[0],
        half=half_bets(scope),
        reopened_by=reopening(scope)[0],
        turns=np.array(known) & seats.turning & seats.stacked,
    )


@fact
def smallest_bets(scope: Scope) -> tuple[Ints, Flags]:
    """Return the smallest bet of each betting round, 0 if unknown, and whether it is known.

    Returns:
        int64[B, rounds]; bool[B, rounds].
    """
    betting = scope.prepared.betting
    nothing = np.zeros(len(scope.batch), np.int64)

    def least(case: LeastBet) -> tuple[Ints, Flags]:
        low, high = scope.bounds(case.at_least, "round")
        return low, low == high

    def of_round(betting_round: BettingRound) -> tuple[Ints, Flags]:
        if betting_round.size is None:
            return first_holding(scope, betting.sizes.opening, least, nothing)
        low, high = scope.bounds(betting_round.size, "round")
        if betting.sizes.fixed is None:
            return low, low == high
        fixed, (free, recorded) = fixed_limit(scope), first_holding(scope, betting.sizes.opening, least, nothing)
        return np.where(fixed == YES, low, free), np.where(fixed == YES, low == high, recorded & (fixed == NO))

    sizes = [of_round(betting_round) for betting_round in betting.rounds]
    known = np.array([is_known for _, is_known in sizes])
    return np.where(known, np.array([size for size, _ in sizes]), 0), known


def fixed_limit(scope: Scope) -> Tri:
    """Return whether the limit of each round is fixed, for betting rounds with a size.

    Returns:
        uint8[rounds].
    """
    when = scope.prepared.betting.sizes.fixed
    return kleene.constant(YES, len(scope.batch)) if when is None else scope.truth(when, "round")


@fact
def half_bets(scope: Scope) -> Ints:
    """Return the half bet, rounded up, that counts as a whole bet; 0 if none does.

    Returns:
        int64[B, rounds].
    """
    betting, (sizes, known) = scope.prepared.betting, smallest_bets(scope)
    if betting.sizes.half_counts is None:
        return np.zeros_like(sizes)
    counts = np.minimum(scope.truth(betting.sizes.half_counts, "round"), fixed_limit(scope)) == YES
    sized = np.array([betting_round.size is not None for betting_round in betting.rounds])[:, None]
    return np.where(sized & counts & known, (sizes + 1) // 2, 0)


@fact
def reopening(scope: Scope) -> tuple[Codes, Flags]:
    """Return the raises that reopen the betting, as indices of `REOPENINGS`, and whether they are known.

    Returns:
        uint8[rounds]; bool[rounds].
    """
    length = len(scope.batch)

    def read_case(case: Reopens) -> tuple[Codes, Flags]:
        return np.full(length, REOPENINGS.index(case.by), np.uint8), np.ones(length, bool)

    return first_holding(scope, scope.prepared.betting.reopens, read_case, np.zeros(length, np.uint8))
