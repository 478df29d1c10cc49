"""Rake: what the house took of each pot, and what its posted levels amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths, find_true
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.pots import side_pots
from fairdeal.validator.engine.pots.received_chips import NOT_RECORDED, find_most_returnable, received_chips
from fairdeal.validator.engine.pots.split_pots import NetPots
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.rules.betting_model import PotRake


def bound_rake(scope: EvaluationContext, free: side_pots.UncalledBets) -> Bounds:
    """Return bounds of the rake: the recorded rake, or else what was put in and came back to nobody.

    Returns:
        int64[rounds] each.
    """
    return scope.compute_once(("raked",), lambda: _compute_rake(scope, free))


def _compute_rake(scope: EvaluationContext, free: side_pots.UncalledBets) -> Bounds:
    got = received_chips(scope)
    known = sum_events_per_round(scope, "rake")
    recorded = _is_rake_recorded(scope)
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    left = np.maximum(put - sum_recorded(scope, got.total), 0)
    all_came = is_recorded_for_all(scope, got.total)
    # If returns are not recorded, the winnings of seats may include an uncalled bet.
    loose = np.maximum(put - sum_recorded(scope, got.won), 0)
    all_won = is_recorded_for_all(scope, got.won)
    possible = side_pots.sum_per_round(scope, find_most_returnable(scope))
    least = np.where(all_came, left, np.where(all_won, np.maximum(loose - possible, 0), 0))
    # Amounts known to have come back to some seats were not raked, whatever came back to the others.
    most = np.where(all_came, left, np.where(all_won, loose, np.maximum(put - _sum_received(scope), 0)))
    return np.where(recorded, known, least), np.where(recorded, known, most)


def is_rake_hidden(scope: EvaluationContext) -> Flags:
    """Return whether a rake is not recorded and seats received more than was put in, so that it cannot be inferred.

    Returns:
        bool[rounds].
    """
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    return (_sum_received(scope) > put) & ~_is_rake_recorded(scope)


def _is_rake_recorded(scope: EvaluationContext) -> Flags:
    return are_kinds_recorded(scope, ("rake",)) & scope.batch.complete


def _sum_received(scope: EvaluationContext) -> Ints:
    """Return what the seats of each round are known to have received, int64[rounds]."""
    got = received_chips(scope)
    return sum_recorded(scope, np.where(got.total == NOT_RECORDED, got.won, got.total))


def sum_events_per_round(scope: EvaluationContext, kind: str) -> Ints:
    """Return the sum of the amounts of all events of a kind.

    Returns:
        int64[rounds].
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    result = np.zeros(scope.count_items("round"), np.int64)
    np.add.at(result, events.round[chosen], np.maximum(events.amount[chosen], 0))
    return result


def sum_recorded(scope: EvaluationContext, values: Ints) -> Ints:
    """Return the sum of values of seats; NOT_RECORDED values are left out.

    Returns:
        int64[rounds].
    """
    return side_pots.sum_per_round(scope, np.where(values == NOT_RECORDED, 0, values))


def is_recorded_for_all(scope: EvaluationContext, values: Ints) -> Flags:
    """Return whether the values of seats are recorded for every playing seat of the round.

    Returns:
        bool[rounds].
    """
    seats = scope.batch.seats
    result = np.ones(scope.count_items("round"), bool)
    result[seats.round[(values == NOT_RECORDED) & seats.playing]] = False
    return result


def subtract_rake(scope: EvaluationContext, pots: side_pots.LayeredPots, free: side_pots.UncalledBets) -> NetPots:
    """Subtract the rake from the pots.

    If the record does not name the pot, the rake is taken from the main pot first, although it may have been another.
    """
    least, most = (bound[pots.round] for bound in bound_rake(scope, free))
    exact, taken = _read_rake_by_pot(scope, pots)
    first = take_from_main_pot_first(pots, most)
    ruled = pots.amount - np.where(exact, taken, first)
    others = sum_over_pots(pots, pots.amount)[pots.round] - pots.amount
    more = find_unrecorded_most(scope)[pots.round]
    return NetPots(
        least=np.where(exact, ruled, np.maximum(pots.amount - most, 0)),
        most=np.where(exact, ruled, np.maximum(pots.amount - np.maximum(least - others, 0), 0)) + more,
        by_rule=ruled,
        is_rake_known=(least == most) & (more == 0),
    )


def sum_over_pots(pots: side_pots.LayeredPots, values: Ints) -> Ints:
    """Return the sum of values of pots over the pots of each round.

    Returns:
        int64[rounds].
    """
    result = np.zeros(len(pots.count), np.int64)
    np.add.at(result, pots.round, values)
    return result


def find_unrecorded_most(scope: EvaluationContext) -> Ints:
    """Return the most that each pot may hold beyond what the record shows.

    Returns:
        int64[rounds].
    """
    rule = scope.compiled_game.pots.untold
    if rule is None:
        return np.zeros(scope.count_items("round"), np.int64)
    _, most = scope.compute_bounds(rule.at_most, "round")
    return np.where(scope.evaluate(rule.when, "round") == NO, 0, most)


