"""Conditions, quantities and comparisons of a compiled game in words, for findings and explanations."""

from __future__ import annotations

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.operator_interface import get_operators
from fairdeal.validator.language.phrases import SAME_AS, describe_frequency
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity


def describe_condition(prepared: CompiledGame, condition: Condition) -> str:
    """Describe the requirement of a condition under the readings in force."""
    return get_operators(prepared).find(condition).describe_as_read(prepared, condition.operand)


def describe_quantity(prepared: CompiledGame, quantity: Quantity, *, money: bool) -> str:
    """Describe a quantity; with `money`, fixed numbers are amounts in minor units."""
    return get_operators(prepared).find(quantity).describe(prepared, quantity.operand, money=money)


def compares_money(prepared: CompiledGame, comparison: Comparison) -> bool:
    """Return whether a comparison compares amounts of money."""
    operators = get_operators(prepared)
    parts: tuple[Quantity, Quantity] = (comparison.of, comparison.operand)
    return any(operators.find(part).measures_money(prepared, part.operand) for part in parts)


def describe_comparison(prepared: CompiledGame, comparison: Comparison, bound: str) -> str:
    """Describe a comparison.

    Args:
        prepared: the compiled game.
        comparison: the comparison.
        bound: the words of its operator, or those of the opposite.
    """
    money, of, to = compares_money(prepared, comparison), comparison.of, comparison.operand
    fixed = to.operand if to.operator == "exactly" else None
    counted = get_operators(prepared).find(of)
    if fixed is not None and counted.counts_occurrences:
        return describe_frequency(counted.format_operand(prepared, of.operand), bound, fixed)
    if fixed is not None and bound == SAME_AS:
        return f"{describe_quantity(prepared, of, money=money)}: {describe_quantity(prepared, to, money=money)}"
    return f"{describe_quantity(prepared, of, money=money)}: {bound} {describe_quantity(prepared, to, money=money)}"


def describe_required_comparison(prepared: CompiledGame, comparison: Comparison, *, negated: bool = False) -> str:
    """Return what a comparison, or its opposite, requires: `the rake must be at most 5.00`."""
    bound_operator = get_operators(prepared).find(comparison)
    words = bound_operator.negated_words if negated else bound_operator.words
    words = describe_comparison(prepared, comparison, words)
    subject = describe_quantity(prepared, comparison.of, money=compares_money(prepared, comparison))
    if not words.startswith(f"{subject}: "):
        return words
    bound = words.removeprefix(f"{subject}: ")
    verb = "must equal" if bound.startswith(SAME_AS) else "must be"
    return f"{subject} {verb} {bound.removeprefix(SAME_AS).lstrip()}"
