"""Conditions on submissions, their answers, the interface of their operators, and the checks that use them.

A condition is yes, no or unknown; it is unknown if the submission does not state the value. As with conditions on
rounds, operators are objects of `fairdeal.validator.operators`, which adds their fields to these models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from annotated_types import MinLen
from msgspec import Struct
from msgspec.structs import replace
from pydantic import model_validator

from fairdeal.validator.language.grammar import Keyword, Operand, OperatorModel, expand_short_form
from fairdeal.validator.language.name_references import LineName, PayTableName, SubmissionPath
from fairdeal.validator.language.phrases import ANY_VALUE, NO_VALUE, NOT_STATED, describe_place, format_value
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES
from fairdeal.validator.text.positioned_document import DataPath


class MissingItem(Struct, frozen=True, kw_only=True):
    """An item that a list lacks."""

    list_path: DataPath
    """Path of the list."""
    values: tuple[tuple[str, str], ...]
    """Keys and values that identify the item."""


class AnswerReason(Struct, frozen=True, kw_only=True):
    """A place in a submission because of which a condition is no or unknown."""

    path: DataPath
    """The place."""
    expected: str
    """The expected value, in words."""
    observed: str
    """The value in the submission, in words."""
    missing_item: MissingItem | None = None
    """The missing item, if the place is a list that lacks one."""


class Answer(Struct, frozen=True, kw_only=True):
    """The answer of a condition on a submission."""

    value: int
    """NO, UNKNOWN or YES."""
    reasons: tuple[AnswerReason, ...] = ()
    """The reasons for NO or UNKNOWN; empty for YES."""
    is_vacuous: bool = False
    """True if the condition examined no stated value, for example because its list is empty. YES then proves nothing
    about the submission."""


def answer_yes() -> Answer:
    """Return the answer for a value that satisfies the condition."""
    return Answer(value=YES)


def answer_no(path: DataPath, expected: str, observed: str, lacks: MissingItem | None = None) -> Answer:
    """Return the answer for a place with a wrong value."""
    return Answer(
        value=NO, reasons=(AnswerReason(path=path, expected=expected, observed=observed, missing_item=lacks),)
    )


def answer_unknown(path: DataPath, expected: str, observed: str = NOT_STATED) -> Answer:
    """Return the answer for a place whose value is missing or leaves the condition unknown."""
    return Answer(value=UNKNOWN, reasons=(AnswerReason(path=path, expected=expected, observed=observed),))


def combine_answers(parts: Sequence[Answer]) -> Answer:
    """Combine answers of conditions that must all hold; without any, the answer is a YES that proves nothing."""
    value = min((part.value for part in parts), default=YES)
    deciding = [part for part in parts if part.value == value]
    return Answer(
        value=value,
        reasons=tuple(reason for part in deciding if value != YES for reason in part.reasons),
        is_vacuous=all(part.is_vacuous for part in deciding),
    )


def find_last_key(path: DataPath) -> str:
    """Return the last key of a path; for an item of a list, the key of the list."""
    return next((part for part in reversed(path) if isinstance(part, str)), "submission")


# Types of packages above this one. Operators annotate their methods with the real types.
View: TypeAlias = Any
Regulation: TypeAlias = Any


class PlaceLookup(Struct, frozen=True, kw_only=True):
    """A place of the submission that a condition reads."""

    at: DataPath
    """Position of the path within the operand."""
    path: str
    """The path in the submission."""
    required_kind: str = ""
    """Kind of value that the place must have; empty for any."""
    is_in_each_item: bool = False
    """True if the path is read in each item of the list of the condition."""
    value: Value | None = None
    """The required value, if the condition is about a value."""
    lists: tuple[str, ...] = ()
    """Paths of the lists that contain the place, outermost first."""


class ConditionPart(Struct, frozen=True, kw_only=True):
    """A condition that is part of another."""

    at: DataPath
    """Position of the part within the operand."""
    condition: SubmissionCondition
    """The part."""
    is_binding: bool = False
    """True if the part holds, for all items concerned, whenever the whole holds."""


class SubmissionOperator(Keyword[Operand]):
    """An operator of `SubmissionCondition`."""

    def find_list_path(self, operand: Operand) -> str | None:
        """Return the path of the list whose items its parts examine; None if they examine the same item as itself."""
        return None

    def list_lookups(self, operand: Operand) -> Sequence[PlaceLookup]:
        """Return the places that it reads itself, without its parts; a finding reports the first of them."""
        return ()

    def list_parts(self, operand: Operand) -> Sequence[ConditionPart]:
        """Return the conditions that it consists of."""
        return ()

    def list_conjuncts(self, condition: SubmissionCondition) -> Sequence[SubmissionCondition]:
        """Return the conditions that it joins by "and"; the condition itself if it is no conjunction."""
        return [condition]

    def apply_readings(self, condition: SubmissionCondition, regulation: Regulation) -> SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return condition

    def answer(self, view: View, condition: SubmissionCondition) -> Answer:
        """Evaluate the condition for a submission."""
        raise NotImplementedError

    def iterate_identifying_values(self, item: View, operand: Operand) -> Iterator[tuple[str, str]]:
        """Yield the keys and values that identify an item which satisfies it; `item` is a view of the item."""
        yield from ()

    def describe(self, operand: Operand) -> str:
        """Describe the condition as a requirement."""
        raise NotImplementedError

    def describe_negation(self, operand: Operand) -> str:
        """Describe the opposite of the condition."""
        return f"not {self.describe(operand)}"

    def describe_for_item(self, view: View, operand: Operand) -> str:
        """Describe the requirement for an item of a list, with values of the enclosing items filled in."""
        return self.describe(operand)


class ValueOperator(Keyword[Any]):
    """An operator of `Value`."""

    required_kind: ClassVar[str] = ""
    """Kind of value that it accepts; empty for any."""
    compares_order: ClassVar[bool] = False
    """True if it compares the order of two numbers or two days."""
    refers_to_value: ClassVar[bool] = False
    """True if its operand is the path of another value in the submission."""
    names_items: ClassVar[bool] = False
    """True if its operand names items of the list."""
    is_exhaustive: ClassVar[bool] = False
    """True if only the named values satisfy it."""
    fixes_value: ClassVar[bool] = False
    """True if exactly one value satisfies it: the operand."""

    identifies_items: ClassVar[bool] = False
    """True if its operand identifies an item that a list lacks."""

    def list_values(self, operand: Any) -> Sequence[Any]:
        """Return the values that the operand names, if any."""
        return ()

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        """Return whether a value of any type satisfies a bound; values that cannot be compared do not."""
        raise NotImplementedError

    def find_expected_value(self, view: View, operand: Any) -> Any:
        """Return the bound of a value; None if it is a path whose value the submission does not state."""
        return view.find_value(view.resolve_path(operand)) if self.refers_to_value else operand

    def answer(self, view: View, value: Value) -> Answer:
        """Evaluate the operator for a value of a submission."""
        path, bound = view.resolve_path(value.at), self.find_expected_value(view, value.operand)
        found, expected = view.find_value(path), self.describe(value, bound)
        if found is None:
            return answer_unknown(path, expected)
        if bound is None:
            return answer_unknown(view.resolve_path(value.operand), "a value")
        return (
            answer_yes()
            if self.is_satisfied(found, bound)
            else answer_no(path, expected, format_value(found, find_last_key(path)))
        )

    def describe(self, value: Value, bound: Any) -> str:
        """Describe the required value; `bound` is None if the value at another place is not known."""
        raise NotImplementedError

    def describe_statement(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        """Describe the comparison of a value with its bound, or with `denied` its opposite."""
        return f"{describe_place(value.at)} {'is not' if denied else 'is'} {self.describe(value, bound)}"


class CountOperator(Keyword[Any]):
    """An operator of `Counted`."""

    refers_to_value: ClassVar[bool] = False
    """True if its operand is the path of a number in the submission."""

    def find_range(self, bound: int, most: int) -> tuple[int, int]:
        """Return the lowest and the highest number of items that satisfy it; `most` is the highest possible number."""
        raise NotImplementedError

    def describe(self, counted: Counted, bound: Any) -> str:
        """Describe the required number of items; `bound` is the number at another place, if it is known."""
        raise NotImplementedError


class Value(OperatorModel):
    """A comparison of a value of the submission with permitted values."""

    COMPANIONS = frozenset({"at"})
    OPERATORS: ClassVar[Mapping[str, ValueOperator]] = {}

    at: SubmissionPath
    """Path of the value: keys joined by dots. A leading dot starts from the item that is judged, two dots from the item
    that encloses it; a dot alone is the item itself. `earlier.` starts from the submission that this one replaces."""

    @property
    def bound_operator(self) -> ValueOperator:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]

    @property
    def fixed_bound(self) -> Any:
        """The operand, if it is a fixed value; None if it is a path."""
        return None if self.bound_operator.refers_to_value else self.operand


class Counted(OperatorModel):
    """The number of items in a list of the submission."""

    COMPANIONS = frozenset({"in_", "where"})
    OPERATORS: ClassVar[Mapping[str, CountOperator]] = {}

    in_: SubmissionPath
    """Path of the list."""
    where: SubmissionCondition | None = None
    """The items that are counted. Left out, all."""

    @property
    def bound_operator(self) -> CountOperator:
        """The operator of the comparison."""
        return self.OPERATORS[self.operator]


class SubmissionCondition(OperatorModel):
    """A condition on a submission: yes, no, or unknown if the submission does not state the value."""

    OPERATORS: ClassVar[Mapping[str, SubmissionOperator[Any]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _expand_short_form(cls, value: object) -> object:
        return expand_short_form(cls.SHORT_FORMS, value)

    @property
    def meaning(self) -> SubmissionOperator[Any]:
        """The operator."""
        return self.OPERATORS[self.operator]

    def answer(self, view: View) -> Answer:
        """Evaluate the condition for a submission."""
        return self.meaning.answer(view, self)

    def apply_readings(self, regulation: Regulation) -> SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return self.meaning.apply_readings(self, regulation)

    def with_operand(self, operand: Any) -> SubmissionCondition:
        """Return the same operator with another operand, without validation."""
        (name,) = self._list_given_operators()
        return type(self).model_construct({name}, **{name: operand})

    def may_hold(self, regulation: Regulation) -> bool:
        """Return whether it can hold for some submission under the readings in force."""
        return self.apply_readings(regulation) is not False

    def describe(self) -> str:
        """Describe the condition as a requirement."""
        return self.meaning.describe(self.operand)

    def describe_for_item(self, view: View) -> str:
        """Describe the requirement for an item of a list, under the readings in force and with enclosing items
        known."""
        read = self.apply_readings(view.regulation)
        if isinstance(read, bool):
            return ANY_VALUE if read else NO_VALUE
        return read.meaning.describe_for_item(view, read.operand)

    def iterate_lookups(self, here: DataPath = (), lists: tuple[str, ...] = ()) -> Iterator[PlaceLookup]:
        """Yield every place that the condition or a part of it reads; `at` is then its position from `here`."""
        meaning, here = self.meaning, (*here, self.operator)
        inside = meaning.find_list_path(self.operand)
        within = lists if inside is None else (*lists, inside)
        for look in meaning.list_lookups(self.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.is_in_each_item else lists)
        for part in meaning.list_parts(self.operand):
            yield from part.condition.iterate_lookups((*here, *part.at), within)


class SubmittedCheck(ClosedModel):
    """A condition that every submission must satisfy."""

    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""
    must: SubmissionCondition
    """The condition that they must satisfy."""


class PublicationsCheck(ClosedModel):
    """A comparison, row by row, of pay tables in publications with the pay table in use for the same wager.

    If only publications show a table for a wager, that table is in use.
    """

    for_: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses whose tables are compared."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""


class SignsCheck(ClosedModel):
    """A comparison of the data on signs at the table with the rest of the submission.

    Data that only signs show must be complete on them, once the submission states any of it. Words on a sign that
    name a wager and two amounts other than its limits are `not-evidenced`, never a failure.
    """

    show: Literal["limits", "odds", "rake"]
    """`limits`: the minimum and maximum of a wager. `odds`: rows of the pay table in use. `rake`: the kind and levels
    of the rake."""
    for_: Annotated[list[LineName], MinLen(1)] | None = None
    """The wagers and bonuses whose limits or odds are compared."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""

    @model_validator(mode="after")
    def _require_wagers(self) -> Self:
        if (self.show == "rake") != (self.for_ is None):
            raise ValueError("`for` must be given with `show: limits` and `show: odds`, and only then")
        return self


class PayTablesCheck(ClosedModel):
    """A comparison, row by row, of a posted pay table with the printed ones."""

    for_: LineName
    """The wager or bonus whose posted pay table is compared."""
    match: Literal["exactly", "at-least", "wording"]
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as printed, whatever they are, also in publications. `exactly` and `at-least` check the table in use."""
    one_of: Annotated[list[PayTableName], MinLen(1)]
    """The printed tables that the licensee may choose from."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""
