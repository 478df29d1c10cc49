"""Renderer of conditions and quantities: walks the tree of a rule and joins the texts of its operators.

An operator gives four kinds of text. `describe` and `negate` are about the rule, `describe_required` and
`describe_observed` about one item and its evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.language.submission_conditions import (
    ANY_VALUE,
    NO_VALUE,
    SAME_AS,
    describe_frequency,
    format_times,
)
from fairdeal.validator.operators.operator_interface import RoundOperators
from fairdeal.validator.text.plain_values import UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.engine.item_evidence import ItemEvidence


def get_operators(prepared: CompiledGame) -> RoundOperators:
    """Return the operators with which a game was compiled."""
    if not isinstance(prepared.operators, RoundOperators):
        raise TypeError("the game was compiled with other operators")
    return prepared.operators


# Of the rule


def read_condition(prepared: CompiledGame, condition: Condition | None) -> str | bool:
    """Describe the requirement of a condition; return a bool if the readings alone decide it, or if there is none."""
    if condition is None:
        return True
    value = _evaluate_readings(prepared, condition)
    operator = get_operators(prepared).find(condition)
    return operator.describe(prepared, condition.operand) if value == UNKNOWN else value == YES


def describe_condition(prepared: CompiledGame, condition: Condition | None) -> str:
    """Describe the requirement of a condition under the readings in force."""
    text = read_condition(prepared, condition)
    return text if isinstance(text, str) else ANY_VALUE if text else NO_VALUE


def list_undecided(prepared: CompiledGame, conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions that the readings alone do not decide."""
    return [condition for condition in conditions if _evaluate_readings(prepared, condition) == UNKNOWN]


def _evaluate_readings(prepared: CompiledGame, condition: Condition) -> int:
    operator = get_operators(prepared).find(condition)
    return operator.evaluate_readings(condition.operand, prepared.regulation, {})


def describe_quantity(prepared: CompiledGame, quantity: Quantity, *, money: bool) -> str:
    """Describe a quantity; with `money`, fixed numbers are amounts in minor units."""
    return get_operators(prepared).find(quantity).describe(prepared, quantity.operand, money=money)


def compares_money(prepared: CompiledGame, comparison: Comparison) -> bool:
    """Return whether a comparison compares amounts of money."""
    operators = get_operators(prepared)
    parts: tuple[Quantity, Quantity] = (comparison.of, comparison.operand)
    return any(operators.find(part).measures_money(prepared, part.operand) for part in parts)


def describe_comparison(
    prepared: CompiledGame, comparison: Comparison, *, negated: bool = False, required: bool = False
) -> str:
    """Describe a comparison, or its opposite: `the rake: at most 5.00`.

    Args:
        prepared: the compiled game.
        comparison: the comparison.
        negated: describe the opposite.
        required: describe a requirement: `the rake must be at most 5.00`.
    """
    operators, to = get_operators(prepared), comparison.operand
    operator, counted = operators.find(comparison), operators.find(comparison.of)
    bound = operator.negated_words if negated else operator.words
    is_fixed = to.operator in ("exactly", "money")
    if is_fixed and counted.counts_occurrences:
        return describe_frequency(counted.name_operand(prepared, comparison.of.operand), bound, to.operand)
    money = compares_money(prepared, comparison)
    subject, limit = (describe_quantity(prepared, part, money=money) for part in (comparison.of, to))
    if bound != SAME_AS or not (is_fixed or required):
        limit = f"{bound} {limit}"
    if not required:
        return f"{subject}: {limit}"
    return f"{subject} {'must equal' if bound == SAME_AS and not is_fixed else 'must be'} {limit}"


# Of one item


def describe_unmet(item: ItemEvidence, condition: Condition) -> str:
    """Describe what a condition requires that an item does not fulfil."""
    operators, broken = get_operators(item.game), find_unmet_parts(item, condition)
    undecided = list_undecided(item.game, broken)
    if undecided != broken:
        return NO_VALUE
    return "; and ".join(dict.fromkeys(operators.find(part).describe_required(item, part) for part in undecided))


def describe_missing_evidence(item: ItemEvidence, condition: Condition) -> str:
    """Describe what the evidence must show to decide a condition."""
    leaves = [leaf for leaf in iterate_leaves(item.game, condition) if item.find_truth(leaf) == UNKNOWN]
    return "; ".join(dict.fromkeys(describe_condition(item.game, leaf) for leaf in leaves or [condition]))


def list_evidence(item: ItemEvidence, condition: Condition) -> list[str]:
    """Return what the evidence shows of a condition that an item does not fulfil.

    Open parts are mentioned only if the evidence shows nothing else.
    """
    facts: list[str] = []
    for part in find_unmet_parts(item, condition):
        leaves = list(iterate_leaves(item.game, part))
        decided = [leaf for leaf in leaves if item.find_truth(leaf) != UNKNOWN]
        facts += _observe(item, decided or leaves if leaves else _find_quantifiers(item.game, part))
    if not facts and item.grain == "stake":
        facts = [item.describe_stake()]
    return _combine_absent(list(dict.fromkeys(facts))) or ["it happened"]


