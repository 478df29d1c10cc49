"""Stakes of seats on a line: amounts, outcomes, claims and posted limits."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints, Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.intervals import (
    UNBOUNDED,
    bounds_where_known,
    exact_bounds,
    keep_where_known,
    recorded_bounds,
)
from validator.engine.facts.outcomes import amounts_paid_on, stake_outcomes
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.engine.timeline.truncated_records import is_truncated, may_stake_later
from validator.language.grains import Grain


@cached_fact
def own_stake_on_wager(scope: EvaluationContext, *, tip: bool) -> Ints:
    """Return the seat's own stake, or its tip, on the wager of each stake.

    Returns:
        int64[stakes].
    """
    stakes = scope.batch.stakes
    result = np.zeros(len(stakes.seat), np.int64)
    for line in stakes.wager.used_names():
        chosen = scope.stake_indices(line)
        result[chosen] = scope.staked_amounts(line, tip=tip)[stakes.seat[chosen]]
    return result


def is_staked(scope: EvaluationContext, line: str, *, tip: bool) -> Truths:
    """Return whether a seat has a stake, or a tip, on a line; for `this`, next to each stake.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    low, high = bound_staked_on(scope, line, tip=tip)
    placed = kleene.from_flags(low > 0)
    return placed if high is low else kleene.unknown_where((low == 0) & (high > 0), placed)


def bound_staked_on(scope: EvaluationContext, line: str, *, tip: bool) -> Bounds:
    """Return bounds of what each seat staked on a line, as its own stake or as a tip; for `this`, next to each stake.

    The amount may be larger if the record stops while a seat may still place a wager, or more of it. A wager before the
    deal may also be taken back.
    """
    if line == "this":
        return _bound_amount(own_stake_on_wager(scope, tip=tip), *_find_changeable(scope))
    later = may_stake_later(scope, line)
    return _bound_amount(scope.staked_amounts(line, tip=tip), later, later & _is_before_the_deal(scope, line))


def bound_stakes(scope: EvaluationContext) -> Bounds:
    """Return bounds of the amount of each stake; they differ if the record stops while the stake may still change."""
    return _bound_amount(scope.batch.stakes.amount, *_find_changeable(scope))


def _bound_amount(amount: Ints, raised: Flags, taken_back: Flags) -> Bounds:
    if not raised.any():
        return exact_bounds(amount)
    return np.where(taken_back, 0, amount), np.where(raised, UNBOUNDED, amount)


def _is_before_the_deal(scope: EvaluationContext, line: str) -> bool:
    wager = scope.compiled_game.game.wagers.get(line)
    return wager is not None and wager.placed == "before-the-deal"


@cached_fact
def _find_changeable(scope: EvaluationContext) -> tuple[Flags, Flags]:
    """Find the stakes that may be raised after the record stopped, and those that may be taken back.

    Returns:
        bool[stakes] each.
    """
    stakes = scope.batch.stakes
    raised, taken_back = np.zeros((2, scope.count_items("stake")), bool)
    if not scope.batch.complete.all():
        for line in stakes.wager.used_names():
            chosen = scope.stake_indices(line)
            raised[chosen] = may_stake_later(scope, line)[stakes.seat[chosen]]
            taken_back[chosen] = raised[chosen] & _is_before_the_deal(scope, line)
    return raised, taken_back


def bound_outcome(scope: EvaluationContext, column: Literal["paid", "taken"], line: str) -> Bounds:
    """Return bounds of what was paid or taken, per seat, or for `this`, per stake; 0 if a seat has no stake on a line.

    After a truncated record, more may be paid or taken, and what was taken may be put back.
    """
    stakes, result = scope.batch.stakes, stake_outcomes(scope)
    if line == "this":
        if column == "paid":
            return _extend_outcome(scope, column, recorded_bounds(result.paid), "stake")
        taken = np.where(stakes.bonus, 0, result.taken)
        kept = taken if result.kept is result.taken else np.where(stakes.bonus, 0, result.kept)
        return _extend_outcome(scope, column, keep_where_known(kept, taken, taken != ABSENT), "stake")
    if column == "paid":
        return _extend_outcome(scope, column, recorded_bounds(amounts_paid_on(scope, line, tip=False)), "seat")
    taken = np.zeros(scope.count_items("seat"), np.int64)
    if line in scope.compiled_game.game.bonuses:
        return exact_bounds(taken)
    chosen = scope.stake_indices(line)
    chosen = chosen[~stakes.tip[chosen]]
    taken[stakes.seat[chosen]] = result.taken[chosen]
    kept = taken
    if result.kept is not result.taken:
        kept = taken.copy()
        kept[stakes.seat[chosen]] = result.kept[chosen]
    return _extend_outcome(scope, column, keep_where_known(kept, taken, taken != ABSENT), "seat")


def _extend_outcome(scope: EvaluationContext, column: Literal["paid", "taken"], bounds: Bounds, grain: Grain) -> Bounds:
    """Return bounds of what was paid or taken, extended for truncated records."""
    low, high = bounds
    stops = is_truncated(scope, grain)
    if not stops.any():
        return low, high
    return np.where(stops, np.maximum(low, 0) if column == "paid" else 0, low), np.where(stops, UNBOUNDED, high)


def bound_posted_limit(scope: EvaluationContext, side: Literal["minimum", "maximum"], line: str) -> Bounds:
    """Return bounds of a posted limit: per round for one wager, or for `this`, of the wager of each stake."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    names = scope.batch.stakes.wager.names if line == "this" else (line,)
    posted = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes if line == "this" else np.zeros(scope.count_items("round"), np.int32)
    values = np.array([limit or 0 for limit in posted], np.int64)[codes]
    return bounds_where_known(np.array([limit is not None for limit in posted], bool)[codes], values)


def is_claimed(scope: EvaluationContext, line: str) -> Truths:
    """Return whether a win was declared on a line; for `this`, on the wager of each stake.

    The summary decides, or else the events.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    stakes = scope.batch.stakes
    if line != "this":
        return _is_claimed_on(scope, line)
    result = np.zeros(len(stakes.seat), np.uint8)
    for name in stakes.wager.used_names():
        chosen = scope.stake_indices(name)
        result[chosen] = _is_claimed_on(scope, name)[stakes.seat[chosen]]
    return result


def _is_claimed_on(scope: EvaluationContext, line: str) -> Truths:
    stakes, events = scope.batch.stakes, scope.batch.events
    chosen = scope.stake_indices(line)
    said = np.full(scope.count_items("seat"), ABSENT, np.int8)
    np.maximum.at(said, stakes.seat[chosen], stakes.claimed[chosen])
    claims = events_of_kinds(scope, ("claim",))
    claims = claims[events.wager.codes[claims] == events.wager.code(line)]
    by_events = np.zeros(len(said), bool)
    by_events[events.seat[claims]] = True
    over = scope.batch.complete[scope.batch.seats.round]
    recorded = are_kinds_recorded(scope, ["claim"])[scope.batch.seats.round] | (said != ABSENT)
    return kleene.where_known(by_events | (said == 1), by_events | (said == 1) | (recorded & over))
