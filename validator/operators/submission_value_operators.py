"""Operators on one value of a submission, and the interface of all operators of conditions on submissions."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from msgspec.structs import replace

from fairdeal.validator.engine.core.house_terms import is_list_in_force
from fairdeal.validator.language import submission_conditions
from fairdeal.validator.language.grammar import Keyword, Operand
from fairdeal.validator.language.submission_conditions import (
    ANY_VALUE,
    NO_VALUE,
    describe_place,
    find_last_path_key,
    format_value,
    quote_key,
)
from fairdeal.validator.text.plain_values import parse_payout
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.house_terms import SubmissionView
    from fairdeal.validator.rules.regulation import Regulation


class SubmissionOperator(Keyword[Operand]):
    """An operator of `SubmissionCondition`."""

    def __init__(self, operators: SubmissionOperators) -> None:
        """Create the operator for a table, through which it finds the operators of its parts."""
        self.operators = operators

    joint: ClassVar[Literal["", "and", "or"]] = ""
    """The word that joins its parts, if it may have several."""

    def find_list_path(self, operand: Operand) -> str | None:
        """Return the path of the list whose items its parts examine; None if they examine the same item as itself."""
        return None

    def list_lookups(self, operand: Operand) -> Sequence[submission_conditions.PlaceLookup]:
        """Return the places that it reads itself, without its parts; a finding reports the first of them."""
        return ()

    def list_parts(self, operand: Operand) -> Sequence[submission_conditions.ConditionPart]:
        """Return the conditions that it consists of."""
        return ()

    def list_conjuncts(
        self, condition: submission_conditions.SubmissionCondition
    ) -> Sequence[submission_conditions.SubmissionCondition]:
        """Return the conditions that it joins by "and"; the condition itself if it is no conjunction."""
        return [condition]

    def apply_readings(
        self, condition: submission_conditions.SubmissionCondition, regulation: Regulation
    ) -> submission_conditions.SubmissionCondition | bool:
        """Return the condition with the readings in force applied; a bool if they alone decide it."""
        return condition

    def answer(
        self, view: SubmissionView, condition: submission_conditions.SubmissionCondition
    ) -> submission_conditions.Answer:
        """Evaluate the condition for a submission."""
        raise NotImplementedError

    def iterate_identifying_values(self, item: SubmissionView, operand: Operand) -> Iterator[tuple[str, str]]:
        """Yield the keys and values that identify an item which satisfies it; `item` is a view of the item."""
        yield from ()

    def describe(self, operand: Operand) -> str:
        """Describe the condition as a requirement."""
        raise NotImplementedError

    def negate(self, operand: Operand) -> str:
        """Describe the opposite of the condition."""
        return f"not {self.describe(operand)}"

    def describe_required(self, view: SubmissionView, operand: Operand) -> str:
        """Describe the requirement for an item of a list, with values of the enclosing items filled in."""
        return self.describe(operand)


class ValueOperator(Keyword[Any]):
    """An operator of `Value`."""

    required_kind: ClassVar[str] = ""
    """Kind of value that it accepts; empty for any."""
    verb: ClassVar[str] = "is"
    """The verb between the place of the value and the description of what is required."""
    negated_verb: ClassVar[str] = "is not"
    """The opposite of the verb."""
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

    def find_expected_value(self, view: SubmissionView, operand: Any) -> Any:
        """Return the bound of a value; None if it is a path whose value the submission does not state."""
        return view.find_value(view.resolve_path(operand)) if self.refers_to_value else operand

    def answer(self, view: SubmissionView, value: submission_conditions.Value) -> submission_conditions.Answer:
        """Evaluate the operator for a value of a submission."""
        path, bound = view.resolve_path(value.at), self.find_expected_value(view, value.operand)
        found, expected = view.find_value(path), self.describe(value, bound)
        if self.verb != "is":
            expected = f"{quote_key(find_last_path_key(value.at))} {self.verb} {expected}"
        if found is None:
            return submission_conditions.answer_unknown(path, expected)
        if bound is None:
            return submission_conditions.answer_unknown(view.resolve_path(value.operand), "a value")
        return (
            submission_conditions.answer_yes()
            if self.is_satisfied(found, bound)
            else submission_conditions.answer_no(
                path, expected, format_value(found, submission_conditions.find_last_key(path))
            )
        )

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        """Describe the required value; `bound` is None if the value at another place is not known."""
        raise NotImplementedError


class SubmissionOperators:
    """All operators of conditions on submissions: one object of each class."""

    def __init__(
        self,
        conditions: Sequence[type[SubmissionOperator[Any]]],
        values: Sequence[type[ValueOperator]],
    ) -> None:
        """Create an operator of each class."""
        self.conditions: Mapping[str, SubmissionOperator[Any]] = {kind.key: kind(self) for kind in conditions}
        """Operators of conditions by key."""
        self.values: Mapping[str, ValueOperator] = {kind.key: kind() for kind in values}
        """Operators of values by `Value.operator`."""

    @property
    def values_by_key(self) -> Mapping[str, ValueOperator]:
        """Operators of values by the key in rule files; of several, the one for a single bound that is stated."""
        found: dict[str, ValueOperator] = {}
        for name, kind in self.values.items():
            found.setdefault("equals" if name == EqualsList.key else name.removesuffix("-value"), kind)
        return found

    @overload
    def find(self, part: submission_conditions.SubmissionCondition) -> SubmissionOperator[Any]: ...
    @overload
    def find(self, part: submission_conditions.Value) -> ValueOperator: ...

    def find(
        self, part: submission_conditions.SubmissionCondition | submission_conditions.Value
    ) -> SubmissionOperator[Any] | ValueOperator:
        """Return the operator of a condition or of a value."""
        return (
            self.values[part.operator]
            if isinstance(part, submission_conditions.Value)
            else self.conditions[part.operator]
        )

    def answer(
        self, condition: submission_conditions.SubmissionCondition, view: SubmissionView
    ) -> submission_conditions.Answer:
        """Evaluate a condition for a submission."""
        return self.find(condition).answer(view, condition)

    def apply_readings(
        self, condition: submission_conditions.SubmissionCondition, regulation: Regulation
    ) -> submission_conditions.SubmissionCondition | bool:
        """Return a condition with the readings in force applied; a bool if they alone decide it."""
        return self.find(condition).apply_readings(condition, regulation)

    def may_hold(self, condition: submission_conditions.SubmissionCondition, regulation: Regulation) -> bool:
        """Return whether a condition can hold for some submission under the readings in force."""
        return self.apply_readings(condition, regulation) is not False

    def describe(self, condition: submission_conditions.SubmissionCondition) -> str:
        """Describe a condition as a requirement."""
        return self.find(condition).describe(condition.operand)

    def describe_required(self, condition: submission_conditions.SubmissionCondition, view: SubmissionView) -> str:
        """Describe the requirement for an item of a list, under the readings in force and with enclosing items
        known."""
        read = self.apply_readings(condition, view.regulation)
        if isinstance(read, bool):
            return ANY_VALUE if read else NO_VALUE
        return self.find(read).describe_required(view, read.operand)

    def iterate_lookups(
        self, condition: submission_conditions.SubmissionCondition, here: DataPath = (), lists: tuple[str, ...] = ()
    ) -> Iterator[submission_conditions.PlaceLookup]:
        """Yield every place that a condition or a part of it reads; `at` is then its position from `here`."""
        operator, here = self.find(condition), (*here, condition.operator)
        inside = operator.find_list_path(condition.operand)
        within = lists if inside is None else (*lists, inside)
        for look in operator.list_lookups(condition.operand):
            yield replace(look, at=(*here, *look.at), lists=within if look.is_in_each_item else lists)
        for part in operator.list_parts(condition.operand):
            yield from self.iterate_lookups(part.condition, (*here, *part.at), within)


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


def _format_bound(value: submission_conditions.Value, bound: Any) -> str:
    return format_value(bound, find_last_path_key(value.at))


def _describe_other(value: submission_conditions.Value, bound: Any) -> str:
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

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        return _format_bound(value, bound)


class ValueEqualsOther(_Equality):
    """The comparison `equals` with the value at another place."""

    key = "equals-value"
    sample = "{at: .wager, equals: {at: ..wager}}"
    refers_to_value = identifies_items = True

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        return _describe_other(value, None) if bound is None else format_value(bound, find_last_path_key(value.operand))


class EqualsList(_Equality, _NamedValues):
    """The comparison `equals` of a list."""

    key = "equals-list"
    sample = "{at: hand-order, equals: [straight, flush, pair]}"
    required_kind = "list"
    names_items = is_exhaustive = fixes_value = True

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        items = ", ".join(str(item) for item in bound)
        return f"{items} alone" if len(bound) == 1 else f"in this order: {items}"


class OneOfThese(_NamedValues):
    """The comparison `one-of` of a value."""

    key = "one-of"
    sample = "{at: dealing, one-of: [singly, in-packets]}"
    is_exhaustive = True

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return any(is_same_value(found, permitted) for permitted in bound)

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
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

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
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
    """The comparison `at-most` with the value at another place."""

    key = "at-most-value"
    sample = "{at: .minimum, at-most: {at: .maximum}}"
    required_kind, compares_order, refers_to_value = "", True, True


class MoreThanValue(_Ordering):
    """The comparison `more-than` with the value at another place."""

    key = "more-than-value"
    sample = "{at: earlier.payout-limit.amount, more-than: {at: payout-limit.amount}}"
    compares_order = refers_to_value = True
    compare_values, words = operator.gt, ("more than", "after")


class _Inclusion(ValueOperator):
    """An operator that looks for one item in a list."""

    required_kind, names_items = "list", True
    verb, negated_verb = "includes", "does not include"

    def is_satisfied(self, found: Any, bound: Any) -> bool:
        return isinstance(found, list) and any(is_same_value(item, bound) for item in found)

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        return _describe_other(value, bound) if self.refers_to_value else _format_bound(value, bound)


class Includes(_Inclusion, _NamedValues):
    """The comparison `includes` of a value."""

    key = "includes"
    sample = "{at: .posted, includes: layout}"


class IncludesValue(_Inclusion):
    """The comparison `includes` with the value at another place."""

    key = "includes-value"
    sample = "{at: deck.backs, includes: {at: deck.cover-card.colour}}"
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

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
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

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
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

    def answer(self, view: SubmissionView, value: submission_conditions.Value) -> submission_conditions.Answer:
        path = view.resolve_path(value.at)
        found = view.find_value(path)
        if found is None or is_list_in_force(view.regulation.document.lists[value.operand], view.day):
            return super().answer(view, value)
        observed = f"{format_value(found)}; the list is not in force on {view.day.isoformat()}"
        return submission_conditions.answer_unknown(path, self.describe(value, None), observed)

    def describe(self, value: submission_conditions.Value, bound: Any) -> str:
        return f"an entry of the list {value.operand}"
