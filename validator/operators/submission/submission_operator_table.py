"""The operators of conditions on submissions: one class for each keyword.

The class of a keyword is found here, in the order of the fields of `SubmissionCondition`, `Value` and `Counted`.
"""

from __future__ import annotations

from fairdeal.validator.operators.submission.submission_list_operators import (
    CountAtLeast,
    CountAtMost,
    CountedItems,
    CountEquals,
    CountEqualsValue,
    DistinctItems,
    EveryItem,
    SomeItem,
    SubmissionAllOf,
    SubmissionAnyOf,
    SubmissionNot,
    SubmissionReading,
)
from fairdeal.validator.operators.submission.submission_operators import SubmissionOperators
from fairdeal.validator.operators.submission.submission_value_operators import (
    AtMostValue,
    EqualsList,
    Includes,
    IncludesValue,
    InList,
    MoreThanValue,
    OddsAreWorded,
    OneOfThese,
    TextReads,
    ValueAtLeast,
    ValueAtMost,
    ValueEquals,
    ValueEqualsOther,
    ValueIs,
    ValueIsStated,
)

SUBMISSION_OPERATORS = SubmissionOperators(
    conditions=(
        SubmissionAllOf,
        SubmissionAnyOf,
        SubmissionNot,
        SubmissionReading,
        EveryItem,
        SomeItem,
        DistinctItems,
        CountedItems,
        ValueIs,
        ValueIsStated,
    ),
    values=(
        ValueEquals,
        ValueEqualsOther,
        EqualsList,
        OneOfThese,
        ValueAtLeast,
        ValueAtMost,
        AtMostValue,
        MoreThanValue,
        Includes,
        IncludesValue,
        TextReads,
        OddsAreWorded,
        InList,
    ),
    counts=(
        CountEquals,
        CountAtLeast,
        CountAtMost,
        CountEqualsValue,
    ),
)
"""The operators, found by the condition, value or number of items that uses them."""
