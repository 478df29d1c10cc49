"""What seats staked on a line, what became of it, what was said and what is posted of it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Bounds, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR, certain, unless
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.truncated_records import staked_later


@fact
def beside(scope: Scope, *, tip: bool) -> Ints:
    """int64[stakes]: the seat's own stake, or its tip, on the wager each stake lies on."""
    stakes = scope.batch.stakes
    found = np.zeros(len(stakes.seat), np.int64)
    for line in stakes.wager.standing():
        chosen = scope.stakes_on(line)
        found[chosen] = scope.amount(line, tip=tip)[stakes.seat[chosen]]
    return found


def is_staked(scope: Scope, line: str, *, tip: bool) -> Tri:
    """uint8[seats]: whether a seat has a stake, or a tip, on a line; for `this`, uint8[stakes], beside each stake."""
    if line == "this":
        return kleene.known(beside(scope, tip=tip) > 0)
    placed = scope.amount(line, tip=tip) > 0
    later = staked_later(scope, line)
    return kleene.unknown_where(later & ~placed, kleene.known(placed)) if later.any() else kleene.known(placed)


def staked_on(scope: Scope, line: str, *, tip: bool) -> Bounds:
    """Per seat: what it staked on a line, itself or for the dealer."""
    amount = scope.amount(line, tip=tip)
    later = staked_later(scope, line)
    return (amount, np.where(later & (amount == 0), FAR, amount)) if later.any() else certain(amount)


def outcome(scope: Scope, column: Literal["paid", "taken"], line: str) -> Bounds:
    """What became of a stake, per seat, or, for `this`, per stake; where a seat has none on a line, nothing."""
    stakes = scope.batch.stakes
    if line == "this":
        values = np.where((column == "taken") & stakes.bonus, 0, getattr(stakes, column))
        return unless(values != ABSENT, values)
    if line in scope.prepared.game.bonuses and column == "taken":
        return certain(np.zeros(scope.length("seat"), np.int64))
    chosen = scope.stakes_on(line)
    chosen = chosen[~stakes.tip[chosen]]
    values = np.zeros(scope.length("seat"), np.int64)
    values[stakes.seat[chosen]] = getattr(stakes, column)[chosen]
    return unless(values != ABSENT, values)


def posted_limit(scope: Scope, side: Literal["minimum", "maximum"], line: str) -> Bounds:
    """A posted limit: for one wager, a number a round; for `this`, that of the wager each stake lies on."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    names = scope.batch.stakes.wager.names if line == "this" else (line,)
    posted = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes if line == "this" else np.zeros(scope.length("round"), np.int32)
    values = np.array([limit or 0 for limit in posted], np.int64)[codes]
    return unless(np.array([limit is not None for limit in posted], bool)[codes], values)


def is_claimed(scope: Scope, line: str) -> Tri:
    """uint8[seats]: whether a win was declared on a line, as the summary says, else as the events tell; for `this`,
    uint8[stakes], on the wager of each stake."""
    stakes = scope.batch.stakes
    if line != "this":
        return _claimed_on(scope, line)
    found = np.zeros(len(stakes.seat), np.uint8)
    for name in stakes.wager.standing():
        chosen = scope.stakes_on(name)
        found[chosen] = _claimed_on(scope, name)[stakes.seat[chosen]]
    return found


def _claimed_on(scope: Scope, line: str) -> Tri:
    stakes, events = scope.batch.stakes, scope.batch.events
    chosen = scope.stakes_on(line)
    said = np.full(scope.length("seat"), ABSENT, np.int8)
    np.maximum.at(said, stakes.seat[chosen], stakes.claimed[chosen])
    claims = events_of_kinds(scope, ("claim",))
    claims = claims[events.wager.codes[claims] == events.wager.code(line)]
    told = np.zeros(len(said), bool)
    told[events.seat[claims]] = True
    recorded = (kinds_recorded(scope, ["claim"]) & scope.batch.complete)[scope.batch.seats.round]
    return kleene.where_known(told | (said == 1), told | recorded | (said != ABSENT))
