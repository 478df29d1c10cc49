"""Operators that compare a value of a submission with fixed values or with other values of it."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import MinLen

from validator.language.refs import ListName, SubmissionPath
from validator.language.submission.answers import Answer
from validator.language.submission.conditions import Value, ValueBound
from validator.language.submission.wording import key_of, named, quoted, text_of
from validator.text.values.odds import parse_payout

if TYPE_CHECKING:
    from validator.engine.submission.answers import View

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


def same(first: Any, second: Any) -> bool:
    """Return whether two values are equal; unlike in Python, true differs from 1."""
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def reads(found: Any, text: str) -> bool:
    """Return whether a value is this text, ignoring case and spaces."""
    return isinstance(found, str) and letters_of(found) == letters_of(text)


def letters_of(text: str) -> str:
    """Return a text without spaces and in one case."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _format_bound(value: Value, bound: Any) -> str:
    return text_of(bound, key_of(value.at))


def _describe_other(value: Value, bound: Any) -> str:
    """Describe the place of another value, with the value if it is known."""
    return f"the {named(value.operand)}" + ("" if bound is None else f", {text_of(bound, key_of(value.operand))}")


class _NamedValues(ValueBound):
    """An operator whose operand names values: the operand itself, or each of its items."""

    def names(self, operand: Any) -> Sequence[Any]:
        return list(operand) if isinstance(operand, list) else [operand]


class _Equality(ValueBound):
    """An operator that compares for equality."""

    def fits(self, found: Any, bound: Any) -> bool:
        return same(found, bound)


class Equals(_Equality, _NamedValues):
    """The value is equal to this."""

    key = "equals"
    operand = Scalar
    sample = "{at: deck.decks, equals: 1}"
    closed = only = tells_items = True

    def asked(self, value: Value, bound: Any) -> str:
        return _format_bound(value, bound)


class EqualsValue(_Equality):
    """The value is equal to the value at another path."""

    key = "equals-value"
    operand = SubmissionPath
    sample = "{at: .wager, equals-value: ..wager}"
    beside = tells_items = True

    def asked(self, value: Value, bound: Any) -> str:
        return _describe_other(value, None) if bound is None else text_of(bound, key_of(value.operand))


class EqualsList(_Equality, _NamedValues):
    """The list has exactly these items, in this order."""

    key = "equals-list"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: hand-order, equals-list: [straight, flush, pair]}"
    needs = "list"
    of_items = closed = only = True

    def asked(self, value: Value, bound: Any) -> str:
        items = ", ".join(str(item) for item in bound)
        return f"{items} alone" if len(bound) == 1 else f"in this order: {items}"


class OneOfThese(_NamedValues):
    """The value is one of these."""

    key = "one-of"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: dealing, one-of: [singly, in-packets]}"
    closed = True

    def fits(self, found: Any, bound: Any) -> bool:
        return any(same(found, permitted) for permitted in bound)

    def asked(self, value: Value, bound: Any) -> str:
        return " or ".join(_format_bound(value, item) for item in bound)


class _Ordering(ValueBound):
    """An operator that compares the order of two numbers, or of two days (texts that sort by date)."""

    compare: ClassVar[Callable[[Any, Any], bool]]
    """The comparison."""
    words: ClassVar[tuple[str, str]]
    """The comparison in words, for numbers and for days."""

    def fits(self, found: Any, bound: Any) -> bool:
        comparable = type(found) is type(bound) and isinstance(found, (int, str)) and not isinstance(found, bool)
        return comparable and type(self).compare(found, bound)

    def asked(self, value: Value, bound: Any) -> str:
        other = _describe_other(value, bound) if self.beside else _format_bound(value, bound)
        return f"{self.words[isinstance(bound, str)]} {other}"


class AtLeast(_Ordering):
    """The value is at least this."""

    key = "at-least"
    operand: ClassVar[Any] = int
    sample = "{at: layout.positions, at-least: 1}"
    needs = "number"
    compare, words = operator.ge, ("at least", "not before")


