"""The rule language: every condition and quantity is one object in one module.

An operator (`language.conditions.ConditionOperator`, `QuantityOperator`) has its key, the type of its operand, its
documentation and an example, the grain it speaks at, its meaning over columns, its words for people, and what makes no
sense of it. The models of rules, the JSON Schemas, the reference, the interpreter and all texts come from these
objects; an operator is added by writing one more class into the module of its family.

Rules refer to rules: facts to conditions, steps of play to facts, quantities to conditions on seats. So evaluation is
mutually recursive by nature. It stays on one way of imports, since the engine asks conditions for their `meaning` and
knows no operator. Whoever reads rule files imports this package, which gives conditions their operators; so its modules
import at their top only what reading needs, and the columns of the engine in the method that evaluates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.language.comparison import Bound, Comparison
from validator.language.conditions import Condition, ConditionOperator, Quantity, QuantityOperator
from validator.language.words import ShortForm, complete, operators
from validator.operators import (
    arithmetic,
    betting,
    cards,
    comparisons,
    events,
    hands,
    house,
    logic,
    names,
    pots,
    quantifiers,
    seats,
    stakes,
)
from validator.operators import (
    submission as submission,
)

FAMILIES = (
    logic,
    names,
    quantifiers,
    comparisons,
    arithmetic,
    stakes,
    hands,
    cards,
    events,
    betting,
    pots,
    seats,
    house,
)
"""The modules of operators, in the order of the reference."""

CONDITIONS: Mapping[str, ConditionOperator[Any]] = operators(ConditionOperator, FAMILIES)
QUANTITIES: Mapping[str, QuantityOperator[Any]] = operators(QuantityOperator, FAMILIES)
SHORT_FORMS: Mapping[str, ShortForm] = operators(ShortForm, FAMILIES)
BOUNDS: Mapping[str, Bound] = operators(Bound, FAMILIES)

complete(Quantity, QUANTITIES)
complete(Comparison, BOUNDS)
complete(Condition, CONDITIONS, SHORT_FORMS)
