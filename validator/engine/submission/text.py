"""Conditions on a submission in words: what they ask for, and what stands there."""

from __future__ import annotations

from typing import Any

from validator.evidence.submission.view import Nothing, keys_of_money
from validator.language.submission import Counted, SubmissionCondition, Value
from validator.text.values.money import format_money

NOT_STATED = "not stated"

_WORDINGS = {
    "to": "with `to`",
    "for": "with `for`",
    "win": "with `win`",
    "colon": "with a colon",
    "push": "as a push",
    "meter": "as a percentage of a meter",
    "amount": "as an amount",
}


def demanded(condition: SubmissionCondition) -> str:
    """What a condition asks for."""
    operand = condition.operand
    match condition.operator:
        case "all":
            return " and ".join(demanded(part) for part in operand)
        case "any":
            return " or ".join(demanded(part) for part in operand)
        case "not" if operand.operator == "given":
            return f"{named(operand.operand)} not stated"
        case "not" if operand.operator == "value":
            return _value(operand.operand, _IS_NOT)
        case "not":
            return f"not {demanded(operand)}"
        case "value":
            return _value(operand, _IS)
        case "given":
            return f"{named(operand)} stated"
        case "every":
            return f"each entry in {named(operand.in_)}: {demanded(operand.must)}"
        case "some":
            return f"an entry in {named(operand.in_)} whose {demanded(operand.where)}"
        case "distinct":
            return distinct_text(operand.in_, operand.by)
        case "count":
            return count_text(operand, None)
        case _:
            return f"the reading {operand.name}: {operand.is_}"


def _value(check: Value, is_: tuple[str, str]) -> str:
    """A value held against its bound; `is_` are the words for what it is, and for what a list has among its items."""
    plain, having = is_
    match check.operator:
        case "includes":
            return f"{named(check.at)} {having} {text_of(check.operand, key_of(check.at))}"
        case "includes-value":
            return f"{named(check.at)} {having} the {named(check.operand)}"
        case _:
            bound = None if check.operator.endswith("-value") else check.operand
            return f"{named(check.at)} {plain} {bound_text(check, bound)}"


_IS, _IS_NOT = ("is", "with"), ("is not", "without")


def bound_text(check: Value, bound: Any) -> str:
    """What a value must be, with the bound where it is known: that of another place may not be."""
    key = key_of(check.at)
    if check.operator.endswith("-value"):
        return _beside(check, bound)
    match check.operator:
        case "equals-list":
            return f"in this order: {', '.join(str(item) for item in bound)}"
        case "one-of":
            return " or ".join(text_of(item, key) for item in bound)
        case "at-least":
            return f"at least {text_of(bound, key)}"
        case "at-most":
            return f"at most {text_of(bound, key)}"
        case "includes":
            return f"with {text_of(bound, key)}"
        case "reads":
            return f"“{bound}”"
        case "worded":
            return f"worded {' or '.join(_WORDINGS[one] for one in bound)}"
        case "in-list":
            return f"one of the list {check.operand}"
        case _:
            return text_of(bound, key)


def _beside(check: Value, bound: Any) -> str:
    """What a value must be that is held against another."""
    stands = text_of(bound, key_of(check.operand))
    other = f"the {named(check.operand)}" + ("" if bound is None else f", {stands}")
    of_days = isinstance(bound, str)
    match check.operator:
        case "equals-value":
            return other if bound is None else stands
        case "at-least-value":
            return f"{'not before' if of_days else 'at least'} {other}"
        case "at-most-value":
            return f"{'not after' if of_days else 'at most'} {other}"
        case "more-than-value":
            return f"{'after' if of_days else 'more than'} {other}"
        case _:
            return f"with {other}"


def count_text(check: Counted, bound: Any) -> str:
    """How many entries a list must have; `bound` is the number that another place states, if that is asked."""
    of = "" if check.where is None else f" whose {demanded(check.where)}"
    match check.operator:
        case "equals":
            many = str(check.operand)
        case "at-least":
            many = f"at least {check.operand}"
        case "at-most":
            many = f"at most {check.operand}"
        case _:
            many = f"as many as {named(check.operand)} says"
            many += "" if bound is None else f", {text_of(bound)}"
    return f"entries in {named(check.in_)}{of}: {many}"


def distinct_text(where: str, by: str) -> str:
    """That no two items of a list may agree."""
    alike = f"no two of {named(where)} alike"
    return alike if by.strip(".") == "" else f"{alike} in {named(by)}"


def named(path: str) -> str:
    """A place as a sentence names it."""
    name = path.lstrip(".")
    return f"`{name}`" if name else "it"


def key_of(path: str) -> str:
    """The last key of a dotted path."""
    return path.rpartition(".")[2]


def text_of(value: Any, key: str = "") -> str:
    """A value as it stands under a key; money in major units."""
    match value:
        case None:
            return NOT_STATED
        case True:
            return "yes"
        case False:
            return "no"
        case int() if key in keys_of_money():
            return format_money(value)
        case Nothing():
            return str(value.value)
        case list():
            return ", ".join(_item(item) for item in value) or "none"
        case dict():
            return _item(value)
        case _:
            return str(value)


def _item(item: Any) -> str:
    if isinstance(item, dict):
        return f"({', '.join(f'{key}: {text_of(part, key)}' for key, part in item.items())})"
    return text_of(item)