class AtMost(_Ordering):
    """The value is at most this."""

    key = "at-most"
    operand: ClassVar[Any] = int
    sample = "{at: hands-per-player, at-most: 2}"
    needs = "number"
    compare, words = operator.le, ("at most", "not after")


class AtMostValue(AtMost):
    """The value is at most the value at another path."""

    key = "at-most-value"
    operand = SubmissionPath
    sample = "{at: .minimum, at-most-value: .maximum}"
    needs, ordered, beside = "", True, True


class AtLeastValue(AtLeast):
    """The value is at least the value at another path."""

    key = "at-least-value"
    operand = SubmissionPath
    sample = "{at: .maximum, at-least-value: .minimum}"
    needs, ordered, beside = "", True, True


class MoreThanValue(_Ordering):
    """The value is more than the value at another path."""

    key = "more-than-value"
    operand = SubmissionPath
    sample = "{at: earlier.payout-limit.amount, more-than-value: payout-limit.amount}"
    ordered = beside = True
    compare, words = operator.gt, ("more than", "after")


class _Inclusion(ValueBound):
    """An operator that looks for one item in a list."""

    needs, of_items = "list", True

    def fits(self, found: Any, bound: Any) -> bool:
        return isinstance(found, list) and any(same(item, bound) for item in found)

    def asked(self, value: Value, bound: Any) -> str:
        return f"{quoted(key_of(value.at))} includes {self._item(value, bound)}"

    def stated(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        return f"{named(value.at)} {'does not include' if denied else 'includes'} {self._item(value, bound)}"

    def _item(self, value: Value, bound: Any) -> str:
        return _describe_other(value, bound) if self.beside else _format_bound(value, bound)


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
    beside = True

    def fits(self, found: Any, bound: Any) -> bool:
        return super().fits(found, bound) or (
            isinstance(found, list) and isinstance(bound, str) and any(reads(item, bound) for item in found)
        )


class Reads(_NamedValues):
    """The text is this one, ignoring case, spaces and hyphens."""

    key = "reads"
    operand = str
    sample = "{at: .legend, reads: main wager}"
    needs, tells_items = "text", True

    def fits(self, found: Any, bound: Any) -> bool:
        return isinstance(found, str) and reads(found.replace("-", ""), bound.replace("-", ""))

    def asked(self, value: Value, bound: Any) -> str:
        return f"“{bound}”"


class Worded(ValueBound):
    """The odds are printed in one of these wordings: `5 to 1`, `6 for 1`, `win 5`, `5:1` (`colon`), `push`,
    `10% of meter` (`percentage`), `$500` (`amount`)."""

    key = "worded"
    operand = Annotated[list[Wording], MinLen(1)]
    sample = "{at: .odds, worded: [to, win]}"
    needs = "payout"

    def fits(self, found: Any, bound: Any) -> bool:
        try:
            form = parse_payout(found).form if isinstance(found, str) else None
        except ValueError:
            return False
        return ("percentage" if form == "meter" else form) in bound

    def asked(self, value: Value, bound: Any) -> str:
        return f"worded {' or '.join(_WORDINGS[wording] for wording in bound)}"


class InList(ValueBound):
    """The text is in this list of the document, ignoring case and spaces. The answer is unknown on days on which the
    list is not in force."""

    key = "in-list"
    operand = ListName
    sample = "{at: ., in-list: permitted-games}"
    needs = "text"

    def fits(self, found: Any, bound: Any) -> bool:
        return any(reads(found, name) for name in bound)

    def held_against(self, view: View, operand: Any) -> Any:
        return view.regulation.document.lists[operand].items

    def answer(self, view: View, value: Value) -> Answer:
        from validator.engine.submission.answers import counts_on
        from validator.language.submission.answers import open_

        path = view.path(value.at)
        found = view.value(path)
        if found is None or counts_on(view.regulation.document.lists[value.operand], view.day):
            return super().answer(view, value)
        observed = f"{text_of(found)}; the list is not in force on {view.day.isoformat()}"
        return open_(path, self.asked(value, None), observed)

    def asked(self, value: Value, bound: Any) -> str:
        return f"an entry of the list {value.operand}"
