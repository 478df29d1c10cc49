"""Rake: what the house took of each pot, and what its posted levels amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.pots.contributions_to_pots import per_round, put_in, staked
from validator.engine.pots.received import UNTOLD, may_go_back, received
from validator.engine.pots.side_pots import Layered, Uncalled
from validator.engine.pots.split_pots import Net
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.rules.model.pots import PotRake


def raked(scope: Scope, free: Uncalled) -> Bounds:
    """Return bounds of the rake: the recorded rake, or else what was put in and came back to nobody.

    Returns:
        int64[rounds] each.
    """
    return scope.once(("raked",), lambda: _compute_rake(scope, free))


def _compute_rake(scope: Scope, free: Uncalled) -> Bounds:
    got = received(scope)
    known = total_of(scope, "rake")
    recorded = kinds_recorded(scope, ("rake",)) & scope.batch.complete

    put = per_round(scope, staked(scope))
    left = np.maximum(put - sum_of(scope, got.all), 0)
    all_came = told_of_all(scope, got.all)
    # If returns are not recorded, the winnings of seats may include an uncalled bet.
    loose = np.maximum(put - sum_of(scope, got.won), 0)
    all_won = told_of_all(scope, got.won)
    possible = per_round(scope, may_go_back(scope))
    least = np.where(all_came, left, np.where(all_won, np.maximum(loose - possible, 0), 0))
    # Amounts known to have come back to some seats were not raked, whatever came back to the others.
    came = np.where(got.all == UNTOLD, got.won, got.all)
    most = np.where(all_came, left, np.where(all_won, loose, np.maximum(put - sum_of(scope, came), 0)))
    return np.where(recorded, known, least), np.where(recorded, known, most)


def total_of(scope: Scope, kind: str) -> Ints:
    """Return the sum of the amounts of all events of a kind.

    Returns:
        int64[rounds].
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    result = np.zeros(scope.length("round"), np.int64)
    np.add.at(result, events.round[chosen], np.maximum(events.amount[chosen], 0))
    return result


def sum_of(scope: Scope, values: Ints) -> Ints:
    """Return the sum of values of seats; NOT_RECORDED values are left out.

    Returns:
        int64[rounds].
    """
    return per_round(scope, np.where(values == UNTOLD, 0, values))


def told_of_all(scope: Scope, values: Ints) -> Flags:
    """Return whether the values of seats are recorded for every playing seat of the round.

    Returns:
        bool[rounds].
    """
    seats = scope.batch.seats
    result = np.ones(scope.length("round"), bool)
    result[seats.round[(values == UNTOLD) & seats.playing]] = False
    return result


def net_of_rake(scope: Scope, pots: Layered, free: Uncalled) -> Net:
    """Subtract the rake from the pots.

    If the record does not name the pot, the rake is taken from the main pot first, although it may have been another.
    """
    least, most = (bound[pots.hand] for bound in raked(scope, free))
    exact, taken = _read_rake_by_pot(scope, pots)
    first = main_pot_first(pots, most)
    ruled = pots.amount - np.where(exact, taken, first)
    others = sum_over_pots(pots, pots.amount)[pots.hand] - pots.amount
    more = untold(scope)[pots.hand]
    return Net(
        least=np.where(exact, ruled, np.maximum(pots.amount - most, 0)),
        most=np.where(exact, ruled, np.maximum(pots.amount - np.maximum(least - others, 0), 0)) + more,
        ruled=ruled,
        told=(least == most) & (more == 0),
    )


def sum_over_pots(pots: Layered, values: Ints) -> Ints:
    """Return the sum of values of pots over the pots of each round.

    Returns:
        int64[rounds].
    """
    result = np.zeros(len(pots.count), np.int64)
    np.add.at(result, pots.hand, values)
    return result


def untold(scope: Scope) -> Ints:
    """Return the most that each pot may hold beyond what the record shows.

    Returns:
        int64[rounds].
    """
    rule = scope.prepared.pots.untold
    if rule is None:
        return np.zeros(scope.length("round"), np.int64)
    _, most = scope.bounds(rule.at_most, "round")
    return np.where(scope.truth(rule.when, "round") == NO, 0, most)