def _combine_absent(facts: Sequence[str]) -> list[str]:
    """Combine several facts about missing events into one."""
    absent = [fact for fact in facts if fact.endswith(_NEVER)]
    if len(absent) < 2:
        return list(facts)
    none = f"none of these: {', '.join(f'“{fact.removesuffix(_NEVER)}”' for fact in absent)}"
    return [none if fact is absent[0] else fact for fact in facts if fact is absent[0] or fact not in absent]


_NEVER = f": {format_times(0)}"


def list_facts(item: ItemEvidence, condition: Condition) -> list[str]:
    """Return what the evidence shows of every part of a condition for one item."""
    return list(dict.fromkeys(_observe(item, iterate_leaves(item.game, condition))))


def list_grounds(item: ItemEvidence, condition: Condition) -> list[str]:
    """Return what the evidence shows of the comparisons by which a condition holds for one item."""
    parts = (part for part in _iterate_holding_parts(item, condition) if isinstance(part.operand, Comparison))
    return list(dict.fromkeys(_observe(item, parts)))


def explain_holding(item: ItemEvidence, condition: Condition) -> list[str]:
    """Return what the evidence shows of the parts by which a condition holds for one item."""
    facts = [
        fact
        for part in _iterate_holding_parts(item, condition)
        for fact in _observe(item, list(iterate_leaves(item.game, part)) or _find_quantifiers(item.game, part))
    ]
    return list(dict.fromkeys(facts)) or ["it happened"]


def _observe(item: ItemEvidence, conditions: Iterator[Condition] | Sequence[Condition]) -> Iterator[str]:
    """Yield what the evidence shows of conditions; of those of a finer grain, nothing."""
    operators = get_operators(item.game)
    for condition in conditions:
        if item.grain != "round" or item.game.find_grain(condition) == "round":
            yield from operators.find(condition).describe_observed(item, condition)


# Parts of conditions


def list_parts(prepared: CompiledGame, condition: Condition) -> Sequence[Condition]:
    """Return the conditions on the same item that a condition combines, or the one that it names."""
    operator = get_operators(prepared).find(condition)
    named = [prepared.game.facts[name] for name in operator.list_facts(condition.operand)]
    return named or operator.list_parts(condition.operand)


def iterate_leaves(prepared: CompiledGame, condition: Condition) -> Iterator[Condition]:
    """Yield the innermost conditions that a condition consists of: those that examine evidence of one item."""
    parts = list_parts(prepared, condition)
    for part in parts:
        yield from iterate_leaves(prepared, part)
    if not parts and get_operators(prepared).find(condition).examines_item:
        yield condition


def _find_quantifiers(prepared: CompiledGame, condition: Condition) -> list[Condition]:
    """Return the condition on seats that a condition is, or names; empty if it is another."""
    parts = list_parts(prepared, condition)
    if parts:
        is_name = bool(get_operators(prepared).find(condition).list_facts(condition.operand))
        return _find_quantifiers(prepared, parts[0]) if is_name else []
    return [condition]


def find_unmet_parts(item: ItemEvidence, condition: Condition) -> list[Condition]:
    """Return the parts of a conjunction that an item does not fulfil; the condition itself if it is none."""
    operators, parts = get_operators(item.game), list_parts(item.game, condition)
    operator = operators.find(condition)
    if operator.list_facts(condition.operand):
        return find_unmet_parts(item, parts[0]) if operators.find(parts[0]).joint == "and" else [condition]
    truths = [item.find_truth(part) for part in parts] if operator.joint == "and" else []
    lowest = min(truths, default=YES)  # an open part is no reason for a failure
    return [
        unmet
        for part, truth in zip(parts, truths, strict=False)
        if truth == lowest != YES
        for unmet in find_unmet_parts(item, part)
    ] or [condition]


def _iterate_holding_parts(item: ItemEvidence, condition: Condition) -> Iterator[Condition]:
    """Yield the parts because of which a condition holds for an item; of alternatives, those that hold."""
    operator, parts = get_operators(item.game).find(condition), list_parts(item.game, condition)
    if operator.never_unknown:
        yield from _iterate_holding_parts(item, condition.operand)
    elif operator.joint or operator.list_facts(condition.operand):
        for part in parts:
            if item.find_truth(part) == YES:
                yield from _iterate_holding_parts(item, part)
    # The absence of irregular events explains nothing, so it is not shown.
    elif not parts or not all(_counts_events(item.game, leaf) for leaf in iterate_leaves(item.game, condition)):
        yield condition


def _counts_events(prepared: CompiledGame, leaf: Condition) -> bool:
    """Return whether a condition examines only the number of events, or of cards of events."""
    operators = get_operators(prepared)
    if isinstance(leaf.operand, Comparison):
        return operators.find(leaf.operand.of).evidence_needed == "events"
    return operators.find(leaf).never_unknown
