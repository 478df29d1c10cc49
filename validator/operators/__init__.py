"""Operators of the rule language: each condition or quantity is one class.

The class of an operator (see `ConditionOperator` and `QuantityOperator`) holds its key, the type of its operand, its
documentation, an example and its grain. Its methods evaluate columns, describe it in words and find semantic errors.
The models of rules, the JSON Schemas, the reference, the interpreter and all texts use these classes. To add an
operator, add a class to the module of its family.

Rules refer to rules: facts to conditions, steps to facts, quantities to conditions on seats. Evaluation is therefore
mutually recursive. Imports still run one way, because the engine reaches operators only through `meaning` of a
condition. The loader of rule files imports this package to add the operators to the models. Its modules therefore
import at the top only what loading needs, and modules of the engine within the methods that evaluate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairdeal.validator.language.grammar import ShortForm, collect_operators, install_operators
from fairdeal.validator.language.round_conditions import (
    Comparison,
    ComparisonOperator,
    Condition,
    ConditionOperator,
    Quantity,
    QuantityOperator,
)
from fairdeal.validator.operators import (
    card_operators,
    event_operators,
    logic_operators,
    number_operators,
    poker_operators,
    seat_operators,
    wager_operators,
)
from fairdeal.validator.operators import (
    submission as submission,
)

FAMILIES = (
    logic_operators,
    number_operators,
    wager_operators,
    card_operators,
    event_operators,
    poker_operators,
    seat_operators,
)
"""Modules of operators, in the order of the reference."""

CONDITIONS: Mapping[str, ConditionOperator[Any]] = collect_operators(ConditionOperator, FAMILIES)
QUANTITIES: Mapping[str, QuantityOperator[Any]] = collect_operators(QuantityOperator, FAMILIES)
SHORT_FORMS: Mapping[str, ShortForm] = collect_operators(ShortForm, FAMILIES)
COMPARISON_OPERATORS: Mapping[str, ComparisonOperator] = collect_operators(ComparisonOperator, FAMILIES)

install_operators(Quantity, QUANTITIES)
install_operators(Comparison, COMPARISON_OPERATORS)
install_operators(Condition, CONDITIONS, SHORT_FORMS)
