"""What a broken rule comes to in money: by how much players got too much, or too little."""

from __future__ import annotations

from fractions import Fraction

from validator.engine.core.context import Scope
from validator.engine.text.evidence_text import leaves, unmet_parts
from validator.language.comparison import Comparison
from validator.language.conditions import NEITHER, Condition
from validator.language.grains import Grain
from validator.operators.comparisons import NumberIs


def balance_of_rule(scope: Scope, condition: Condition, grain: Grain, index: int) -> Fraction | None:
    """By how many minor units players got too much (or too little, below 0) where an item does not fulfil a condition
    on what was paid, taken, awarded or raked; of several such conditions the least. None where it is on nothing of the
    kind, or the amounts are not known."""
    found: list[Fraction] = []
    for part in unmet_parts(scope, condition, grain, index):
        for leaf in leaves(scope, part):
            if isinstance(leaf.meaning, NumberIs):
                balance = _balance(scope, leaf.operand, grain, index)
                found += [] if balance is None else [balance]
    return min(found, key=abs, default=None)


def _balance(scope: Scope, comparison: Comparison, grain: Grain, index: int) -> Fraction | None:
    """The balance of one comparison, which goes by what is compared, not by what it is held against."""
    way = comparison.of.meaning.direction(comparison.of.operand)
    if way == NEITHER:
        return None
    amounts: list[int] = []
    for quantity in (comparison.of, comparison.operand):
        low, high = scope.bounds(quantity, grain)
        if low[index] != high[index]:
            return None
        amounts.append(int(low[index]))
    difference = amounts[0] - amounts[1]
    return Fraction(way * difference) if difference else None
