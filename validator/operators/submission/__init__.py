"""Operators of conditions on submissions: each is one class, as for conditions on rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.language.submission.conditions import (
    Counted,
    CountOperator,
    SubmissionCondition,
    SubmissionOperator,
    Value,
    ValueOperator,
)
from validator.language.words import ShortForm, collect_operators, install_operators
from validator.operators.submission import lists, logic, places, short_forms, values

VALUE_OPERATORS: Mapping[str, ValueOperator] = collect_operators(ValueOperator, [values])
COUNT_OPERATORS: Mapping[str, CountOperator] = collect_operators(CountOperator, [lists])
CONDITIONS: Mapping[str, SubmissionOperator[Any]] = collect_operators(SubmissionOperator, [logic, places, lists])
SHORT_FORMS: Mapping[str, ShortForm] = collect_operators(ShortForm, [short_forms])
"""Operators and short forms of conditions on submissions, by key."""

install_operators(Value, VALUE_OPERATORS)
install_operators(Counted, COUNT_OPERATORS)
install_operators(SubmissionCondition, CONDITIONS, SHORT_FORMS)
