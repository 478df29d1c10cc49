"""Search for values that make a formula true: values are tried in turn, one for each range that the formula
distinguishes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from validator.propositions.formula import Atom, Formula, Joint, Span, Variable, atoms, denied, every, some

MOST_TRIALS = 20_000
"""Most values that are tried before a search is abandoned."""

Values: TypeAlias = Mapping[object, tuple[Variable, Span]]
"""Values of variables, by their keys: ranges that the formula does not divide."""
Consistent: TypeAlias = Callable[[Values], bool]
"""Returns whether values of several variables can occur together."""


class Undecided(Exception):
    """Formula that is too large to be searched."""


def may_be(formula: Formula, consistent: Consistent) -> bool:
    """Return whether some values may make a formula true; also true if the search is too large."""
    try:
        return _search(formula, {}, _find_cells(formula), consistent, [MOST_TRIALS]) is not None
    except Undecided:
        return True


def example(formula: Formula, consistent: Consistent) -> Values | None:
    """Find values that make a formula true, of as few variables as possible; None if there are none.

    Raises SearchLimitError.
    """
    cells, trials = _find_cells(formula), [MOST_TRIALS]
    values = _search(formula, {}, cells, consistent, trials)
    return values if values is None else _drop_free_values(formula, values, cells, trials)


def _drop_free_values(
    formula: Formula, values: Values, cells: Mapping[object, Sequence[Span]], trials: list[int]
) -> Values:
    """Return values without those of variables that may have any value, given the others."""
    kept = dict(values)
    for key in values:
        others = {other: value for other, value in kept.items() if other != key}
        rest = formula
        for other, (_, cell) in others.items():
            rest = _substitute(rest, other, cell)
        if _search(denied(rest), {}, cells, lambda _: True, trials) is None:
            kept = others
    return kept


def _find_cells(formula: Formula) -> Mapping[object, Sequence[Span]]:
    """Return the ranges of values of each variable that a formula distinguishes, by the keys of variables."""
    cuts: dict[object, set[int]] = {}
    for statement in atoms(formula):
        ends = cuts.setdefault(statement.variable.key, {statement.variable.low, statement.variable.high})
        ends.update(end for span in statement.spans for end in span)
    return {key: _list_ranges(sorted(ends)) for key, ends in cuts.items()}


def _list_ranges(ends: Sequence[int]) -> list[Span]:
    """Return the ranges between consecutive ends, the highest first: yes before no."""
    return [*pairwise(ends)][::-1]


def _search(
    formula: Formula,
    values: dict[object, tuple[Variable, Span]],
    cells: Mapping[object, Sequence[Span]],
    consistent: Consistent,
    trials: list[int],
) -> Values | None:
    if isinstance(formula, bool):
        return values if formula else None
    chosen = _choose_atom(formula)
    for cell in cells[chosen.variable.key]:
        trials[0] -= 1
        if trials[0] < 0:
            raise Undecided
        tried = {**values, chosen.variable.key: (chosen.variable, cell)}
        rest = _substitute(formula, chosen.variable.key, cell)
        if rest is not False and consistent(tried):
            solution = _search(rest, tried, cells, consistent, trials)
            if solution is not None:
                return solution
    return None


def _choose_atom(formula: Atom | Joint) -> Atom:
    """Return the atom to try next: one that must be true, if any."""
    while isinstance(formula, Joint):
        parts = [part for part in formula.parts if not isinstance(part, bool)]
        formula = next((part for part in parts if isinstance(part, Atom)), parts[0])
    return formula


def _substitute(formula: Formula, key: object, cell: Span) -> Formula:
    """Return the rest of a formula after a variable has a value in a range."""
    match formula:
        case Atom(variable, spans):
            if variable.key != key:
                return formula
            return any(low <= cell[0] and cell[1] <= high for low, high in spans)
        case Joint(all_, parts):
            return (every if all_ else some)(_substitute(part, key, cell) for part in parts)
        case _:
            return formula