def take_from_main_pot_first(pots: side_pots.LayeredPots, rake: Ints) -> Ints:
    """Return what is taken of each pot if the rake is taken from the pots in their order.

    Args:
        rake: rake of the round of each pot.

    Returns:
        int64[P].
    """
    before = np.zeros(len(pots.amount), np.int64)
    running = np.zeros(len(pots.count), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        at = find_true(pots.number == number)
        before[at] = running[pots.round[at]]
        running[pots.round[at]] += pots.amount[at]
    return np.clip(rake - before, 0, pots.amount)


def _read_rake_by_pot(scope: EvaluationContext, pots: side_pots.LayeredPots) -> tuple[Flags, Ints]:
    """Return whether events name the rake of each pot, and the amount.

    Logs may number pots differently; the numbers count if awards or rakes name exactly as many pots.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    chosen = events_of_kinds(scope, ("rake",))
    named = events_of_kinds(scope, ("rake", "award"))
    highest = np.zeros(rounds, np.int64)
    np.maximum.at(highest, events.round[named], events.pot[named])
    sure = are_kinds_recorded(scope, ("rake",)) & (highest + 1 == pots.count)
    sure[events.round[chosen[events.pot[chosen] == ABSENT]]] = False
    taken = np.zeros(len(pots.amount), np.int64)
    first = np.cumsum(pots.count) - pots.count
    ours = chosen[sure[events.round[chosen]]]
    np.add.at(taken, first[events.round[ours]] + events.pot[ours], np.maximum(events.amount[ours], 0))
    exact = sure[pots.round]
    over = np.zeros(rounds, bool)
    over[pots.round[taken > pots.amount]] = True
    return exact & ~over[pots.round], taken


def bound_rake_due(
    scope: EvaluationContext, pots: side_pots.LayeredPots, free: side_pots.UncalledBets
) -> tuple[Ints, Ints, Flags]:
    """Return the least and the most that the submitted levels amount to, and whether this is known.

    Returns:
        int64[rounds]; int64[rounds]; bool[rounds].
    """
    rounds = scope.count_items("round")
    zero = np.zeros(rounds, np.int64)
    levels, measure = rake_levels(scope), find_rake_rule(scope)
    if measure is None or levels is None:
        return zero, zero, np.zeros(rounds, bool)
    due = _sum_levels(scope, measure, pots, free, levels)
    reached = _has_reached_stage(scope, measure, (_find_submitted_rake(scope) or {}).get("from"))
    least, most = np.where(reached == YES, due, 0), np.where(reached == NO, 0, due)
    # If the rake has not begun, the pots need not be known.
    return least, most, side_pots.pot_contributions(scope).is_known | (reached == NO)


def find_most_rake_due(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return the most that the submitted levels may amount to, however the contributions form pots.

    Returns:
        int64[rounds]; bool[rounds], whether this bounds the rake, since the record states what every seat won.
    """
    rounds = scope.count_items("round")
    levels, measure = rake_levels(scope), find_rake_rule(scope)
    if measure is None or levels is None:
        return np.zeros(rounds, np.int64), np.zeros(rounds, bool)
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    players = side_pots.sum_per_round(scope, scope.batch.seats.playing.astype(np.int64))
    pots = np.ones(rounds, np.int64) if measure.from_ == "total" else np.maximum(players - 1, 1)
    most = np.zeros(rounds, np.int64)
    for level in levels:
        reached = np.minimum(put // level["pot"], pots) if level["pot"] > 0 else pots
        most += reached * level["takes"]
    won = np.where(scope.batch.seats.won == ABSENT, NOT_RECORDED, scope.batch.seats.won)
    return most, is_recorded_for_all(scope, won)


def _find_submitted_rake(scope: EvaluationContext) -> Mapping[str, Any] | None:
    result: Mapping[str, Any] | None = None if scope.configuration is None else scope.configuration.data.get("rake")
    return result


def rake_levels(scope: EvaluationContext) -> Sequence[Mapping[str, Any]] | None:
    """Return the submitted levels of the rake; None if there are none."""
    return (_find_submitted_rake(scope) or {}).get("levels")


def find_rake_rule(scope: EvaluationContext) -> PotRake | None:
    """Return the rule for the rake, by the readings in force; None if the game has none."""
    regulation = scope.compiled_game.regulation
    for rule in scope.compiled_game.pots.rake:
        if rule.reading is None or regulation.is_option_in_force(rule.reading.name, rule.reading.is_):
            return rule
    return None


def _sum_levels(
    scope: EvaluationContext,
    measure: PotRake,
    pots: side_pots.LayeredPots,
    free: side_pots.UncalledBets,
    levels: Sequence[Mapping[str, Any]],
) -> Ints:
    """Return the sum of the levels that the pots reach."""
    amount, hand = pots.amount.copy(), pots.round
    counted = free.amount if measure.without is None else np.zeros(len(pots.count), np.int64)
    if measure.from_ == "total":
        total = counted.copy()
        np.add.at(total, hand, amount)
        amount, hand = total, np.arange(len(total))
    else:
        last = pots.number == pots.count[hand] - 1
        amount[last] += counted[hand[last]]
    taken = np.zeros(len(pots.count), np.int64)
    for level in levels:
        np.add.at(taken, hand[amount >= level["pot"]], level["takes"])
    return taken


def _has_reached_stage(scope: EvaluationContext, measure: PotRake, stage: str | None) -> Truths:
    """Return whether each round reached the stage from which the house rakes; unknown for an unknown stage name."""
    rounds = scope.count_items("round")
    if stage is None:
        return kleene.constant(YES, rounds)
    if stage not in measure.stages:
        return kleene.constant(UNKNOWN, rounds)
    return scope.evaluate(measure.stages[stage], "round")
