"""Operators on one place of a submission: its value, whether it is stated, and short forms."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import MinLen

from fairdeal.validator.evidence.submission_reader import NOTHING
from fairdeal.validator.language.grammar import ShortForm
from fairdeal.validator.language.name_references import LineName, ListName, SubmissionPath
from fairdeal.validator.language.phrases import NOT_STATED, describe_place, find_last_path_key, format_value, quote_key
from fairdeal.validator.language.submission_conditions import (
    Answer,
    PlaceLookup,
    SubmissionCondition,
    SubmissionOperator,
    Value,
    ValueOperator,
)
from fairdeal.validator.text.plain_values import parse_payout

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.licensee_configuration import SubmissionView


Scalar = int | bool | str
Wording = Literal["to", "for", "win", "colon", "push", "percentage", "amount"]

_WORDINGS = {
    "to": "with “to”",
    "for": "with “for”",
    "win": "with “win”",
    "colon": "with a colon",
    "push": "as a push",
    "percentage": "as a percentage of a meter",
    "amount": "as an amount",
}


def is_same_value(first: Any, second: Any) -> bool:
    """Return whether two values are equal; unlike in Python, true differs from 1."""
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def is_same_text(found: Any, text: str) -> bool:
    """Return whether a value is this text, ignoring case and spaces."""
    return isinstance(found, str) and fold_text(found) == fold_text(text)


def fold_text(text: str) -> str:
    """Return a text without spaces and in one case."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _format_bound(value: Value, bound: Any) -> str:
    return format_value(bound, find_last_path_key(value.at))


def _describe_other(value: Value, bound: Any) -> str:
    """Describe the place of another value, with the value if it is known."""
    return f"the {describe_place(value.operand)}" + (
        "" if bound is None else f", {format_value(bound, find_last_path_key(value.operand))}"
    )


class _NamedValues(ValueOperator):
    """An operator whose operand names values: the operand itself, or each of its items."""

    def list_values(self, operand: Any) -> Sequence[Any]:
        return list(operand) if isinstance(operand, list) else [operand]


class _Equality(ValueOperator):
    """An operator that compares for equality."""

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return is_same_value(found, bound)


class ValueEquals(_Equality, _NamedValues):
    """The value is equal to this."""

    key = "equals"
    operand = Scalar
    sample = "{at: deck.decks, equals: 1}"
    is_exhaustive = fixes_value = identifies_items = True

    def describe(self, value: Value, bound: Any) -> str:
        return _format_bound(value, bound)


class ValueEqualsOther(_Equality):
    """The value is equal to the value at another path."""

    key = "equals-value"
    operand = SubmissionPath
    sample = "{at: .wager, equals-value: ..wager}"
    refers_to_value = identifies_items = True

    def describe(self, value: Value, bound: Any) -> str:
        return _describe_other(value, None) if bound is None else format_value(bound, find_last_path_key(value.operand))


class EqualsList(_Equality, _NamedValues):
    """The list has exactly these items, in this order."""

    key = "equals-list"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: hand-order, equals-list: [straight, flush, pair]}"
    required_kind = "list"
    names_items = is_exhaustive = fixes_value = True

    def describe(self, value: Value, bound: Any) -> str:
        items = ", ".join(str(item) for item in bound)
        return f"{items} alone" if len(bound) == 1 else f"in this order: {items}"


class OneOfThese(_NamedValues):
    """The value is one of these."""

    key = "one-of"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: dealing, one-of: [singly, in-packets]}"
    is_exhaustive = True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return any(is_same_value(found, permitted) for permitted in bound)

    def describe(self, value: Value, bound: Any) -> str:
        return " or ".join(_format_bound(value, item) for item in bound)


class _Ordering(ValueOperator):
    """An operator that compares the order of two numbers, or of two days (texts that sort by date)."""

    compare_values: ClassVar[Callable[[Any, Any], bool]]
    """The comparison."""
    words: ClassVar[tuple[str, str]]
    """The comparison in words, for numbers and for days."""

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        comparable = type(found) is type(bound) and isinstance(found, (int, str)) and not isinstance(found, bool)
        return comparable and type(self).compare_values(found, bound)

    def describe(self, value: Value, bound: Any) -> str:
        other = _describe_other(value, bound) if self.refers_to_value else _format_bound(value, bound)
        return f"{self.words[isinstance(bound, str)]} {other}"


class ValueAtLeast(_Ordering):
    """The value is at least this."""

    key = "at-least"
    operand: ClassVar[Any] = int
    sample = "{at: layout.positions, at-least: 1}"
    required_kind = "number"
    compare_values, words = operator.ge, ("at least", "not before")


class ValueAtMost(_Ordering):
    """The value is at most this."""

    key = "at-most"
    operand: ClassVar[Any] = int
    sample = "{at: hands-per-player, at-most: 2}"
    required_kind = "number"
    compare_values, words = operator.le, ("at most", "not after")


class AtMostValue(ValueAtMost):
    """The value is at most the value at another path."""

    key = "at-most-value"
    operand = SubmissionPath
    sample = "{at: .minimum, at-most-value: .maximum}"
    required_kind, compares_order, refers_to_value = "", True, True


