"""Formulas over variables of whole numbers, the search for values that make one true, and the interface of builders.

A yes or no is a variable with two values, a choice among names one with as many. Negation is pushed down to the ranges,
so a formula is a constant, an `Atom`, or a `Junction` of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Protocol, TypeAlias, Union

from msgspec import Struct

from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.rules.game_model import Game

VALUE_LIMIT = 2**62
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
    describe: Callable[[Span], str]
    """Describes values of the variable; empty if not worth stating."""


class Atom(Struct, frozen=True):
    """Statement that a variable has a value in one of some ranges."""

    variable: Variable
    """The variable."""
    spans: tuple[Span, ...]
    """Ranges, in order and not adjacent."""


class Junction(Struct, frozen=True, cache_hash=True):
    """Formulas that must all be true, or of which one must be."""

    is_conjunction: bool
    """True for a conjunction, false for a disjunction."""
    parts: tuple[Formula, ...]
    """The formulas: no constants, and no junction of the same kind."""
    keys: frozenset[object]
    """Keys of the variables in the formulas."""


Formula: TypeAlias = Union[bool, Atom, Junction]  # noqa: UP007 - names a class that refers to it


def make_atom(variable: Variable, spans: Iterable[Span]) -> Formula:
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


def conjoin(parts: Iterable[Formula]) -> Formula:
    """Make the conjunction of some formulas; of none, true."""
    return _join(True, parts)


def disjoin(parts: Iterable[Formula]) -> Formula:
    """Make the disjunction of some formulas; of none, false."""
    return _join(False, parts)


def _join(all_: bool, parts: Iterable[Formula]) -> Formula:
    remaining: list[Formula] = []
    for part in parts:
        if isinstance(part, Junction):
            if part.is_conjunction is all_:
                remaining.extend(part.parts)
            else:
                remaining.append(part)
        elif isinstance(part, Atom):
            remaining.append(part)
        elif part is not all_:
            return part
    if len(remaining) == 1:
        return remaining[0]
    return Junction(all_, tuple(remaining), _collect_keys(remaining)) if remaining else all_


def _collect_keys(parts: Iterable[Formula]) -> frozenset[object]:
    keys = set[object]()
    for part in parts:
        if isinstance(part, Junction):
            keys |= part.keys
        elif isinstance(part, Atom):
            keys.add(part.variable.key)
    return frozenset(keys)


def negate(formula: Formula) -> Formula:
    """Negate a formula."""
    if isinstance(formula, Junction):
        return _join(not formula.is_conjunction, map(negate, formula.parts))
    if isinstance(formula, Atom):
        variable = formula.variable
        ends = [variable.low, *(end for span in formula.spans for end in span), variable.high]
        return make_atom(variable, zip(ends[::2], ends[1::2], strict=True))
    return not formula


def iterate_atoms(formula: Formula) -> Iterator[Atom]:
    """Yield every atom of a formula, in order."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Atom):
            yield part
        elif isinstance(part, Junction):
            waiting.extend(part.parts[::-1])


MOST_TRIALS = 20_000
"""Most values that are tried before a search is abandoned."""

CellValues: TypeAlias = Mapping[object, tuple[Variable, Span]]
"""Values of variables, by their keys: ranges that the formula does not divide."""
Consistent: TypeAlias = Callable[[CellValues], bool]
"""Returns whether values of several variables can occur together."""


class SearchLimitError(Exception):
    """Formula that is too large to be searched."""


def may_be_true(formula: Formula, consistent: Consistent) -> bool:
    """Return whether some values may make a formula true; also true if the search is too large."""
    try:
        return _search(formula, {}, _find_cells(formula), consistent, [MOST_TRIALS]) is not None
    except SearchLimitError:
        return True


def find_example(formula: Formula, consistent: Consistent) -> CellValues | None:
    """Find values that make a formula true, of as few variables as possible; None if there are none.

    Raises SearchLimitError.
    """
    cells, trials = _find_cells(formula), [MOST_TRIALS]
    values = _search(formula, {}, cells, consistent, trials)
    return values if values is None else _drop_free_values(formula, values, cells, trials)


