"""Formulas over variables of whole numbers and ranges of their values.

A yes or no is a variable with two values, a choice among names one with as many. Negation is pushed down to the ranges,
so a formula is a constant, an `Atom`, or a `Junction` of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, Union

from msgspec import Struct

FAR = 2**62
"""Bound beyond the value of any variable, positive or negative."""

Span: TypeAlias = tuple[int, int]
"""Range of values; the end is exclusive."""


class Variable(Struct, frozen=True, kw_only=True, eq=False):
    """Variable with whole values. Variables are the same if their keys are."""

    key: object
    """Identity of the variable."""
    low: int
    """Lowest value."""
    high: int
    """End of the values, exclusive."""
    words: Callable[[Span], str]
    """Describes values of the variable; empty if not worth stating."""


class Atom(Struct, frozen=True):
    """Statement that a variable has a value in one of some ranges."""

    variable: Variable
    """The variable."""
    spans: tuple[Span, ...]
    """Ranges, in order and not adjacent."""


class Joint(Struct, frozen=True):
    """Formulas that must all be true, or of which one must be."""

    every: bool
    """True for a conjunction, false for a disjunction."""
    parts: tuple[Formula, ...]
    """The formulas."""


Formula: TypeAlias = Union[bool, Atom, Joint]  # noqa: UP007 - names a class that refers to it


def atom(variable: Variable, spans: Iterable[Span]) -> Formula:
    """Make the statement that a variable has a value in some ranges, which may overlap or exceed its bounds."""
    merged: list[Span] = []
    for low, high in sorted((max(low, variable.low), min(high, variable.high)) for low, high in spans):
        if low >= high:
            continue
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    if not merged:
        return False
    return True if merged == [(variable.low, variable.high)] else Atom(variable, tuple(merged))


def every(parts: Iterable[Formula]) -> Formula:
    """Make the conjunction of some formulas; of none, true."""
    return _join(True, parts)


def some(parts: Iterable[Formula]) -> Formula:
    """Make the disjunction of some formulas; of none, false."""
    return _join(False, parts)


def _join(all_: bool, parts: Iterable[Formula]) -> Formula:
    remaining: list[Formula] = []
    for part in parts:
        if isinstance(part, bool):
            if part is not all_:
                return part
        elif isinstance(part, Joint) and part.every is all_:
            remaining.extend(part.parts)
        else:
            remaining.append(part)
    if len(remaining) == 1:
        return remaining[0]
    return Joint(all_, tuple(remaining)) if remaining else all_


def denied(formula: Formula) -> Formula:
    """Negate a formula."""
    match formula:
        case bool():
            return not formula
        case Atom(variable, spans):
            ends = [variable.low, *(end for span in spans for end in span), variable.high]
            return atom(variable, zip(ends[::2], ends[1::2], strict=True))
        case Joint(all_, parts):
            return _join(not all_, map(denied, parts))


def atoms(formula: Formula) -> Iterator[Atom]:
    """Yield every atom of a formula, in order."""
    match formula:
        case Atom():
            yield formula
        case Joint(_, parts):
            for part in parts:
                yield from atoms(part)
