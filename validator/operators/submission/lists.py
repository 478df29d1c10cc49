"""Operators on the items of a list in a submission."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from annotated_types import Ge

from validator.evidence.submission.view import NOTHING
from validator.language.refs import SubmissionPath
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import (
    CountBound,
    Counted,
    Look,
    Part,
    SubmissionCondition,
    SubmissionOperator,
)
from validator.language.submission.wording import NOT_STATED, named, quoted, text_of
from validator.operators.submission.values import letters_of
from validator.text.models.model import Closed
from validator.text.truth import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from validator.engine.submission.answers import View
    from validator.rules.core.regulation import Regulation

Count = Annotated[int, Ge(0)]


class Every(Closed):
    """A list of the submission, and a condition on each of its items."""

    in_: SubmissionPath
    """Path of the list."""
    where: SubmissionCondition | None = None
    """The items that it applies to. Left out, all."""
    must: SubmissionCondition
    """The condition that each of them must satisfy."""


class Some(Closed):
    """A list of the submission, and a condition on at least one of its items."""

    in_: SubmissionPath
    """Path of the list."""
    where: SubmissionCondition
    """The condition that at least one item must satisfy."""


class Distinct(Closed):
    """A list of the submission, and the value in which its items must differ."""

    in_: SubmissionPath
    """Path of the list."""
    where: SubmissionCondition | None = None
    """The items that it applies to. Left out, all."""
    by: SubmissionPath
    """Path of the value in each item; a dot alone if the items themselves are the values."""


OnList = TypeVar("OnList", Every, Some, Distinct, Counted)


class _ListCondition(SubmissionOperator[OnList]):
    """A condition on the items of a list."""

    of_none: ClassVar[bool | None] = None
    """The answer if the readings leave no items to examine; None if the readings alone do not decide it."""

    def list_of(self, operand: OnList) -> str:
        return operand.in_

    def looks(self, operand: OnList) -> Sequence[Look]:
        return [Look(at=("in",), path=operand.in_, needs="list")]

    def parts(self, operand: OnList) -> Sequence[Part]:
        return [] if operand.where is None else [Part(at=("where",), condition=operand.where)]

    def as_read(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        operand = condition.operand
        parts = {key: getattr(operand, key, None) for key in ("where", "must")}
        read = {key: part.as_read(regulation) for key, part in parts.items() if part is not None}
        if self.of_none is not None and read.get("where") is False:
            return self.of_none
        if read.get("must") is True:
            return True
        left: dict[str, Any] = {key: part for key, part in read.items() if not isinstance(part, bool)}
        if read.get("where") is True:
            left["where"] = None
        return condition.applied_to(operand.model_copy(update=left))


class EveryItem(_ListCondition[Every]):
    """Each item of a list satisfies a condition."""

    key = "every"
    operand = Every
    sample = "{every: {in: wagers, must: {given: .minimum}}}"
    of_none = True

    def parts(self, operand: Every) -> Sequence[Part]:
        return [*super().parts(operand), Part(at=("must",), condition=operand.must, binding=True)]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, every, last_key, open_

        operand: Every = condition.operand
        path = view.path(operand.in_)
        entries = view.entries(path)
        if entries is None:
            return open_(path, f"{quoted(last_key(path))}, of each entry: {operand.must.asked()}")
        parts: list[Answer] = []
        for inner in entries:
            applies = YES if operand.where is None else operand.where.answer(inner).value
            holds = operand.must.answer(inner)
            if applies == YES:
                parts.append(holds)
            elif applies == UNKNOWN and holds.value != YES:
                parts.append(Answer(value=UNKNOWN, reasons=holds.reasons))
        return every(parts)

    def asked(self, operand: Every) -> str:
        return f"{self.of_each(operand)}: {operand.must.asked()}"

    def of_each(self, operand: Every) -> str:
        """Describe the items that it examines."""
        return f"each entry in {named(operand.in_)}{_describe_filter(operand.where)}"


class SomeItem(_ListCondition[Some]):
    """At least one item of a list satisfies a condition."""

    key = "some"
    operand = Some
    sample = "{some: {in: wagers, where: {value: {at: .wager, equals: main}}}}"
    of_none = False

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Sought, last_key, no, open_, yes

        operand: Some = condition.operand
        path = view.path(operand.in_)
        entries = view.entries(path)
        expected = f"an entry in {quoted(last_key(path))} whose {operand.where.asked_of_item(view)}"
        if entries is None:
            return open_(path, expected)
        best = max((operand.where.answer(inner).value for inner in entries), default=NO)
        if best == YES:
            return yes()
        around = view.items[-1] if view.items else path
        if best == UNKNOWN:
            return open_(around, expected, NOT_STATED)
        lacks = Sought(in_=path, values=tuple(operand.where.meaning.sought(view.within(()), operand.where.operand)))
        return no(around, expected, "no such entry", lacks)

    def asked(self, operand: Some) -> str:
        return f"an entry in {named(operand.in_)}{_describe_filter(operand.where)}"


class DistinctItems(_ListCondition[Distinct]):
    """No two items of a list agree in a value."""

    key = "distinct"
    operand = Distinct
    sample = "{distinct: {in: pay-tables, by: .pays}}"

    def looks(self, operand: Distinct) -> Sequence[Look]:
        return [*super().looks(operand), Look(at=("by",), path=operand.by, inside=True)]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import Answer, Reason, last_key, open_, yes

        operand: Distinct = condition.operand
        path = view.path(operand.in_)
        entries = view.entries(path)
        if entries is None:
            return open_(path, f"{quoted(last_key(path))}, no two alike")
        if operand.where is not None:
            entries = [inner for inner in entries if operand.where.answer(inner).value != NO]
        expected = f"{quoted(last_key(entries[0].path(operand.by) if entries else path))} different from entry to entry"
        seen: set[str] = set()
        repeated: list[Reason] = []
        missing: list[Reason] = []
        for inner in entries:
            place = inner.path(operand.by)
            value = inner.value(place)
            text = letters_of(text_of(value))
            if value is None:
                missing.append(Reason(path=place, expected=expected, observed=NOT_STATED))
            elif text in seen and value is not NOTHING:
                repeated.append(Reason(path=place, expected=expected, observed=f"{text_of(value)} again"))
            seen.add(text)
        if repeated:
            return Answer(value=NO, reasons=tuple(repeated))
        if len(entries) < 2:
            return Answer(value=YES, idle=True)
        return Answer(value=UNKNOWN, reasons=tuple(missing)) if missing else yes()

    def asked(self, operand: Distinct) -> str:
        alike = f"no two of {named(operand.in_)}{_describe_filter(operand.where)} alike"
        return alike if operand.by.strip(".") == "" else f"{alike} in {named(operand.by)}"


class CountedItems(_ListCondition[Counted]):
    """The number of items of a list satisfies a comparison."""

    key = "count"
    operand = Counted
    sample = "{count: {in: deck.backs, equals: 2}}"

    def looks(self, operand: Counted) -> Sequence[Look]:
        beside = [Look(at=(operand.operator,), path=operand.operand, needs="number")] if operand.bound.beside else []
        return [*super().looks(operand), *beside]

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        from validator.language.submission.answers import no, open_, yes

        operand: Counted = condition.operand
        path = view.path(operand.in_)
        entries = view.entries(path)
        bound = view.value(view.path(operand.operand)) if operand.bound.beside else operand.operand
        expected = _describe_count(operand, bound)
        if entries is None:
            return open_(path, expected)
        if bound is None:
            return open_(view.path(operand.operand), "a number")
        counted = [YES if operand.where is None else operand.where.answer(inner).value for inner in entries]
        least = counted.count(YES)
        most = len(counted) - counted.count(NO)
        observed = str(least) if least == most else f"{least} to {most}, as not all is stated"
        if not isinstance(bound, int) or isinstance(bound, bool):
            return no(path, expected, observed)
        fewest, highest = operand.bound.spans(bound, most)
        if fewest <= least and most <= highest:
            return yes()
        if most < fewest or least > highest:
            return no(path, expected, observed)
        return open_(path, expected, observed)

    def asked(self, operand: Counted) -> str:
        return _describe_count(operand, None)


def _describe_count(counted: Counted, bound: Any) -> str:
    return f"entries in {named(counted.in_)}{_describe_filter(counted.where)}: {counted.bound.asked(counted, bound)}"


def _describe_filter(where: SubmissionCondition | None) -> str:
    """Return a clause that says which items of a list are meant; empty for all."""
    return "" if where is None else f" whose {where.asked()}"


class Exactly(CountBound):
    """The list has exactly this number of items."""

    key = "equals"
    operand = Count
    sample = "{in: deck.backs, equals: 2}"

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        return bound, bound

    def asked(self, counted: Counted, bound: Any) -> str:
        return str(counted.operand)


class NotFewer(CountBound):
    """The list has at least this number of items."""

    key = "at-least"
    operand = Count
    sample = "{in: layout.areas, where: {given: .wager}, at-least: 1}"

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        return bound, most

    def asked(self, counted: Counted, bound: Any) -> str:
        return f"at least {counted.operand}"


class NotMore(CountBound):
    """The list has at most this number of items."""

    key = "at-most"
    operand = Count
    sample = "{in: pay-tables, at-most: 3}"

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        return 0, bound

    def asked(self, counted: Counted, bound: Any) -> str:
        return f"at most {counted.operand}"


class AsManyAs(CountBound):
    """The list has as many items as the number at another place states."""

    key = "equals-value"
    operand = SubmissionPath
    sample = "{in: deck.backs, equals-value: deck.decks}"
    beside = True

    def spans(self, bound: int, most: int) -> tuple[int, int]:
        return bound, bound

    def asked(self, counted: Counted, bound: Any) -> str:
        number = f"as many as {named(counted.operand)} states"
        return number if bound is None else f"{number}, {text_of(bound)}"