def _drop_free_values(
    formula: Formula, values: CellValues, cells: Mapping[object, Sequence[Span]], trials: list[int]
) -> CellValues:
    """Return values without those of variables that may have any value, given the others."""
    kept = dict(values)
    for key in values:
        others = {other: value for other, value in kept.items() if other != key}
        rest = formula
        for other, (_, cell) in others.items():
            rest = _substitute(rest, other, cell)
        if _search(negate(rest), {}, cells, lambda _: True, trials) is None:
            kept = others
    return kept


def _find_cells(formula: Formula) -> Mapping[object, Sequence[Span]]:
    """Return the ranges of values of each variable that a formula distinguishes, by the keys of variables."""
    cuts: dict[object, set[int]] = {}
    for statement in iterate_atoms(formula):
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
) -> CellValues | None:
    if isinstance(formula, bool):
        return values if formula else None
    chosen, is_required = _choose_atom(formula)
    key = chosen.variable.key
    for cell in cells[key]:
        trials[0] -= 1
        if trials[0] < 0:
            raise SearchLimitError
        if is_required and not _contains(chosen, cell):
            continue
        tried = {**values, key: (chosen.variable, cell)}
        rest = _substitute(formula, key, cell)
        if rest is not False and consistent(tried):
            solution = _search(rest, tried, cells, consistent, trials)
            if solution is not None:
                return solution
    return None


def _choose_atom(formula: Formula) -> tuple[Atom, bool]:
    """Return the atom to try next, and whether it must be true: such an atom is preferred."""
    is_required = True
    while isinstance(formula, Junction):
        is_required = is_required and formula.is_conjunction
        formula = next((part for part in formula.parts if isinstance(part, Atom)), formula.parts[0])
    assert isinstance(formula, Atom), "a junction has no constants"
    return formula, is_required


def _contains(atom: Atom, cell: Span) -> bool:
    return any(low <= cell[0] and cell[1] <= high for low, high in atom.spans)


def _substitute(formula: Formula, key: object, cell: Span) -> Formula:
    """Return the rest of a formula after a variable has a value in a range; without the variable, the formula."""
    if isinstance(formula, Junction):
        if key not in formula.keys:
            return formula
        rests: list[Formula] = []
        for part in formula.parts:
            rest = _substitute(part, key, cell)
            if isinstance(rest, bool) and rest is not formula.is_conjunction:
                return rest
            rests.append(rest)
        return _join(formula.is_conjunction, rests)
    if isinstance(formula, Atom) and formula.variable.key == key:
        return _contains(formula, cell)
    return formula


class FormulaBuilder(Protocol):
    """Builder of formulas for the conditions of one regulation."""

    @property
    def game(self) -> Game:
        """The game of the regulation."""
        ...

    def may_hold(self, formula: Formula) -> bool:
        """Return whether a formula can be true; True if the search is too large."""
        ...

    def build_formula(self, condition: Condition) -> Formula:
        """Return the formula for a condition."""
        ...

    def build_opaque(self, condition: Condition) -> Formula:
        """Return a variable for a condition of which nothing else is known."""
        ...

    def build_reading(self, option: ReadingIs) -> Formula:
        """Return the formula: an option of a reading is in force."""
        ...

    def build_category(self, hand: str, name: str, *, better: bool) -> Formula:
        """Return the formula: a hand has a category, or with `better` at least that, under each reading."""
        ...

    def build_hand_comparison(self, one: str, other: str, sign: Span) -> Formula:
        """Return the formula: the strength of a hand minus that of another has a sign in a range."""
        ...

    def build_quantity(self, quantity: Quantity, spans: Sequence[Span]) -> Formula:
        """Return the formula: a quantity is within ranges."""
        ...

    def build_difference(self, one: Quantity, other: Quantity, spans: Sequence[Span]) -> Formula:
        """Return the formula: a quantity minus another is within ranges."""
        ...

    def build_one_of(self, what: str, values: Iterable[object], template: str) -> Formula:
        """Return the formula: something with a single value has one of several; other values are possible as well."""
        ...