class MoreThanValue(_Ordering):
    """The value is more than the value at another path."""

    key = "more-than-value"
    operand = SubmissionPath
    sample = "{at: earlier.payout-limit.amount, more-than-value: payout-limit.amount}"
    compares_order = refers_to_value = True
    compare_values, words = operator.gt, ("more than", "after")


class _Inclusion(ValueOperator):
    """An operator that looks for one item in a list."""

    required_kind, names_items = "list", True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return isinstance(found, list) and any(is_same_value(item, bound) for item in found)

    def describe(self, value: Value, bound: Any) -> str:
        return f"{quote_key(find_last_path_key(value.at))} includes {self._item(value, bound)}"

    def describe_statement(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        return f"{describe_place(value.at)} {'does not include' if denied else 'includes'} {self._item(value, bound)}"

    def _item(self, value: Value, bound: Any) -> str:
        return _describe_other(value, bound) if self.refers_to_value else _format_bound(value, bound)


class Includes(_Inclusion, _NamedValues):
    """The list includes this item."""

    key = "includes"
    operand = Scalar
    sample = "{at: .posted, includes: layout}"


class IncludesValue(_Inclusion):
    """The list includes the value at another path. Texts are compared without case and spaces."""

    key = "includes-value"
    operand = SubmissionPath
    sample = "{at: deck.backs, includes-value: deck.cover-card.colour}"
    refers_to_value = True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return super().is_satisfied(found, bound) or (
            isinstance(found, list) and isinstance(bound, str) and any(is_same_text(item, bound) for item in found)
        )


class TextReads(_NamedValues):
    """The text is this one, ignoring case, spaces and hyphens."""

    key = "reads"
    operand = str
    sample = "{at: .legend, reads: main wager}"
    required_kind, identifies_items = "text", True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return isinstance(found, str) and is_same_text(found.replace("-", ""), bound.replace("-", ""))

    def describe(self, value: Value, bound: Any) -> str:
        return f"“{bound}”"


class OddsAreWorded(ValueOperator):
    """The odds are printed in one of these wordings: `5 to 1`, `6 for 1`, `win 5`, `5:1` (`colon`), `push`,
    `10% of meter` (`percentage`), `$500` (`amount`)."""

    key = "worded"
    operand = Annotated[list[Wording], MinLen(1)]
    sample = "{at: .odds, worded: [to, win]}"
    required_kind = "payout"

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        try:
            form = parse_payout(found).form if isinstance(found, str) else None
        except ValueError:
            return False
        return ("percentage" if form == "meter" else form) in bound

    def describe(self, value: Value, bound: Any) -> str:
        return f"worded {' or '.join(_WORDINGS[wording] for wording in bound)}"


class InList(ValueOperator):
    """The text is in this list of the document, ignoring case and spaces. The answer is unknown on days on which the
    list is not in force."""

    key = "in-list"
    operand = ListName
    sample = "{at: ., in-list: permitted-games}"
    required_kind = "text"

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return any(is_same_text(found, name) for name in bound)

    def find_expected_value(self, view: SubmissionView, operand: Any) -> Any:
        return view.regulation.document.lists[operand].items

    def answer(self, view: SubmissionView, value: Value) -> Answer:
        from fairdeal.validator.engine.core.licensee_configuration import is_list_in_force
        from fairdeal.validator.language.submission_conditions import answer_unknown

        path = view.resolve_path(value.at)
        found = view.find_value(path)
        if found is None or is_list_in_force(view.regulation.document.lists[value.operand], view.day):
            return super().answer(view, value)
        observed = f"{format_value(found)}; the list is not in force on {view.day.isoformat()}"
        return answer_unknown(path, self.describe(value, None), observed)

    def describe(self, value: Value, bound: Any) -> str:
        return f"an entry of the list {value.operand}"


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
        from fairdeal.validator.language.submission_conditions import answer_no, answer_yes, find_last_key

        path = view.resolve_path(condition.operand)
        if view.find_value(path) in (None, NOTHING, [], {}):
            return answer_no(path, f"{quote_key(find_last_key(path))} is stated", NOT_STATED)
        return answer_yes()

    def describe(self, operand: str) -> str:
        return f"{describe_place(operand)} is stated"

    def describe_negation(self, operand: str) -> str:
        return f"{describe_place(operand)} is not stated"


class OffersLine(ShortForm):
    """The submission lists this wager or bonus."""

    key = "offers"
    operand = LineName
    sample = "{offers: main}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "where": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list at this path includes the layout or signage. Examples: `.posted` of a wager, `.displayed` of a pay
    table."""

    key = "at-the-table"
    operand = SubmissionPath
    sample = "{at-the-table: payout-limit.posted}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


class AtEachPosition(ShortForm):
    """The value at this path is `position`, or is not stated: each position has its own. Example: `.per` of an area of
    the layout."""

    key = "at-each-position"
    operand = SubmissionPath
    sample = "{at-each-position: layout.per}"

    def expand(self, operand: str) -> dict[str, Any]:
        return {"any": [{"not": {"given": operand}}, {"value": {"at": operand, "equals": "position"}}]}
