"""Statements made of what can be told apart: variables of whole numbers, and stretches of values that they may have.

A yes or no is a variable of two values, a choice among names one of as many. Denials are carried down to the
stretches, so that a formula has only three forms: a constant, an `Atom`, or a `Joint` of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, Union

from msgspec import Struct

FAR = 2**62
"""No variable has a value as large as this, or as small as its opposite."""

Span: TypeAlias = tuple[int, int]
"""Values from the first up to, not including, the second."""


class Variable(Struct, frozen=True, kw_only=True, eq=False):
    """Something that has one of several values, `low` up to `high`. Variables are the same where their keys are.

    `words` says of values (a `Span`) what it means that the variable has one of them; empty where that is not worth
    saying.
    """

    key: object
    low: int
    high: int
    words: Callable[[Span], str]


class Atom(Struct, frozen=True):
    """That a variable has a value within one of some spans, which stand in order and do not touch."""

    variable: Variable
    spans: tuple[Span, ...]


class Joint(Struct, frozen=True):
    """Formulas that must all be true (`every`), or of which one must."""

    every: bool
    parts: tuple[Formula, ...]


Formula: TypeAlias = Union[bool, Atom, Joint]  # noqa: UP007 - names a class that refers to it


def atom(variable: Variable, spans: Iterable[Span]) -> Formula:
    """That a variable has a value within some spans, which may reach into each other or beyond what it can be."""
    found: list[Span] = []
    for low, high in sorted((max(low, variable.low), min(high, variable.high)) for low, high in spans):
        if low >= high:
            continue
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    if not found:
        return False
    return True if found == [(variable.low, variable.high)] else Atom(variable, tuple(found))


def every(parts: Iterable[Formula]) -> Formula:
    """That all are true; of none, yes."""
    return _joint(True, parts)


def some(parts: Iterable[Formula]) -> Formula:
    """That one at least is true; of none, no."""
    return _joint(False, parts)


def _joint(all_: bool, parts: Iterable[Formula]) -> Formula:
    kept: list[Formula] = []
    for part in parts:
        if isinstance(part, bool):
            if part is not all_:
                return part
        elif isinstance(part, Joint) and part.every is all_:
            kept.extend(part.parts)
        else:
            kept.append(part)
    if len(kept) == 1:
        return kept[0]
    return Joint(all_, tuple(kept)) if kept else all_


def denied(formula: Formula) -> Formula:
    """That a formula is not true."""
    match formula:
        case bool():
            return not formula
        case Atom(variable, spans):
            ends = [variable.low, *(end for span in spans for end in span), variable.high]
            return atom(variable, zip(ends[::2], ends[1::2], strict=True))
        case Joint(all_, parts):
            return _joint(not all_, map(denied, parts))


def atoms(formula: Formula) -> Iterator[Atom]:
    """Every atom of a formula, in order."""
    match formula:
        case Atom():
            yield formula
        case Joint(_, parts):
            for part in parts:
                yield from atoms(part)
