"""The operators of conditions on submissions: one class for each keyword.

The class of a keyword is found here, in the order of the fields of `SubmissionCondition` and `Value`.
"""

from __future__ import annotations

from fairdeal.validator.operators.submission import submission_list_operators, submission_value_operators
from fairdeal.validator.operators.submission.submission_operators import SubmissionOperators

SUBMISSION_OPERATORS = SubmissionOperators(
    conditions=(
        submission_list_operators.SubmissionAllOf,
        submission_list_operators.SubmissionAnyOf,
        submission_list_operators.SubmissionNot,
        submission_list_operators.SubmissionReading,
        submission_list_operators.EveryItem,
        submission_list_operators.SomeItem,
        submission_list_operators.DistinctItems,
        submission_list_operators.CountedItems,
        submission_value_operators.ValueIs,
        submission_value_operators.ValueIsStated,
    ),
    values=(
        submission_value_operators.ValueEquals,
        submission_value_operators.ValueEqualsOther,
        submission_value_operators.EqualsList,
        submission_value_operators.OneOfThese,
        submission_value_operators.ValueAtLeast,
        submission_value_operators.ValueAtMost,
        submission_value_operators.AtMostValue,
        submission_value_operators.MoreThanValue,
        submission_value_operators.Includes,
        submission_value_operators.IncludesValue,
        submission_value_operators.TextReads,
        submission_value_operators.OddsAreWorded,
        submission_value_operators.InList,
    ),
)
"""The operators, found by the condition or value that uses them."""
