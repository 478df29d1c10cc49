"""Totals of the pots of every round, and the rake up to every event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_true
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.pots import rake, side_pots
from fairdeal.validator.engine.pots.pot_shares import settle_pots
from fairdeal.validator.engine.pots.received_chips import NOT_RECORDED, received_chips
from fairdeal.validator.engine.pots.split_pots import most_likely_boards
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
from fairdeal.validator.language.grammar import PotNumber, RakeNumber, SeatReceives

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
                side_pots.sum_per_round(
                    scope, np.where(side_pots.is_refunded(scope), 0, side_pots.staked_in_pots(scope))
                )
                - settle_pots(scope).uncalled_bets.amount
            )
            return total, total, side_pots.pot_contributions(scope).is_known
        case "uncalled":
            free = settle_pots(scope).uncalled_bets.amount
            return free, free, side_pots.pot_contributions(scope).is_known
        case "awarded":
            amount_won, recorded = _sum_won(scope)
            return amount_won, amount_won, recorded
        case "returned":
            amount_returned, recorded = _sum_returned(scope)
            return amount_returned, amount_returned, recorded
        case "raked":
            least, most = rake.bound_rake(scope, settle_pots(scope).uncalled_bets)
            return least, np.where(rake.is_rake_hidden(scope), UNBOUNDED, most), every
        case "count":
            count = _count_pots(scope)
            return count, count, side_pots.pot_contributions(scope).is_known
        case "boards":
            boards = most_likely_boards(scope)
            return boards.count, boards.count, boards.community_cards.count >= 0
        case "dropped":
            dropped = rake.sum_events_per_round(scope, "drop")
            return dropped, dropped, are_kinds_recorded(scope, ("drop",)) & scope.batch.complete
        case _:
            made = settle_pots(scope)
            least, most, known = rake.bound_rake_due(scope, made.pots, made.uncalled_bets)
            at_most, bounded = rake.find_most_rake_due(scope)
            least, most, known = np.where(known, least, 0), np.where(known, most, at_most), known | bounded
            if made.pots_before_refunds is made.pots:
                return least, most, known
            # The record does not show whether a level was reached before chips were refunded for a lost hand.
            low, high, _ = rake.bound_rake_due(scope, made.pots_before_refunds, made.uncalled_bets)
            return np.minimum(least, low), np.maximum(most, high), known


def _count_pots(scope: EvaluationContext) -> Ints:
    """Return the number of pots, whatever became of the hands that might have won them."""
    put = side_pots.pot_contributions(scope)
    return side_pots.cut_into_pots(
        put, put.remaining | put.conceded | side_pots.find_all_in_rows(scope), side_pots.find_uncalled_bets(put.matched)
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
    rounds = find_true(made.contributions.is_known & (made.uncalled_bets.amount > 0))
    values = np.zeros(len(got.won), np.int64)
    values[made.contributions.seats[made.uncalled_bets.row[rounds], rounds]] = made.uncalled_bets.amount[rounds]
    return values, made.contributions.is_known[scope.rounds_of("seat")]


def _sum_won(scope: EvaluationContext) -> tuple[Ints, Flags]:
    got = received_chips(scope)
    by_awards = rake.is_recorded_for_all(scope, got.won)
    back, recorded = _sum_returned(scope)
    together = rake.sum_recorded(scope, got.total) - back
    return np.where(by_awards, rake.sum_recorded(scope, got.won), together), by_awards | (
        recorded & rake.is_recorded_for_all(scope, got.total)
    )


def _sum_returned(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return what was given back.

    If only stacks are known, what came back to the owner of an uncalled bet is the bet first.
    """
    made, got = settle_pots(scope), received_chips(scope)
    recorded = rake.is_recorded_for_all(scope, got.returned_stakes)
    bet = made.uncalled_bets.amount
    owner = np.where(
        bet > 0, made.contributions.seats[np.maximum(made.uncalled_bets.row, 0), np.arange(len(bet))], ABSENT
    )
    if not len(got.total):
        return np.zeros(len(bet), np.int64), recorded
    both = np.where(owner == ABSENT, 0, got.total[owner])
    first = np.clip(both, 0, bet)
    unrecorded = rake.is_recorded_for_all(scope, got.total) & made.contributions.is_known & (both != NOT_RECORDED)
    return np.where(recorded, rake.sum_recorded(scope, got.returned_stakes), first), recorded | unrecorded


@cached_fact
def rake_so_far(scope: EvaluationContext, which: RakeNumber) -> tuple[Ints, Flags]:
    """Return an amount of the rake after each event, and whether it is known.

    Returns:
        int64[events], in minor units; bool[events].
    """
    return _sum_taken(scope) if which == "taken" else _bound_due(scope)


def _sum_taken(scope: EvaluationContext) -> tuple[Ints, Flags]:
    events = scope.batch.events
    amount = np.where(events.kind == KIND_CODES["rake"], np.maximum(events.amount, 0), 0)
    running = np.concatenate([[0], np.cumsum(amount)])
    return running[1:] - running[events.offsets[events.round]], np.ones(len(amount), bool)


def _bound_due(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return the most that may be due: the levels reached by the chips put in so far.

    For each pot, these are the levels that all these chips would reach in that pot, limited to its final amount.
    """
    so_far, recorded = evaluate_replay_quantity(scope, "pot")
    levels, measure, owner = rake.rake_levels(scope), rake.find_rake_rule(scope), scope.batch.events.round
    due = np.zeros(len(so_far), np.int64)
    if levels is None or measure is None:
        return due, np.zeros(len(so_far), bool)
    if measure.from_ == "total":
        return due + _sum_reached_levels(so_far, levels), recorded
    made = settle_pots(scope)
    amount = made.pots.amount + (made.uncalled_bets.amount[made.pots.round] if measure.without is None else 0)
    for number in range(int(made.pots.count.max(initial=0))):
        whole = np.zeros(len(scope.batch), np.int64)
        chosen = made.pots.number == number
        whole[made.pots.round[chosen]] = amount[chosen]
        due += _sum_reached_levels(np.minimum(so_far, whole[owner]), levels)
    return due, recorded & made.is_known[owner]


def _sum_reached_levels(pot: Ints, levels: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the sum of the levels that pots have reached."""
    result = np.zeros(len(pot), np.int64)
    for level in levels:
        result += np.where(pot >= level["pot"], level["takes"], 0)
    return result
