"""Operators on one place of a submission: its value, and whether it is stated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.evidence.submission.view import NOTHING
from validator.language.refs import SubmissionPath
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import PlaceLookup, SubmissionCondition, SubmissionOperator, Value
from validator.language.submission.wording import NOT_STATED, describe_place, quote_key

if TYPE_CHECKING:
    from validator.engine.submission.answers import SubmissionView


class ValueIs(SubmissionOperator[Value]):
    """A value satisfies a comparison."""

    key = "value"
    operand = Value
    sample = "{value: {at: deck.cards, equals: standard-52}}"

    def list_lookups(self, operand: Value) -> Sequence[PlaceLookup]:
        own = PlaceLookup(
            at=("at",), path=operand.at, required_kind=operand.bound_operator.required_kind, value=operand
        )
        beside = (
            [PlaceLookup(at=(operand.operator,), path=operand.operand)]
            if operand.bound_operator.refers_to_value
            else []
        )
        return [own, *beside]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        value: Value = condition.operand
        return value.bound_operator.answer(view, value)

    def iterate_identifying_values(self, item: SubmissionView, operand: Value) -> Iterator[tuple[str, str]]:
        bound = operand.bound_operator
        if bound.identifies_items:
            expected = bound.find_expected_value(item, operand.operand)
            if isinstance(expected, str):
                yield operand.at.lstrip("."), expected

    def describe(self, operand: Value) -> str:
        return operand.bound_operator.describe_statement(operand, operand.fixed_bound)

    def describe_negation(self, operand: Value) -> str:
        return operand.bound_operator.describe_statement(operand, operand.fixed_bound, denied=True)

    def describe_for_item(self, view: SubmissionView, operand: Value) -> str:
        bound = operand.bound_operator
        known = (
            bound.find_expected_value(view.enter_item(()), operand.operand)
            if bound.refers_to_value
            else operand.operand
        )
        return bound.describe_statement(operand, known)


class ValueIsStated(SubmissionOperator[str]):
    """The submission states a value at this path."""

    key = "given"
    operand = SubmissionPath
    sample = "{given: hand-order}"

    def list_lookups(self, operand: str) -> Sequence[PlaceLookup]:
        return [PlaceLookup(at=(), path=operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import answer_no, answer_yes, find_last_key

        path = view.resolve_path(condition.operand)
        if view.find_value(path) in (None, NOTHING, [], {}):
            return answer_no(path, f"{quote_key(find_last_key(path))} is stated", NOT_STATED)
        return answer_yes()

    def describe(self, operand: str) -> str:
        return f"{describe_place(operand)} is stated"

    def describe_negation(self, operand: str) -> str:
        return f"{describe_place(operand)} is not stated"
