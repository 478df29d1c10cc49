"""Stakes of seats on a line: amounts, outcomes, claims and posted limits."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR, certain, told, unless, where_told
from validator.engine.facts.outcomes import outcomes, paid_on
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.truncated_records import breaks_off, staked_later
from validator.language.grains import Grain


@fact
def beside(scope: Scope, *, tip: bool) -> Ints:
    """Return the seat's own stake, or its tip, on the wager of each stake.

    Returns:
        int64[stakes].
    """
    stakes = scope.batch.stakes
    result = np.zeros(len(stakes.seat), np.int64)
    for line in stakes.wager.standing():
        chosen = scope.stakes_on(line)
        result[chosen] = scope.amount(line, tip=tip)[stakes.seat[chosen]]
    return result


def is_staked(scope: Scope, line: str, *, tip: bool) -> Tri:
    """Return whether a seat has a stake, or a tip, on a line; for `this`, next to each stake.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    low, high = staked_on(scope, line, tip=tip)
    placed = kleene.known(low > 0)
    return placed if high is low else kleene.unknown_where((low == 0) & (high > 0), placed)


def staked_on(scope: Scope, line: str, *, tip: bool) -> Bounds:
    """Return bounds of what each seat staked on a line, as its own stake or as a tip; for `this`, next to each stake.

    The amount may be larger if the record stops while a seat may still place a wager, or more of it. A wager before the
    deal may also be taken back.
    """
    if line == "this":
        return _bound_amount(beside(scope, tip=tip), *_find_changeable(scope))
    later = staked_later(scope, line)
    return _bound_amount(scope.amount(line, tip=tip), later, later & _is_before_the_deal(scope, line))


def stakes_that_lie(scope: Scope) -> Bounds:
    """Return bounds of the amount of each stake; they differ if the record stops while the stake may still change."""
    return _bound_amount(scope.batch.stakes.amount, *_find_changeable(scope))


def _bound_amount(amount: Ints, raised: Flags, taken_back: Flags) -> Bounds:
    if not raised.any():
        return certain(amount)
    return np.where(taken_back, 0, amount), np.where(raised, FAR, amount)


def _is_before_the_deal(scope: Scope, line: str) -> bool:
    wager = scope.prepared.game.wagers.get(line)
    return wager is not None and wager.placed == "before-the-deal"


@fact
def _find_changeable(scope: Scope) -> tuple[Flags, Flags]:
    """Find the stakes that may be raised after the record stopped, and those that may be taken back.

    Returns:
        bool[stakes] each.
    """
    stakes = scope.batch.stakes
    raised, taken_back = np.zeros((2, scope.length("stake")), bool)
    if not scope.batch.complete.all():
        for line in stakes.wager.standing():
            chosen = scope.stakes_on(line)
            raised[chosen] = staked_later(scope, line)[stakes.seat[chosen]]
            taken_back[chosen] = raised[chosen] & _is_before_the_deal(scope, line)
    return raised, taken_back


def outcome(scope: Scope, column: Literal["paid", "taken"], line: str) -> Bounds:
    """Return bounds of what was paid or taken, per seat, or for `this`, per stake; 0 if a seat has no stake on a line.

    After a truncated record, more may be paid or taken, and what was taken may be put back.
    """
    stakes, result = scope.batch.stakes, outcomes(scope)
    if line == "this":
        if column == "paid":
            return _extend_outcome(scope, column, told(result.paid), "stake")
        taken = np.where(stakes.bonus, 0, result.taken)
        kept = taken if result.kept is result.taken else np.where(stakes.bonus, 0, result.kept)
        return _extend_outcome(scope, column, where_told(kept, taken, taken != ABSENT), "stake")
    if column == "paid":
        return _extend_outcome(scope, column, told(paid_on(scope, line, tip=False)), "seat")
    taken = np.zeros(scope.length("seat"), np.int64)
    if line in scope.prepared.game.bonuses:
        return certain(taken)
    chosen = scope.stakes_on(line)
    chosen = chosen[~stakes.tip[chosen]]
    taken[stakes.seat[chosen]] = result.taken[chosen]
    kept = taken
    if result.kept is not result.taken:
        kept = taken.copy()
        kept[stakes.seat[chosen]] = result.kept[chosen]
    return _extend_outcome(scope, column, where_told(kept, taken, taken != ABSENT), "seat")


def _extend_outcome(scope: Scope, column: Literal["paid", "taken"], bounds: Bounds, grain: Grain) -> Bounds:
    """Return bounds of what was paid or taken, extended for truncated records."""
    low, high = bounds
    stops = breaks_off(scope, grain)
    if not stops.any():
        return low, high
    return np.where(stops, np.maximum(low, 0) if column == "paid" else 0, low), np.where(stops, FAR, high)


def posted_limit(scope: Scope, side: Literal["minimum", "maximum"], line: str) -> Bounds:
    """Return bounds of a posted limit: per round for one wager, or for `this`, of the wager of each stake."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    names = scope.batch.stakes.wager.names if line == "this" else (line,)
    posted = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes if line == "this" else np.zeros(scope.length("round"), np.int32)
    values = np.array([limit or 0 for limit in posted], np.int64)[codes]
    return unless(np.array([limit is not None for limit in posted], bool)[codes], values)


def is_claimed(scope: Scope, line: str) -> Tri:
    """Return whether a win was declared on a line; for `this`, on the wager of each stake.

    The summary decides, or else the events.

    Returns:
        uint8[seats], or uint8[stakes] for `this`.
    """
    stakes = scope.batch.stakes
    if line != "this":
        return _is_claimed_on(scope, line)
    result = np.zeros(len(stakes.seat), np.uint8)
    for name in stakes.wager.standing():
        chosen = scope.stakes_on(name)
        result[chosen] = _is_claimed_on(scope, name)[stakes.seat[chosen]]
    return result


def _is_claimed_on(scope: Scope, line: str) -> Tri:
    stakes, events = scope.batch.stakes, scope.batch.events
    chosen = scope.stakes_on(line)
    said = np.full(scope.length("seat"), ABSENT, np.int8)
    np.maximum.at(said, stakes.seat[chosen], stakes.claimed[chosen])
    claims = events_of_kinds(scope, ("claim",))
    claims = claims[events.wager.codes[claims] == events.wager.code(line)]
    by_events = np.zeros(len(said), bool)
    by_events[events.seat[claims]] = True
    over = scope.batch.complete[scope.batch.seats.round]
    recorded = kinds_recorded(scope, ["claim"])[scope.batch.seats.round] | (said != ABSENT)
    return kleene.where_known(by_events | (said == 1), by_events | (said == 1) | (recorded & over))
