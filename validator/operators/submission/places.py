"""Operators on one place of a submission: its value, and whether it is stated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.evidence.submission.view import NOTHING
from validator.language.refs import SubmissionPath
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import Look, SubmissionCondition, SubmissionOperator, Value
from validator.language.submission.wording import NOT_STATED, named, quoted

if TYPE_CHECKING:
    from validator.engine.submission.answers import View


class ValueIs(SubmissionOperator[Value]):
    """A value satisfies a comparison."""

    key = "value"
    operand = Value
    sample = "{value: {at: deck.cards, equals: standard-52}}"

    def looks(self, operand: Value) -> Sequence[Look]:
        own = Look(at=("at",), path=operand.at, needs=operand.bound.needs, value=operand)
        beside = [Look(at=(operand.operator,), path=operand.operand)] if operand.bound.beside else []
        return [own, *beside]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        value: Value = condition.operand
        return value.bound.answer(view, value)

    def sought(self, item: View, operand: Value) -> Iterator[tuple[str, str]]:
        bound = operand.bound
        if bound.tells_items:
            expected = bound.held_against(item, operand.operand)
            if isinstance(expected, str):
                yield operand.at.lstrip("."), expected

    def asked(self, operand: Value) -> str:
        return operand.bound.stated(operand, operand.stated_bound)

    def denied(self, operand: Value) -> str:
        return operand.bound.stated(operand, operand.stated_bound, denied=True)

    def asked_of_item(self, view: View, operand: Value) -> str:
        bound = operand.bound
        known = bound.held_against(view.within(()), operand.operand) if bound.beside else operand.operand
        return bound.stated(operand, known)


class Given(SubmissionOperator[str]):
    """The submission states a value at this path."""

    key = "given"
    operand = SubmissionPath
    sample = "{given: hand-order}"

    def looks(self, operand: str) -> Sequence[Look]:
        return [Look(at=(), path=operand)]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import last_key, no, yes

        path = view.path(condition.operand)
        if view.value(path) in (None, NOTHING, [], {}):
            return no(path, f"{quoted(last_key(path))} is stated", NOT_STATED)
        return yes()

    def asked(self, operand: str) -> str:
        return f"{named(operand)} is stated"

    def denied(self, operand: str) -> str:
        return f"{named(operand)} is not stated"
