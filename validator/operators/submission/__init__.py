"""Operators of conditions on submissions: each is one class, as for conditions on rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.language.submission.conditions import (
    CountBound,
    Counted,
    SubmissionCondition,
    SubmissionOperator,
    Value,
    ValueBound,
)
from validator.language.words import ShortForm, complete, operators
from validator.operators.submission import lists, logic, places, short_forms, values

VALUES: Mapping[str, ValueBound] = operators(ValueBound, [values])
COUNTS: Mapping[str, CountBound] = operators(CountBound, [lists])
CONDITIONS: Mapping[str, SubmissionOperator[Any]] = operators(SubmissionOperator, [logic, places, lists])
SHORT_FORMS: Mapping[str, ShortForm] = operators(ShortForm, [short_forms])
"""Operators and short forms of conditions on submissions, by key."""

complete(Value, VALUES)
complete(Counted, COUNTS)
complete(SubmissionCondition, CONDITIONS, SHORT_FORMS)
