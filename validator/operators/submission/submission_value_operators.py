"""Operators on one place of a submission: its value, whether it is stated, and short forms."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fairdeal.validator.engine.core.licensee_configuration import is_list_in_force
from fairdeal.validator.evidence.submission_reader import NOTHING
from fairdeal.validator.language.phrases import NOT_STATED, describe_place, find_last_path_key, format_value
from fairdeal.validator.language.submission_conditions import (
    Answer,
    PlaceLookup,
    SubmissionCondition,
    Value,
    answer_no,
    answer_unknown,
    answer_yes,
)
from fairdeal.validator.operators.submission.submission_operators import SubmissionOperator, ValueOperator
from fairdeal.validator.text.plain_values import parse_payout

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.licensee_configuration import SubmissionView


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
    """The comparison `equals` of a value."""

    key = "equals"
    sample = "{at: deck.decks, equals: 1}"
    is_exhaustive = fixes_value = identifies_items = True

    def describe(self, value: Value, bound: Any) -> str:
        return _format_bound(value, bound)


class ValueEqualsOther(_Equality):
    """The comparison `equals-value` of a value."""

    key = "equals-value"
    sample = "{at: .wager, equals-value: ..wager}"
    refers_to_value = identifies_items = True

    def describe(self, value: Value, bound: Any) -> str:
        return _describe_other(value, None) if bound is None else format_value(bound, find_last_path_key(value.operand))


class EqualsList(_Equality, _NamedValues):
    """The comparison `equals-list` of a value."""

    key = "equals-list"
    sample = "{at: hand-order, equals-list: [straight, flush, pair]}"
    required_kind = "list"
    names_items = is_exhaustive = fixes_value = True

    def describe(self, value: Value, bound: Any) -> str:
        items = ", ".join(str(item) for item in bound)
        return f"{items} alone" if len(bound) == 1 else f"in this order: {items}"


class OneOfThese(_NamedValues):
    """The comparison `one-of` of a value."""

    key = "one-of"
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
    """The comparison `at-least` of a value."""

    key = "at-least"
    sample = "{at: layout.positions, at-least: 1}"
    required_kind = "number"
    compare_values, words = operator.ge, ("at least", "not before")


class ValueAtMost(_Ordering):
    """The comparison `at-most` of a value."""

    key = "at-most"
    sample = "{at: hands-per-player, at-most: 2}"
    required_kind = "number"
    compare_values, words = operator.le, ("at most", "not after")


class AtMostValue(ValueAtMost):
    """The comparison `at-most-value` of a value."""

    key = "at-most-value"
    sample = "{at: .minimum, at-most-value: .maximum}"
    required_kind, compares_order, refers_to_value = "", True, True


class MoreThanValue(_Ordering):
    """The comparison `more-than-value` of a value."""

    key = "more-than-value"
    sample = "{at: earlier.payout-limit.amount, more-than-value: payout-limit.amount}"
    compares_order = refers_to_value = True
    compare_values, words = operator.gt, ("more than", "after")


class _Inclusion(ValueOperator):
    """An operator that looks for one item in a list."""

    required_kind, names_items = "list", True
    verb, negated_verb = "includes", "does not include"

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return isinstance(found, list) and any(is_same_value(item, bound) for item in found)

    def describe(self, value: Value, bound: Any) -> str:
        return _describe_other(value, bound) if self.refers_to_value else _format_bound(value, bound)


class Includes(_Inclusion, _NamedValues):
    """The comparison `includes` of a value."""

    key = "includes"
    sample = "{at: .posted, includes: layout}"


class IncludesValue(_Inclusion):
    """The comparison `includes-value` of a value."""

    key = "includes-value"
    sample = "{at: deck.backs, includes-value: deck.cover-card.colour}"
    refers_to_value = True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return super().is_satisfied(found, bound) or (
            isinstance(found, list) and isinstance(bound, str) and any(is_same_text(item, bound) for item in found)
        )


class TextReads(_NamedValues):
    """The comparison `reads` of a value."""

    key = "reads"
    sample = "{at: .legend, reads: main wager}"
    required_kind, identifies_items = "text", True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return isinstance(found, str) and is_same_text(found.replace("-", ""), bound.replace("-", ""))

    def describe(self, value: Value, bound: Any) -> str:
        return f"“{bound}”"


class OddsAreWorded(ValueOperator):
    """The comparison `worded` of a value."""

    key = "worded"
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
    """The comparison `in-list` of a value."""

    key = "in-list"
    sample = "{at: ., in-list: permitted-games}"
    required_kind = "text"

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return any(is_same_text(found, name) for name in bound)

    def find_expected_value(self, view: SubmissionView, operand: Any) -> Any:
        return view.regulation.document.lists[operand].items

    def answer(self, view: SubmissionView, value: Value) -> Answer:
        path = view.resolve_path(value.at)
        found = view.find_value(path)
        if found is None or is_list_in_force(view.regulation.document.lists[value.operand], view.day):
            return super().answer(view, value)
        observed = f"{format_value(found)}; the list is not in force on {view.day.isoformat()}"
        return answer_unknown(path, self.describe(value, None), observed)

    def describe(self, value: Value, bound: Any) -> str:
        return f"an entry of the list {value.operand}"


class ValueIs(SubmissionOperator[Value]):
    """The condition `value` on submissions."""

    key = "value"
    sample = "{value: {at: deck.cards, equals: standard-52}}"

    def list_lookups(self, operand: Value) -> Sequence[PlaceLookup]:
        own = PlaceLookup(
            at=("at",), path=operand.at, required_kind=self.operators.find(operand).required_kind, value=operand
        )
        beside = (
            [PlaceLookup(at=(operand.operator,), path=operand.operand)]
            if self.operators.find(operand).refers_to_value
            else []
        )
        return [own, *beside]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        value: Value = condition.operand
        return self.operators.find(value).answer(view, value)

    def iterate_identifying_values(self, item: SubmissionView, operand: Value) -> Iterator[tuple[str, str]]:
        bound = self.operators.find(operand)
        if bound.identifies_items:
            expected = bound.find_expected_value(item, operand.operand)
            if isinstance(expected, str):
                yield operand.at.lstrip("."), expected

    def describe(self, operand: Value) -> str:
        return self._state(operand, self.operators.find(operand).verb)

    def negate(self, operand: Value) -> str:
        return self._state(operand, self.operators.find(operand).negated_verb)

    def describe_required(self, view: SubmissionView, operand: Value) -> str:
        known = self.operators.find(operand).find_expected_value(view.enter_item(()), operand.operand)
        return self._state(operand, self.operators.find(operand).verb, known)

    def _state(self, value: Value, verb: str, known: Any = None) -> str:
        """State that a value compares with its bound; `known` is the value at the other place, if it refers to one."""
        operator = self.operators.find(value)
        bound = known if operator.refers_to_value else value.operand
        return f"{describe_place(value.at)} {verb} {operator.describe(value, bound)}"


class ValueIsStated(SubmissionOperator[str]):
    """The condition `given` on submissions."""

    key = "given"
    sample = "{given: hand-order}"

    def list_lookups(self, operand: str) -> Sequence[PlaceLookup]:
        return [PlaceLookup(at=(), path=operand)]

    def answer(self, view: SubmissionView, condition: SubmissionCondition) -> Answer:
        path = view.resolve_path(condition.operand)
        if view.find_value(path) in (None, NOTHING, [], {}):
            return answer_no(path, self.describe(condition.operand), NOT_STATED)
        return answer_yes()

    def describe(self, operand: str) -> str:
        return f"{describe_place(operand)} is stated"

    def negate(self, operand: str) -> str:
        return f"{describe_place(operand)} is not stated"
