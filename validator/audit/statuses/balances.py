"""Amount of money by which a violated rule favoured or disadvantaged players."""

from __future__ import annotations

from fractions import Fraction

from validator.engine.core.context import Scope
from validator.engine.text.evidence_text import leaves, unmet_parts
from validator.language.comparison import Comparison
from validator.language.conditions import NEITHER, Condition
from validator.language.grains import Grain
from validator.operators.comparisons import NumberIs


def balance_of_rule(scope: Scope, condition: Condition, grain: Grain, index: int) -> Fraction | None:
    """Return how many minor units players received too much (negative: too little) where an item violates a condition.

    Only conditions on amounts paid, taken, awarded or raked count; of several, the smallest amount.

    Returns:
        None if no such condition is violated, or the amounts are not known.
    """
    balances: list[Fraction] = []
    for part in unmet_parts(scope, condition, grain, index):
        for leaf in leaves(scope, part):
            if isinstance(leaf.meaning, NumberIs):
                balance = _balance_of_comparison(scope, leaf.operand, grain, index)
                balances += [] if balance is None else [balance]
    return min(balances, key=abs, default=None)


def _balance_of_comparison(scope: Scope, comparison: Comparison, grain: Grain, index: int) -> Fraction | None:
    """Return the balance of one comparison; its direction follows from the quantity on the left."""
    direction = comparison.of.meaning.direction(comparison.of.operand)
    if direction == NEITHER:
        return None
    amounts: list[int] = []
    for quantity in (comparison.of, comparison.operand):
        low, high = scope.bounds(quantity, grain)
        if low[index] != high[index]:
            return None
        amounts.append(int(low[index]))
    difference = amounts[0] - amounts[1]
    return Fraction(direction * difference) if difference else None
