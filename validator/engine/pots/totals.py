"""Totals of the pots of every round: amounts put in, returned, awarded, raked and dropped, and the number of pots."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import EvaluationContext
from validator.engine.pots.boards import most_likely_boards
from validator.engine.pots.contributions_to_pots import (
    find_all_in_rows,
    is_refunded,
    pot_contributions,
    staked_in_pots,
    sum_per_round,
)
from validator.engine.pots.pot_shares import settle_pots
from validator.engine.pots.rake import (
    bound_rake,
    bound_rake_due,
    find_most_rake_due,
    is_recorded_for_all,
    sum_events_per_round,
    sum_recorded,
)
from validator.engine.pots.received import NOT_RECORDED, received_chips
from validator.engine.pots.side_pots import cut_into_pots, find_uncalled_bets
from validator.engine.timeline.step_events import are_kinds_recorded
from validator.language.operands import PotNumber, SeatReceives

PotBounds = tuple[Ints, Ints, Flags]


def bound_pot_amount(scope: EvaluationContext, name: PotNumber) -> PotBounds:
    """Return the least and the largest possible amount of the pots, and whether the evidence sets these bounds.

    Returns:
        int64[rounds] each, in minor units; bool[rounds].
    """
    rounds = scope.count_items("round")
    every = np.ones(rounds, bool)
    match name:
        case "total":
            total = (
                sum_per_round(scope, np.where(is_refunded(scope), 0, staked_in_pots(scope)))
                - settle_pots(scope).uncalled_bets.amount
            )
            return total, total, pot_contributions(scope).is_known
        case "uncalled":
            free = settle_pots(scope).uncalled_bets.amount
            return free, free, pot_contributions(scope).is_known
        case "awarded":
            amount_won, recorded = _sum_won(scope)
            return amount_won, amount_won, recorded
        case "returned":
            amount_returned, recorded = _sum_returned(scope)
            return amount_returned, amount_returned, recorded
        case "raked":
            return *bound_rake(scope, settle_pots(scope).uncalled_bets), every
        case "count":
            count = _count_pots(scope)
            return count, count, pot_contributions(scope).is_known
        case "boards":
            boards = most_likely_boards(scope)
            return boards.count, boards.count, boards.community_cards.count >= 0
        case "dropped":
            dropped = sum_events_per_round(scope, "drop")
            return dropped, dropped, are_kinds_recorded(scope, ("drop",)) & scope.batch.complete
        case _:
            made = settle_pots(scope)
            least, most, known = bound_rake_due(scope, made.pots, made.uncalled_bets)
            at_most, bounded = find_most_rake_due(scope)
            least, most, known = np.where(known, least, 0), np.where(known, most, at_most), known | bounded
            if made.pots_before_refunds is made.pots:
                return least, most, known
            # The record does not show whether a level was reached before chips were refunded for a lost hand.
            low, high, _ = bound_rake_due(scope, made.pots_before_refunds, made.uncalled_bets)
            return np.minimum(least, low), np.maximum(most, high), known


def _count_pots(scope: EvaluationContext) -> Ints:
    """Return the number of pots, whatever became of the hands that might have won them."""
    put = pot_contributions(scope)
    return cut_into_pots(
        put, put.remaining | put.conceded | find_all_in_rows(scope), find_uncalled_bets(put.matched)
    ).count


def find_seat_receipts(scope: EvaluationContext, what: SeatReceives) -> tuple[Ints, Flags]:
    """Return what comes back to each seat, and whether the evidence shows it.

    Returns:
        int64[seats], in minor units; bool[seats].
    """
    got = received_chips(scope)
    if what == "awarded":
        return got.won, got.won != NOT_RECORDED
    if what == "returned":
        return got.returned_stakes, got.returned_stakes != NOT_RECORDED
    made = settle_pots(scope)
    rounds = np.flatnonzero(made.contributions.is_known & (made.uncalled_bets.amount > 0))
    values = np.zeros(len(got.won), np.int64)
    values[made.contributions.seats[made.uncalled_bets.row[rounds], rounds]] = made.uncalled_bets.amount[rounds]
    return values, made.contributions.is_known[scope.rounds_of("seat")]


def _sum_won(scope: EvaluationContext) -> tuple[Ints, Flags]:
    got = received_chips(scope)
    by_awards = is_recorded_for_all(scope, got.won)
    back, recorded = _sum_returned(scope)
    together = sum_recorded(scope, got.total) - back
    return np.where(by_awards, sum_recorded(scope, got.won), together), by_awards | (
        recorded & is_recorded_for_all(scope, got.total)
    )


def _sum_returned(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return what was given back.

    If only stacks are known, what came back to the owner of an uncalled bet is the bet first.
    """
    made, got = settle_pots(scope), received_chips(scope)
    recorded = is_recorded_for_all(scope, got.returned_stakes)
    bet = made.uncalled_bets.amount
    owner = np.where(
        bet > 0, made.contributions.seats[np.maximum(made.uncalled_bets.row, 0), np.arange(len(bet))], ABSENT
    )
    if not len(got.total):
        return np.zeros(len(bet), np.int64), recorded
    both = np.where(owner == ABSENT, 0, got.total[owner])
    first = np.clip(both, 0, bet)
    unrecorded = is_recorded_for_all(scope, got.total) & made.contributions.is_known & (both != NOT_RECORDED)
    return np.where(recorded, sum_recorded(scope, got.returned_stakes), first), recorded | unrecorded
