"""Operators of conditions on submissions: each is one class, as for conditions on rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairdeal.validator.language.grammar import ShortForm, collect_operators, install_operators
from fairdeal.validator.language.submission_conditions import (
    Counted,
    CountOperator,
    SubmissionCondition,
    SubmissionOperator,
    Value,
    ValueOperator,
)
from fairdeal.validator.operators.submission import submission_list_operators, submission_value_operators

VALUE_OPERATORS: Mapping[str, ValueOperator] = collect_operators(ValueOperator, [submission_value_operators])
COUNT_OPERATORS: Mapping[str, CountOperator] = collect_operators(CountOperator, [submission_list_operators])
CONDITIONS: Mapping[str, SubmissionOperator[Any]] = collect_operators(
    SubmissionOperator, [submission_list_operators, submission_value_operators]
)
SHORT_FORMS: Mapping[str, ShortForm] = collect_operators(ShortForm, [submission_value_operators])
"""Operators and short forms of conditions on submissions, by key."""

install_operators(Value, VALUE_OPERATORS)
install_operators(Counted, COUNT_OPERATORS)
install_operators(SubmissionCondition, CONDITIONS, SHORT_FORMS)
