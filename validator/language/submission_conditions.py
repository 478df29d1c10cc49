"""Conditions on submissions, short forms of conditions, and phrases that express them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self

from annotated_types import Ge, MinLen
from msgspec import Struct
from pydantic import SerializerFunctionWrapHandler, WithJsonSchema, model_serializer, model_validator

from fairdeal.validator.evidence.submission_reader import Nothing, find_money_keys
from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import ShortForm
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    AbbreviatedModel,
    ClosedModel,
    OneOperatorModel,
    map_fields_to_keys,
    to_key,
)
from fairdeal.validator.text.plain_values import NO, UNKNOWN, YES, format_money, parse_money, write_money
from fairdeal.validator.text.positioned_document import DataPath


class StepHappened(ShortForm):
    """The step happened at least once: in the round or, for a step of each seat, at the seat."""

    key = "happened"
    sample = "{happened: reveal}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"events": operand, "at-least": 1}


class WithinLimits(ShortForm):
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""

    key = "within-limits"
    sample = "{within-limits: this}"

    def expand(self, operand: str) -> Any:
        bounds = ({"at-least": {"minimum": operand}}, {"at-most": {"maximum": operand}})
        return [{"amount": operand, **bound} for bound in bounds]


class OffersLine(ShortForm):
    """The submission lists this wager or bonus."""

    key = "offers"
    sample = "{offers: main}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"some": "wagers", "when": {"at": ".wager", "equals": operand}}


class AtTheTable(ShortForm):
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""

    key = "at-the-table"
    sample = "{at-the-table: payout-limit.posted}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"at": operand, "includes": place} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    key = "at-each-position"
    sample = "{at-each-position: layout.per}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"at": operand, "equals": "position"}]}


SAME_AS = "the same as"
"""The words of equality."""
_AT_ALL = {("at least", 1), ("more than", 0), ("other than", 0)}
_NOT_AT_ALL = {(SAME_AS, 0), ("at most", 0), ("less than", 1)}


def describe_frequency(title: str, bound: str, number: int) -> str:
    """Describe how often something happens: `the stub is counted`, `the stub is counted, at most once`."""
    if (bound, number) in _AT_ALL:
        return title
    if (bound, number) in _NOT_AT_ALL:
        return f"it never happens that {title}"
    if (bound, number) == ("at least", 0):
        return f"the record states how often {title}"
    return f"{title}, {'exactly' if bound == SAME_AS else bound} {format_times(number)}"


def format_times(number: int) -> str:
    """Format a number of times: `once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"


def format_range(least: int | None, most: int | None, *, money: bool = False) -> str:
    """Format the known bounds of a number: `5`, `5 to 7`, `at least 5`, `not known`; None for no bound."""
    low, high = (format_money(bound) if money and bound is not None else str(bound) for bound in (least, most))
    if least is None:
        return "not known" if most is None else f"at most {high}"
    return f"at least {low}" if most is None else low if least == most else f"{low} to {high}"


def format_means(name: str) -> str:
    """Format a means of payment for use after "in" or "with": `chips`, `a coupon`."""
    return "a coupon" if name == "coupon" else name


def format_seats(numbers: Sequence[int]) -> str:
    """Format seats by number: `seat 2`, `seats 2, 3 and 5`."""
    return format_numbered("seat", list(map(str, numbers)))


def format_numbered(noun: str, numbers: Sequence[str]) -> str:
    """Format numbered things: `card 2`, `cards 2, 3 and 5`; empty if there are none."""
    return f"{noun}{'' if len(numbers) == 1 else 's'} {join_names(numbers)}" if numbers else ""


def join_names(names: Sequence[str], joint: str = "and") -> str:
    """Join names for a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


def fill_templates(*features: tuple[str, Any]) -> list[str]:
    """Fill each template with its value, or its values joined by "or"; a template without a value is left out."""
    return [
        template.format(join_names(value, "or") if isinstance(value, list) else value)
        for template, value in features
        if value
    ]


def replace_hyphens(name: str) -> str:
    """Return a name of rule files as words, without hyphens."""
    return name.replace("-", " ")


NOT_STATED = "not stated"
ANY_VALUE, NO_VALUE = "anything", "not permitted by the readings in force"
"""Descriptions of a condition that the readings alone decide."""


def describe_place(path: str) -> str:
    """Describe a place for a sentence; a path of three dots or more belongs to the entry that is compared."""
    around = " of the entry that is examined" if path.startswith("..") else ""
    around = " of the entry it is compared with" if path.startswith("...") else around
    keys = [quote_key(key) for key in reversed(path.split(".")) if key]
    return f"{' of '.join(keys)}{around}" if keys else "it"


def quote_key(key: str) -> str:
    """Return a key of a submission in quotation marks, without hyphens."""
    return f"“{key.replace('-', ' ')}”"


def find_last_path_key(path: str) -> str:
    """Return the last key of a dotted path."""
    return path.rpartition(".")[2]


def format_value(value: Any, key: str = "") -> str:
    """Format the value of a key; money in major units."""
    match value:
        case None:
            return NOT_STATED
        case True:
            return "yes"
        case False:
            return "no"
        case int() if key in find_money_keys():
            return format_money(value)
        case Nothing():
            return str(value.value)
        case list():
            return ", ".join(_format_item(item) for item in value) or "none"
        case dict():
            return _format_item(value)
        case _:
            return str(value)


def _format_item(item: Any) -> str:
    if isinstance(item, dict):
        return f"({', '.join(f'{key}: {format_value(part, key)}' for key, part in item.items())})"
    return format_value(item)


Scalar = int | bool | str
Number = Annotated[int, WithJsonSchema({"type": ["number", "string"]})]
Wording = Literal["to", "for", "win", "colon", "push", "percentage", "amount"]
_AMOUNT_BOUNDS = frozenset({"equals", "at-least", "at-most"})
"""Bounds that are amounts if the value is one."""
ItemNumber = Annotated[int, Ge(0)]


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


class OtherValue(ClosedModel):
    """The value at another place of the submission, as a bound."""

    at: grammar.SubmissionPath
    """Path of the value."""


class _SubmissionComparison(OneOperatorModel):
    """A comparison with a bound that is stated, or that is the value at another place of the submission."""

    @cached_property
    def operator(self) -> str:
        """The comparison: its key, with `-value` for the value at another place, and `-list` for a list of items."""
        key, bound = self._find_bound()
        if isinstance(bound, OtherValue):
            return f"{key}-value"
        return f"{key}-list" if key == "equals" and isinstance(bound, list) else key

    @cached_property
    def operand(self) -> Any:
        """The bound, or the path of the value that is the bound."""
        _, bound = self._find_bound()
        return bound.at if isinstance(bound, OtherValue) else bound

    @property
    def bound_path(self) -> DataPath:
        """Position of the bound, or of the path of the value that is the bound."""
        key, bound = self._find_bound()
        return (key, "at") if isinstance(bound, OtherValue) else (key,)

    def _find_bound(self) -> tuple[str, Any]:
        """Return the key of the comparison, and the bound as it is stated."""
        (field,) = self._list_given_operators()
        return to_key(field), getattr(self, field)

    @property
    def other_place(self) -> str | None:
        """Path of the value that is the bound; None for a bound that is stated."""
        return self.operand if len(self.bound_path) > 1 else None


class Value(_SubmissionComparison):
    """A comparison of a value of the submission with permitted values, or with the value at another place."""

    COMPANIONS = frozenset({"at"})

    at: grammar.SubmissionPath
    """Path of the value: keys joined by dots. A leading dot starts from the item that is judged, two dots from the item
    that encloses it; a dot alone is the item itself. `earlier.` starts from the submission that this one replaces."""
    equals: Scalar | OtherValue | Annotated[list[Scalar], MinLen(1)] = NO_OPERAND
    """The value is equal to this. A list has exactly these items, in this order."""
    one_of: Annotated[list[Scalar], MinLen(1)] = NO_OPERAND
    """The value is one of these."""
    at_least: Number = NO_OPERAND
    """The value is at least this. An amount of money is in units of the currency, as in a submission."""
    at_most: Number | OtherValue = NO_OPERAND
    """The value is at most this."""
    more_than: OtherValue = NO_OPERAND
    """The value is more than this."""
    includes: Scalar | OtherValue = NO_OPERAND
    """The list includes this item. Texts are compared with the value at another place without case and spaces."""
    reads: str = NO_OPERAND
    """The text is this one, ignoring case, spaces and hyphens."""
    worded: Annotated[list[Wording], MinLen(1)] = NO_OPERAND
    """The odds are printed in one of these wordings: `5 to 1`, `6 for 1`, `win 5`, `5:1` (`colon`), `push`,
    `10% of meter` (`percentage`), `$500` (`amount`)."""
    in_list: grammar.ListName = NO_OPERAND
    """The text is in this list of the document, ignoring case and spaces. The answer is unknown on days on which the
    list is not in force."""

    @model_validator(mode="before")
    @classmethod
    def _read_amounts(cls, value: object) -> object:
        return _convert_amounts(value, parse_money)

    @model_serializer(mode="wrap")
    def _write_amounts(self, write: SerializerFunctionWrapHandler) -> object:
        return _convert_amounts(write(self), write_money)


def _convert_amounts(value: object, convert: Callable[[Any], int | str]) -> object:
    """Return a comparison with the amounts converted, if its path is that of an amount of money."""
    if not isinstance(value, dict) or find_last_path_key(str(value.get("at"))) not in find_money_keys():
        return value
    return {
        key: convert(part) if key in _AMOUNT_BOUNDS and not isinstance(part, (dict, list, NoneType)) else part
        for key, part in value.items()
    }


class Counted(_SubmissionComparison):
    """The number of items in a list of the submission."""

    UNWRITTEN: ClassVar = {"in": "it is the operand"}

    COMPANIONS = frozenset({"in_", "when"})

    in_: grammar.SubmissionPath
    """Path of the list."""
    when: SubmissionCondition | None = None
    """The items that are counted. Left out, all."""
    equals: ItemNumber | OtherValue = NO_OPERAND
    """The list has exactly this number of items."""
    at_least: ItemNumber = NO_OPERAND
    """The list has at least this number of items."""
    at_most: ItemNumber = NO_OPERAND
    """The list has at most this number of items."""


class Every(ClosedModel):
    """A list of the submission, and a condition on each of its items."""

    UNWRITTEN: ClassVar = {"in": "it is the operand"}

    in_: grammar.SubmissionPath
    """Path of the list."""
    when: SubmissionCondition | None = None
    """The items that it applies to. Left out, all."""
    must: SubmissionCondition
    """The condition that each of them must satisfy."""


class Some(ClosedModel):
    """A list of the submission, and a condition on at least one of its items."""

    UNWRITTEN: ClassVar = {"in": "it is the operand"}

    in_: grammar.SubmissionPath
    """Path of the list."""
    when: SubmissionCondition
    """The condition that at least one item must satisfy."""


class Distinct(ClosedModel):
    """A list of the submission, and the value in which its items must differ."""

    UNWRITTEN: ClassVar = {"in": "it is the operand"}

    in_: grammar.SubmissionPath
    """Path of the list."""
    when: SubmissionCondition | None = None
    """The items that it applies to. Left out, all."""
    at: grammar.SubmissionPath
    """Path of the value in each item; a dot alone if the items themselves are the values."""


class SubmissionCondition(AbbreviatedModel, OneOperatorModel):
    """A condition on a submission: yes, no, or unknown if the submission does not state the value."""

    SHORT_FORMS: ClassVar[Mapping[str, grammar.ShortForm]] = {
        form.key: form for form in (OffersLine(), AtTheTable(), AtEachPosition())
    }
    """The short forms of conditions, by key."""

    all_: Annotated[list[SubmissionCondition], MinLen(1)] = NO_OPERAND
    """All of these conditions hold."""
    any_: Annotated[list[SubmissionCondition], MinLen(1)] = NO_OPERAND
    """At least one of these conditions holds."""
    not_: SubmissionCondition = NO_OPERAND
    """This condition does not hold."""
    reading: grammar.ReadingIs = NO_OPERAND
    """An option of a reading is in force."""
    every: Every = NO_OPERAND
    """Each item of a list satisfies a condition."""
    some: Some = NO_OPERAND
    """At least one item of a list satisfies a condition."""
    distinct: Distinct = NO_OPERAND
    """No two items of a list agree in a value."""
    count: Counted = NO_OPERAND
    """The number of items of a list satisfies a comparison."""
    value: Value = NO_OPERAND
    """A value satisfies a comparison."""
    given: grammar.SubmissionPath = NO_OPERAND
    """The submission states a value at this path."""
    offers: grammar.LineName = NO_OPERAND
    """The submission lists this wager or bonus."""
    at_the_table: grammar.SubmissionPath = NO_OPERAND
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""
    at_each_position: grammar.SubmissionPath = NO_OPERAND
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    MAIN_PARTS: ClassVar = dict.fromkeys(("count", "distinct", "every", "some"), "in")
    UNWRITTEN: ClassVar = {
        "all": "conditions that must all hold are written as a list",
        "value": "the path and its bound are written as the condition",
    }

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return all conditions of a list, the long form of a short form, or a comparison of a value."""
        if isinstance(value, list):
            return {"all": value}
        if isinstance(value, dict) and not cls.MAIN_PARTS.keys().isdisjoint(value):
            return cls.write_out_operand(value)
        if isinstance(value, dict) and "value" not in value and not _VALUE_KEYS.isdisjoint(value):
            return {"value": value}
        full = grammar.expand_short_form(cls.SHORT_FORMS, value)
        return full if full is value else cls.write_out(full)

    def with_operand(self, operand: Any) -> SubmissionCondition:
        """Return the same operator with another operand, without validation."""
        (name,) = self._list_given_operators()
        return type(self).model_construct({name}, **{name: operand})


_VALUE_KEYS = frozenset(map_fields_to_keys(Value).values())


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

    of: Annotated[list[grammar.LineName], MinLen(1)]
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
    of: Annotated[list[grammar.LineName], MinLen(1)] | None = None
    """The wagers and bonuses whose limits or odds are compared."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""

    @model_validator(mode="after")
    def _require_wagers(self) -> Self:
        if (self.show == "rake") != (self.of is None):
            raise ValueError("`of` must be given with `show: limits` and `show: odds`, and only then")
        return self


class PayTablesCheck(ClosedModel):
    """A comparison, row by row, of a posted pay table with the printed ones."""

    of: grammar.LineName
    """The wager or bonus whose posted pay table is compared."""
    match: Literal["exactly", "at-least", "wording"]
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as printed, whatever they are, also in publications. `exactly` and `at-least` check the table in use."""
    one_of: Annotated[list[grammar.PayTableName], MinLen(1)]
    """The printed tables that the licensee may choose from."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""
