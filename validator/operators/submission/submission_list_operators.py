"""Operators that combine conditions on submissions, and operators on the items of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from fairdeal.validator.evidence.submission_reader import NOTHING
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.phrases import NOT_STATED, describe_place, format_value, quote_key
from fairdeal.validator.language.submission_conditions import (
    Answer,
    AnswerReason,
    ConditionPart,
    Counted,
    Distinct,
    Every,
    MissingItem,
    PlaceLookup,
    Some,
    SubmissionCondition,
    answer_no,
    answer_unknown,
    answer_yes,
    combine_answers,
    find_last_key,
)
from fairdeal.validator.operators.submission.submission_operators import SubmissionOperator
from fairdeal.validator.operators.submission.submission_value_operators import fold_text
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.licensee_configuration import SubmissionView
    from fairdeal.validator.rules.regulation import Regulation


class _CompoundSubmissionCondition(SubmissionOperator[list[SubmissionCondition]]):
    """A conjunction or disjunction of several conditions."""

    deciding_value: ClassVar[bool]
    """The answer of a single part that decides the whole."""

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = [self.operators.apply_readings(part, regulation) for part in condition.operand]
        if any(part is self.deciding_value for part in read):
            return self.deciding_value
        parts = [part for part in read if not isinstance(part, bool)]
        if len(parts) > 1:
            return condition.with_operand(parts)
        return parts[0] if parts else not self.deciding_value

    def describe(self, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [self.operators.describe(part) for part in operand])

    def negate(self, operand: list[SubmissionCondition]) -> str:
        return f"not ({self.describe(operand)})"

    def describe_required(self, view: SubmissionView, operand: list[SubmissionCondition]) -> str:
        return self._join(operand, [self.operators.describe_required(part, view) for part in operand])

    def _join(self, parts: Sequence[SubmissionCondition], texts: Sequence[str]) -> str:
        """Join the descriptions of the parts, with brackets around compound parts."""
        if len(parts) == 1:
            return texts[0]
        joined = (self.operators.find(part).joint and len(part.operand) > 1 for part in parts)
        return f" {self.joint} ".join(f"({text})" if inner else text for text, inner in zip(texts, joined, strict=True))


class SubmissionAllOf(_CompoundSubmissionCondition):
    """The condition `all` on submissions."""

    key = "all"
    sample = "{all: [{given: deck}, {value: {at: deck.decks, equals: 1}}]}"
    joint, deciding_value = "and", False

    def list_parts(self, operand: list[SubmissionCondition]) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(index,), condition=part, is_binding=True) for index, part in enumerate(operand)]

    def list_conjuncts(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        return list(condition.operand)

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        return combine_answers([self.operators.answer(part, view) for part in condition.operand])

    def iterate_identifying_values(
        self, item: SubmissionView, operand: list[SubmissionCondition]
    ) -> Iterator[tuple[str, str]]:
        for part in operand:
            yield from self.operators.find(part).iterate_identifying_values(item, part.operand)


class SubmissionAnyOf(_CompoundSubmissionCondition):
    """The condition `any` on submissions."""

    key = "any"
    sample = "{any: [{given: layout}, {given: equipment}]}"
    joint, deciding_value = "or", True

    def list_parts(self, operand: list[SubmissionCondition]) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(index,), condition=part) for index, part in enumerate(operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        parts = condition.operand
        answers = [self.operators.answer(part, view) for part in parts]
        best = max(part.value for part in answers)
        if best == YES:
            return Answer(value=YES, is_vacuous=all(part.is_vacuous for part in answers if part.value == YES))
        best_parts = [
            (part, answer)
            for part, answer in zip(parts, answers, strict=True)
            if answer.value == best and self.operators.may_hold(part, view.regulation)
        ]
        reasons = list(dict.fromkeys(reason for _, answer in best_parts for reason in answer.reasons))
        if not reasons:
            return Answer(value=best, reasons=answers[0].reasons[:1])
        if len({reason.path for reason in reasons}) == 1:
            expected = " or ".join(dict.fromkeys(reason.expected for reason in reasons))
            observed = reasons[0].observed
        else:  # with several places, each value needs the name of its place
            expected = "; or ".join(self.operators.describe_required(part, view) for part, _ in best_parts)
            places = (f"{quote_key(find_last_key(reason.path))}: {reason.observed}" for reason in reasons)
            observed = "; ".join(dict.fromkeys(places))
        return Answer(value=best, reasons=(AnswerReason(path=reasons[0].path, expected=expected, observed=observed),))


class SubmissionNot(SubmissionOperator[SubmissionCondition]):
    """The condition `not` on submissions."""

    key = "not"
    sample = "{not: {value: {at: equipment.shoe, equals: none}}}"

    def list_parts(self, operand: SubmissionCondition) -> Sequence[ConditionPart]:
        return [ConditionPart(at=(), condition=operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        inner = self.operators.answer(condition.operand, view)
        if inner.value == NO:
            return Answer(value=YES, is_vacuous=inner.is_vacuous)
        paths = [reason.path for reason in inner.reasons]
        path = (
            paths[0]
            if paths
            else next((view.resolve_path(look.path) for look in self.operators.iterate_lookups(condition.operand)), ())
        )
        reason = AnswerReason(
            path=path,
            expected=self.operators.describe_required(condition, view),
            observed=format_value(view.find_value(path), find_last_key(path)),
        )
        return Answer(value=YES - inner.value, reasons=(reason,), is_vacuous=inner.is_vacuous)

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        read = self.operators.apply_readings(condition.operand, regulation)
        return not read if isinstance(read, bool) else condition.with_operand(read)

    def describe(self, operand: SubmissionCondition) -> str:
        return self.operators.find(operand).negate(operand.operand)


class SubmissionReading(SubmissionOperator[ReadingIs]):
    """The condition `reading` on submissions."""

    key = "reading"
    sample = "{reading: {name: tables-a-wager, is: one}}"

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> bool:
        return bool(regulation.is_option_in_force(condition.operand.name, condition.operand.is_))

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        applies = self.operators.may_hold(condition, view.regulation)
        reason = AnswerReason(
            path=(), expected=self.operators.describe(condition), observed="another option is in force"
        )
        return Answer(value=YES if applies else NO, reasons=() if applies else (reason,), is_vacuous=True)

    def describe(self, operand: ReadingIs) -> str:
        return f"the reading {operand.name}: {operand.is_}"


OnList = TypeVar(
    "OnList",
    Every,
    Some,
    Distinct,
    Counted,
)


class _ListCondition(SubmissionOperator[OnList]):
    """A condition on the items of a list."""

    answer_for_none: ClassVar[bool | None] = None
    """The answer if the readings leave no items to examine; None if the readings alone do not decide it."""

    def _describe_filter(self, where: SubmissionCondition | None) -> str:
        """Return a clause that says which items of the list are meant; empty for all."""
        return "" if where is None else f" whose {self.operators.describe(where)}"

    def find_list_path(self, operand: OnList) -> str:
        return operand.in_

    def list_lookups(self, operand: OnList) -> Sequence[PlaceLookup]:
        return [PlaceLookup(at=("in",), path=operand.in_, required_kind="list")]

    def list_parts(self, operand: OnList) -> Sequence[ConditionPart]:
        return [] if operand.where is None else [ConditionPart(at=("where",), condition=operand.where)]

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        operand = condition.operand
        parts = {key: getattr(operand, key, None) for key in ("where", "must")}
        read = {key: self.operators.apply_readings(part, regulation) for key, part in parts.items() if part is not None}
        if self.answer_for_none is not None and read.get("where") is False:
            return self.answer_for_none
        if read.get("must") is True:
            return True
        left: dict[str, Any] = {key: part for key, part in read.items() if not isinstance(part, bool)}
        if read.get("where") is True:
            left["where"] = None
        return condition.with_operand(operand.model_copy(update=left))


class EveryItem(_ListCondition[Every]):
    """The condition `every` on submissions."""

    key = "every"
    sample = "{every: {in: wagers, must: {given: .minimum}}}"
    answer_for_none = True

    def list_parts(self, operand: Every) -> Sequence[ConditionPart]:
        return [
            *super().list_parts(operand),
            ConditionPart(at=("must",), condition=operand.must, is_binding=True),
        ]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        operand: Every = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        if entries is None:
            return answer_unknown(path, self.describe_required(view, operand))
        parts: list[Answer] = []
        for inner in entries:
            applies = YES if operand.where is None else self.operators.answer(operand.where, inner).value
            holds = self.operators.answer(operand.must, inner)
            if applies == YES:
                parts.append(holds)
            elif applies == UNKNOWN and holds.value != YES:
                parts.append(Answer(value=UNKNOWN, reasons=holds.reasons))
        return combine_answers(parts)

    def describe(self, operand: Every) -> str:
        items = f"each entry in {describe_place(operand.in_)}{self._describe_filter(operand.where)}"
        return f"{items}: {self.operators.describe(operand.must)}"


class SomeItem(_ListCondition[Some]):
    """The condition `some` on submissions."""

    key = "some"
    sample = "{some: {in: wagers, where: {value: {at: .wager, equals: main}}}}"
    answer_for_none = False

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        operand: Some = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        expected = self.describe_required(view, operand)
        if entries is None:
            return answer_unknown(path, expected)
        best = max((self.operators.answer(operand.where, inner).value for inner in entries), default=NO)
        if best == YES:
            return answer_yes()
        around = view.items[-1] if view.items else path
        if best == UNKNOWN:
            return answer_unknown(around, expected, NOT_STATED)
        lacks = MissingItem(
            list_path=path,
            values=tuple(
                self.operators.find(operand.where).iterate_identifying_values(
                    view.enter_item(()), operand.where.operand
                )
            ),
        )
        return answer_no(around, expected, "no such entry", lacks)

    def describe(self, operand: Some) -> str:
        return f"an entry in {describe_place(operand.in_)}{self._describe_filter(operand.where)}"

    def describe_required(self, view: SubmissionView, operand: Some) -> str:
        return (
            f"an entry in {describe_place(operand.in_)} whose {self.operators.describe_required(operand.where, view)}"
        )


class DistinctItems(_ListCondition[Distinct]):
    """The condition `distinct` on submissions."""

    key = "distinct"
    sample = "{distinct: {in: pay-tables, by: .pays}}"

    def list_lookups(self, operand: Distinct) -> Sequence[PlaceLookup]:
        return [
            *super().list_lookups(operand),
            PlaceLookup(at=("by",), path=operand.by, is_in_each_item=True),
        ]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        operand: Distinct = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        if entries is None:
            return answer_unknown(path, self.describe(operand))
        if operand.where is not None:
            entries = [inner for inner in entries if self.operators.answer(operand.where, inner).value != NO]
        expected = self.describe(operand)
        seen: set[str] = set()
        repeated: list[AnswerReason] = []
        missing: list[AnswerReason] = []
        for inner in entries:
            place = inner.resolve_path(operand.by)
            value = inner.find_value(place)
            text = fold_text(format_value(value))
            if value is None:
                missing.append(AnswerReason(path=place, expected=expected, observed=NOT_STATED))
            elif text in seen and value is not NOTHING:
                repeated.append(AnswerReason(path=place, expected=expected, observed=f"{format_value(value)} again"))
            seen.add(text)
        if repeated:
            return Answer(value=NO, reasons=tuple(repeated))
        if len(entries) < 2:
            return Answer(value=YES, is_vacuous=True)
        return Answer(value=UNKNOWN, reasons=tuple(missing)) if missing else answer_yes()

    def describe(self, operand: Distinct) -> str:
        entries = f"the entries in {describe_place(operand.in_)}{self._describe_filter(operand.where)}"
        if operand.by.strip(".") == "":
            return f"{entries} all differ"
        return f"{describe_place(operand.by)} differs between {entries}"


class CountedItems(_ListCondition[Counted]):
    """The condition `count` on submissions."""

    key = "count"
    sample = "{count: {in: deck.backs, equals: 2}}"

    def _describe_count(self, counted: Counted, bound: Any) -> str:
        number = {
            "equals": str(counted.operand),
            "equals-value": f"as many as {describe_place(str(counted.operand))} states",
        }.get(counted.operator, f"{counted.operator.replace('-', ' ')} {counted.operand}")
        known = f", {format_value(bound)}" if counted.equals_value is not None and bound is not None else ""
        return f"entries in {describe_place(counted.in_)}{self._describe_filter(counted.where)}: {number}{known}"

    def list_lookups(self, operand: Counted) -> Sequence[PlaceLookup]:
        other = operand.equals_value
        beside = [] if other is None else [PlaceLookup(at=(operand.operator,), path=other, required_kind="number")]
        return [*super().list_lookups(operand), *beside]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        operand: Counted = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        other = operand.equals_value
        bound = operand.operand if other is None else view.find_value(view.resolve_path(other))
        expected = self._describe_count(operand, bound)
        if entries is None:
            return answer_unknown(path, expected)
        if bound is None:
            return answer_unknown(view.resolve_path(operand.operand), "a number")
        counted = [
            YES if operand.where is None else self.operators.answer(operand.where, inner).value for inner in entries
        ]
        least = counted.count(YES)
        most = len(counted) - counted.count(NO)
        observed = str(least) if least == most else f"{least} to {most}, as not all is stated"
        if not isinstance(bound, int) or isinstance(bound, bool):
            return answer_no(path, expected, observed)
        fewest, highest = {"at-least": (bound, most), "at-most": (0, bound)}.get(operand.operator, (bound, bound))
        if fewest <= least and most <= highest:
            return answer_yes()
        if most < fewest or least > highest:
            return answer_no(path, expected, observed)
        return answer_unknown(path, expected, observed)

    def describe(self, operand: Counted) -> str:
        return self._describe_count(operand, None)
