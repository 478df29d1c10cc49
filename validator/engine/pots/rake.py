"""What the house takes out of the pots: what it took, of which pot, and what the levels it posts come to."""

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
    """The least and the most that the house took, int64[rounds] both: what is recorded as rake; where the log does
    not record rake, what was put in and came back to nobody."""
    return scope.once(("raked",), lambda: _raked(scope, free))


def _raked(scope: Scope, free: Uncalled) -> Bounds:
    got = received(scope)
    known = total_of(scope, "rake")
    recorded = kinds_recorded(scope, ("rake",)) & scope.batch.complete

    put = per_round(scope, staked(scope))
    left = np.maximum(put - sum_of(scope, got.all), 0)
    all_came = told_of_all(scope, got.all)
    # Whether what seats won holds an uncalled bet as well is not known where what was given back is not recorded.
    loose = np.maximum(put - sum_of(scope, got.won), 0)
    all_won = told_of_all(scope, got.won)
    perhaps = per_round(scope, may_go_back(scope))
    least = np.where(all_came, left, np.where(all_won, np.maximum(loose - perhaps, 0), 0))
    # What is known to have come back to some seats was not raked, whatever came back to the others.
    came = np.where(got.all == UNTOLD, got.won, got.all)
    most = np.where(all_came, left, np.where(all_won, loose, np.maximum(put - sum_of(scope, came), 0)))
    return np.where(recorded, known, least), np.where(recorded, known, most)


def total_of(scope: Scope, kind: str) -> Ints:
    """int64[rounds]: the amounts of all events of a kind."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    result = np.zeros(scope.length("round"), np.int64)
    np.add.at(result, events.round[chosen], np.maximum(events.amount[chosen], 0))
    return result


def sum_of(scope: Scope, values: Ints) -> Ints:
    """int64[rounds]: values of seats added up, those that are UNTOLD left out."""
    return per_round(scope, np.where(values == UNTOLD, 0, values))


def told_of_all(scope: Scope, values: Ints) -> Flags:
    """bool[rounds]: whether values of seats (int64[seats]) are told of every seat that takes part in the round."""
    seats = scope.batch.seats
    result = np.ones(scope.length("round"), bool)
    result[seats.round[(values == UNTOLD) & seats.playing]] = False
    return result


def net_of_rake(scope: Scope, pots: Layered, free: Uncalled) -> Net:
    """What is left of each pot: less what is recorded as raked of it; where that does not say of which pot, out of the
    main pot first, though it may have been another."""
    least, most = (bound[pots.hand] for bound in raked(scope, free))
    exact, taken = _by_pot(scope, pots)
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
    """Return values of pots (int64[P]) added up over the pots of each round, int64[rounds]."""
    result = np.zeros(len(pots.count), np.int64)
    np.add.at(result, pots.hand, values)
    return result


def untold(scope: Scope) -> Ints:
    """int64[rounds]: what there may be at most in each pot beyond what the record tells was put in."""
    rule = scope.prepared.pots.untold
    if rule is None:
        return np.zeros(scope.length("round"), np.int64)
    _, most = scope.bounds(rule.at_most, "round")
    return np.where(scope.truth(rule.when, "round") == NO, 0, most)


def main_pot_first(pots: Layered, rake: Ints) -> Ints:
    """int64[P]: what is taken of each pot if a round's rake (`rake`, of the round of each pot) is taken of the pots in
    their order."""
    before = np.zeros(len(pots.amount), np.int64)
    running = np.zeros(len(pots.count), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        at = np.flatnonzero(pots.number == number)
        before[at] = running[pots.hand[at]]
        running[pots.hand[at]] += pots.amount[at]
    return np.clip(rake - before, 0, pots.amount)


def _by_pot(scope: Scope, pots: Layered) -> tuple[Flags, Ints]:
    """bool[P], whether events tell what was raked of each pot, and int64[P], how much.

    Logs may number pots otherwise; they are taken for these where awards or rakes name exactly as many.
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
    """The least and the most that the submitted levels of the rake come to, int64[rounds], and bool[rounds], where
    that can be told."""
    rounds = scope.length("round")
    zero = np.zeros(rounds, np.int64)
    levels, measure = levels_of(scope), measure_of(scope)
    if measure is None or levels is None:
        return zero, zero, np.zeros(rounds, bool)
    due = _taken(scope, measure, pots, free, levels)
    reached = _reached(scope, measure, (_submitted(scope) or {}).get("from"))
    least, most = np.where(reached == YES, due, 0), np.where(reached == NO, 0, due)
    # Where the house does not rake yet, the pots need not be known.
    return least, most, put_in(scope).known | (reached == NO)


def most_due(scope: Scope) -> tuple[Ints, Flags]:
    """Return the most that the submitted levels may amount to however what was put in fell into pots, int64[rounds].

    Returns: also bool[rounds], where that bounds the rake: the record states what every seat won.
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


def _submitted(scope: Scope) -> Mapping[str, Any] | None:
    result: Mapping[str, Any] | None = None if scope.configuration is None else scope.configuration.data.get("rake")
    return result


def levels_of(scope: Scope) -> Sequence[Mapping[str, Any]] | None:
    """The levels of the rake that are submitted; None where none are."""
    return (_submitted(scope) or {}).get("levels")


def measure_of(scope: Scope) -> PotRake | None:
    """What the levels of the rake are held against, as the text is read; None where the game does not say."""
    regulation = scope.prepared.regulation
    for rule in scope.prepared.pots.rake:
        if rule.reading is None or regulation.applies(rule.reading.name, rule.reading.is_):
            return rule
    return None


def _taken(scope: Scope, measure: PotRake, pots: Layered, free: Uncalled, levels: Sequence[Mapping[str, Any]]) -> Ints:
    """int64[rounds]: the levels that the pots reach added up."""
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


def _reached(scope: Scope, measure: PotRake, stage: str | None) -> Tri:
    """Whether each round reached the stage from which on the house rakes; unknown for a stage of no known name."""
    rounds = scope.length("round")
    if stage is None:
        return kleene.constant(YES, rounds)
    if stage not in measure.stages:
        return kleene.constant(UNKNOWN, rounds)
    return scope.truth(measure.stages[stage], "round")
