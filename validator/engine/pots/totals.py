"""Totals of the pots of every round: amounts put in, returned, awarded, raked and dropped, and the number of pots."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.core.context import Scope
from validator.engine.pots.boards import most_likely_boards
from validator.engine.pots.contributions_to_pots import all_in, per_round, put_in, refunded, staked
from validator.engine.pots.pot_shares import settled
from validator.engine.pots.rake import most_due, rake_due, raked, sum_of, told_of_all, total_of
from validator.engine.pots.received import UNTOLD, received
from validator.engine.pots.side_pots import layered, uncalled
from validator.engine.timeline.step_events import kinds_recorded
from validator.language.operands import PotNumber, SeatReceives

Numbers = tuple[Ints, Ints, Flags]


def pot_amount(scope: Scope, name: PotNumber) -> Numbers:
    """Return the least and the largest possible amount of the pots, and whether the evidence sets these bounds.

    Returns:
        int64[rounds] each, in minor units; bool[rounds].
    """
    rounds = scope.length("round")
    every = np.ones(rounds, bool)
    match name:
        case "total":
            total = per_round(scope, np.where(refunded(scope), 0, staked(scope))) - settled(scope).free.amount
            return total, total, put_in(scope).known
        case "uncalled":
            free = settled(scope).free.amount
            return free, free, put_in(scope).known
        case "awarded":
            amount_won, recorded = _sum_won(scope)
            return amount_won, amount_won, recorded
        case "returned":
            amount_returned, recorded = _sum_returned(scope)
            return amount_returned, amount_returned, recorded
        case "raked":
            return *raked(scope, settled(scope).free), every
        case "count":
            count = _count_pots(scope)
            return count, count, put_in(scope).known
        case "boards":
            boards = most_likely_boards(scope)
            return boards.count, boards.count, boards.held.count >= 0
        case "dropped":
            dropped = total_of(scope, "drop")
            return dropped, dropped, kinds_recorded(scope, ("drop",)) & scope.batch.complete
        case _:
            made = settled(scope)
            least, most, known = rake_due(scope, made.pots, made.free)
            at_most, bounded = most_due(scope)
            least, most, known = np.where(known, least, 0), np.where(known, most, at_most), known | bounded
            if made.before is made.pots:
                return least, most, known
            # The record does not show whether a level was reached before chips were refunded for a lost hand.
            low, high, _ = rake_due(scope, made.before, made.free)
            return np.minimum(least, low), np.maximum(most, high), known


def _count_pots(scope: Scope) -> Ints:
    """Return the number of pots, whatever became of the hands that might have won them."""
    put = put_in(scope)
    return layered(put, put.remaining | put.conceded | all_in(scope), uncalled(put.matched)).count


def seat_receives(scope: Scope, what: SeatReceives) -> tuple[Ints, Flags]:
    """Return what comes back to each seat, and whether the evidence shows it.

    Returns:
        int64[seats], in minor units; bool[seats].
    """
    got = received(scope)
    if what == "awarded":
        return got.won, got.won != UNTOLD
    if what == "returned":
        return got.back, got.back != UNTOLD
    made = settled(scope)
    rounds = np.flatnonzero(made.put.known & (made.free.amount > 0))
    values = np.zeros(len(got.won), np.int64)
    values[made.put.seats[made.free.row[rounds], rounds]] = made.free.amount[rounds]
    return values, made.put.known[scope.round_of("seat")]


def _sum_won(scope: Scope) -> tuple[Ints, Flags]:
    got = received(scope)
    by_awards = told_of_all(scope, got.won)
    back, recorded = _sum_returned(scope)
    together = sum_of(scope, got.all) - back
    return np.where(by_awards, sum_of(scope, got.won), together), by_awards | (recorded & told_of_all(scope, got.all))


def _sum_returned(scope: Scope) -> tuple[Ints, Flags]:
    """Return what was given back.

    If only stacks are known, what came back to the owner of an uncalled bet is the bet first.
    """
    made, got = settled(scope), received(scope)
    recorded = told_of_all(scope, got.back)
    bet = made.free.amount
    owner = np.where(bet > 0, made.put.seats[np.maximum(made.free.row, 0), np.arange(len(bet))], ABSENT)
    if not len(got.all):
        return np.zeros(len(bet), np.int64), recorded
    both = np.where(owner == ABSENT, 0, got.all[owner])
    first = np.clip(both, 0, bet)
    unrecorded = told_of_all(scope, got.all) & made.put.known & (both != UNTOLD)
    return np.where(recorded, sum_of(scope, got.back), first), recorded | unrecorded
