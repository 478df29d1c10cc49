"""What the betting of rounds starts from: who opens, how much a bet is, and what opens the betting again."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits32, Codes, Flags, Ints, Tri
from validator.engine.betting.action_codes import REOPENINGS, Terms
from validator.engine.betting.positions import Where, position
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.first_case import first_holding
from validator.engine.core.kleene import NO, YES
from validator.engine.seats.seat_order import left_out, seating
from validator.rules.model.betting import BettingRound, LeastBet, Reopens


def terms_of(scope: Scope) -> Terms:
    """What the betting of a scope's rounds starts from, in the order of the batch."""
    seats = seating(scope)
    return Terms(
        count=seats.count,
        left_out=left_out(scope),
        stacks=seats.stacks,
        stacked=seats.stacked,
        before=openers(scope)[0],
        smallest=smallest_bets(scope)[0],
        half=half_bets(scope),
        reopened_by=reopening(scope)[0],
        turns=openers(scope)[1] & seats.turning & seats.stacked,
    )


@fact
def openers(scope: Scope) -> tuple[Bits32, Flags]:
    """The row before the one that opens each betting round, uint32[B, rounds], and bool[B, rounds], where it is
    known."""
    rows, known = zip(*(opener(scope, one) for one in scope.prepared.betting.rounds), strict=True)
    return np.array(rows), np.array(known)


def opener(scope: Scope, of: BettingRound) -> tuple[Bits32, Flags]:
    """uint32[rounds]: the row before the one that opens a betting round; and where that is known."""
    count = np.maximum(seating(scope).count, 1)
    row, told = position(scope, of.opens, _undecided)
    return ((row.astype(np.int64) + count - 1) % count).astype(np.uint32), told & (row != ABSENT)


def _undecided(span: str) -> Where:
    """Who opens cannot hang on how the betting goes; rules in which it does are refused."""
    raise ValueError(f"the opening seat hangs on the last bettor of the {span}")


@fact
def smallest_bets(scope: Scope) -> tuple[Ints, Flags]:
    """The smallest bet of each betting round, int64[B, rounds], 0 where it is not known; and where it is."""
    betting = scope.prepared.betting
    nothing = np.zeros(len(scope.batch), np.int64)

    def least(case: LeastBet) -> tuple[Ints, Flags]:
        low, high = scope.bounds(case.at_least, "round")
        return low, low == high

    def of_round(one: BettingRound) -> tuple[Ints, Flags]:
        if one.size is None:
            return first_holding(scope, betting.sizes.opening, least, nothing)
        low, high = scope.bounds(one.size, "round")
        if betting.sizes.fixed is None:
            return low, low == high
        fixed, (free, told) = fixed_limit(scope), first_holding(scope, betting.sizes.opening, least, nothing)
        return np.where(fixed == YES, low, free), np.where(fixed == YES, low == high, told & (fixed == NO))

    sizes = [of_round(one) for one in betting.rounds]
    known = np.array([told for _, told in sizes])
    return np.where(known, np.array([size for size, _ in sizes]), 0), known


def fixed_limit(scope: Scope) -> Tri:
    """uint8[rounds]: whether the limit of each round is fixed, as far as its betting rounds have a size."""
    when = scope.prepared.betting.sizes.fixed
    return kleene.constant(YES, len(scope.batch)) if when is None else scope.truth(when, "round")


@fact
def half_bets(scope: Scope) -> Ints:
    """int64[B, rounds]: the half of a bet that counts as a whole one, rounded up, in each betting round; 0 where none
    does."""
    betting, (sizes, known) = scope.prepared.betting, smallest_bets(scope)
    if betting.sizes.half_counts is None:
        return np.zeros_like(sizes)
    counts = np.minimum(scope.truth(betting.sizes.half_counts, "round"), fixed_limit(scope)) == YES
    sized = np.array([one.size is not None for one in betting.rounds])[:, None]
    return np.where(sized & counts & known, (sizes + 1) // 2, 0)


@fact
def reopening(scope: Scope) -> tuple[Codes, Flags]:
    """uint8[rounds]: which raises open the betting again, by their place in `REOPENINGS`; and where that is known."""
    length = len(scope.batch)

    def by(case: Reopens) -> tuple[Codes, Flags]:
        return np.full(length, REOPENINGS.index(case.by), np.uint8), np.ones(length, bool)

    return first_holding(scope, scope.prepared.betting.reopens, by, np.zeros(length, np.uint8))
