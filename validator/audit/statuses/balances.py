"""What a broken rule comes to in money: by how much players got too much, or too little."""

from __future__ import annotations

from fractions import Fraction

from validator.engine.core.context import Scope
from validator.engine.expressions.quantities import bounds
from validator.engine.text.evidence_text import leaves, unmet_parts
from validator.rules.conditions.conditions import Comparison, Condition, Quantity
from validator.rules.core.grain import Grain

TO_PLAYERS, FROM_PLAYERS, NEITHER = 1, -1, 0


def balance_of_rule(scope: Scope, condition: Condition, grain: Grain, index: int) -> Fraction | None:
    """By how many minor units players got too much (or too little, below 0) where an item does not fulfil a condition
    on what was paid, taken, awarded or raked; of several such conditions the least. None where it is on nothing of the
    kind, or the amounts are not known."""
    game = scope.prepared.game
    found: list[Fraction] = []
    for part in unmet_parts(scope, condition, grain, index):
        for leaf in leaves(game, part):
            if leaf.operator == "number":
                balance = _balance(scope, leaf.operand, grain, index)
                found += [] if balance is None else [balance]
    return min(found, key=abs, default=None)


def _balance(scope: Scope, comparison: Comparison, grain: Grain, index: int) -> Fraction | None:
    """The balance of one comparison, which goes by what is compared, not by what it is held against."""
    way = direction(comparison.of)
    if way == NEITHER:
        return None
    amounts: list[int] = []
    for quantity in (comparison.of, comparison.operand):
        low, high = bounds(scope, quantity, grain)
        if low[index] != high[index]:
            return None
        amounts.append(int(low[index]))
    difference = amounts[0] - amounts[1]
    return Fraction(way * difference) if difference else None


def direction(quantity: Quantity) -> int:
    """Whether a quantity grows with what players get, or with what is taken from them."""
    match quantity.operator:
        case "paid":
            return TO_PLAYERS
        case "taken":
            return FROM_PLAYERS
        case "received" | "pot":
            return {"awarded": TO_PLAYERS, "returned": TO_PLAYERS, "raked": FROM_PLAYERS}.get(quantity.operand, NEITHER)
        case "sum":
            # What is raked beside awards is part of what must come to the whole, so it is not missing.
            return max((direction(part) for part in quantity.operand), key=lambda way: (abs(way), way))
        case "total":
            return direction(quantity.operand.of)
        case "difference":
            return direction(quantity.operand.from_) or -direction(quantity.operand.less)
        case _:
            return NEITHER
