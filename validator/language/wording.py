"""Rules in words: what is asked for.

Used only where something is told to a person: in findings and in explanations, never on the way through
whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence

from validator.language.comparison import Comparison
from validator.language.conditions import Condition, Prepared, Quantity


def demanded(prepared: Prepared, condition: Condition) -> str:
    """What a condition asks for, the text being read as it is."""
    return condition.meaning.demanded(prepared, condition.operand)


def quantity_in_words(prepared: Prepared, quantity: Quantity, *, money: bool) -> str:
    """A quantity in words; `money` says that fixed numbers are amounts in minor units."""
    return quantity.meaning.asked(prepared, quantity.operand, money=money)


def is_money(prepared: Prepared, comparison: Comparison) -> bool:
    """Whether a comparison is one of amounts."""
    return any(one.meaning.is_money(prepared, one.operand) for one in (comparison.of, comparison.operand))


def seats_named(numbers: Sequence[int]) -> str:
    """Seats by their numbers: `seat 2`, `seats 2, 3 and 5`."""
    *others, last = map(str, numbers)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


def spaced(name: str) -> str:
    """A name of rule files as words."""
    return name.replace("-", " ")
