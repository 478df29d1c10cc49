"""Quantities of a batch: amounts, counts and limits, each with where it is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.play.scope import Scope
from validator.play.steps import count_of_step
from validator.rulebook.grain import Grain, grain_of_quantity
from validator.rulebook.language.conditions import Quantity

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Numbers = tuple[Ints, Flags]


def numbers(scope: Scope, quantity: Quantity, grain: Grain) -> Numbers:
    """A quantity for each item of a grain, as int64[n], and where it is known, as bool[n]."""
    own: Grain = grain if quantity.operator == "exactly" else grain_of_quantity(quantity, scope.prepared.game)
    value, evident = _quantity(scope, quantity, own)
    return scope.spread(value, own, grain), scope.spread(evident, own, grain)


def _quantity(scope: Scope, quantity: Quantity, grain: Grain) -> Numbers:
    operand = quantity.operand
    match quantity.operator:
        case "exactly":
            return _certain(np.full(scope.length(grain), operand, np.int64))
        case "amount" | "tip":
            tip = quantity.operator == "tip"
            if operand != "this":
                return _certain(scope.amount(operand, tip=tip))
            return _certain(beside(scope, tip=True) if tip else scope.batch.stakes.amount)
        case "minimum" | "maximum":
            return _limit(scope, quantity.operator, operand)
        case "cards":
            count = scope.hands_at(operand).count
            return count.astype(np.int64), count >= 0
        case "hands-of-player":
            return scope.hands_of_player()
        case "events":
            return count_of_step(scope, operand, grain)
        case _:
            value, evident = _quantity(scope, operand.of, grain)
            return value * operand.by, evident


def _certain(values: Ints) -> Numbers:
    return values, np.ones(len(values), bool)


def _limit(scope: Scope, side: str, line: str) -> Numbers:
    """A posted limit: for one wager, a number a round; for `this`, that of the wager each stake lies on."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}
    if line != "this":
        posted = getattr(offers.get(line), side, None)
        rounds = scope.length("round")
        return np.full(rounds, posted or 0, np.int64), np.full(rounds, posted is not None)
    names = scope.batch.stakes.wager.names
    posted_by_code = [getattr(offers.get(name), side, None) for name in names]
    codes = scope.batch.stakes.wager.codes
    values = np.array([limit or 0 for limit in posted_by_code], np.int64)[codes]
    evident = np.array([limit is not None for limit in posted_by_code], bool)[codes]
    return values, evident


def beside(scope: Scope, *, tip: bool) -> Ints:
    """int64[stakes]: the seat's own stake, or its tip, on the wager each stake lies on."""

    def look() -> Ints:
        stakes = scope.batch.stakes
        found = np.zeros(len(stakes.seat), np.int64)
        for line in stakes.wager.names:
            chosen = scope.stakes_on(line)
            found[chosen] = scope.amount(line, tip=tip)[stakes.seat[chosen]]
        return found

    return scope.once(("beside", tip), look)
