"""Conditions on a submission: yes, no or unknown, and which places of the file make it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.submission.text import (
    NOT_STATED,
    bound_text,
    count_text,
    demanded,
    named,
    text_of,
)
from validator.engine.submission.values import fits
from validator.evidence.submission.view import EARLIER, NOTHING
from validator.language.submission import Counted, Distinct, Every, Some, SubmissionCondition, Value
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import NameList
from validator.text.trees.tree import Path
from validator.text.truth import NO, UNKNOWN, YES

__all__ = ["NOT_STATED", "Answer", "Reason", "View", "answer", "counts_on", "every"]


class Sought(Struct, frozen=True, kw_only=True):
    """An item that a list lacks: where the list stands, and the values by which the item would be known."""

    in_: Path
    values: tuple[tuple[str, str], ...]


class Reason(Struct, frozen=True, kw_only=True):
    """A place that makes a condition no or unknown: what was expected there and what stands there.

    `lacks` is the item of a list that is not there, where that is what is wrong.
    """

    path: Path
    expected: str
    observed: str
    lacks: Sought | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """NO, UNKNOWN or YES, with the reasons for the first two.

    `idle`: nothing that is stated was asked, such as no item of a list, so that a YES says nothing of the submission.
    """

    value: int
    reasons: tuple[Reason, ...] = ()
    idle: bool = False


class View(Struct, frozen=True, kw_only=True):
    """What a submission states (`evidence.stated`), seen from the items of lists that conditions have stepped into.

    `day` is that of the law it is held against: lists of names count on the days they are in force.
    """

    data: Mapping[str, Any]
    regulation: Regulation
    day: date
    items: tuple[Path, ...] = ()

    def within(self, path: Path) -> View:
        """The view from an item of a list."""
        return replace(self, items=(*self.items, path))

    def path(self, text: str) -> Path:
        """The place a dotted path names: from the root, or from the item that as many dots lead to."""
        keys = text.lstrip(".")
        dots = len(text) - len(keys)
        start = self.items[-dots] if 0 < dots <= len(self.items) else ()
        return (*start, *(keys.split(".") if keys else ()))

    def value(self, path: Path) -> Any:
        """What stands at a place, None where nothing does."""
        found: Any = self.data
        for part in path:
            if isinstance(found, Mapping):
                found = found.get(part)
            elif isinstance(found, list) and isinstance(part, int):
                found = found[part]
            else:
                return None
        return found

    def entries(self, path: Path) -> list[View] | None:
        """The views from the items of a list; None where no list stands. Where there is no earlier submission,
        its lists are empty."""
        if path[:1] == (EARLIER,) and EARLIER not in self.data:
            return []
        found = self.value(path)
        if found is NOTHING:
            return []
        if not isinstance(found, list):
            return None
        return [self.within((*path, index)) for index in range(len(found))]


def answer(view: View, condition: SubmissionCondition) -> Answer:
    """Whether a condition holds of a submission."""
    operand = condition.operand
    match condition.operator:
        case "all":
            return every([answer(view, part) for part in operand])
        case "any":
            return _any(view, operand)
        case "not":
            inner = answer(view, operand)
            path = next((reason.path for reason in inner.reasons), _first_path(view, operand))
            reason = Reason(path=path, expected=demanded(condition), observed=text_of(view.value(path), _key(path)))
            return Answer(value=YES - inner.value, reasons=() if inner.value == NO else (reason,), idle=inner.idle)
        case "value":
            return _value(view, operand)
        case "given":
            return _given(view, operand)
        case "every":
            return _each(view, operand)
        case "some":
            return _some(view, operand)
        case "distinct":
            return _distinct(view, operand)
        case "count":
            return _count(view, operand)
        case _:
            applies = view.regulation.applies(operand.name, operand.is_)
            reason = Reason(path=(), expected=demanded(condition), observed="another option is in force")
            return Answer(value=YES if applies else NO, reasons=() if applies else (reason,), idle=True)


def every(parts: Sequence[Answer]) -> Answer:
    """Whether all of several answers are yes; without any nothing was asked."""
    value = min((part.value for part in parts), default=YES)
    deciding = [part for part in parts if part.value == value]
    return Answer(
        value=value,
        reasons=tuple(one for part in deciding if value != YES for one in part.reasons),
        idle=all(part.idle for part in deciding),
    )


def _any(view: View, parts: Sequence[SubmissionCondition]) -> Answer:
    answers = [answer(view, part) for part in parts]
    best = max(part.value for part in answers)
    if best == YES:
        return Answer(value=YES, idle=all(part.idle for part in answers if part.value == YES))
    open_ = [
        (part, found)
        for part, found in zip(parts, answers, strict=True)
        if found.value == best and not _otherwise_read(view, part)
    ]
    reasons = list(dict.fromkeys(one for _, found in open_ for one in found.reasons))
    if not reasons:
        return Answer(value=best, reasons=answers[0].reasons[:1])
    if len({one.path for one in reasons}) == 1:
        expected, observed = " or ".join(dict.fromkeys(one.expected for one in reasons)), reasons[0].observed
    else:  # a value says nothing without the name of its place
        expected = "; or ".join(_demanded_of(view, part) for part, _ in open_)
        observed = "; ".join(dict.fromkeys(f"`{_key(one.path)}`: {one.observed}" for one in reasons))
    return Answer(value=best, reasons=(Reason(path=reasons[0].path, expected=expected, observed=observed),))


def _otherwise_read(view: View, condition: SubmissionCondition) -> bool:
    """Whether a condition is for a reading of the text that is not in force."""
    match condition.operator:
        case "reading":
            return not view.regulation.applies(condition.operand.name, condition.operand.is_)
        case "all":
            return any(part.operator == "reading" and _otherwise_read(view, part) for part in condition.operand)
        case _:
            return False


def _value(view: View, check: Value) -> Answer:
    path = view.path(check.at)
    found = view.value(path)
    bound = view.value(view.path(check.operand)) if check.operator.endswith("-value") else check.operand
    expected = bound_text(check, bound)
    if found is None:
        return _open(path, expected)
    if bound is None:
        return _open(view.path(check.operand), "a value")
    if check.operator == "in-list":
        listed = view.regulation.document.lists[check.operand]
        if not counts_on(listed, view.day):
            observed = f"{text_of(found)}; the list is not in force on {view.day.isoformat()}"
            return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=observed),))
        bound = listed.items
    if fits(check.operator, found, bound):
        return Answer(value=YES)
    return Answer(value=NO, reasons=(Reason(path=path, expected=expected, observed=text_of(found, _key(path))),))


def _open(path: Path, expected: str) -> Answer:
    """The answer where a place that matters is not stated."""
    return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=NOT_STATED),))


def counts_on(listed: NameList, day: date) -> bool:
    """Whether a list is in force on a day; first and last day count."""
    return (listed.from_ is None or listed.from_ <= day) and (listed.until is None or day <= listed.until)


def _given(view: View, text: str) -> Answer:
    path = view.path(text)
    found = view.value(path)
    if found in (None, NOTHING, [], {}):
        return Answer(value=NO, reasons=(Reason(path=path, expected=f"`{_key(path)}` stated", observed=NOT_STATED),))
    return Answer(value=YES)


def _each(view: View, check: Every) -> Answer:
    path = view.path(check.in_)
    entries = view.entries(path)
    if entries is None:
        return _open(path, f"`{_key(path)}`, of each entry: {demanded(check.must)}")
    parts: list[Answer] = []
    for inner in entries:
        spoken = YES if check.where is None else answer(inner, check.where).value
        holds = answer(inner, check.must)
        if spoken == YES:
            parts.append(holds)
        elif spoken == UNKNOWN and holds.value != YES:
            parts.append(Answer(value=UNKNOWN, reasons=holds.reasons))
    return every(parts)


def _some(view: View, check: Some) -> Answer:
    path = view.path(check.in_)
    entries = view.entries(path)
    expected = f"an entry in `{_key(path)}` whose {_demanded_of(view, check.where)}"
    if entries is None:
        return _open(path, expected)
    best = max((answer(inner, check.where).value for inner in entries), default=NO)
    if best == YES:
        return Answer(value=YES)
    around = view.items[-1] if view.items else path
    if best == UNKNOWN:
        return Answer(value=best, reasons=(Reason(path=around, expected=expected, observed=NOT_STATED),))
    lacks = Sought(in_=path, values=tuple(_sought(view.within(()), check.where)))
    return Answer(value=NO, reasons=(Reason(path=around, expected=expected, observed="no such entry", lacks=lacks),))


def _sought(item: View, condition: SubmissionCondition) -> Iterator[tuple[str, str]]:
    """The values that an item must have, by key; `item` stands for it."""
    operand = condition.operand
    if condition.operator == "all":
        for part in operand:
            yield from _sought(item, part)
    elif condition.operator == "value" and operand.operator in ("equals", "equals-value", "reads"):
        wanted = item.value(item.path(operand.operand)) if operand.operator == "equals-value" else operand.operand
        if isinstance(wanted, str):
            yield operand.at.lstrip("."), wanted


def _distinct(view: View, check: Distinct) -> Answer:
    path = view.path(check.in_)
    entries = view.entries(path)
    if entries is None:
        return _open(path, f"`{_key(path)}`, no two alike")
    if check.where is not None:
        entries = [inner for inner in entries if answer(inner, check.where).value != NO]
    expected = f"`{_key(entries[0].path(check.by) if entries else path)}` different from entry to entry"
    seen: set[str] = set()
    again: list[Reason] = []
    untold: list[Reason] = []
    for inner in entries:
        place = inner.path(check.by)
        value = inner.value(place)
        text = text_of(value)
        if value is None:
            untold.append(Reason(path=place, expected=expected, observed=NOT_STATED))
        elif text in seen and value is not NOTHING:
            again.append(Reason(path=place, expected=expected, observed=f"{text} again"))
        seen.add(text)
    if again:
        return Answer(value=NO, reasons=tuple(again))
    if len(entries) < 2:
        return Answer(value=YES, idle=True)
    return Answer(value=UNKNOWN, reasons=tuple(untold)) if untold else Answer(value=YES)


def _count(view: View, check: Counted) -> Answer:
    path = view.path(check.in_)
    entries = view.entries(path)
    bound = view.value(view.path(check.operand)) if check.operator == "equals-value" else check.operand
    expected = count_text(check, bound)
    if entries is None:
        return _open(path, expected)
    if bound is None:
        return _open(view.path(check.operand), "a number")
    counted = [YES if check.where is None else answer(inner, check.where).value for inner in entries]
    least = counted.count(YES)
    most = len(counted) - counted.count(NO)
    value = _within(check.operator, least, most, bound)
    if value == YES:
        return Answer(value=YES)
    observed = str(least) if least == most else f"{least} to {most}, as not all is stated"
    return Answer(value=value, reasons=(Reason(path=path, expected=expected, observed=observed),))


def _within(operator: str, least: int, most: int, bound: Any) -> int:
    """Whether a number that lies between two others is as a bound asks."""
    if not isinstance(bound, int) or isinstance(bound, bool):
        return NO
    fewest = bound if operator != "at-most" else 0
    highest = bound if operator != "at-least" else most
    if fewest <= least and most <= highest:
        return YES
    return NO if most < fewest or least > highest else UNKNOWN


def _demanded_of(view: View, condition: SubmissionCondition) -> str:
    """What a condition on an item asks for as the text is read, values of the items around it filled in."""
    match condition.operator:
        case "all":
            parts = [part for part in condition.operand if part.operator != "reading"]
            return " and ".join(_demanded_of(view, part) for part in parts)
        case "any":
            parts = [part for part in condition.operand if not _otherwise_read(view, part)]
            return " or ".join(_demanded_of(view, part) for part in parts)
        case "value" if condition.operand.operator.endswith("-value"):
            check = condition.operand
            inner = view.within(())  # stands for the item that is sought
            return f"{named(check.at)} is {bound_text(check, inner.value(inner.path(check.operand)))}"
        case _:
            return demanded(condition)


def _first_path(view: View, condition: SubmissionCondition) -> Path:
    """Some place a condition looks at, for findings on what should not be so."""
    match condition.operator:
        case "all" | "any":
            return _first_path(view, condition.operand[0])
        case "not":
            return _first_path(view, condition.operand)
        case "value":
            return view.path(condition.operand.at)
        case "given":
            return view.path(condition.operand)
        case "reading":
            return ()
        case _:
            return view.path(condition.operand.in_)


def _key(path: Path) -> str:
    """The key a place stands under, or the list it is an item of."""
    return next((part for part in reversed(path) if isinstance(part, str)), "submission")
