"""Operators that combine or negate conditions on submissions, and the condition on readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from annotated_types import MinLen

from validator.language.operands import ReadingIs
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import ConditionPart, SubmissionCondition, SubmissionOperator
from validator.language.submission.wording import format_value, quote_key
from validator.text.truth import NO, YES

if TYPE_CHECKING:
    from validator.engine.submission.answers import SubmissionView
    from validator.rules.core.regulation import Regulation


class _CompoundSubmissionCondition(SubmissionOperator[list[SubmissionCondition]]):
    """A conjunction or disjunction of several conditions."""

    joint_words: ClassVar[str]
    """The word between the descriptions of parts, with spaces."""
    deciding_value: ClassVar[bool]
    """The answer of a single part that decides the whole."""

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = [part.apply_readings(regulation) for part in condition.operand]
        if any(part is self.deciding_value for part in read):
            return self.deciding_value
        parts = [part for part in read if not isinstance(part, bool)]
        if len(parts) > 1:
            return condition.with_operand(parts)
        return parts[0] if parts else not self.deciding_value

    def describe(self, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [part.describe() for part in operand])

    def describe_negation(self, operand: list[SubmissionCondition]) -> str:
        return f"not ({self.describe(operand)})"

    def describe_for_item(self, view: SubmissionView, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [part.describe_for_item(view) for part in operand])

    def _join(self, parts: Sequence[SubmissionCondition], words: Sequence[str]) -> str:
        """Join the descriptions of the parts, with brackets around compound parts."""
        compound = [isinstance(part.meaning, _CompoundSubmissionCondition) and len(part.operand) > 1 for part in parts]
        bracketed = [
            f"({text})" if inner and len(parts) > 1 else text for text, inner in zip(words, compound, strict=True)
        ]
        return self.joint_words.join(bracketed)


class SubmissionAllOf(_CompoundSubmissionCondition):
    """All of these conditions hold."""

    key = "all"
    operand = Annotated[list[SubmissionCondition], MinLen(1)]
    sample = "{all: [{given: deck}, {value: {at: deck.decks, equals: 1}}]}"
    joint_words, deciding_value = " and ", False

    def list_parts(self, operand: list[SubmissionCondition]) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(index,), condition=part, is_binding=True) for index, part in enumerate(operand)]

    def list_conjuncts(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        return list(condition.operand)

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import combine_answers

        return combine_answers([part.answer(view) for part in condition.operand])

    def iterate_identifying_values(
        self, item: SubmissionView, operand: list[SubmissionCondition]
    ) -> Iterator[tuple[str, str]]:
        for part in operand:
            yield from part.meaning.iterate_identifying_values(item, part.operand)


class SubmissionAnyOf(_CompoundSubmissionCondition):
    """At least one of these conditions holds."""

    key = "any"
    operand = Annotated[list[SubmissionCondition], MinLen(1)]
    sample = "{any: [{given: layout}, {given: equipment}]}"
    joint_words, deciding_value = " or ", True

    def list_parts(self, operand: list[SubmissionCondition]) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(index,), condition=part) for index, part in enumerate(operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, AnswerReason, find_last_key

        parts = condition.operand
        answers = [part.answer(view) for part in parts]
        best = max(part.value for part in answers)
        if best == YES:
            return Answer(value=YES, is_vacuous=all(part.is_vacuous for part in answers if part.value == YES))
        best_parts = [
            (part, answer)
            for part, answer in zip(parts, answers, strict=True)
            if answer.value == best and part.may_hold(view.regulation)
        ]
        reasons = list(dict.fromkeys(reason for _, answer in best_parts for reason in answer.reasons))
        if not reasons:
            return Answer(value=best, reasons=answers[0].reasons[:1])
        if len({reason.path for reason in reasons}) == 1:
            expected = " or ".join(dict.fromkeys(reason.expected for reason in reasons))
            observed = reasons[0].observed
        else:  # with several places, each value needs the name of its place
            expected = "; or ".join(part.describe_for_item(view) for part, _ in best_parts)
            places = (f"{quote_key(find_last_key(reason.path))}: {reason.observed}" for reason in reasons)
            observed = "; ".join(dict.fromkeys(places))
        return Answer(value=best, reasons=(AnswerReason(path=reasons[0].path, expected=expected, observed=observed),))


class SubmissionNot(SubmissionOperator[SubmissionCondition]):
    """This condition does not hold."""

    key = "not"
    operand = SubmissionCondition
    sample = "{not: {value: {at: equipment.shoe, equals: none}}}"

    def list_parts(self, operand: SubmissionCondition) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(), condition=operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, AnswerReason, find_last_key

        inner = condition.operand.answer(view)
        if inner.value == NO:
            return Answer(value=YES, is_vacuous=inner.is_vacuous)
        paths = [reason.path for reason in inner.reasons]
        path = paths[0] if paths else next((view.resolve_path(look.path) for look in condition.operand.iterate_lookups()), ())
        reason = AnswerReason(
            path=path,
            expected=condition.describe_for_item(view),
            observed=format_value(view.find_value(path), find_last_key(path)),
        )
        return Answer(value=YES - inner.value, reasons=(reason,), is_vacuous=inner.is_vacuous)

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = condition.operand.apply_readings(regulation)
        return not read if isinstance(read, bool) else condition.with_operand(read)

    def describe(self, operand: SubmissionCondition) -> str:
        return operand.meaning.describe_negation(operand.operand)


class SubmissionReading(SubmissionOperator[ReadingIs]):
    """An option of a reading is in force."""

    key = "reading"
    operand = ReadingIs
    sample = "{reading: {name: tables-a-wager, is: one}}"

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> bool:
        return bool(regulation.is_option_in_force(condition.operand.name, condition.operand.is_))

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, AnswerReason

        applies = condition.may_hold(view.regulation)
        reason = AnswerReason(path=(), expected=condition.describe(), observed="another option is in force")
        return Answer(value=YES if applies else NO, reasons=() if applies else (reason,), is_vacuous=True)

    def describe(self, operand: ReadingIs) -> str:
        return f"the reading {operand.name}: {operand.is_}"
