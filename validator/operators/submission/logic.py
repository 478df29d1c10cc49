"""Operators that combine or negate conditions on submissions, and the condition on readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from annotated_types import MinLen

from validator.language.operands import ReadingIs
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import Part, SubmissionCondition, SubmissionOperator
from validator.language.submission.wording import quoted, text_of
from validator.text.truth import NO, YES

if TYPE_CHECKING:
    from validator.engine.submission.answers import View
    from validator.rules.core.regulation import Regulation


class _CompoundSubmissionCondition(SubmissionOperator[list[SubmissionCondition]]):
    """A conjunction or disjunction of several conditions."""

    joint: ClassVar[str]
    """The word between the descriptions of parts, with spaces."""
    decisive: ClassVar[bool]
    """The answer of a single part that decides the whole."""

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = [part.as_read(regulation) for part in condition.operand]
        if any(part is self.decisive for part in read):
            return self.decisive
        parts = [part for part in read if not isinstance(part, bool)]
        if len(parts) > 1:
            return condition.applied_to(parts)
        return parts[0] if parts else not self.decisive

    def asked(self, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [part.asked() for part in operand])

    def denied(self, operand: list[SubmissionCondition]) -> str:
        return f"not ({self.asked(operand)})"

    def asked_of_item(self, view: View, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [part.asked_of_item(view) for part in operand])

    def _join(self, parts: Sequence[SubmissionCondition], words: Sequence[str]) -> str:
        """Join the descriptions of the parts, with brackets around compound parts."""
        compound = [isinstance(part.meaning, _CompoundSubmissionCondition) and len(part.operand) > 1 for part in parts]
        bracketed = [
            f"({text})" if inner and len(parts) > 1 else text for text, inner in zip(words, compound, strict=True)
        ]
        return self.joint.join(bracketed)


class All(_CompoundSubmissionCondition):
    """All of these conditions hold."""

    key = "all"
    operand = Annotated[list[SubmissionCondition], MinLen(1)]
    sample = "{all: [{given: deck}, {value: {at: deck.decks, equals: 1}}]}"
    joint, decisive = " and ", False

    def parts(self, operand: list[SubmissionCondition]) -> Sequence[Part]:
        return [Part(at=(index,), condition=part, binding=True) for index, part in enumerate(operand)]

    def joined(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        return list(condition.operand)

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import every

        return every([part.answer(view) for part in condition.operand])

    def sought(self, item: View, operand: list[SubmissionCondition]) -> Iterator[tuple[str, str]]:
        for part in operand:
            yield from part.meaning.sought(item, part.operand)


class AnyOf(_CompoundSubmissionCondition):
    """At least one of these conditions holds."""

    key = "any"
    operand = Annotated[list[SubmissionCondition], MinLen(1)]
    sample = "{any: [{given: layout}, {given: equipment}]}"
    joint, decisive = " or ", True

    def parts(self, operand: list[SubmissionCondition]) -> Sequence[Part]:
        return [Part(at=(index,), condition=part) for index, part in enumerate(operand)]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, Reason, last_key

        parts = condition.operand
        answers = [part.answer(view) for part in parts]
        best = max(part.value for part in answers)
        if best == YES:
            return Answer(value=YES, idle=all(part.idle for part in answers if part.value == YES))
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
            expected = "; or ".join(part.asked_of_item(view) for part, _ in best_parts)
            places = (f"{quoted(last_key(reason.path))}: {reason.observed}" for reason in reasons)
            observed = "; ".join(dict.fromkeys(places))
        return Answer(value=best, reasons=(Reason(path=reasons[0].path, expected=expected, observed=observed),))


class Not(SubmissionOperator[SubmissionCondition]):
    """This condition does not hold."""

    key = "not"
    operand = SubmissionCondition
    sample = "{not: {value: {at: equipment.shoe, equals: none}}}"

    def parts(self, operand: SubmissionCondition) -> Sequence[Part]:
        return [Part(at=(), condition=operand)]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, Reason, last_key

        inner = condition.operand.answer(view)
        if inner.value == NO:
            return Answer(value=YES, idle=inner.idle)
        paths = [reason.path for reason in inner.reasons]
        path = paths[0] if paths else next((view.path(look.path) for look in condition.operand.looks()), ())
        reason = Reason(
            path=path, expected=condition.asked_of_item(view), observed=text_of(view.value(path), last_key(path))
        )
        return Answer(value=YES - inner.value, reasons=(reason,), idle=inner.idle)

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = condition.operand.as_read(regulation)
        return not read if isinstance(read, bool) else condition.applied_to(read)

    def asked(self, operand: SubmissionCondition) -> str:
        return operand.meaning.denied(operand.operand)


class Reading(SubmissionOperator[ReadingIs]):
    """An option of a reading is in force."""

    key = "reading"
    operand = ReadingIs
    sample = "{reading: {name: tables-a-wager, is: one}}"

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> bool:
        return bool(regulation.applies(condition.operand.name, condition.operand.is_))

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, Reason

        applies = condition.may_hold(view.regulation)
        reason = Reason(path=(), expected=condition.asked(), observed="another option is in force")
        return Answer(value=YES if applies else NO, reasons=() if applies else (reason,), idle=True)

    def asked(self, operand: ReadingIs) -> str:
        return f"the reading {operand.name}: {operand.is_}"
