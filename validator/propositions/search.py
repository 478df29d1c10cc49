"""Whether there is anything of which a formula is true: values are tried in turn, as far as it tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from validator.propositions.formula import Atom, Formula, Joint, Span, Variable, atoms, denied, every, some

MOST_TRIALS = 20_000
"""So many values are tried before a search is given up."""

Values: TypeAlias = Mapping[object, tuple[Variable, Span]]
"""Values of variables, by the keys of these: those between which nothing in the formula tells."""
Consistent: TypeAlias = Callable[[Values], bool]
"""Whether values of several variables can go together."""


class Undecided(Exception):
    """A formula is too large to be searched."""


def may_be(formula: Formula, consistent: Consistent) -> bool:
    """Whether there are values with which a formula is true; yes, where that is too much to find out."""
    try:
        return _search(formula, {}, _told_apart(formula), consistent, [MOST_TRIALS]) is not None
    except Undecided:
        return True


def example(formula: Formula, consistent: Consistent) -> Values | None:
    """Values with which a formula is true, of as few variables as that takes. None where there are no such values.
    Raises Undecided."""
    cells, trials = _told_apart(formula), [MOST_TRIALS]
    found = _search(formula, {}, cells, consistent, trials)
    return found if found is None else _few(formula, found, cells, trials)


def _few(formula: Formula, values: Values, cells: Mapping[object, Sequence[Span]], trials: list[int]) -> Values:
    """Values without those whose variables may have any, the others being as they are."""
    kept = dict(values)
    for key in values:
        others = {other: value for other, value in kept.items() if other != key}
        left = formula
        for other, (_, cell) in others.items():
            left = _given(left, other, cell)
        if _search(denied(left), {}, cells, lambda _: True, trials) is None:
            kept = others
    return kept


def _told_apart(formula: Formula) -> Mapping[object, Sequence[Span]]:
    """The stretches of values of each variable that a formula tells from each other, by the keys of variables."""
    cuts: dict[object, set[int]] = {}
    for one in atoms(formula):
        ends = cuts.setdefault(one.variable.key, {one.variable.low, one.variable.high})
        ends.update(end for span in one.spans for end in span)
    return {key: _cells(sorted(ends)) for key, ends in cuts.items()}


def _cells(ends: Sequence[int]) -> list[Span]:
    """Stretches between which nothing tells, the highest first: yes before no."""
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
    chosen = _first(formula)
    for cell in cells[chosen.variable.key]:
        trials[0] -= 1
        if trials[0] < 0:
            raise Undecided
        tried = {**values, chosen.variable.key: (chosen.variable, cell)}
        left = _given(formula, chosen.variable.key, cell)
        if left is not False and consistent(tried):
            found = _search(left, tried, cells, consistent, trials)
            if found is not None:
                return found
    return None


def _first(formula: Atom | Joint) -> Atom:
    """The atom to go on with: one that must be true where there is such a one."""
    while isinstance(formula, Joint):
        parts = [part for part in formula.parts if not isinstance(part, bool)]
        formula = next((part for part in parts if isinstance(part, Atom)), parts[0])
    return formula


def _given(formula: Formula, key: object, cell: Span) -> Formula:
    """What is left of a formula once a variable has one of these values."""
    match formula:
        case Atom(variable, spans):
            if variable.key != key:
                return formula
            return any(low <= cell[0] and cell[1] <= high for low, high in spans)
        case Joint(all_, parts):
            return (every if all_ else some)(_given(part, key, cell) for part in parts)
        case _:
            return formula