def main_pot_first(pots: Layered, rake: Ints) -> Ints:
    """Return what is taken of each pot if the rake is taken from the pots in their order.

    Args:
        rake: rake of the round of each pot.

    Returns:
        int64[P].
    """
    before = np.zeros(len(pots.amount), np.int64)
    running = np.zeros(len(pots.count), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        at = np.flatnonzero(pots.number == number)
        before[at] = running[pots.hand[at]]
        running[pots.hand[at]] += pots.amount[at]
    return np.clip(rake - before, 0, pots.amount)


def _read_rake_by_pot(scope: Scope, pots: Layered) -> tuple[Flags, Ints]:
    """Return whether events name the rake of each pot, and the amount.

    Logs may number pots differently; the numbers count if awards or rakes name exactly as many pots.
    """
    events, rounds = scope.batch.events, scope.length("round")
    chosen = events_of_kinds(scope, ("rake",))
    named = events_of_kinds(scope, ("rake", "award"))
    highest = np.zeros(rounds, np.int64)
    np.maximum.at(highest, events.round[named], events.pot[named])
    sure = kinds_recorded(scope, ("rake",)) & (highest + 1 == pots.count)
    sure[events.round[chosen[events.pot[chosen] == ABSENT]]] = False
    taken = np.zeros(len(pots.amount), np.int64)
    first = np.cumsum(pots.count) - pots.count
    ours = chosen[sure[events.round[chosen]]]
    np.add.at(taken, first[events.round[ours]] + events.pot[ours], np.maximum(events.amount[ours], 0))
    exact = sure[pots.hand]
    over = np.zeros(rounds, bool)
    over[pots.hand[taken > pots.amount]] = True
    return exact & ~over[pots.hand], taken


def rake_due(scope: Scope, pots: Layered, free: Uncalled) -> tuple[Ints, Ints, Flags]:
    """Return the least and the most that the submitted levels amount to, and whether this is known.

    Returns:
        int64[rounds]; int64[rounds]; bool[rounds].
    """
    rounds = scope.length("round")
    zero = np.zeros(rounds, np.int64)
    levels, measure = levels_of(scope), measure_of(scope)
    if measure is None or levels is None:
        return zero, zero, np.zeros(rounds, bool)
    due = _sum_levels(scope, measure, pots, free, levels)
    reached = _has_reached_stage(scope, measure, (_find_submitted_rake(scope) or {}).get("from"))
    least, most = np.where(reached == YES, due, 0), np.where(reached == NO, 0, due)
    # If the rake has not begun, the pots need not be known.
    return least, most, put_in(scope).known | (reached == NO)


def most_due(scope: Scope) -> tuple[Ints, Flags]:
    """Return the most that the submitted levels may amount to, however the contributions form pots.

    Returns:
        int64[rounds]; bool[rounds], whether this bounds the rake, since the record states what every seat won.
    """
    rounds = scope.length("round")
    levels, measure = levels_of(scope), measure_of(scope)
    if measure is None or levels is None:
        return np.zeros(rounds, np.int64), np.zeros(rounds, bool)
    put = per_round(scope, staked(scope))
    players = per_round(scope, scope.batch.seats.playing.astype(np.int64))
    pots = np.ones(rounds, np.int64) if measure.from_ == "total" else np.maximum(players - 1, 1)
    most = np.zeros(rounds, np.int64)
    for level in levels:
        reached = np.minimum(put // level["pot"], pots) if level["pot"] > 0 else pots
        most += reached * level["takes"]
    won = np.where(scope.batch.seats.won == ABSENT, UNTOLD, scope.batch.seats.won)
    return most, told_of_all(scope, won)


def _find_submitted_rake(scope: Scope) -> Mapping[str, Any] | None:
    result: Mapping[str, Any] | None = None if scope.configuration is None else scope.configuration.data.get("rake")
    return result


def levels_of(scope: Scope) -> Sequence[Mapping[str, Any]] | None:
    """Return the submitted levels of the rake; None if there are none."""
    return (_find_submitted_rake(scope) or {}).get("levels")


def measure_of(scope: Scope) -> PotRake | None:
    """Return the rule for the rake, by the readings in force; None if the game has none."""
    regulation = scope.prepared.regulation
    for rule in scope.prepared.pots.rake:
        if rule.reading is None or regulation.applies(rule.reading.name, rule.reading.is_):
            return rule
    return None


def _sum_levels(
    scope: Scope, measure: PotRake, pots: Layered, free: Uncalled, levels: Sequence[Mapping[str, Any]]
) -> Ints:
    """Return the sum of the levels that the pots reach."""
    amount, hand = pots.amount.copy(), pots.hand
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


def _has_reached_stage(scope: Scope, measure: PotRake, stage: str | None) -> Tri:
    """Return whether each round reached the stage from which the house rakes; unknown for an unknown stage name."""
    rounds = scope.length("round")
    if stage is None:
        return kleene.constant(YES, rounds)
    if stage not in measure.stages:
        return kleene.constant(UNKNOWN, rounds)
    return scope.truth(measure.stages[stage], "round")
