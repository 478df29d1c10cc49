"""Whether there is anything of which a formula is true: values are tried in turn, as far as formulas tell them apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from validator.propositions.formula import Atom, Formula, Joint, Span, Variable, atoms, every, some

MOST_TRIALS = 20_000
"""So many values are tried before a search is given up."""

Values: TypeAlias = Mapping[object, tuple[Variable, Span]]
"""Values of variables, by the keys of these: those between which nothing in the formula tells."""
Consistent: TypeAlias = Callable[[Values], bool]
"""Whether values of several variables can go together."""


class Undecided(Exception):
    """A formula is too large to be searched."""


def example(formula: Formula, consistent: Consistent) -> Values | None:
    """Values with which a formula is true; of a variable that does not matter, none. None where there are no such
    values. Raises Undecided."""
    cuts: dict[object, set[int]] = {}
    for one in atoms(formula):
        ends = cuts.setdefault(one.variable.key, {one.variable.low, one.variable.high})
        ends.update(end for span in one.spans for end in span)
    cells = {key: _cells(sorted(ends)) for key, ends in cuts.items()}
    trials = [MOST_TRIALS]
    return _search(formula, {}, cells, consistent, trials)


def holds_ever(formula: Formula, consistent: Consistent) -> bool:
    """Whether a formula may be true; yes, where that is too much to find out."""
    try:
        return example(formula, consistent) is not None
    except Undecided:
        return True


def _cells(ends: Sequence[int]) -> list[Span]:
    return list(zip(ends, ends[1:], strict=False))


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
