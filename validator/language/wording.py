"""Conditions, quantities and names in words, for findings and explanations.

Nothing here runs while whole batches are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

from validator.language.comparison import Comparison
from validator.language.conditions import Condition, Prepared, Quantity


def demanded(prepared: Prepared, condition: Condition) -> str:
    """Describe the requirement of a condition under the readings in force."""
    return condition.meaning.demanded(prepared, condition.operand)


def quantity_in_words(prepared: Prepared, quantity: Quantity, *, money: bool) -> str:
    """Describe a quantity; with `money`, fixed numbers are amounts in minor units."""
    return quantity.meaning.asked(prepared, quantity.operand, money=money)


def is_money(prepared: Prepared, comparison: Comparison) -> bool:
    """Return whether a comparison compares amounts of money."""
    return any(part.meaning.is_money(prepared, part.operand) for part in (comparison.of, comparison.operand))


def comparison_in_words(prepared: Prepared, comparison: Comparison, bound: str) -> str:
    """Describe a comparison.

    Args:
        prepared: the compiled game.
        comparison: the comparison.
        bound: the words of its operator, or those of the opposite.
    """
    money, of, to = is_money(prepared, comparison), comparison.of, comparison.operand
    fixed = to.operand if to.operator == "exactly" else None
    if fixed is not None and of.meaning.counts:
        return how_often(of.meaning.title(prepared, of.operand), bound, fixed)
    if fixed is not None and bound == SAME:
        return f"{quantity_in_words(prepared, of, money=money)}: {quantity_in_words(prepared, to, money=money)}"
    return f"{quantity_in_words(prepared, of, money=money)}: {bound} {quantity_in_words(prepared, to, money=money)}"


def required_in_sentence(prepared: Prepared, comparison: Comparison) -> str:
    """Return what a comparison requires: `the rake must be at most 5.00`, `the Play must equal the Ante`."""
    words = comparison_in_words(prepared, comparison, comparison.bound.words)
    subject = quantity_in_words(prepared, comparison.of, money=is_money(prepared, comparison))
    if not words.startswith(f"{subject}: "):
        return words
    bound = words.removeprefix(f"{subject}: ")
    verb = "must equal" if bound.startswith(SAME) else "must be"
    return f"{subject} {verb} {bound.removeprefix(SAME).lstrip()}"


SAME = "the same as"
"""The words of equality."""
_AT_ALL = {("at least", 1), ("more than", 0), ("other than", 0)}
_NOT_AT_ALL = {(SAME, 0), ("at most", 0), ("less than", 1)}


def how_often(title: str, bound: str, number: int) -> str:
    """Describe how often something happens: `the stub is counted`, `the stub is counted, at most once`."""
    if (bound, number) in _AT_ALL:
        return title
    if (bound, number) in _NOT_AT_ALL:
        return f"it never happens that {title}"
    if (bound, number) == ("at least", 0):
        return f"the record states how often {title}"
    return f"{title}, {'exactly' if bound == SAME else bound} {times(number)}"


def times(number: int) -> str:
    """Format a number of times: `once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"


def means_in_words(name: str) -> str:
    """Format a means of payment for use after "in" or "with": `chips`, `a coupon`."""
    return "a coupon" if name == "coupon" else name


def seats_named(numbers: Sequence[int]) -> str:
    """Format seats by number: `seat 2`, `seats 2, 3 and 5`."""
    return f"seat{'' if len(numbers) == 1 else 's'} {named(list(map(str, numbers)))}"


def named(names: Sequence[str], joint: str = "and") -> str:
    """Join names for a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def spaced(name: str) -> str:
    """Return a name of rule files as words, without hyphens."""
    return name.replace("-", " ")
