"""Values of a submission held against what is allowed."""

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


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal: to Python, yes and 1 are."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def reads(found: Any, text: str) -> bool:
    """Whether a value is a text, large and small letters and blanks not being looked at."""
    return isinstance(found, str) and letters_of(found) == letters_of(text)


def letters_of(text: str) -> str:
    """A text without blanks, large and small letters being one."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _as_read(value: Value, bound: Any) -> str:
    return text_of(bound, key_of(value.at))


def _other(value: Value, bound: Any) -> str:
    """The place of another value, with what it states where that is known."""
    return f"the {named(value.operand)}" + ("" if bound is None else f", {text_of(bound, key_of(value.operand))}")


class _Naming(ValueBound):
    """Names values to look for: its operand, or each item of that."""

    def names(self, operand: Any) -> Sequence[Any]:
        return list(operand) if isinstance(operand, list) else [operand]


class _Same(ValueBound):
    """Asks for equality."""

    def fits(self, found: Any, bound: Any) -> bool:
        return same(found, bound)


class Equals(_Same, _Naming):
    """It must be this."""

    key = "equals"
    operand = Scalar
    sample = "{at: deck.decks, equals: 1}"
    closed = only = tells_items = True

    def asked(self, value: Value, bound: Any) -> str:
        return _as_read(value, bound)


class EqualsValue(_Same):
    """It must be the same as the value at another place."""

    key = "equals-value"
    operand = SubmissionPath
    sample = "{at: .wager, equals-value: ..wager}"
    beside = tells_items = True

    def asked(self, value: Value, bound: Any) -> str:
        return _other(value, None) if bound is None else text_of(bound, key_of(value.operand))


class EqualsList(_Same, _Naming):
    """The list must have exactly these items, in this order."""

    key = "equals-list"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: hand-order, equals-list: [straight, flush, pair]}"
    needs = "list"
    of_items = closed = only = True

    def asked(self, value: Value, bound: Any) -> str:
        items = ", ".join(str(item) for item in bound)
        return f"{items} alone" if len(bound) == 1 else f"in this order: {items}"


class OneOfThese(_Naming):
    """It must be one of these."""

    key = "one-of"
    operand = Annotated[list[Scalar], MinLen(1)]
    sample = "{at: dealing, one-of: [singly, in-packets]}"
    closed = True

    def fits(self, found: Any, bound: Any) -> bool:
        return any(same(found, one) for one in bound)

    def asked(self, value: Value, bound: Any) -> str:
        return " or ".join(_as_read(value, item) for item in bound)


class _Ordering(ValueBound):
    """Which of two values is more: of two numbers, or of two texts (days are texts that stand in order). `words` are
    those for numbers and for days."""

    compare: ClassVar[Callable[[Any, Any], bool]]
    words: ClassVar[tuple[str, str]]

    def fits(self, found: Any, bound: Any) -> bool:
        comparable = type(found) is type(bound) and isinstance(found, (int, str)) and not isinstance(found, bool)
        return comparable and type(self).compare(found, bound)

    def asked(self, value: Value, bound: Any) -> str:
        other = _other(value, bound) if self.beside else _as_read(value, bound)
        return f"{self.words[isinstance(bound, str)]} {other}"


class AtLeast(_Ordering):
    """It must not be less."""

    key = "at-least"
    operand: ClassVar[Any] = int
    sample = "{at: layout.positions, at-least: 1}"
    needs = "number"
    compare, words = operator.ge, ("at least", "not before")


class AtMost(_Ordering):
    """It must not be more."""

    key = "at-most"
    operand: ClassVar[Any] = int
    sample = "{at: hands-per-player, at-most: 2}"
    needs = "number"
    compare, words = operator.le, ("at most", "not after")


class AtMostValue(AtMost):
    """It must not be more than the value at another place."""

    key = "at-most-value"
    operand = SubmissionPath
    sample = "{at: .minimum, at-most-value: .maximum}"
    needs, ordered, beside = "", True, True


class AtLeastValue(AtLeast):
    """It must not be less than the value at another place."""

    key = "at-least-value"
    operand = SubmissionPath
    sample = "{at: .maximum, at-least-value: .minimum}"
    needs, ordered, beside = "", True, True


class MoreThanValue(_Ordering):
    """It must be more than the value at another place."""

    key = "more-than-value"
    operand = SubmissionPath
    sample = "{at: earlier.payout-limit.amount, more-than-value: payout-limit.amount}"
    ordered = beside = True
    compare, words = operator.gt, ("more than", "after")


class _Including(ValueBound):
    """A list held against one item."""

    needs, of_items = "list", True

    def fits(self, found: Any, bound: Any) -> bool:
        return isinstance(found, list) and any(same(one, bound) for one in found)

    def asked(self, value: Value, bound: Any) -> str:
        return f"{quoted(key_of(value.at))} includes {self._item(value, bound)}"

    def stated(self, value: Value, bound: Any, *, denied: bool = False) -> str:
        return f"{named(value.at)} {'does not include' if denied else 'includes'} {self._item(value, bound)}"

    def _item(self, value: Value, bound: Any) -> str:
        return _other(value, bound) if self.beside else _as_read(value, bound)


class Includes(_Including, _Naming):
    """The list must have this among its items."""

    key = "includes"
    operand = Scalar
    sample = "{at: .posted, includes: layout}"


class IncludesValue(_Including):
    """The list must have the value at another place among its items, texts as in `reads`."""

    key = "includes-value"
    operand = SubmissionPath
    sample = "{at: deck.backs, includes-value: deck.cover-card.colour}"
    beside = True

    def fits(self, found: Any, bound: Any) -> bool:
        return super().fits(found, bound) or (
            isinstance(found, list) and isinstance(bound, str) and any(reads(one, bound) for one in found)
        )


class Reads(_Naming):
    """The text must be this one, large and small letters, blanks and hyphens not being looked at."""

    key = "reads"
    operand = str
    sample = "{at: .legend, reads: main wager}"
    needs, tells_items = "text", True

    def fits(self, found: Any, bound: Any) -> bool:
        return isinstance(found, str) and reads(found.replace("-", ""), bound.replace("-", ""))

    def asked(self, value: Value, bound: Any) -> str:
        return f"“{bound}”"


class Worded(ValueBound):
    """The odds must be printed in one of these wordings: `5 to 1`, `6 for 1`, `win 5`, `5:1` (`colon`), `push`,
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
        return f"worded {' or '.join(_WORDINGS[one] for one in bound)}"


class InList(ValueBound):
    """The text must stand in this list of the document, large and small letters and blanks not being looked at.
    On days on which the list is not in force the answer is unknown."""

    key = "in-list"
    operand = ListName
    sample = "{at: ., in-list: permitted-games}"
    needs = "text"

    def fits(self, found: Any, bound: Any) -> bool:
        return any(reads(found, one) for one in bound)

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
        return f"one of the list {value.operand}"
