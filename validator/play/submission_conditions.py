"""Conditions on a submission: yes, no or unknown, and which places of the file make it so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from validator.rulebook.language.submitted import Distinct, Every, Some, SubmissionCondition, Value
from validator.rulebook.regulation import Regulation
from validator.text.tree import Path
from validator.truth import NO, UNKNOWN, YES

NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A place that makes a condition no or unknown: what was expected there and what stands there."""

    path: Path
    expected: str
    observed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """NO, UNKNOWN or YES, with the reasons for the first two."""

    value: int
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The submission as plain data, seen from the items of lists that conditions have stepped into."""

    data: Any
    regulation: Regulation
    items: tuple[Path, ...] = ()

    def within(self, path: Path) -> View:
        """The view from an item of a list."""
        return View(data=self.data, regulation=self.regulation, items=(*self.items, path))

    def path(self, text: str) -> Path:
        """The place a dotted path names: from the root, or from the item that as many dots lead to."""
        dots = len(text) - len(text.lstrip("."))
        start = self.items[-dots] if dots else ()
        return (*start, *text.lstrip(".").split("."))

    def value(self, path: Path) -> Any:
        """What stands at a place, None where nothing does."""
        found = self.data
        for part in path:
            if isinstance(found, dict):
                found = found.get(part)
            elif isinstance(found, list) and isinstance(part, int):
                found = found[part]
            else:
                return None
        return found


def answer(view: View, condition: SubmissionCondition) -> Answer:
    """Whether a condition holds of a submission."""
    operand = condition.operand
    match condition.operator:
        case "all":
            return _every([answer(view, part) for part in operand])
        case "any":
            return _any(view, operand)
        case "not":
            inner = answer(view, operand)
            path = next((reason.path for reason in inner.reasons), _first_path(view, operand))
            reason = Reason(path=path, expected=f"not {demanded(operand)}", observed=_text(view.value(path)))
            return Answer(value=YES - inner.value, reasons=() if inner.value == NO else (reason,))
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
        case _:
            applies = view.regulation.applies(operand.name, operand.is_)
            reason = Reason(path=(), expected=demanded(condition), observed="another option is in force")
            return Answer(value=YES) if applies else Answer(value=NO, reasons=(reason,))


def _every(parts: Sequence[Answer]) -> Answer:
    value = min(part.value for part in parts)
    return Answer(
        value=value, reasons=tuple(one for part in parts if part.value == value != YES for one in part.reasons)
    )


def _any(view: View, parts: Sequence[SubmissionCondition]) -> Answer:
    answers = [answer(view, part) for part in parts]
    best = max(part.value for part in answers)
    if best == YES:
        return Answer(value=YES)
    reasons = [one for part in answers if part.value == best for one in part.reasons if one.path]
    first = reasons[0] if reasons else answers[0].reasons[0]
    expected = " or ".join(dict.fromkeys(one.expected for one in reasons)) or first.expected
    return Answer(value=best, reasons=(Reason(path=first.path, expected=expected, observed=first.observed),))


def _value(view: View, check: Value) -> Answer:
    path = view.path(check.at)
    found = view.value(path)
    if check.operator in ("equals-value", "at-most-value"):
        bound = view.value(view.path(check.operand))
    else:
        bound = check.operand
    expected = _bound(check, bound)
    if found is None:
        return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=NOT_STATED),))
    if bound is None:
        other = view.path(check.operand)
        return Answer(value=UNKNOWN, reasons=(Reason(path=other, expected="a value", observed=NOT_STATED),))
    if _fits(check.operator, found, bound):
        return Answer(value=YES)
    return Answer(value=NO, reasons=(Reason(path=path, expected=expected, observed=_text(found)),))


def _fits(operator: str, found: Any, bound: Any) -> bool:
    match operator:
        case "equals" | "equals-value" | "equals-list":
            return bool(found == bound)
        case "one-of":
            return found in bound
        case "at-least":
            return bool(found >= bound)
        case "at-most" | "at-most-value":
            return bool(found <= bound)
        case _:
            return bound in found


def _given(view: View, text: str) -> Answer:
    path = view.path(text)
    found = view.value(path)
    if found is None or found in ([], {}):
        return Answer(value=NO, reasons=(Reason(path=path, expected=f"`{path[-1]}` stated", observed=NOT_STATED),))
    return Answer(value=YES)


def _each(view: View, check: Every) -> Answer:
    path = view.path(check.in_)
    items = view.value(path)
    if items is None:
        expected = f"`{path[-1]}`, of each entry: {demanded(check.must)}"
        return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=NOT_STATED),))
    parts = [Answer(value=YES)]
    for inner in _items(view, path, len(items)):
        spoken = YES if check.where is None else answer(inner, check.where).value
        holds = answer(inner, check.must)
        if spoken == YES:
            parts.append(holds)
        elif spoken == UNKNOWN and holds.value != YES:
            parts.append(Answer(value=UNKNOWN, reasons=holds.reasons))
    return _every(parts)


def _some(view: View, check: Some) -> Answer:
    path = view.path(check.in_)
    items = view.value(path)
    expected = f"an entry in `{path[-1]}` whose {_demanded_of(view, check.where)}"
    if items is None:
        return Answer(value=UNKNOWN, reasons=(Reason(path=path, expected=expected, observed=NOT_STATED),))
    best = max((answer(inner, check.where).value for inner in _items(view, path, len(items))), default=NO)
    if best == YES:
        return Answer(value=YES)
    around = view.items[-1] if view.items else path
    observed = "no such entry" if best == NO else NOT_STATED
    return Answer(value=best, reasons=(Reason(path=around, expected=expected, observed=observed),))


def _distinct(view: View, check: Distinct) -> Answer:
    path = view.path(check.in_)
    items = view.value(path)
    if items is None:
        reason = Reason(path=path, expected=f"`{path[-1]}`, no two alike", observed=NOT_STATED)
        return Answer(value=UNKNOWN, reasons=(reason,))
    seen: set[str] = set()
    reasons: list[Reason] = []
    for inner in _items(view, path, len(items)):
        place = inner.path(check.by)
        text = _text(inner.value(place))
        if text in seen:
            reasons.append(
                Reason(path=place, expected=f"`{place[-1]}` different from entry to entry", observed=f"{text} again")
            )
        seen.add(text)
    return Answer(value=NO if reasons else YES, reasons=tuple(reasons))


def _items(view: View, path: Path, count: int) -> Iterator[View]:
    for index in range(count):
        yield view.within((*path, index))


def demanded(condition: SubmissionCondition) -> str:
    """What a condition asks for, in words."""
    operand = condition.operand
    match condition.operator:
        case "all":
            return " and ".join(demanded(part) for part in operand)
        case "any":
            return " or ".join(demanded(part) for part in operand)
        case "not":
            return f"not {demanded(operand)}"
        case "value":
            return f"`{_name(operand.at)}` is {_bound(operand, operand.operand)}"
        case "given":
            return f"`{_name(operand)}` stated"
        case "every":
            return f"each entry in `{_name(operand.in_)}`: {demanded(operand.must)}"
        case "some":
            return f"an entry in `{_name(operand.in_)}` whose {demanded(operand.where)}"
        case "distinct":
            return f"no two of `{_name(operand.in_)}` alike in `{_name(operand.by)}`"
        case _:
            return f"the reading {operand.name}: {operand.is_}"


def _demanded_of(view: View, condition: SubmissionCondition) -> str:
    """What a condition on an item asks for, values of the items around it filled in."""
    if condition.operator == "value" and condition.operand.operator == "equals-value":
        check = condition.operand
        inner = view.within(())  # stands for the item that is sought
        return f"`{_name(check.at)}` is {_text(inner.value(inner.path(check.operand)))}"
    return demanded(condition)


def _bound(check: Value, bound: Any) -> str:
    match check.operator:
        case "equals" | "equals-value":
            return _text(bound)
        case "equals-list":
            return f"in this order: {', '.join(str(item) for item in bound)}"
        case "one-of":
            return " or ".join(str(item) for item in bound)
        case "at-least":
            return f"at least {_text(bound)}"
        case "at-most":
            return f"at most {_text(bound)}"
        case "at-most-value":
            return f"at most the `{_name(check.operand)}`, {_text(bound)}"
        case _:
            return f"with {_text(bound)}"


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


def _name(path: str) -> str:
    return path.lstrip(".")


def _text(value: Any) -> str:
    match value:
        case None:
            return NOT_STATED
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(str(item) for item in value) or "none"
        case _:
            return str(value)
