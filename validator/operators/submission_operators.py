"""Operators of conditions on submissions: on places and lists, combined, and the table of all.

The class of a keyword is found here, in the order of the fields of `SubmissionCondition` and `Value`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from fairdeal.validator.evidence.submission_reader import NOTHING
from fairdeal.validator.language import submission_conditions
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.submission_conditions import (
    NOT_STATED,
    describe_place,
    find_last_key,
    format_value,
    quote_key,
)
from fairdeal.validator.operators import submission_value_operators
from fairdeal.validator.operators.submission_value_operators import SubmissionOperator, SubmissionOperators, fold_text
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.house_terms import SubmissionView
    from fairdeal.validator.rules.regulation import Regulation


class ValueIs(SubmissionOperator[submission_conditions.Value]):
    """The condition `value` on submissions."""

    key = "value"
    sample = "{at: deck.cards, equals: standard-52}"

    def list_lookups(self, operand: submission_conditions.Value) -> Sequence[submission_conditions.PlaceLookup]:
        own = submission_conditions.PlaceLookup(
            at=("at",), path=operand.at, required_kind=self.operators.find(operand).required_kind, value=operand
        )
        beside = (
            [submission_conditions.PlaceLookup(at=operand.bound_path, path=operand.operand)]
            if self.operators.find(operand).refers_to_value
            else []
        )
        return [own, *beside]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        value: submission_conditions.Value = condition.operand
        return self.operators.find(value).answer(view, value)

    def iterate_identifying_values(
        self, item: SubmissionView, operand: submission_conditions.Value
    ) -> Iterator[tuple[str, str]]:
        bound = self.operators.find(operand)
        if bound.identifies_items:
            expected = bound.find_expected_value(item, operand.operand)
            if isinstance(expected, str):
                yield operand.at.lstrip("."), expected

    def describe(self, operand: submission_conditions.Value) -> str:
        return self._state(operand, self.operators.find(operand).verb)

    def negate(self, operand: submission_conditions.Value) -> str:
        return self._state(operand, self.operators.find(operand).negated_verb)

    def describe_required(self, view: SubmissionView, operand: submission_conditions.Value) -> str:
        known = self.operators.find(operand).find_expected_value(view.enter_item(()), operand.operand)
        return self._state(operand, self.operators.find(operand).verb, known)

    def _state(self, value: submission_conditions.Value, verb: str, known: Any = None) -> str:
        """State that a value compares with its bound; `known` is the value at the other place, if it refers to one."""
        operator = self.operators.find(value)
        bound = known if operator.refers_to_value else value.operand
        return f"{describe_place(value.at)} {verb} {operator.describe(value, bound)}"


class ValueIsStated(SubmissionOperator[str]):
    """The condition `given` on submissions."""

    key = "given"
    sample = "{given: hand-order}"

    def list_lookups(self, operand: str) -> Sequence[submission_conditions.PlaceLookup]:
        return [submission_conditions.PlaceLookup(at=(), path=operand)]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        path = view.resolve_path(condition.operand)
        if view.find_value(path) in (None, NOTHING, [], {}):
            return submission_conditions.answer_no(path, self.describe(condition.operand), NOT_STATED)
        return submission_conditions.answer_yes()

    def describe(self, operand: str) -> str:
        return f"{describe_place(operand)} is stated"

    def negate(self, operand: str) -> str:
        return f"{describe_place(operand)} is not stated"


class _CompoundSubmissionCondition(SubmissionOperator[list[submission_conditions.SubmissionCondition]]):
    """A conjunction or disjunction of several conditions."""

    deciding_value: ClassVar[bool]
    """The answer of a single part that decides the whole."""

    def apply_readings(
        self, condition: submission_conditions.SubmissionCondition, regulation: Regulation
    ) -> submission_conditions.SubmissionCondition | bool:
        read = [self.operators.apply_readings(part, regulation) for part in condition.operand]
        if any(part is self.deciding_value for part in read):
            return self.deciding_value
        parts = [part for part in read if not isinstance(part, bool)]
        if len(parts) > 1:
            return condition.with_operand(parts)
        return parts[0] if parts else not self.deciding_value

    def describe(self, operand: list[submission_conditions.SubmissionCondition]) -> str:
        return self._join(operand, [self.operators.describe(part) for part in operand])

    def negate(self, operand: list[submission_conditions.SubmissionCondition]) -> str:
        return f"not ({self.describe(operand)})"

    def describe_required(self, view: SubmissionView, operand: list[submission_conditions.SubmissionCondition]) -> str:
        return self._join(operand, [self.operators.describe_required(part, view) for part in operand])

    def _join(self, parts: Sequence[submission_conditions.SubmissionCondition], texts: Sequence[str]) -> str:
        """Join the descriptions of the parts, with brackets around compound parts."""
        if len(parts) == 1:
            return texts[0]
        joined = (self.operators.find(part).joint and len(part.operand) > 1 for part in parts)
        return f" {self.joint} ".join(f"({text})" if inner else text for text, inner in zip(texts, joined, strict=True))


class SubmissionAllOf(_CompoundSubmissionCondition):
    """The condition `all` on submissions."""

    key = "all"
    sample = "[{given: deck}, {at: deck.decks, equals: 1}]"
    joint, deciding_value = "and", False

    def list_parts(
        self, operand: list[submission_conditions.SubmissionCondition]
    ) -> Sequence[submission_conditions.ConditionPart]:
        return [
            submission_conditions.ConditionPart(at=(index,), condition=part, is_binding=True)
            for index, part in enumerate(operand)
        ]

    def list_conjuncts(
        self, condition: submission_conditions.SubmissionCondition
    ) -> Sequence[submission_conditions.SubmissionCondition]:
        return list(condition.operand)

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        return submission_conditions.combine_answers([self.operators.answer(part, view) for part in condition.operand])

    def iterate_identifying_values(
        self, item: SubmissionView, operand: list[submission_conditions.SubmissionCondition]
    ) -> Iterator[tuple[str, str]]:
        for part in operand:
            yield from self.operators.find(part).iterate_identifying_values(item, part.operand)


class SubmissionAnyOf(_CompoundSubmissionCondition):
    """The condition `any` on submissions."""

    key = "any"
    sample = "{any: [{given: layout}, {given: equipment}]}"
    joint, deciding_value = "or", True

    def list_parts(
        self, operand: list[submission_conditions.SubmissionCondition]
    ) -> Sequence[submission_conditions.ConditionPart]:
        return [submission_conditions.ConditionPart(at=(index,), condition=part) for index, part in enumerate(operand)]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        parts = condition.operand
        answers = [self.operators.answer(part, view) for part in parts]
        best = max(part.value for part in answers)
        if best == YES:
            return submission_conditions.Answer(
                value=YES, is_vacuous=all(part.is_vacuous for part in answers if part.value == YES)
            )
        best_parts = [
            (part, answer)
            for part, answer in zip(parts, answers, strict=True)
            if answer.value == best and self.operators.may_hold(part, view.regulation)
        ]
        reasons = list(dict.fromkeys(reason for _, answer in best_parts for reason in answer.reasons))
        if not reasons:
            return submission_conditions.Answer(value=best, reasons=answers[0].reasons[:1])
        if len({reason.path for reason in reasons}) == 1:
            expected = " or ".join(dict.fromkeys(reason.expected for reason in reasons))
            observed = reasons[0].observed
        else:  # with several places, each value needs the name of its place
            expected = "; or ".join(self.operators.describe_required(part, view) for part, _ in best_parts)
            places = (f"{quote_key(find_last_key(reason.path))}: {reason.observed}" for reason in reasons)
            observed = "; ".join(dict.fromkeys(places))
        return submission_conditions.Answer(
            value=best,
            reasons=(submission_conditions.AnswerReason(path=reasons[0].path, expected=expected, observed=observed),),
        )


class SubmissionNot(SubmissionOperator[submission_conditions.SubmissionCondition]):
    """The condition `not` on submissions."""

    key = "not"
    sample = "{not: {at: equipment.shoe, equals: none}}"

    def list_parts(
        self, operand: submission_conditions.SubmissionCondition
    ) -> Sequence[submission_conditions.ConditionPart]:
        return [submission_conditions.ConditionPart(at=(), condition=operand)]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        inner = self.operators.answer(condition.operand, view)
        if inner.value == NO:
            return submission_conditions.Answer(value=YES, is_vacuous=inner.is_vacuous)
        paths = [reason.path for reason in inner.reasons]
        path = (
            paths[0]
            if paths
            else next((view.resolve_path(look.path) for look in self.operators.iterate_lookups(condition.operand)), ())
        )
        reason = submission_conditions.AnswerReason(
            path=path,
            expected=self.operators.describe_required(condition, view),
            observed=format_value(view.find_value(path), find_last_key(path)),
        )
        return submission_conditions.Answer(value=YES - inner.value, reasons=(reason,), is_vacuous=inner.is_vacuous)

    def apply_readings(
        self, condition: submission_conditions.SubmissionCondition, regulation: Regulation
    ) -> submission_conditions.SubmissionCondition | bool:
        read = self.operators.apply_readings(condition.operand, regulation)
        return not read if isinstance(read, bool) else condition.with_operand(read)

    def describe(self, operand: submission_conditions.SubmissionCondition) -> str:
        return self.operators.find(operand).negate(operand.operand)


class SubmissionReading(SubmissionOperator[ReadingIs]):
    """The condition `reading` on submissions."""

    key = "reading"
    sample = "{reading: {tables-a-wager: one}}"

    def apply_readings(self, condition: submission_conditions.SubmissionCondition, regulation: Regulation) -> bool:
        return bool(regulation.is_option_in_force(condition.operand.name, condition.operand.is_))

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        applies = self.operators.may_hold(condition, view.regulation)
        reason = submission_conditions.AnswerReason(
            path=(), expected=self.operators.describe(condition), observed="another option is in force"
        )
        return submission_conditions.Answer(
            value=YES if applies else NO, reasons=() if applies else (reason,), is_vacuous=True
        )

    def describe(self, operand: ReadingIs) -> str:
        return f"the reading {operand.name}: {operand.is_}"


OnList = TypeVar(
    "OnList",
    submission_conditions.Every,
    submission_conditions.Some,
    submission_conditions.Distinct,
    submission_conditions.Counted,
)


class _ListCondition(SubmissionOperator[OnList]):
    """A condition on the items of a list."""

    answer_for_none: ClassVar[bool | None] = None
    """The answer if the readings leave no items to examine; None if the readings alone do not decide it."""

    def _describe_filter(self, when: submission_conditions.SubmissionCondition | None) -> str:
        """Return a clause that says which items of the list are meant; empty for all."""
        return "" if when is None else f" whose {self.operators.describe(when)}"

    def find_list_path(self, operand: OnList) -> str:
        return operand.in_

    def list_lookups(self, operand: OnList) -> Sequence[submission_conditions.PlaceLookup]:
        return [submission_conditions.PlaceLookup(at=("in",), path=operand.in_, required_kind="list")]

    def list_parts(self, operand: OnList) -> Sequence[submission_conditions.ConditionPart]:
        return (
            [] if operand.when is None else [submission_conditions.ConditionPart(at=("when",), condition=operand.when)]
        )

    def apply_readings(
        self, condition: submission_conditions.SubmissionCondition, regulation: Regulation
    ) -> submission_conditions.SubmissionCondition | bool:
        operand = condition.operand
        parts = {key: getattr(operand, key, None) for key in ("when", "must")}
        read = {key: self.operators.apply_readings(part, regulation) for key, part in parts.items() if part is not None}
        if self.answer_for_none is not None and read.get("when") is False:
            return self.answer_for_none
        if read.get("must") is True:
            return True
        left: dict[str, Any] = {key: part for key, part in read.items() if not isinstance(part, bool)}
        if read.get("when") is True:
            left["when"] = None
        return condition.with_operand(operand.model_copy(update=left))


class EveryItem(_ListCondition[submission_conditions.Every]):
    """The condition `every` on submissions."""

    key = "every"
    sample = "{every: wagers, must: {given: .minimum}}"
    answer_for_none = True

    def list_parts(self, operand: submission_conditions.Every) -> Sequence[submission_conditions.ConditionPart]:
        return [
            *super().list_parts(operand),
            submission_conditions.ConditionPart(at=("must",), condition=operand.must, is_binding=True),
        ]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        operand: submission_conditions.Every = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        if entries is None:
            return submission_conditions.answer_unknown(path, self.describe_required(view, operand))
        parts: list[submission_conditions.Answer] = []
        for inner in entries:
            applies = YES if operand.when is None else self.operators.answer(operand.when, inner).value
            holds = self.operators.answer(operand.must, inner)
            if applies == YES:
                parts.append(holds)
            elif applies == UNKNOWN and holds.value != YES:
                parts.append(submission_conditions.Answer(value=UNKNOWN, reasons=holds.reasons))
        return submission_conditions.combine_answers(parts)

    def describe(self, operand: submission_conditions.Every) -> str:
        items = f"each entry in {describe_place(operand.in_)}{self._describe_filter(operand.when)}"
        return f"{items}: {self.operators.describe(operand.must)}"


class SomeItem(_ListCondition[submission_conditions.Some]):
    """The condition `some` on submissions."""

    key = "some"
    sample = "{some: wagers, when: {at: .wager, equals: main}}"
    answer_for_none = False

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        operand: submission_conditions.Some = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        if entries is None:
            return submission_conditions.answer_unknown(path, self.describe_required(view, operand))
        best = max((self.operators.answer(operand.when, inner).value for inner in entries), default=NO)
        if best == YES:
            return submission_conditions.answer_yes()
        expected = self.describe_required(view, operand)
        around = view.items[-1] if view.items else path
        if best == UNKNOWN:
            return submission_conditions.answer_unknown(around, expected, NOT_STATED)
        lacks = submission_conditions.MissingItem(
            list_path=path,
            values=tuple(
                self.operators.find(operand.when).iterate_identifying_values(view.enter_item(()), operand.when.operand)
            ),
        )
        return submission_conditions.answer_no(around, expected, "no such entry", lacks)

    def describe(self, operand: submission_conditions.Some) -> str:
        return f"an entry in {describe_place(operand.in_)}{self._describe_filter(operand.when)}"

    def describe_required(self, view: SubmissionView, operand: submission_conditions.Some) -> str:
        return f"an entry in {describe_place(operand.in_)} whose {self.operators.describe_required(operand.when, view)}"


class DistinctItems(_ListCondition[submission_conditions.Distinct]):
    """The condition `distinct` on submissions."""

    key = "distinct"
    sample = "{distinct: pay-tables, at: .pays}"

    def list_lookups(self, operand: submission_conditions.Distinct) -> Sequence[submission_conditions.PlaceLookup]:
        return [
            *super().list_lookups(operand),
            submission_conditions.PlaceLookup(at=("at",), path=operand.at, is_in_each_item=True),
        ]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        operand: submission_conditions.Distinct = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        if entries is None:
            return submission_conditions.answer_unknown(path, self.describe(operand))
        if operand.when is not None:
            entries = [inner for inner in entries if self.operators.answer(operand.when, inner).value != NO]
        expected = self.describe(operand)
        seen: set[str] = set()
        repeated: list[submission_conditions.AnswerReason] = []
        missing: list[submission_conditions.AnswerReason] = []
        for inner in entries:
            place = inner.resolve_path(operand.at)
            value = inner.find_value(place)
            text = fold_text(format_value(value))
            if value is None:
                missing.append(submission_conditions.AnswerReason(path=place, expected=expected, observed=NOT_STATED))
            elif text in seen and value is not NOTHING:
                repeated.append(
                    submission_conditions.AnswerReason(
                        path=place, expected=expected, observed=f"{format_value(value)} again"
                    )
                )
            seen.add(text)
        if repeated:
            return submission_conditions.Answer(value=NO, reasons=tuple(repeated))
        if len(entries) < 2:
            return submission_conditions.Answer(value=YES, is_vacuous=True)
        return (
            submission_conditions.Answer(value=UNKNOWN, reasons=tuple(missing))
            if missing
            else submission_conditions.answer_yes()
        )

    def describe(self, operand: submission_conditions.Distinct) -> str:
        entries = f"the entries in {describe_place(operand.in_)}{self._describe_filter(operand.when)}"
        if operand.at.strip(".") == "":
            return f"{entries} all differ"
        return f"{describe_place(operand.at)} differs between {entries}"


class CountedItems(_ListCondition[submission_conditions.Counted]):
    """The condition `count` on submissions."""

    key = "count"
    sample = "{count: deck.backs, equals: 2}"

    def _describe_count(self, counted: submission_conditions.Counted, bound: Any) -> str:
        number = {
            "equals": str(counted.operand),
            "equals-value": f"as many as {describe_place(str(counted.operand))} states",
        }.get(counted.operator, f"{counted.operator.replace('-', ' ')} {counted.operand}")
        known = f", {format_value(bound)}" if counted.other_place is not None and bound is not None else ""
        return f"entries in {describe_place(counted.in_)}{self._describe_filter(counted.when)}: {number}{known}"

    def list_lookups(self, operand: submission_conditions.Counted) -> Sequence[submission_conditions.PlaceLookup]:
        other = operand.other_place
        beside = (
            []
            if other is None
            else [submission_conditions.PlaceLookup(at=operand.bound_path, path=other, required_kind="number")]
        )
        return [*super().list_lookups(operand), *beside]

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        operand: submission_conditions.Counted = condition.operand
        path = view.resolve_path(operand.in_)
        entries = view.list_entries(path)
        other = operand.other_place
        bound = operand.operand if other is None else view.find_value(view.resolve_path(other))
        expected = self._describe_count(operand, bound)
        if entries is None:
            return submission_conditions.answer_unknown(path, expected)
        if bound is None:
            return submission_conditions.answer_unknown(view.resolve_path(operand.operand), "a number")
        counted = [
            YES if operand.when is None else self.operators.answer(operand.when, inner).value for inner in entries
        ]
        least = counted.count(YES)
        most = len(counted) - counted.count(NO)
        observed = str(least) if least == most else f"{least} to {most}, as not all is stated"
        if not isinstance(bound, int) or isinstance(bound, bool):
            return submission_conditions.answer_no(path, expected, observed)
        fewest, highest = {"at-least": (bound, most), "at-most": (0, bound)}.get(operand.operator, (bound, bound))
        if fewest <= least and most <= highest:
            return submission_conditions.answer_yes()
        if most < fewest or least > highest:
            return submission_conditions.answer_no(path, expected, observed)
        return submission_conditions.answer_unknown(path, expected, observed)

    def describe(self, operand: submission_conditions.Counted) -> str:
        return self._describe_count(operand, None)


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
